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
motor: the direct effort and the spring's. Spring K and damper B act on the *new*
velocity v, -K (q + dt v) - B v: that is the effort -K q and joint damping B + dt K,
which Drake takes implicitly and exactly. (Gains p = K, d = B on the companion would
be capped as the servo's are, and be reported in one sum with it.) A brake is a
third actuator, with the gain d: its damping changes at run time.
"""

from collections.abc import Mapping

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

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import StepCommands
from webmotor_drake.motor.nodes import JointParameters
from webmotor_drake.motor.tables import Demand

# Drake refuses an effort limit of 0. This one leaves every bit of a velocity alone.
OFF = 1e-300

# Gains of 0 would take a brake out of the solver for good.
NO_DAMPING = 1e-12
# The largest cfm^-1 of a servo. The solver caps it anyway.
_STIFFEST = 1e12

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
    stiffness = min(1.0 / cfm, _STIFFEST) if cfm > 0 else _STIFFEST
    actuator.set_controller_gains(PdControllerGains(p=0.0, d=stiffness))
    last = plant.AddJointActuator(companion_name(joint), joint)
    implicit = abs(parameters.damping_constant)
    implicit += plant.time_step() * abs(parameters.spring_constant)
    joint.set_default_damping_vector(joint.default_damping_vector() + implicit)
    if braked:
        last = plant.AddJointActuator(brake_name(joint), joint)
        last.set_controller_gains(PdControllerGains(p=0.0, d=NO_DAMPING))
    # Of several actuators on a joint Drake takes the last one's rotor.
    last.set_default_gear_ratio(actuator.default_gear_ratio())
    last.set_default_rotor_inertia(actuator.default_rotor_inertia())
    actuator.set_default_rotor_inertia(0.0)


def companion_name(joint: Joint) -> str:
    """Returns the name of a joint's companion actuator."""
    return f"{joint.name()}_companion"


def brake_name(joint: Joint) -> str:
    """Returns the name of the actuator that is a joint's brake."""
    return f"{joint.name()}_brake"


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
        - tables

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
        schedule: Mapping[int, StepCommands],
        battery: Battery | None = None,
        delay: float = 0.0,
    ):
        size, m = model.actuation_slots(plant)[0], len(model.acting)
        super().__init__(
            plant,
            model,
            period=period,
            schedule=schedule,
            battery=battery,
            delay=delay,
            drive_state=m + 2 * size,
        )
        self._cfm = model.softness(cfm)
        self._servos = model.acting
        self._written = b""
        self._set_slots(plant)
        self._set_places(plant)
        self._set_grid(plant)
        start = self.tables.drive.start
        self._servo_effort = slice(start, start + m)
        self._desired = slice(start + m, start + m + 2 * size)
        self._net_port = self.DeclareVectorInputPort("net_actuation", size)
        self._actuation_index = self._declare_state("actuation", np.zeros(size))
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
        companions = [
            plant.GetJointActuatorByName(companion_name(s.joint()), instance)
            for s in self._servos
        ]
        self._companion_slots = np.array(
            [indices.index(companion.index()) for companion in companions]
        )
        # Acting joints with a brake, and their brakes.
        self._braked = list(self.model.brakes.values())
        self._brakes = [
            plant.GetJointActuatorByName(
                brake_name(self._servos[i].joint()), instance
            )
            for i in self._braked
        ]

    def _set_places(self, plant: MultibodyPlant) -> None:
        parameters = self.model.acting_parameters
        joints = [servo.joint() for servo in self._servos]
        self._spring = np.array([p.spring_constant for p in parameters])
        self._sprung = bool(self._spring.any())
        m = len(joints)
        self._no_effort = np.zeros(m)
        start = self.tables.demand.start + Demand.EFFORT_LIMIT * m
        self._bounds = slice(start, start + m)
        self._q = np.array([joint.position_start() for joint in joints])
        self._v = plant.num_positions() + np.array(
            [joint.velocity_start() for joint in joints]
        )

    def _set_grid(self, plant: MultibodyPlant) -> None:
        """Sets the grid to which the fed-forward effort is rounded, N m or N."""
        inertia = plant.CalcMassMatrix(plant.CreateDefaultContext())
        v = self._v - plant.num_positions()
        mobility = np.diag(np.linalg.inv(inertia))[v]
        floor = _NEAR_RIGID * self._plant_step * mobility
        self._grid = _SLIP / floor
        # Brakes are kept clear of the solver's cap: their effort, which comes in
        # one sum with the servo's, is known then.
        self._strongest_brake = 0.25 / floor

    def get_desired_state_output_port(self) -> OutputPort:
        """Desired state for the plant's port of the model instance."""
        return self.GetOutputPort("desired_state")

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        net = self._net_port.Eval(context)
        if self._braked:
            # Two actuators with gains on one joint both report their sum.
            net = net.copy()
            damping = self._brake_damping(values)
            net[self._slots] += damping * plant_state[self._v]
        _settle(
            net,
            self._slots,
            values[self.tables.demand],
            values[self._servo_effort],
            values[self.tables.effort],
        )

    def _brake_damping(self, values: np.ndarray) -> np.ndarray:
        """Returns the brakes' damping as the solver takes it, shape (m,)."""
        brake = self.tables.demand_table(values)[Demand.BRAKE]
        return np.clip(brake, 0.0, self._strongest_brake)

    def _start_plant_step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
    ) -> None:
        spring_effort = self._no_effort
        if self._sprung:
            spring_effort = -self._spring * plant_state[self._q]
        _prepare(
            values[self.tables.demand],
            values[self._servo_effort],
            spring_effort,
            self._grid,
            self._cfm,
            self._slots,
            self._companion_slots,
            state.get_mutable_value(self._actuation_index),
            values[self._desired],
        )

    def _calc_desired_state(
        self, context: Context, output: BasicVector
    ) -> None:
        """Serves the desired state; writes the effort limits before."""
        values = self._values(context)
        bound = values[self._bounds]
        if bound.tobytes() != self._written:
            self._write_limits(bound)
        if self._braked:
            self._write_damping(self._brake_damping(values))
        output.SetFromVector(values[self._desired])

    def _write_limits(self, bound: np.ndarray) -> None:
        """Writes effort limits; remembers them as bytes, fast to compare."""
        for servo, limit in zip(self._servos, bound.tolist(), strict=True):
            servo.set_effort_limit(max(limit, OFF))
        self._written = bound.tobytes()

    def _write_damping(self, brake_damping: np.ndarray) -> None:
        """Writes the brakes' gains."""
        for brake, joint in zip(self._brakes, self._braked, strict=True):
            damping = max(brake_damping[joint], NO_DAMPING)
            brake.set_controller_gains(PdControllerGains(p=0.0, d=damping))


@compiled
def _settle(net, slots, demand, servo, effort):
    """Takes the servos' effort, and the motors', from what was applied."""
    _, bound, direct, _ = demand.reshape(4, -1)
    servo[:] = np.minimum(np.maximum(net[slots], -bound), bound)
    effort[:] = (servo + direct)[: len(effort)]


@compiled
def _prepare(
    demand,
    servo,
    spring_effort,
    grid,
    cfm,
    slots,
    companion_slots,
    actuation,
    desired,
):
    """Writes actuation and desired velocities; see the module's docstring."""
    rate, _, direct, _ = demand.reshape(4, -1)
    effort = np.rint(servo / grid) * grid
    actuation[slots] = effort
    actuation[companion_slots] = direct + spring_effort
    desired[len(actuation) + slots] = rate - cfm * effort
