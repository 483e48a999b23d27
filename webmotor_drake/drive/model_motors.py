"""The joints and actuators of a plant that motors and JointParameters name."""

import dataclasses as dc
import math
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    ModelInstanceIndex,
    PrismaticJoint,
    RevoluteJoint,
)

from webmotor_drake.drive.multi_axis_joints import within_quarter_turn
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.motor.coupling import harmonised
from webmotor_drake.motor.node_rules import (
    motor_with_fallbacks,
    parameters_with_fallbacks,
    widened,
)
from webmotor_drake.motor.nodes import (
    Brake,
    JointParameters,
    MotorNode,
    RotationalMotor,
    max_effort,
)

# Ends the names of actuators that motors bring along.
_BROUGHT = "_webots_motor"


@dc.dataclass
class ModelMotors:
    """The motors of a model and the joints of its plant that they act on.

    Attributes:
        motors: the nodes by motor name, after Webots' fallbacks, n of them.
        joints: the motors' joints, then others with JointParameters or a brake.
        parameters: the joints' JointParameters, after Webots' fallbacks.
        actuators: the joints' actuators; None where nothing has to act.
        model_limits: the joints' positions limits in the model, rad or m.
        model_efforts: the actuators' effort limits in the model, N m or N;
            infinite for those that motors brought along.
        brakes: for each brake, by name, the index of its joint in `acting`.
        instance: the model; None: the motors are those of many.
    """

    motors: dict[str, MotorNode]
    joints: list[Joint]
    parameters: list[JointParameters]
    actuators: list[JointActuator | None]
    model_limits: list[tuple[float, float]]
    model_efforts: list[float | None]
    brakes: dict[str, int]
    instance: ModelInstanceIndex | None = None

    @property
    def kinematic(self) -> list[bool]:
        """For each motor whether its joint is kinematic."""
        return [p.kinematic for p in self.parameters[: len(self.motors)]]

    @property
    def brought(self) -> list[bool]:
        """For each motor whether its actuator is from `add_motor_actuator`."""
        actuators = self.actuators[: len(self.motors)]
        return [a.name().endswith(_BROUGHT) for a in actuators]

    @property
    def acting(self) -> list[JointActuator]:
        """The actuators there are, in the order of the joints."""
        return [a for a in self.actuators if a is not None]

    @property
    def acting_parameters(self) -> list[JointParameters]:
        """The JointParameters of the acting joints."""
        pairs = zip(self.parameters, self.actuators, strict=True)
        return [p for p, actuator in pairs if actuator is not None]

    def softness(self, cfm: float) -> np.ndarray:
        """Returns the acting joints' cfm: 0 for kinematic ones."""
        return np.array(
            [0.0 if p.kinematic else cfm for p in self.acting_parameters]
        )

    def actuation_slots(self, plant: MultibodyPlant) -> tuple[int, np.ndarray]:
        """Returns the length of the model's actuation, and the actors' places."""
        indices = list(plant.GetJointActuatorIndices(self.instance))
        slots = [indices.index(a.index()) for a in self.acting]
        return len(indices), np.array(slots, dtype=int)


def resolve(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    motors: Mapping[str, MotorNode],
    joints: Mapping[str, JointParameters],
    brakes: Mapping[str, Brake],
) -> ModelMotors:
    """Finds the joints of checked nodes and applies Webots' fallbacks.

    Args:
        plant: the plant.
        instance: the model.
        motors: checked nodes by motor name.
        joints: checked nodes by joint name.
        brakes: nodes by brake name.

    Raises:
        InputError: a joint that does not exist or does not fit its node; the
            path starts with "motors", "joints" or "brakes".
    """
    actuators = find_actuators(plant, instance)
    joint_of = _motor_joints(plant, instance, motors, actuators)
    nodes = {
        n: within_quarter_turn(n, motor_with_fallbacks(n, m), joint_of[n])
        for n, m in motors.items()
    }
    nodes = _widened(harmonised(_widened(nodes, joint_of)), joint_of)
    found = {joint.name(): joint for joint in joint_of.values()}
    acting = list(found)
    named = [(name, ("joints", name)) for name in joints]
    named += [(b.joint, ("brakes", n, "joint")) for n, b in brakes.items()]
    braked = {brake.joint for brake in brakes.values()}
    for name, path in named:
        found[name] = find_joint(plant, instance, name, path)
        acts = name in braked or joints[name].needs_actuator
        if acts and name not in actuators:
            raise InputError(
                "the joint has no actuator to carry its spring, damper,"
                " friction, inertia or brake; call configure_actuators before the"
                " plant's Finalize",
                path=path,
            )
        if acts and name not in acting:
            acting.append(name)
    parameters = [
        parameters_with_fallbacks(name, joints.get(name, JointParameters()))
        for name in found
    ]
    used = [actuators[name] if name in acting else None for name in found]
    return ModelMotors(
        motors=nodes,
        joints=list(found.values()),
        parameters=parameters,
        actuators=used,
        model_limits=[position_limits(joint) for joint in found.values()],
        model_efforts=[a.effort_limit() if a else None for a in used],
        brakes={
            name: [n for n in found if n in acting].index(brake.joint)
            for name, brake in brakes.items()
        },
        instance=instance,
    )


def _widened(
    motors: Mapping[str, MotorNode], joints: Mapping[str, Joint]
) -> dict[str, MotorNode]:
    return {
        name: widened(name, motor, joints[name].default_positions()[0])
        for name, motor in motors.items()
    }


def find_joint(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    path: tuple[str, ...],
) -> Joint:
    """Returns the joint called `name`, which has one degree of freedom.

    Raises:
        InputError: there is none; the joints that exist are listed. It carries
            `path`.
    """
    joints = {
        joint.name(): joint
        for joint in map(plant.get_joint, plant.GetJointIndices(instance))
        if isinstance(joint, RevoluteJoint | PrismaticJoint)
    }
    if name not in joints:
        raise InputError(
            unknown_name("revolute or prismatic joint", name, joints),
            path=path,
        )
    return joints[name]


def add_motor_actuator(plant: MultibodyPlant, joint: Joint) -> JointActuator:
    """Adds the actuator that a motor brings along to a joint without one.

    In Webots the motor is the actuator. Many URDFs have no `transmission`, and
    Drake leaves out actuators of which the effort limit is 0. The limit is the
    motor's alone.

    Args:
        plant: not yet finalized.
        joint: what the motor drives.
    """
    return plant.AddJointActuator(f"{joint.name()}{_BROUGHT}", joint)


def find_actuators(
    plant: MultibodyPlant, instance: ModelInstanceIndex
) -> dict[str, JointActuator]:
    """Returns the actuators of a model by the name of their joint.

    Of several on a joint the first counts.
    """
    found: dict[str, JointActuator] = {}
    # Before Finalize a plant lists the actuators of all models only.
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        if actuator.model_instance() == instance:
            found.setdefault(actuator.joint().name(), actuator)
    return found


def _motor_joints(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    motors: Mapping[str, MotorNode],
    actuators: Mapping[str, JointActuator],
) -> dict[str, Joint]:
    """Returns the joint of each motor, by motor name."""
    joints: dict[str, Joint] = {}
    owner: dict[str, str] = {}
    for name, motor in motors.items():
        path = ("motors", name, "joint")
        joint = find_joint(plant, instance, motor.joint, path)
        problem = _misfit(joint, motor, actuators)
        if motor.joint in owner:
            problem = (
                f"joint {motor.joint} has the motor {owner[motor.joint]!r}"
                " already; one is allowed"
            )
        if problem:
            raise InputError(problem, path=path)
        owner[motor.joint] = name
        joints[name] = joint
    return joints


def _misfit(
    joint: Joint, motor: MotorNode, actuators: Mapping[str, JointActuator]
) -> str:
    """Returns why `motor` cannot drive `joint`; empty if it can."""
    wanted = (
        RevoluteJoint if isinstance(motor, RotationalMotor) else PrismaticJoint
    )
    if not isinstance(joint, wanted):
        return (
            f"a {type(motor).__name__} cannot drive the {joint.type_name()}"
            f" joint {joint.name()}; a {wanted.kTypeName} joint is allowed"
        )
    if joint.name() not in actuators:
        return (
            f"joint {joint.name()} has no actuator (a model without one, or"
            " with an effort limit of 0, leaves a joint passive); call"
            " configure_actuators, which adds it, before the plant's Finalize"
        )
    return ""


def configure_plant(plant: MultibodyPlant, resolved: ModelMotors) -> None:
    """Writes what the plant keeps of motors and joints; warns of clashes.

    Args:
        plant: the finalized plant.
        resolved: the motors and joints of a model.
    """
    for joint, parameters in zip(
        resolved.joints, resolved.parameters, strict=True
    ):
        _set_stops(joint, parameters)
        if parameters.reflected_inertia is not None:
            _set_inertia(plant, joint, parameters.reflected_inertia)
    for actuator in resolved.actuators[len(resolved.motors) :]:
        if actuator is not None:  # springs and the like have no bound
            actuator.set_effort_limit(math.inf)
    braked = resolved.brakes.values()
    for i, (name, motor) in enumerate(resolved.motors.items()):
        parameters = resolved.parameters[i]
        _set_effort_limit(
            name,
            motor,
            resolved.actuators[i],
            lifted=parameters.has_effort or parameters.kinematic or i in braked,
        )
        _warn_of_limits(name, motor, resolved.joints[i])


def _set_effort_limit(
    name: str, motor: MotorNode, actuator: JointActuator, *, lifted: bool
) -> None:
    """Makes the motor's largest effort the actuator's limit.

    It is `lifted` where the actuator also carries a spring, a damper, friction or
    a brake: the motor system keeps the motor's own bound.
    """
    limit, model = max_effort(motor), actuator.effort_limit()
    if limit > model:
        unit = motor.units["effort"]
        warn(
            f"{name}.{motor.effort_field}: {limit:g} {unit} is above the"
            f" model's effort limit {model:g} {unit}; the motor's is used"
        )
    actuator.set_effort_limit(math.inf if lifted or limit == 0 else limit)


def _set_inertia(plant: MultibodyPlant, joint: Joint, inertia: float) -> None:
    """Makes `inertia` all that the joint's actuators reflect, kg m^2 or kg.

    Of several actuators on a joint Drake takes the last one's rotor.
    """
    actuators = [
        actuator
        for actuator in map(
            plant.get_joint_actuator,
            plant.GetJointActuatorIndices(joint.model_instance()),
        )
        if actuator.joint().index() == joint.index()
    ]
    actuators[-1].set_default_gear_ratio(1.0)
    actuators[-1].set_default_rotor_inertia(inertia)


def _set_stops(joint: Joint, parameters: JointParameters) -> None:
    """Makes the stops the joint's limits; without stops the model's stay."""
    if parameters.has_stops:
        joint.set_position_limits([parameters.min_stop], [parameters.max_stop])
    position = joint.default_positions()[0]
    low, high = position_limits(joint)
    if not low <= position <= high:
        warn(
            f"joint {joint.name()}: position {position:g} is outside its stops"
            f" {low:g} to {high:g}"
        )


def _warn_of_limits(name: str, motor: MotorNode, joint: Joint) -> None:
    """Warns where the joint stops before the motor's soft limits do."""
    low, high = position_limits(joint)
    soft = motor.min_position, motor.max_position
    if soft[0] != soft[1] and (soft[0] < low or soft[1] > high):
        unit = motor.units["position"]
        warn(
            f"{name}: the soft limits {soft[0]:g} to {soft[1]:g} {unit} are not"
            f" inside the stops {low:g} to {high:g} {unit} of joint"
            f" {joint.name()}"
        )


def position_limits(joint: Joint) -> tuple[float, float]:
    """Returns the joint's stops in the plant, rad or m; infinite: none."""
    return joint.position_lower_limits()[0], joint.position_upper_limits()[0]
