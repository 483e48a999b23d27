"""The LeafSystem of a model's motors: commands and law; a drive does the rest."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    InputPort,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.drive.battery_ports import BatteryPorts
from webmotor_drake.drive.command_ports import CommandPorts
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.own_gains import GainsWatch
from webmotor_drake.drive.position_check import check_positions
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import StepCommands
from webmotor_drake.motor.step import MotorStep
from webmotor_drake.motor.timed_commands import TimedCommands

# Times that differ by less, in steps, are the same.
_SAME_TIME = 1e-6


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
        output_ports:
        - actuation
        - effort
        - command
        - servo
        - tables
        - battery

    `ApplyDriverConfig` connects `plant_state` and what a drive has besides. The four
    command ports have one element per motor, in device order; once per motor period
    they act as the controller's setPosition, setVelocity, setAvailableTorque and
    setTorque would. NaN commands nothing. `desired_state` is a target with
    feed-forward; see `CommandPorts`.

    `actuation` is for the plant's port of the model instance. `effort` is what the
    motors applied in the plant step just finished, direct effort included, springs
    and dampers not (on a continuous plant: what they apply until the next motor
    step). `command` and `servo` are tables of `motor.tables`, row by row; `tables` is
    them all, without any Python when it is logged. `charging_power` (W) and `battery`
    (its energy, J, and 1 or 0 for on or off) are there with a battery only.

    State: the tables, what the actuators get, the battery. Several simulators may
    share the diagram, but not in several threads at a time.

    Timing: a motor step k of length h starts at k h. On a discrete plant the law runs
    half a plant step earlier, and samples the input ports then: the state at k h is
    already there, and no other event, of which the order would depend on the plant's
    settings, coincides. On a continuous plant all happens at k h.

    Attributes:
        devices: what commands act on.
        position_indices: the motors' joints' places in the plant's state.
        velocity_indices: the same for their velocities.
        drive: "torque" or "implicit"; `drive_reason` says why.
        tables: where in the state everything is.

    Args:
        plant: the finalized plant.
        model: the motors, their joints and actuators in the plant.
        period: the motor period h, a multiple of the plant's time step, s.
        schedule: timed commands by motor step, see `commands.schedule`.
        battery: what feeds the motors; None feeds them for ever.
        delay: how long commands take to the motors, s; see `CommandDelay`.
        drive_state: the number of floats that the drive keeps in the state.
    """

    drive: str  # each drive's own class says it

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        *,
        period: float,
        schedule: Mapping[int, StepCommands],
        battery: Battery | None = None,
        delay: float = 0.0,
        drive_state: int,
    ):
        super().__init__()
        self.model = model
        self.drive_reason = "chosen"
        self.battery = battery
        self._motor_step = MotorStep(
            model.motors,
            kinematic=model.kinematic,
            friction=[p.static_friction for p in model.acting_parameters],
            braked=list(model.brakes.values()),
            period=period,
            drive_state=drive_state,
            delay=delay,
        )
        self.devices = self._motor_step.devices
        self.tables = self._motor_step.tables
        self.period = period
        self._gains_watch = GainsWatch(plant, model)
        self.look_at_start: Callable[[], None] | None = None
        self._timed = TimedCommands(schedule)
        self._n = len(model.motors)
        driven = model.joints[: self._n]
        q = np.array([j.position_start() for j in driven], dtype=int)
        v = np.array([j.velocity_start() for j in driven], dtype=int)
        self.position_indices = q
        self.velocity_indices = plant.num_positions() + v
        self._plant_step = plant.time_step() or period
        self._stride = round(period / self._plant_step)
        self._lead = plant.time_step() / 2
        self._state_port = self.DeclareVectorInputPort(
            "plant_state", plant.num_multibody_states()
        )
        self._command_ports = CommandPorts(self, self._n)
        self._declare_tables()
        self._battery_ports = battery and BatteryPorts(
            self, battery, self._motor_step, period
        )

    def _declare_tables(self) -> None:
        self._tables_index = self._declare_state(
            "tables", self._motor_step.initial_values()
        )
        self._declare_table_port("effort", self.tables.effort)
        self._declare_table_port("command", self.tables.command)
        self._declare_table_port("servo", self.tables.law_state)

    def _declare_state(self, name: str, initial: Sequence[float]) -> int:
        """Declares a state and its port; returns its place among the states."""
        # A plain int finds it twice as fast as Drake's index.
        index = self.DeclareDiscreteState(initial)
        self.DeclareStateOutputPort(name, index)
        return int(index)

    def _declare_table_port(self, name: str, part: slice) -> None:
        def calc(context: Context, output: BasicVector) -> None:
            output.SetFromVector(self._values(context)[part])

        self.DeclareVectorOutputPort(
            name, part.stop - part.start, calc, {self.xd_ticket()}
        )

    def _declare_events(self, period: float) -> None:
        """Declares events that call `_update` at the start and every `period`, s."""
        self.DeclareInitializationDiscreteUpdateEvent(self._update)
        self.DeclarePeriodicDiscreteUpdateEvent(
            period, period - self._lead, self._update
        )

    def read_plant_parameters(
        self, context: Context, plant_context: Context | None = None
    ) -> None:
        """Takes over masses, damping, locks and rotors of the plant's Context now.

        Without this call that happens by itself, as a plant step ends; what is changed
        before a run starts acts from its start.

        Args:
            context: this system's Context, which is changed.
            plant_context: the plant's, of the same run; it need not be given.
        """

    def _start(self, context: Context) -> None:
        """Prepares a run's first step."""
        self._gains_watch.check()
        if self.look_at_start is not None:
            self.look_at_start()

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        """Notes the effort of the plant step just finished in the tables."""
        raise NotImplementedError

    def _start_plant_step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
    ) -> None:
        """Does the drive's part before each plant step."""
        raise NotImplementedError

    def _steps_at_once(self, context: Context) -> bool:
        """Returns whether the drive does a step in one call, except for commands."""
        return False

    def _step_at_once(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        begins: bool,
    ) -> None:
        """Finishes a plant step, runs the law if a motor step `begins`, goes on."""
        raise NotImplementedError

    @property
    def static_friction(self) -> np.ndarray:
        """Friction of the motors' joints, shape (n,), N m or N."""
        return self._motor_step.friction[: self._n]

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
        state = context.get_mutable_discrete_state()
        values = state.get_mutable_value(self._tables_index)
        if values[self.tables.last_step] < 0:
            plant_state = self._state_port.Eval(context)
            self._motor_step.hold(values, self._positions(context, plant_state))
        self._motor_step.apply(values, commands)

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
            velocities: of each, or one for all, rad/s or m/s; 0 after Webots'
                resetPhysics.
        """
        state = context.get_mutable_discrete_state()
        values = state.get_mutable_value(self._tables_index)
        self._motor_step.ramp_from(values, motors, velocities)

    def add_schedule(self, schedule: Mapping[int, StepCommands]) -> None:
        """Adds timed commands to those given at construction.

        Args:
            schedule: commands by motor step. Those of negative steps, given before
                the start, may still be on their way.
        """
        self._timed.add(schedule)

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

    def finished_step(
        self, context: Context
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Returns the state after a motor step, before the next starts.

        Args:
            context: this system's Context, at `next_step_time` of the next step.

        Returns:
            The motors' feedback, shape (n,), N m or N: static friction is in it;
            springs, dampers and direct effort are not. And the battery's energy,
            J, with 1 or 0 for on or off; None without a battery.
        """
        state = context.get_discrete_state().Clone()
        values = state.get_mutable_value(self._tables_index)
        if values[self.tables.last_step] < 0:  # no step was done yet
            return np.zeros(self._n), self._battery_level(state)
        self._finish_plant_step(context, values, self._state_port.Eval(context))
        feedback = self._motor_step.feedback(values)
        if self._battery_ports is not None:
            self._battery_ports.use(context, state, values)
        return feedback, self._battery_level(state)

    def _battery_level(self, state: DiscreteValues) -> np.ndarray | None:
        if self._battery_ports is None:
            return None
        return self._battery_ports.level(state)

    def next_step_time(self, step: int) -> float:
        """Returns when the state of a step's start is ready and its law has not run.

        Args:
            step: number of a motor step, from 0.

        Returns:
            The time, s.
        """
        before = 1.5 * self._lead + _SAME_TIME * self.period
        return max(step * self.period - before, 0.0)

    def _update(self, context: Context, state: DiscreteValues) -> None:
        """Starts a plant step, and a motor step where one begins."""
        elapsed = (context.get_time() + self._lead) / self._plant_step
        step = math.floor(elapsed + _SAME_TIME)
        values = state.get_mutable_value(self._tables_index)
        last = int(values[self.tables.last_step])
        if step == last:  # initialised again within a step
            return
        plant_state = self._state_port.Eval(context)
        values[self.tables.last_step] = step
        begins = last < 0 or step // self._stride != last // self._stride
        if last >= 0 and self._steps_at_once(context):
            if begins:
                self._take_commands(context, values, last, step)
            self._step_at_once(context, state, values, plant_state, begins)
            return
        if last >= 0:
            self._finish_plant_step(context, values, plant_state)
        else:
            self._start(context)
        if begins:
            if last >= 0 and self._battery_ports is not None:
                self._battery_ports.use(context, state, values)
            self._start_motor_step(context, values, plant_state, last, step)
        self._start_plant_step(context, state, values, plant_state)

    def _start_motor_step(
        self,
        context: Context,
        values: np.ndarray,
        plant_state: np.ndarray,
        last: int,
        step: int,
    ) -> None:
        """Applies the commands since plant step `last`, then runs the law."""
        q = self._positions(context, plant_state)
        if last < 0:
            self._motor_step.hold(values, q)
            self._motor_step.catch_up(values, self._timed.by_step)
        self._take_commands(context, values, last, step)
        self._motor_step.run_law(values, q)

    def _take_commands(
        self, context: Context, values: np.ndarray, last: int, step: int
    ) -> None:
        """Applies the commands since plant step `last`."""
        due = self._timed.due(last // self._stride, step // self._stride)
        if due:
            self._motor_step.apply(values, due)
        if rows := self._command_ports.commands(context):
            self._motor_step.apply_rows(values, rows)

    def _positions(
        self, context: Context, plant_state: np.ndarray
    ) -> np.ndarray:
        """Returns the joint positions, shape (n,), rad or m, if they are finite."""
        q = plant_state[self.position_indices]
        check_positions(q, context.get_time(), self.model)
        return q

    def _values(self, context: Context) -> np.ndarray:
        """Returns the tables' vector."""
        return context.get_discrete_state().get_value(self._tables_index)
