"""The LeafSystem that drives the joints of a model as Webots' motors do."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import JointActuator
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    InputPort,
    LeafSystem,
    OutputPort,
    ValueProducer,
)

from webmotor_drake.commands import Kind, MotorDevices, Step
from webmotor_drake.errors import SimulationError
from webmotor_drake.law import Command, Servo, step_servos
from webmotor_drake.motor_joints import ModelMotors
from webmotor_drake.torque_drive import External, TorqueDrive

# Input ports that command the motors, in the order in which they act.
COMMAND_PORTS = {
    "target_position": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "available_effort": Kind.AVAILABLE_EFFORT,
    "direct_effort": Kind.EFFORT,
}


class MotorSystem(LeafSystem):
    """All motors of a model: the motor law and the drive that follows it.

    .. pydrake_system::

        name: MotorSystem
        input_ports:
        - plant_state
        - target_position
        - target_velocity
        - available_effort
        - direct_effort
        - applied_generalized_force
        - applied_spatial_force
        output_ports:
        - actuation
        - effort
        - command
        - servo

    Only `plant_state` has to be connected. The four command ports have an
    element a motor, in device order; once a motor period they act as the
    controller's setPosition, setVelocity, setAvailableTorque and setTorque
    would, NaN commands nothing. The last two inputs tell the drive what else
    acts on the plant: connect them to what the plant's ports of the same names
    are connected to.

    `actuation` is for the plant's actuation port of the model instance; `effort`
    is what the motors apply, direct effort included, springs and dampers not;
    `command` and `servo` are the tables of `webmotor_drake.law`, row by row.

    State: the two tables, the number of the last motor step, and on a
    continuous plant the efforts, which are held over the motor period.

    Timing: a motor step k of length h starts at k h. On a discrete plant the law
    runs half a plant step earlier, when the state at k h is already there and
    nothing else happens: events that meant to coincide may not, and their order
    depends on the plant's settings. So input ports are sampled half a plant step
    early, too. The effort is computed when the plant asks for it.

    Attributes:
        model: the motors and their joints.
        devices: what commands act on.
        period: the motor period h, s.
        position_indices: the motors' joints' places in the plant's state, n of them.
        velocity_indices: the same for their velocities.

    Args:
        plant: the finalized plant.
        model: the motors, their joints and actuators in the plant.
        period: the motor period h, a multiple of the plant's time step, s.
        cfm: softness of the servos, rad/s/(N m) or m/s/N.
        schedule: timed commands by motor step, see `commands.schedule`.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        *,
        period: float,
        cfm: float,
        schedule: Mapping[int, Step],
    ):
        super().__init__()
        self.model = model
        self.devices = MotorDevices(model.motors)
        self.period = period
        self._schedule = schedule
        self._n = len(model.motors)
        driven = model.joints[: self._n]
        self.position_indices = [j.position_start() for j in driven]
        self.velocity_indices = [
            plant.num_positions() + j.velocity_start() for j in driven
        ]
        acting = [i for i, a in enumerate(model.actuators) if a is not None]
        parameters = [model.parameters[i] for i in acting]
        self._friction = np.array([p.static_friction for p in parameters])
        self._drive = TorqueDrive(
            plant,
            [model.joints[i] for i in acting],
            parameters,
            step=plant.time_step() or period,
            cfm=cfm,
        )
        self._declare_inputs(plant)
        self._declare_state(plant.time_step() or None)
        self._declare_outputs(plant, [model.actuators[i] for i in acting])

    def _declare_inputs(self, plant: MultibodyPlant) -> None:
        self._state_port = self.DeclareVectorInputPort(
            "plant_state", plant.num_multibody_states()
        )
        self._command_ports = [
            (self.DeclareVectorInputPort(name, self._n), kind)
            for name, kind in COMMAND_PORTS.items()
        ]
        self._generalized_port = self.DeclareVectorInputPort(
            "applied_generalized_force", plant.num_velocities()
        )
        self._spatial_port = self.DeclareAbstractInputPort(
            "applied_spatial_force",
            Value[list[ExternallyAppliedSpatialForce]](),
        )

    def _declare_state(self, plant_step: float | None) -> None:
        command = self.devices.initial_commands()
        self._command_index = self.DeclareDiscreteState(command.ravel())
        self._servo_index = self.DeclareDiscreteState(len(Servo) * self._n)
        self._step_index = self.DeclareDiscreteState([-1.0])
        self._held_index = None
        if plant_step is None:
            self._held_index = self.DeclareDiscreteState(
                2 * len(self._friction)
            )
        self._lead = plant_step / 2 if plant_step else 0.0
        self.DeclareInitializationDiscreteUpdateEvent(self._update)
        self.DeclarePeriodicDiscreteUpdateEvent(
            self.period, self.period - self._lead, self._update
        )

    def _declare_outputs(
        self, plant: MultibodyPlant, actuators: Sequence[JointActuator]
    ) -> None:
        instance = actuators[0].model_instance()
        slots = list(plant.GetJointActuatorIndices(instance))
        self._slots = [slots.index(actuator.index()) for actuator in actuators]
        states = [self._command_index, self._servo_index, self._held_index]
        needs = {self.discrete_state_ticket(s) for s in states if s is not None}
        if self._held_index is None:
            ports = self._state_port, self._generalized_port, self._spatial_port
            needs |= {self.input_port_ticket(p.get_index()) for p in ports}
        self._efforts = self.DeclareCacheEntry(
            "efforts",
            ValueProducer(
                allocate=Value[object]().Clone, calc=self._calc_efforts
            ),
            needs,
        )
        depends = {self._efforts.ticket()}
        self.DeclareVectorOutputPort(
            "actuation", len(slots), self._calc_actuation, depends
        )
        self.DeclareVectorOutputPort(
            "effort", self._n, self._calc_effort, depends
        )
        self.DeclareStateOutputPort("command", self._command_index)
        self.DeclareStateOutputPort("servo", self._servo_index)

    @property
    def static_friction(self) -> np.ndarray:
        """Friction of the motors' joints, shape (n,), N m or N."""
        return self._friction[: self._n]

    def get_plant_state_input_port(self) -> InputPort:
        """The plant's [q, v]."""
        return self._state_port

    def get_actuation_output_port(self) -> OutputPort:
        """Efforts for the plant's actuation port of the model instance."""
        return self.GetOutputPort("actuation")

    def get_effort_output_port(self) -> OutputPort:
        """What the motors apply, shape (n,), N m or N."""
        return self.GetOutputPort("effort")

    def apply(
        self,
        context: Context,
        kind: Kind,
        index: int,
        value: float | Sequence[float],
    ) -> None:
        """Gives a command to a motor; it acts in the next motor step.

        Args:
            context: this system's Context, which is changed.
            kind: what is commanded.
            index: the motor, in device order.
            value: as for `MotorDevices.apply`.
        """
        state = context.get_mutable_discrete_state()
        command = self._table(state, self._command_index, Command)
        servo = self._table(state, self._servo_index, Servo)
        self._hold_positions(command, self._positions(context))
        self.devices.apply(kind, index, value, command, servo)

    def next_step_time(self, step: int) -> float:
        """Returns a time when the state at the start of `step` is there already.

        The law of the step has not run yet: what is applied then acts in it.
        """
        return step * self.period - 1.5 * self._lead - 1e-9 * self.period

    def _update(self, context: Context, state: DiscreteValues) -> None:
        """Starts a motor step: commands, then the law."""
        step = round((context.get_time() + self._lead) / self.period)
        last = int(state.get_value(self._step_index)[0])
        if step == last:  # initialised again within a step
            return
        command = self._table(state, self._command_index, Command)
        servo = self._table(state, self._servo_index, Servo)
        q = self._positions(context)
        if last < 0:
            self._hold_positions(command, q)
        for index, kind, value in self._commands(context, last, step):
            self.devices.apply(kind, index, value, command, servo)
        servo[:] = step_servos(
            q.tolist(), self.period, command.tolist(), servo.tolist()
        )
        state.get_mutable_value(self._step_index)[0] = step
        if self._held_index is not None:
            state.get_mutable_value(self._held_index)[:] = np.concatenate(
                self._solve(context, command, servo)
            )

    def _hold_positions(self, command: np.ndarray, q: np.ndarray) -> None:
        """Makes `q` the target of motors that nobody has commanded yet."""
        unset = np.isnan(command[Command.TARGET_POSITION])
        command[Command.TARGET_POSITION, unset] = q[unset]

    def _positions(self, context: Context) -> np.ndarray:
        """Returns the motors' joint positions, shape (n,), rad or m."""
        q = self._state_port.Eval(context)[self.position_indices]
        if not math.isfinite(q.sum()):
            motor = int(np.flatnonzero(~np.isfinite(q))[0])
            raise SimulationError(
                f"at {context.get_time():.6g} s the position of joint"
                f" {self.model.joints[motor].name()} (motor"
                f" {self.devices.names[motor]}) is {q[motor]}"
            )
        return q

    def _commands(self, context: Context, last: int, step: int) -> Step:
        """Returns what to apply in `step`: timed commands, then the ports'."""
        commands = [
            command
            for due in range(last + 1, step + 1)
            for command in self._schedule.get(due, ())
        ]
        for port, kind in self._command_ports:
            if port.HasValue(context):
                commands += [
                    (motor, kind, value)
                    for motor, value in enumerate(port.Eval(context).tolist())
                    if not math.isnan(value)
                ]
        return commands

    def _table(
        self, state: DiscreteValues, index: int, rows: type
    ) -> np.ndarray:
        """Returns a table of the law as a view into the state, (rows, n)."""
        return state.get_mutable_value(index).reshape(len(rows), self._n)

    def _calc_efforts(self, context: Context, output: Value) -> None:
        """Computes the motors' efforts and the springs', two arrays."""
        state = context.get_discrete_state()
        if self._held_index is not None:
            output.set_value(np.split(state.value(self._held_index), 2))
            return
        command = state.value(self._command_index).reshape(-1, self._n)
        servo = state.value(self._servo_index).reshape(-1, self._n)
        output.set_value(self._solve(context, command, servo))

    def _solve(
        self, context: Context, command: np.ndarray, servo: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns efforts of servos with direct effort, and of springs."""
        servo_on = command[Command.EFFORT_CONTROL] == 0
        rate, bound, direct = np.zeros((3, len(self._friction)))
        rate[: self._n] = np.where(servo_on, servo[Servo.VELOCITY_COMMAND], 0)
        bound[: self._n] = np.where(
            servo_on, command[Command.AVAILABLE_EFFORT], 0
        )
        direct[: self._n] = np.where(
            servo_on, 0, command[Command.DIRECT_EFFORT]
        )
        effort, spring = self._drive.solve(
            self._state_port.Eval(context),
            rate,
            np.maximum(bound, self._friction),
            direct,
            self._external(context),
        )
        return effort + direct, spring

    def _external(self, context: Context) -> External:
        ports = self._generalized_port, self._spatial_port
        return External(
            *(p.Eval(context) if p.HasValue(context) else None for p in ports)
        )

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        effort, spring = self._efforts.Eval(context)
        actuation = np.zeros(output.size())
        actuation[self._slots] = effort + spring
        output.SetFromVector(actuation)

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        effort, _ = self._efforts.Eval(context)
        output.SetFromVector(effort[: self._n])
