"""Joints and actuators of a plant, by the names that users give them."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    JointActuator,
    ModelInstanceIndex,
    PrismaticJoint,
    RevoluteJoint,
)

from webmotor_drake.errors import InputError, unknown_name

# Ends the names of actuators that motors bring along.
_BROUGHT = "_webots_motor"


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


def is_brought(actuator: JointActuator) -> bool:
    """Whether the actuator is from `add_motor_actuator`."""
    return actuator.name().endswith(_BROUGHT)


def position_limits(joint: Joint) -> tuple[float, float]:
    """Returns the joint's stops in the plant, rad or m; infinite: none."""
    return joint.position_lower_limits()[0], joint.position_upper_limits()[0]
