"""The steps of a model's motors: the order of all that happens in a plant step."""

import math
import weakref
from collections.abc import Callable, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context, DiscreteValues, LeafSystem

from webmotor_drake.drive.command_ports import CommandPorts
from webmotor_drake.drive.effort_limits import EffortLimits
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.own_gains import gains_watch
from webmotor_drake.drive.torque_drive import NOTHING, External
from webmotor_drake.errors import SimulationError
from webmotor_drake.loops import NO_ROW
from webmotor_drake.loops.rows import ModelState
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import TimedCommands
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.step import MotorStep

# Times that differ by less, in steps, are the same.
SAME_TIME = 1e-6
# Every so many motor steps it is looked at what costs 2 µs a port to look at.
_LOOKS = 16
_NO_BATTERY = NO_ROW, 0.0


class MotorSteps(LeafSystem):
    """Takes the steps of a `MotorSystem`, which declares ports and state.

    A drive says what it does as a plant step ends and as the next one starts.

    Attributes:
        motor_step: the motor step on the tables.
        laws: the laws of motors that are no Webots servos; None without any.
        looks_at_start: are called as a run starts.
    """

    # Declared by `MotorSystem`.
    _tables_index: int
    _command_ports: CommandPorts
    battery: Battery | None
    _battery_index: int
    _turning: Sequence[int]  # motors of propellers, which say what they need
    # Whether a step's results are noted in the call that takes the next one; always,
    # or but for commands. And whether friction has to know its load.
    _is_usual: bool
    _settles_first: bool
    _needs_load: bool
    # See `read_in_place`.
    _own: tuple[Callable, Callable] | None = None
    # A look at forces costs 2 µs: nobody has to before some act in any Context.
    _was_pushed = False

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        driver: CheckedDriver,
        motor_step: MotorStep,
    ):
        super().__init__()
        self.model = model
        self.motor_step = motor_step
        self.laws = motor_step.models
        self.tables = motor_step.tables
        self._last_step, self._given = self.tables.last_step, self.tables.given
        self.period = period = driver.period
        self._limits = EffortLimits(model.acting)
        self.looks_at_start = [gains_watch(plant, model)]
        self._timed = TimedCommands(driver.schedule)
        self._n = len(model.motors)
        driven = model.joints[: self._n]
        q = np.array([j.position_start() for j in driven], dtype=int)
        v = np.array([j.velocity_start() for j in driven], dtype=int)
        self.position_indices = q
        self.velocity_indices = plant.num_positions() + v
        self._plant_step = plant.time_step() or period
        self._stride = round(period / self._plant_step)
        self._lead = plant.time_step() / 2
        self._stop_before = 1.5 * self._lead + SAME_TIME * period
        self._state_port = self.DeclareVectorInputPort(
            "plant_state", plant.num_multibody_states()
        )
        self._read_state = self._state_port.Eval

    def read_in_place(self, context: Context, plant_state: np.ndarray) -> None:
        """Reads the plant's state where it lies, in the steps of one Context.

        That saves an input to be evaluated. It is for those who own the Context: they
        keep both arguments as long as it is stepped.

        Args:
            context: this system's Context.
            plant_state: [q, v] of that run, which Drake writes in place.
        """
        self._own = weakref.ref(context), weakref.ref(plant_state)

    def mutable_tables(self, context: Context) -> np.ndarray:
        """Returns the vector that `tables` describes, to be changed.

        Args:
            context: this system's Context.
        """
        state = context.get_mutable_discrete_state()
        return state.get_mutable_value(self._tables_index)

    def begin_at(self, context: Context, step: int) -> None:
        """Makes motor step `step` the next one.

        Args:
            context: this system's Context; its time is for the caller to set.
            step: the number.
        """
        last = step * self._stride - 1
        self.mutable_tables(context)[self.tables.last_step] = last

    def finished_battery(self, context: Context) -> np.ndarray:
        """Returns a battery's energy, J, with 1 or 0 for on or off, after a motor step.

        Args:
            context: this system's Context, at `next_step_time` of the next step.
        """
        values, state = (
            self.finished_tables(context),
            context.get_discrete_state(),
        )
        if values[self.tables.last_step] < 0:
            return self._battery_now(context, state.Clone())[0]
        return self._use_battery(context, state.Clone(), values)

    def _battery_now(
        self, context: Context, state: DiscreteValues
    ) -> tuple[np.ndarray, float]:
        """Returns the energy, J, with 1 or 0 for on or off; a charger's power, W."""
        charge = 0.0
        if self._charging_port.HasValue(context):
            charge = self._charging_port.Eval(context)[0]
        return state.get_mutable_value(self._battery_index), charge

    def _use_battery(
        self, context: Context, state: DiscreteValues, values: np.ndarray
    ) -> np.ndarray:
        """Draws the energy of the motor step just finished; returns the rest of it."""
        level, charge = self._battery_now(context, state)
        feedback = self.motor_step.feedback(values)
        if self._turning:
            feedback[self._turning] = self._propellers_port.Eval(context)
        self.motor_step.use_battery(values, level, feedback, charge)
        return level

    def finished_tables(self, context: Context) -> np.ndarray:
        """Returns the tables' vector, with the results of the plant step just done.

        Args:
            context: this system's Context, at `next_step_time` of the next step.
        """
        values = self.table_values(context).copy()
        if values[self.tables.last_step] >= 0:
            plant_state = self._state_port.Eval(context)
            self._finish_plant_step(context, values, plant_state)
        return values

    def effort_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a function that reads the efforts of the plant step just done.

        They have shape (n,), N m or N. Direct effort is in them; springs and dampers
        are not. What is returned is not to be changed.

        Args:
            context: this system's Context, at `next_step_time` of a step when it reads.
        """
        return lambda: self.finished_tables(context)[self.tables.effort]

    def feedback_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a function that reads the motors' feedback, shape (n,), N m or N.

        Static friction is in it; springs, dampers and direct effort are not.

        Args:
            context: this system's Context, at `next_step_time` of a step when it reads.
        """
        return lambda: self.motor_step.feedback(self.finished_tables(context))

    def next_step_time(self, step: int) -> float:
        """Returns when the state of a step's start is ready and its law has not run.

        Args:
            step: number of a motor step, from 0.

        Returns:
            The time, s.
        """
        return max(step * self.period - self._stop_before, 0.0)

    def look_at_ports(self, context: Context) -> None:
        """Has command ports that got their first value act in the next motor step.

        Args:
            context: this system's Context, which is changed.
        """
        self.mutable_tables(context)[self._given] = -1.0

    def _start(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Starts a run: motors hold their joints, commands on their way set out."""
        for look in self.looks_at_start:
            look()
        self.motor_step.hold(values, self._positions(context, plant_state))
        self.motor_step.catch_up(values, self._timed.by_step)

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Notes the effort of the plant step just finished in the tables, if any."""

    def _step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        battery: tuple[np.ndarray, float],
        row: np.ndarray,
        begins: bool,
        settled: bool,
    ) -> None:
        """Finishes a plant step, runs the law if a motor step `begins`, goes on.

        A `battery` is what `_battery_now` says, a `row` that is not empty has
        commands, see `CommandPorts.rows`. What is `settled` is finished already.
        Without a drive nothing is to be done.
        """

    def _initialize(self, context: Context, state: DiscreteValues) -> None:
        """Has the ports looked at, and starts a step."""
        state.get_mutable_value(self._tables_index)[self._given] = -1.0
        self._update(context, state)

    def _update(self, context: Context, state: DiscreteValues) -> None:
        """Starts a plant step, and a motor step where one begins.

        After a step of the contact solver all is out of the processor's caches: what
        the usual step calls and touches is what it costs.
        """
        step = self._plant_steps(context)
        values = state.get_mutable_value(self._tables_index)
        last = int(values.item(self._last_step))
        if step == last:  # initialised again within a step
            return
        own = self._own
        plant_state = own[1]() if own and own[0]() is context else None
        if plant_state is None:
            plant_state = self._read_state(context)
        values[self._last_step] = step
        stride, row, battery = self._stride, NO_ROW, _NO_BATTERY
        now, before = step // stride, last // stride
        begins = last < 0 or now != before
        if begins and (last < 0 or now % _LOOKS == 0):
            self._look_around(context, values)
        # Of brakes and motor models the last step is settled before they are told.
        settled = (
            not self._is_usual
            or last < 0
            or (self._settles_first and bool(self._timed.due(before, now)))
            or (
                self._was_pushed
                and self._look_at_forces(context) is not NOTHING
            )
        )
        if last < 0:
            self._start(context, values, plant_state)
        elif settled:
            self._finish_plant_step(context, values, plant_state)
        if begins and last >= 0 and self.battery is not None:
            if settled:
                self._use_battery(context, state, values)
            else:
                battery = self._battery_now(context, state)
        if begins and (
            values.item(self._given) != 0.0 or before < self._timed.last_step
        ):
            row = self._take_commands(context, values, before, now)
        if self._needs_load:
            loads = self._loads(context, values, plant_state)
            self.tables.models_table(values)[ModelState.LOAD] = loads
        self._step(
            context, state, values, plant_state, battery, row, begins, settled
        )

    def _plant_steps(self, context: Context) -> int:
        """Returns the number of the plant step that begins now or next."""
        elapsed = (context.get_time() + self._lead) / self._plant_step
        return math.floor(elapsed + SAME_TIME)

    def _look_at_forces(self, context: Context) -> External:
        """Returns forces besides that the usual step does not know."""
        return NOTHING

    def _look_around(self, context: Context, values: np.ndarray) -> None:
        """Looks for changes that others make and nobody tells.

        They may have given a command port its first value, or the plant other limits.
        """
        self._limits.keep()
        values[self._given] = self._command_ports.given(context)

    def _take_commands(
        self, context: Context, values: np.ndarray, before: int, now: int
    ) -> np.ndarray:
        """Applies the commands since step `before`, but for a row that it returns.

        That is left to the drive's own call if it is all that ports give.
        """
        if before < self._timed.last_step:
            due = self._timed.due(before, now)
            if due:
                self.motor_step.apply(values, due)
        ports, given = self._command_ports, int(values.item(self._given))
        if given < 0:
            values[self._given] = given = ports.given(context)
        read = ports.rows.get(given)
        if read is not None:
            return read(context)
        if given != 0:
            self._take_rows(context, values)
        return NO_ROW

    def _take_rows(self, context: Context, values: np.ndarray) -> None:
        """Applies the ports' commands."""
        given = int(values.item(self._given))
        tables = self.motor_step.given(values)
        rows = self._command_ports.commands(context, given)
        for kind, row in rows.items():
            self.motor_step.devices.apply_row(kind, row, *tables)

    def _positions(
        self, context: Context, plant_state: np.ndarray
    ) -> np.ndarray:
        """Returns the joint positions, shape (n,), rad or m.

        Raises:
            SimulationError: one is not finite; it names joint and motor.
        """
        q = plant_state[self.position_indices]
        if math.isfinite(sum(q.tolist())):
            return q
        i = int(np.flatnonzero(~np.isfinite(q))[0])
        joint, motor = self.model.joints[i].name(), list(self.model.motors)[i]
        raise SimulationError(
            f"at {context.get_time():.6g} s the position of joint {joint} (motor"
            f" {motor}) is {q[i]}"
        )

    def table_values(self, context: Context) -> np.ndarray:
        """Returns the vector that `tables` describes, not to be changed.

        Drake writes a Context's state in place: it is the present one, always.

        Args:
            context: this system's Context.
        """
        return context.get_discrete_state().get_value(self._tables_index)
