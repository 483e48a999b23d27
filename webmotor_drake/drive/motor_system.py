"""The LeafSystem of a model's motors: commands, law and the order of a plant step."""

import dataclasses as dc
import math
import weakref
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydrake.systems.framework import (
    Context,
    DiscreteValues,
    InputPort,
    LeafOutputPort,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.drive.command_ports import CommandPorts
from webmotor_drake.drive.effort_limits import EffortLimits
from webmotor_drake.drive.model_motors import ModelMotors, model_laws
from webmotor_drake.drive.own_gains import gains_watch
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.loops.rows import Demand, LawState, ModelState
from webmotor_drake.motor.commands import Kind, StepCommands, TimedCommands
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.step import MotorStep
from webmotor_drake.nodes.motors import MotorNode, is_modelled, max_effort

# Times that differ by less, in steps, are the same.
SAME_TIME = 1e-6
# The step at which motors that rest begin: never.
NEVER = 2**40
# Motor steps from one look at the ports to the next: a look costs 2 µs per port.
_LOOKS = 16
# Energy, J, with 1 or 0 for on or off, None without a battery; a charger's power, W.
Battery = tuple[np.ndarray | None, float]
_NO_BATTERY: Battery = None, 0.0
# The port for |thrust| + |torque| of propellers, in their order (WbMotor.cpp).
PROPELLER_EFFORTS = "propeller_efforts"


class MotorSystem(LeafSystem):
    """All motors of a model; `TorqueMotors` and `ImplicitMotors` drive them.

    .. pydrake_system::

        name: MotorSystem
        input_ports:
        - plant_state
        - target_position
        - target_velocity
        - available_effort
        - direct_effort
        - desired_state
        - charging_power
        - propeller_efforts
        output_ports:
        - actuation
        - effort
        - command
        - servo
        - tables
        - battery

    `ApplyDriverConfig` connects `plant_state` and the drive's own ports. The four
    command ports have one element per motor, in device order; once per motor period
    they act as the controller's setPosition, setVelocity, setAvailableTorque and
    setTorque would. NaN commands nothing. `desired_state` is a target with
    feed-forward; see `CommandPorts`.

    `actuation` is for the plant's port of the model instance. `effort` is the motors'
    effort in the plant step just finished, with direct effort, without springs and
    dampers (on a continuous plant: the effort until the next motor step). `command` and
    `servo` are tables of `motor.tables`, row by row; `tables` has all tables; logging
    it runs no Python. `charging_power` (W) and `battery` (its energy, J, and 1 or 0 for
    on or off) exist only with a battery, `propeller_efforts` if it feeds propellers.

    State: the tables, the actuation, the battery. Several simulators may
    share the diagram, but not in several threads at a time.

    Timing: a motor step k of length h starts at k h. On a discrete plant the law runs
    half a plant step earlier, and samples the input ports then. The state at k h is
    already there, and no other event is at that time, so the order of events does not
    depend on the plant's settings. On a continuous plant all happens at k h.

    Attributes:
        devices: motors that commands act on.
        position_indices: places of the joints' positions in the plant's [q, v].
        velocity_indices: places of the joints' velocities in [q, v].
        drive: "torque" or "implicit"; `drive_reason` says why.
        tables: layout of the state.
        motor_step: the motor step on the tables.
        laws: the laws of motors that are no Webots servos; None without any.
        looks_at_start: functions called as a run starts.

    Args:
        model: the motors, their joints and actuators in the plant.
        driver: driver checked for the plant, with period, commands, battery and delay.
        drive_state: the number of floats that the drive keeps in the state.
    """

    drive: str  # each drive's own class sets it, and `_step`
    # Settles the last plant step, runs the law, finds the next efforts. Takes Context,
    # state and its tables, [q, v], battery, a row of commands, whether a motor step
    # begins, and whether the last plant step is settled already.
    _step: Callable[..., None]
    # True if the efforts of a plant step are there from its start.
    _holds = False
    # See `read_in_place`.
    _own: tuple[Callable, Callable] | None = None
    # A look at forces costs 2 µs: none is needed before some act in any Context.
    _was_pushed = False

    def __init__(
        self, model: ModelMotors, driver: CheckedDriver, *, drive_state: int
    ):
        super().__init__()
        plant = model.plant
        self.laws = model_laws(model, driver.period)
        self.motor_step = motor_step = MotorStep(
            model.motors,
            kinematic=model.kinematic,
            friction=[p.static_friction for p in model.acting_parameters],
            braked=list(model.brakes.values()),
            period=driver.period,
            drive_state=drive_state,
            delay=[driven.driver.delay for driven in model.driven],
            models=self.laws,
            battery=driver.battery,
        )
        self.model = model
        self.tables = motor_step.tables
        self._last_step, self._given = self.tables.last_step, self.tables.given
        self.period = period = driver.period
        self._limits = EffortLimits(model.acting)
        self.looks_at_start = [gains_watch(model)]
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
        # No duration that somebody writes ends there by chance, as 0.05 s of 8 ms would
        # three quarters of a step before the next one.
        self._stop_before = math.sqrt(2) * self._lead + SAME_TIME * period
        self._state_port = self.DeclareVectorInputPort(
            "plant_state", plant.num_multibody_states()
        )
        self._read_state = self._state_port.Eval
        self.drive_reason = "chosen"
        self.battery = driver.battery
        self.devices = motor_step.devices
        self._command_ports = CommandPorts(self, self._n)
        self._declare_tables()
        joints = [motor.joint for motor in model.motors.values()]
        self._turning = [joints.index(n) for n in driver.config.propellers]
        if self.battery:
            self._declare_battery(self.battery.energy)
        # Friction may need its load first; else the call that takes a step notes the
        # last one's results, too (with brakes or models unless commands are due).
        self._needs_load = self.laws is not None and self.laws.needs_load
        self._is_usual = self._lead > 0 and not (
            (self.battery and self._turning) or self._needs_load
        )
        self._settles_first = bool(model.brakes or self.laws)
        places = self.position_indices, self.velocity_indices
        motor_step.start.set_places(*places)

    def _declare_battery(self, energy: float) -> None:
        self._charging_port = self.DeclareVectorInputPort("charging_power", 1)
        self._battery_index = self._declare_state("battery", [energy, 1.0])
        if self._turning:
            self._propellers_port = self.DeclareVectorInputPort(
                PROPELLER_EFFORTS, len(self._turning)
            )

    def _declare_tables(self) -> None:
        self._tables_index = self._declare_state(
            "tables", self.motor_step.initial_values()
        )
        # Not cached: if no event updates it between motor steps, each read computes it.
        effort = self._declare_part("effort", self.tables.effort, self._effort)
        effort.disable_caching_by_default()
        for name, part in (
            ("command", self.tables.command),
            ("servo", self.tables.law_state),
        ):
            self._declare_part(
                name,
                part,
                lambda context, part=part: self.table_values(context)[part],
            )

    def _declare_state(self, name: str, initial: Sequence[float]) -> int:
        """Declares a state and its port; returns its place among the states."""
        # Access by a plain int is twice as fast as by Drake's index.
        index = self.DeclareDiscreteState(initial)
        self.DeclareStateOutputPort(name, index)
        return int(index)

    def _declare_part(
        self, name: str, part: slice, read: Callable[[Context], np.ndarray]
    ) -> LeafOutputPort:
        """Declares a port whose value `read` takes from a part of the tables."""
        return self.DeclareVectorOutputPort(
            name,
            part.stop - part.start,
            lambda context, output: output.SetFromVector(read(context)),
            {self.xd_ticket()},
        )

    def _effort(self, context: Context) -> np.ndarray:
        """Returns the efforts of the plant step just finished, as `effort` has them."""
        return self.table_values(context)[self.tables.effort]

    def _declare_events(self, period: float) -> None:
        """Declares events that update the state at the start and every `period`, s."""
        self.DeclareInitializationDiscreteUpdateEvent(self._initialize)
        self.DeclarePeriodicDiscreteUpdateEvent(
            period, period - self._lead, self._update
        )

    def read_plant_parameters(self, context: Context) -> None:
        """Takes over masses, damping, locks and rotors of the plant's Context now.

        Without this call, changes are taken over as a plant step ends; changes made
        before a run act from its start.

        Args:
            context: this system's Context, which is changed.
        """

    @property
    def static_friction(self) -> np.ndarray:
        """Friction of the motors' joints, shape (n,), N m or N."""
        return self.motor_step.friction[: self._n]

    def get_plant_state_input_port(self) -> InputPort:
        """The plant's [q, v]."""
        return self._state_port

    def get_actuation_output_port(self) -> OutputPort:
        """Efforts for the plant's actuation port of the model."""
        return self.GetOutputPort("actuation")

    def get_effort_output_port(self) -> OutputPort:
        """The efforts that the motors applied, shape (n,), N m or N."""
        return self.GetOutputPort("effort")

    def next_actuation(self, context: Context) -> np.ndarray:
        """Returns the next efforts of the motors' actuators, shape (n,), N m or N.

        Args:
            context: this system's Context.
        """
        slots = self._slots[: self._n]
        return self.get_actuation_output_port().Eval(context)[slots]

    def apply_all(self, context: Context, commands: StepCommands) -> None:
        """Gives commands, in the order given; they act in the next motor step.

        Args:
            context: this system's Context, which is changed.
            commands: motor in device order (or brake), kind and value of each, as
                for `MotorDevices.apply`.
        """
        self.commander(context)(commands)

    def commander(self, context: Context) -> Callable[[StepCommands], None]:
        """Returns a function that gives commands as `apply_all` does, for many calls.

        Args:
            context: this system's Context, which is changed.
        """
        values, last_step = self.mutable_tables(context), self.tables.last_step
        apply = self.motor_step.applier(values)

        def give(commands: StepCommands) -> None:
            context.get_mutable_discrete_state()  # tells Drake
            if values[last_step] < 0:
                plant_state = self._state_port.Eval(context)
                q = self._positions(context, plant_state)
                self.motor_step.hold(values, q)
            apply(commands)

        return give

    def row_writer(
        self, context: Context
    ) -> Callable[[Kind, np.ndarray], bool]:
        """Returns a function that gives all motors a command of one kind.

        It takes the kind and a value per motor, and does with them as `apply_all`
        does. If one would be refused, clipped or warned of, it returns False: give all
        of them to `apply_all` then.

        Args:
            context: this system's Context, which is changed.
        """
        values, last_step = self.mutable_tables(context), self.tables.last_step
        command, _ = self.motor_step.given(values)
        apply = self.devices.usual(command)

        def write(kind: Kind, row: np.ndarray) -> bool:
            context.get_mutable_discrete_state()  # tells Drake
            return values[last_step] >= 0 and apply(kind, row)

        return write

    def ramp_from(
        self,
        context: Context,
        motors: Sequence[int],
        velocities: npt.ArrayLike,
    ) -> None:
        """Makes the law ramp some motors from their present velocity.

        Args:
            context: this system's Context, which is changed.
            motors: in device order.
            velocities: velocities of each, or one for all, rad/s or m/s; 0 after
                Webots' resetPhysics.
        """
        law_state = self.tables.law_state_table(self.mutable_tables(context))
        law_state[LawState.VELOCITY_COMMAND, motors] = velocities

    def change_motor(self, index: int, motor: MotorNode) -> None:
        """Gives a motor other limits, and its model other parameters, from now on.

        Earlier commands stay. Neither `reset` nor another Context undoes the change.

        Args:
            index: the motor, in device order.
            motor: the node, after Webots' fallbacks, with the same motor model.

        Raises:
            InputError: a value that cannot change during a run.
        """
        model = self.model
        first = list(model.motors.values())[index]
        if model.kinematic[index]:
            raise InputError("its joint is kinematic")
        if max_effort(motor) > max_effort(first) and self.drive == "implicit":
            raise InputError(
                "the plant has its bound on this drive; it can only sink"
            )
        if self.laws is not None and is_modelled(motor):
            motors = dict(
                zip(self.devices.names, self.devices.motors, strict=True)
            )
            motors[self.devices.names[index]] = motor
            changed = dc.replace(model, motors=motors)
            new = model_laws(changed, self.period)
            assert new is not None
            self.laws.change(new.rows)
        self.devices.replace(index, motor)

    def add_schedule(self, schedule: Mapping[int, StepCommands]) -> None:
        """Adds timed commands to those given at construction.

        Args:
            schedule: commands by motor step. Those of negative steps, given before
                the start, may still be on their way.
        """
        self._timed.add(schedule)

    def read_in_place(self, context: Context, plant_state: np.ndarray) -> None:
        """Reads the plant's state where it lies, in the steps of one Context.

        That saves evaluating an input. It is for the owner of the Context, who keeps
        both arguments alive as long as it is stepped.

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
            step: number of the motor step; NEVER: the motors rest.
        """
        last = step * self._stride - 1
        self.mutable_tables(context)[self.tables.last_step] = last

    def finished_battery(self, context: Context) -> np.ndarray:
        """Returns a battery's energy, J, with 1 or 0 for on or off, after a motor step.

        Args:
            context: this system's Context, at `next_step_time` of the next step.
        """
        values = self.finished_tables(context)
        state = context.get_discrete_state().Clone()
        if values[self.tables.last_step] >= 0:
            self._use_battery(context, state, values)
        return state.get_value(self._battery_index)

    def _battery_now(self, context: Context, state: DiscreteValues) -> Battery:
        charge = 0.0
        if self._charging_port.HasValue(context):
            charge = self._charging_port.Eval(context)[0]
        return state.get_mutable_value(self._battery_index), charge

    def _use_battery(
        self, context: Context, state: DiscreteValues, values: np.ndarray
    ) -> None:
        """Draws the energy of the motor step just finished."""
        level, charge = self._battery_now(context, state)
        feedback = self.motor_step.feedback(values)
        if self._turning:
            feedback[self._turning] = self._propellers_port.Eval(context)
        self.motor_step.use_battery(values, level, feedback, charge)

    def finished_tables(self, context: Context) -> np.ndarray:
        """Returns the tables' vector, with the results of the plant step just done.

        Args:
            context: this system's Context, at `next_step_time` of the next step.
        """
        values = self.table_values(context).copy()
        if self._holds:
            values[self.tables.effort] = values[self.tables.held][: self._n]
        elif values[self.tables.last_step] >= 0:
            plant_state = self._state_port.Eval(context)
            self._finish_plant_step(context, values, plant_state)
        return values

    def effort_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a function that reads the efforts of the plant step just done.

        They have shape (n,), N m or N, with direct effort, without springs and dampers.
        Do not change the returned array.

        Args:
            context: this system's Context, at `next_step_time` of a step when it reads.
        """
        if not self._holds:
            return lambda: self.finished_tables(context)[self.tables.effort]
        held = self.table_values(context)[self.tables.held][: self._n]
        return lambda: held

    def feedback_reader(self, context: Context) -> Callable[[], np.ndarray]:
        """Returns a function that reads the motors' feedback, shape (n,), N m or N.

        Feedback includes static friction, not springs, dampers and direct effort.

        Args:
            context: this system's Context, at `next_step_time` of a step when it reads.
        """
        if not self._holds or any(self.model.kinematic):
            feedback = self.motor_step.feedback
            return lambda: feedback(self.finished_tables(context))
        values = self.table_values(context)
        effort = values[self.tables.held][: self._n]
        demand = self.tables.demand_table(values)
        direct = demand[Demand.DIRECT_EFFORT, : self._n]
        return lambda: effort - direct

    def next_step_time(self, step: int) -> float:
        """Returns the time when a step's state is ready and its law has not run yet.

        Args:
            step: number of a motor step, from 0.

        Returns:
            The time, s.
        """
        return max(step * self.period - self._stop_before, 0.0)

    def look_at_ports(self, context: Context) -> None:
        """Makes command ports that got their first value act in the next motor step.

        Args:
            context: this system's Context, which is changed.
        """
        self.mutable_tables(context)[self._given] = -1.0

    def _start(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Starts a run: motors hold their joints, earlier commands are on their way."""
        for look in self.looks_at_start:
            look()
        self.motor_step.hold(values, self._positions(context, plant_state))
        self.motor_step.catch_up(values, self._timed.by_step)
        self._was_acted_on(context)

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Notes the effort of the plant step just finished in the tables, if any."""

    def _initialize(self, context: Context, state: DiscreteValues) -> None:
        """Has the ports looked at, and starts a step."""
        state.get_mutable_value(self._tables_index)[self._given] = -1.0
        self._update(context, state)

    def _update(self, context: Context, state: DiscreteValues) -> None:
        """Starts a plant step, and a motor step where one begins.

        The contact solver empties the processor's caches, so the cost of a usual step
        grows with all code and data that it touches.
        """
        step = self._begun(context)
        values = state.get_mutable_value(self._tables_index)
        last = int(values.item(self._last_step))
        if step == last or last >= NEVER - 1:  # initialised again, or resting
            return
        own = self._own
        plant_state = own[1]() if own and own[0]() is context else None
        if plant_state is None:
            plant_state = self._read_state(context)
        values[self._last_step] = step
        stride, row, battery = self._stride, None, _NO_BATTERY
        now, before = step // stride, last // stride
        begins = last < 0 or now != before
        if begins and (last < 0 or now % _LOOKS == 0):
            # A port may have got its first value, or the plant other limits.
            self._limits.keep()
            values[self._given] = self._command_ports.given(context)
        # With brakes or motor models the last step is settled before commands act.
        settled = (
            not self._is_usual
            or last < 0
            or (self._settles_first and bool(self._timed.due(before, now)))
            or (self._was_pushed and self._was_acted_on(context))
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

    def _begun(self, context: Context) -> int:
        """Returns the number of the plant step that begins now, or began last."""
        elapsed = context.get_time() + self._lead
        return int(elapsed / self._plant_step + SAME_TIME)

    def _was_acted_on(self, context: Context) -> bool:
        """Returns whether forces act, or acted, that the usual step leaves out."""
        return False

    def _take_commands(
        self, context: Context, values: np.ndarray, before: int, now: int
    ) -> np.ndarray | None:
        """Applies the commands since step `before`, except a row that it returns.

        If only one port has values, its row is left to the drive's own loop.
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
        return None

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
        """Returns the joint positions, shape (n,), all finite, or fails."""
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

        Drake writes a Context's state in place, so the vector is always up to date.

        Args:
            context: this system's Context.
        """
        return context.get_discrete_state().get_value(self._tables_index)


class IdleMotors(MotorSystem):
    """Steps a model that has position sensors, stops or a battery, and no more.

    If the model has actuators, their actuation is 0.
    """

    drive = "torque"

    def __init__(self, model: ModelMotors, driver: CheckedDriver):
        super().__init__(model, driver, drive_state=0)
        self._is_usual = False
        size, self._slots = model.actuation_slots()
        self._declare_state("actuation", np.zeros(size))
        self._declare_events(self._plant_step)

    def _step(self, *_: object) -> None:
        pass
