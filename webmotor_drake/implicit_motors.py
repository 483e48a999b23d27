"""Motors that the plant's contact solver solves with contacts and stops.

ODE's joint motor has its analogue in Drake: an actuator with the gains p = 0,
d = 1/cfm, of which the effort limit is the motor's bound. Two things about it are
not as they should be, and mended here.

The effort limit belongs to the plant, not to the Context, while a motor's bound
changes at run time. The solver reads it after it has pulled the desired state: so
the port that serves the desired state writes the limits first, each time. The plant
is a register then, written from the Context right before use; runs over one diagram
don't disturb each other, as long as they are not in two threads.

The solver caps d at what it takes for nearly rigid, which leaves a slip in
proportion to the effort. So the last effort e is fed forward and the desired
velocity lowered by what is due to it: -d (v - rate + cfm e) + e is ODE's row
whatever e is, and with the cap it converges to it in a step or two.

A second actuator on the joint, its companion, carries what is not bounded by the
motor: the direct effort, and spring and damper as gains p = K, d = B.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    PdControllerGains,
)
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    OutputPort,
)

from webmotor_drake.battery import Battery
from webmotor_drake.commands import Step
from webmotor_drake.law import Demand
from webmotor_drake.motor_joints import ModelMotors
from webmotor_drake.motor_system import MotorSystem
from webmotor_drake.nodes import JointParameters

# Drake refuses an effort limit of 0. This one leaves every bit of a velocity alone.
OFF = 1e-300

# Gains of 0 would take a companion out of the solver for good.
NO_DAMPING = 1e-12

# The solver's cap: slip per effort is at least this times dt / inertia (SAP's
# near-rigid regularisation, beta^2 / (4 pi^2) with beta = 0.1).
_NEAR_RIGID = 0.01 / (4 * np.pi**2)

# What rounding the fed-forward effort may leave of slip, rad/s or m/s. Unrounded,
# the solver's own noise would come back and cost an iteration where none is due.
_SLIP = 2e-8


def add_servo(
    plant: MultibodyPlant,
    joint: Joint,
    actuator: JointActuator | None,
    parameters: JointParameters,
    cfm: float,
    *,
    braked: bool = False,
) -> None:
    """Makes a joint's actuator a velocity servo and adds its companion.

    Args:
        plant: not yet finalized.
        joint: what to drive.
        actuator: the joint's own; None adds one.
        parameters: the joint's spring and damper.
        cfm: softness of the servo, rad/s/(N m) or m/s/N.
        braked: whether a brake will add damping at run time.
    """
    if actuator is None:
        actuator = plant.AddJointActuator(f"{joint.name()}_parameters", joint)
    actuator.set_controller_gains(PdControllerGains(p=0.0, d=1.0 / cfm))
    companion = plant.AddJointActuator(companion_name(joint), joint)
    spring, damper = parameters.spring_constant, parameters.damping_constant
    if spring or damper or braked:
        companion.set_controller_gains(
            PdControllerGains(p=spring, d=max(damper, NO_DAMPING))
        )


def companion_name(joint: Joint) -> str:
    """Returns the name of a joint's companion actuator."""
    return f"{joint.name()}_companion"


class ImplicitMotors(MotorSystem):
    """A `MotorSystem` of which the plant computes the effort.

    .. pydrake_system::

        name: ImplicitMotors
        input_ports:
        - plant_state
        - target_position
        - target_velocity
        - available_effort
        - direct_effort
        - net_actuation
        output_ports:
        - actuation
        - desired_state
        - effort
        - command
        - servo

    `net_actuation` is what the model's actuators applied in the last plant step:
    the plant's port if its ports are sampled; else that, held for a step.
    `actuation` and `desired_state` are for the plant's ports.

    Args:
        plant: see `MotorSystem`, as for what is not listed here; discrete.
        cfm: softness of the servos, rad/s/(N m) or m/s/N, as `add_servo` had it.
    """

    drive = "implicit"

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        *,
        period: float,
        cfm: float,
        schedule: Mapping[int, Step],
        battery: Battery | None = None,
    ):
        super().__init__(
            plant, model, period=period, schedule=schedule, battery=battery
        )
        self._cfm = model.softness(cfm)
        self._servos = model.acting
        self._written = [servo.effort_limit() for servo in self._servos]
        self._set_slots(plant)
        self._set_springs(plant)
        self._set_grid(plant)
        size = self._num_actuators
        self._net_port = self.DeclareVectorInputPort("net_actuation", size)
        self._servo_effort_index = self.DeclareDiscreteState(len(self._servos))
        self._actuation_index = self.DeclareDiscreteState(size)
        self._desired_index = self.DeclareDiscreteState(2 * size)
        self.DeclareStateOutputPort("actuation", self._actuation_index)
        # It depends on time to be pulled in every plant step, and is not cached
        # to write the limits whenever it is.
        self.DeclareVectorOutputPort(
            "desired_state",
            2 * size,
            self._calc_desired_state,
            {self.time_ticket(), self.xd_ticket()},
        ).disable_caching_by_default()
        self._declare_events(self._plant_step)

    def _set_slots(self, plant: MultibodyPlant) -> None:
        """Finds the places of servos and companions in the actuation."""
        self._num_actuators, self._slots = self.model.actuation_slots(plant)
        instance = self._servos[0].model_instance()
        indices = list(plant.GetJointActuatorIndices(instance))
        self._companions = [
            plant.GetJointActuatorByName(companion_name(s.joint()), instance)
            for s in self._servos
        ]
        self._companion_slots = np.array(
            [indices.index(companion.index()) for companion in self._companions]
        )

    def _set_springs(self, plant: MultibodyPlant) -> None:
        parameters = self.model.acting_parameters
        joints = [servo.joint() for servo in self._servos]
        self._spring = np.array([p.spring_constant for p in parameters])
        self._damping = np.array([p.damping_constant for p in parameters])
        braked = np.isin(range(len(joints)), list(self.model.brakes.values()))
        self._sprung = np.flatnonzero(self._spring + self._damping + braked)
        self._q = np.array([joint.position_start() for joint in joints])
        self._v = plant.num_positions() + np.array(
            [joint.velocity_start() for joint in joints]
        )

    def _set_grid(self, plant: MultibodyPlant) -> None:
        """Sets the grid to which the fed-forward effort is rounded, N m or N."""
        inertia = plant.CalcMassMatrix(plant.CreateDefaultContext())
        v = self._v - plant.num_positions()
        mobility = np.diag(np.linalg.inv(inertia))[v]
        self._grid = _SLIP / (_NEAR_RIGID * self._plant_step * mobility)

    def get_desired_state_output_port(self) -> OutputPort:
        """Desired state for the plant's port of the model instance."""
        return self.GetOutputPort("desired_state")

    def _finish_plant_step(
        self, context: Context, state: DiscreteValues
    ) -> None:
        net = self._net_port.Eval(context)
        demand = state.get_value(self._demand_index).reshape(len(Demand), -1)
        direct = demand[Demand.DIRECT_EFFORT]
        servo = net[self._slots]
        if self._sprung.size:
            # Two actuators with gains on one joint both report their sum.
            plant_state = self._state_port.Eval(context)
            companion = (
                direct
                - self._spring * plant_state[self._q]
                - (self._damping + demand[Demand.BRAKE]) * plant_state[self._v]
            )
            bound = demand[Demand.BOUND]
            servo[self._sprung] -= companion[self._sprung]
            servo = np.clip(servo, -bound, bound)
        state.set_value(self._servo_effort_index, servo)
        state.set_value(self._effort_index, (servo + direct)[: self._n])

    def _start_plant_step(
        self, context: Context, state: DiscreteValues
    ) -> None:
        demand = state.get_value(self._demand_index).reshape(len(Demand), -1)
        rate, direct = demand[Demand.RATE], demand[Demand.DIRECT_EFFORT]
        effort = state.get_value(self._servo_effort_index)
        effort = np.rint(effort / self._grid) * self._grid
        actuation = state.get_mutable_value(self._actuation_index)
        actuation[self._slots] = effort
        actuation[self._companion_slots] = direct
        desired = state.get_mutable_value(self._desired_index)
        desired[self._num_actuators + self._slots] = rate - self._cfm * effort

    def _calc_desired_state(
        self, context: Context, output: BasicVector
    ) -> None:
        """Serves the desired state; writes the effort limits before."""
        state = context.get_discrete_state()
        demand = state.get_value(self._demand_index).reshape(len(Demand), -1)
        bound = demand[Demand.BOUND].tolist()
        if bound != self._written:
            self._write_limits(bound)
        if self.model.brakes:
            self._write_damping(demand[Demand.BRAKE])
        output.SetFromVector(state.get_value(self._desired_index))

    def _write_limits(self, bound: Sequence[float]) -> None:
        for servo, new, old in zip(
            self._servos, bound, self._written, strict=True
        ):
            if new != old:
                servo.set_effort_limit(max(new, OFF))
        self._written = bound

    def _write_damping(self, brake: np.ndarray) -> None:
        """Has the companions of braked joints add the brakes' damping."""
        for joint in self.model.brakes.values():
            damping = max(self._damping[joint] + brake[joint], NO_DAMPING)
            self._companions[joint].set_controller_gains(
                PdControllerGains(p=self._spring[joint], d=damping)
            )
