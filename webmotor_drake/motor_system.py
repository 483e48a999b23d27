"""The LeafSystem that drives the joints of a model as Webots' motors do."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.systems.framework import (
    Context,
    DiscreteValues,
    InputPort,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.commands import Kind, MotorDevices, Step
from webmotor_drake.errors import SimulationError
from webmotor_drake.law import Command, Demand, Servo, step_servos
from webmotor_drake.motor_joints import ModelMotors
from webmotor_drake.torque_drive import External, TorqueDrive

# Input ports that command the motors, in the order in which they act.
COMMAND_PORTS = {
    "target_position": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "available_effort": Kind.AVAILABLE_EFFORT,
    "direct_effort": Kind.EFFORT,
}

_NOTHING = External()


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

    Only `plant_state` has to be connected; the last two inputs are there with
    `external_forces` only. The four command ports have an element a motor, in
    device order; once a motor period they act as the controller's setPosition,
    setVelocity, setAvailableTorque and setTorque would, NaN commands nothing. The
    last two tell the drive what else acts on the plant: connect them to what the
    plant's ports of the same names are connected to.

    `actuation` is for the plant's actuation port of the model instance; `effort`
    is what the motors apply, direct effort included, springs and dampers not;
    `command` and `servo` are the tables of `webmotor_drake.law`, row by row.

    State: the two tables, the number of the last plant step, and the efforts.

    Timing: a motor step k of length h starts at k h. On a discrete plant the law
    runs half a plant step earlier, when the state at k h is already there and
    nothing else happens: events that meant to coincide may not, and their order
    depends on the plant's settings. So input ports are sampled half a plant step
    early, too. The efforts of a plant step are computed at the same time and
    held. Only with `external_forces` they are computed when the plant asks for
    them, which costs a little more: a force that sets in at n dt is not there
    half a step before. On a continuous plant all happens at k h.

    Attributes:
        model: the motors and their joints.
        devices: what commands act on.
        period: the motor period h, s.
        position_indices: the motors' joints' places in the plant's state.
        velocity_indices: the same for their velocities.

    Args:
        plant: the finalized plant.
        model: the motors, their joints and actuators in the plant.
        period: the motor period h, a multiple of the plant's time step, s.
        cfm: softness of the servos, rad/s/(N m) or m/s/N.
        schedule: timed commands by motor step, see `commands.schedule`.
        external_forces: whether there are the two inputs for them.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        *,
        period: float,
        cfm: float,
        schedule: Mapping[int, Step],
        external_forces: bool = False,
    ):
        super().__init__()
        self.model = model
        self.devices = MotorDevices(model.motors)
        self.period = period
        self._schedule = schedule
        self._n = len(model.motors)
        driven = model.joints[: self._n]
        self.position_indices = np.array([j.position_start() for j in driven])
        self.velocity_indices = plant.num_positions() + np.array(
            [j.velocity_start() for j in driven]
        )
        self._plant_step = plant.time_step() or period
        self._stride = round(period / self._plant_step)
        self._lead = plant.time_step() / 2
        self._set_drive(plant, cfm)
        self._declare_inputs(plant, external_forces)
        self._declare_state()
        if external_forces and plant.time_step():
            self._declare_events(period)
            self._declare_computed_efforts()
        else:
            self._declare_events(self._plant_step)
            self._declare_held_efforts()

    def _set_drive(self, plant: MultibodyPlant, cfm: float) -> None:
        model = self.model
        acting = [i for i, a in enumerate(model.actuators) if a is not None]
        actuators = [model.actuators[i] for i in acting]
        slots = list(
            plant.GetJointActuatorIndices(actuators[0].model_instance())
        )
        self._num_actuators = len(slots)
        self._slots = np.array([slots.index(a.index()) for a in actuators])
        parameters = [model.parameters[i] for i in acting]
        self._friction = np.array([p.static_friction for p in parameters])
        self._drive = TorqueDrive(
            plant,
            [model.joints[i] for i in acting],
            parameters,
            step=self._plant_step,
            cfm=cfm,
        )

    def _declare_inputs(self, plant: MultibodyPlant, external_forces: bool):
        self._state_port = self.DeclareVectorInputPort(
            "plant_state", plant.num_multibody_states()
        )
        self._command_ports = [
            (self.DeclareVectorInputPort(name, self._n), kind)
            for name, kind in COMMAND_PORTS.items()
        ]
        self._force_ports = ()
        if external_forces:
            self._force_ports = (
                self.DeclareVectorInputPort(
                    "applied_generalized_force", plant.num_velocities()
                ),
                self.DeclareAbstractInputPort(
                    "applied_spatial_force",
                    Value[list[ExternallyAppliedSpatialForce]](),
                ),
            )

    def _declare_state(self) -> None:
        command = self.devices.initial_commands()
        self._command_index = self.DeclareDiscreteState(command.ravel())
        self._servo_index = self.DeclareDiscreteState(len(Servo) * self._n)
        demand = np.zeros((len(Demand), len(self._friction)))
        demand[Demand.BOUND] = self._friction
        self._demand_index = self.DeclareDiscreteState(demand.ravel())
        self._last_index = self.DeclareDiscreteState([-1.0])
        self._effort_index = self.DeclareDiscreteState(self._n)
        self._actuation_index = self.DeclareDiscreteState(self._num_actuators)
        self.DeclareStateOutputPort("command", self._command_index)
        self.DeclareStateOutputPort("servo", self._servo_index)

    def _declare_events(self, period: float) -> None:
        self.DeclareInitializationDiscreteUpdateEvent(self._update)
        self.DeclarePeriodicDiscreteUpdateEvent(
            period, period - self._lead, self._update
        )

    def _declare_held_efforts(self) -> None:
        """Efforts from the state, served without Python."""
        self._holds_efforts = True
        self.DeclareStateOutputPort("actuation", self._actuation_index)
        self.DeclareStateOutputPort("effort", self._effort_index)

    def _declare_computed_efforts(self) -> None:
        """Efforts from the inputs as they are when somebody asks."""
        self._holds_efforts = False
        ports = self._state_port, *self._force_ports
        depends = {self.input_port_ticket(p.get_index()) for p in ports}
        depends.add(self.discrete_state_ticket(self._demand_index))

        def calc(part):
            return lambda context, output: output.SetFromVector(
                self._efforts(context, self._demand_in(context))[part]
            )

        self.DeclareVectorOutputPort(
            "actuation", self._num_actuators, calc(1), depends
        )
        self.DeclareVectorOutputPort("effort", self._n, calc(0), depends)

    def _demand_in(self, context: Context) -> np.ndarray:
        state = context.get_discrete_state()
        return state.get_value(self._demand_index).reshape(len(Demand), -1)

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
        command = self._table(state, self._command_index)
        servo = self._table(state, self._servo_index)
        self._hold_positions(command, self._positions(context))
        self.devices.apply(kind, index, value, command, servo)

    def next_step_time(self, step: int) -> float:
        """Returns a time when the state at the start of `step` is there already.

        The law of the step has not run yet: what is applied then acts in it.
        """
        return step * self.period - 1.5 * self._lead - 1e-9 * self.period

    def _update(self, context: Context, state: DiscreteValues) -> None:
        """Starts a plant step, and a motor step where one begins."""
        step = round((context.get_time() + self._lead) / self._plant_step)
        last = state.get_mutable_value(self._last_index)
        if step == last[0]:  # initialised again within a step
            return
        if last[0] < 0 or step // self._stride != last[0] // self._stride:
            self._start_motor_step(context, state, step // self._stride)
        last[0] = step
        if self._holds_efforts:
            effort, actuation = self._efforts(context, self._demand(state))
            state.get_mutable_value(self._effort_index)[:] = effort
            state.get_mutable_value(self._actuation_index)[:] = actuation

    def _start_motor_step(
        self, context: Context, state: DiscreteValues, step: int
    ) -> None:
        """Applies commands, then runs the law."""
        command = self._table(state, self._command_index)
        servo = self._table(state, self._servo_index)
        q = self._positions(context)
        last = int(state.get_value(self._last_index)[0]) // self._stride
        if last < 0:
            self._hold_positions(command, q)
        for index, kind, value in self._commands(context, last, step):
            self.devices.apply(kind, index, value, command, servo)
        step_servos(
            q,
            self.period,
            command,
            self._friction,
            servo,
            self._demand(state),
        )

    def _hold_positions(self, command: np.ndarray, q: np.ndarray) -> None:
        """Makes `q` the target of motors that nobody has commanded yet."""
        unset = np.isnan(command[Command.TARGET_POSITION])
        command[Command.TARGET_POSITION, unset] = q[unset]

    def _positions(self, context: Context) -> np.ndarray:
        """Returns the motors' joint positions, shape (n,), rad or m."""
        q = self._state_port.Eval(context)[self.position_indices]
        if not math.isfinite(sum(q.tolist())):
            motor = int(np.flatnonzero(~np.isfinite(q))[0])
            raise SimulationError(
                f"at {context.get_time():.6g} s the position of joint"
                f" {self.model.joints[motor].name()} (motor"
                f" {self.devices.names[motor]}) is {q[motor]}"
            )
        return q

    def _commands(self, context: Context, last: int, step: int) -> Step:
        """Returns what to apply in `step`: timed commands, then the ports'."""
        commands = []
        for due in range(last + 1, step + 1):
            commands += self._schedule.get(due, ())
        for port, kind in self._command_ports:
            if port.HasValue(context):
                commands += [
                    (motor, kind, value)
                    for motor, value in enumerate(port.Eval(context).tolist())
                    if not math.isnan(value)
                ]
        return commands

    def _table(self, state: DiscreteValues, index: int) -> np.ndarray:
        """Returns a table of the law as a view into the state, (rows, n)."""
        return state.get_mutable_value(index).reshape(-1, self._n)

    def _demand(self, state: DiscreteValues) -> np.ndarray:
        """Returns the demand table as a view into the state, (3, m)."""
        return state.get_mutable_value(self._demand_index).reshape(
            -1, len(self._friction)
        )

    def _efforts(
        self, context: Context, demand: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the efforts of the motors and of the plant's actuators."""
        effort, spring = self._drive.solve(
            self._state_port.Eval(context), demand, self._external(context)
        )
        actuation = np.zeros(self._num_actuators)
        actuation[self._slots] = effort + spring
        return effort[: self._n], actuation

    def _external(self, context: Context) -> External:
        """Returns what acts on the plant, as far as it is connected."""
        if not self._force_ports:
            return _NOTHING
        return External(
            *(
                port.Eval(context) if port.HasValue(context) else None
                for port in self._force_ports
            )
        )
