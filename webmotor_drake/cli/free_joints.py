"""Describes joints that nothing holds, and PD controllers, for `webmotor check`."""

from collections.abc import Container, Iterable

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator, ModelInstanceIndex

from webmotor_drake.drive.model_motors import ModelMotors


def gains_lines(
    plant: MultibodyPlant, instance: ModelInstanceIndex, model: ModelMotors
) -> list[str]:
    """Returns a line on each PD controller that a model's actuators come with."""
    acting = {actuator.joint().index() for actuator in model.acting}
    lines: list[str] = []
    for name, (p, d) in model.own_gains.items():
        actuator = plant.GetJointActuatorByName(name, instance)
        driven = actuator.joint().index() in acting
        lines.append(
            f"  actuator {name}: PD controller of the model (p {p:g}, d {d:g}),"
            + (" a motor takes its place" if driven else " off: no motor")
        )
    return lines


def free_joint_lines(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    acting: Iterable[JointActuator] = (),
) -> list[str]:
    """Returns a line on the joints that nothing drives, springs back or slows down.

    Args:
        plant: the finalized plant.
        instance: the model.
        acting: parts of the joint that motors, JointParameters and brakes set.
    """
    held = {actuator.joint().index() for actuator in acting}
    free = [
        joint.name()
        for joint in map(plant.get_joint, plant.GetJointIndices(instance))
        if joint.num_velocities() == 1
        and joint.index() not in held
        and not joint.default_damping_vector().any()
    ]
    if not free:
        return []
    text = f"  nothing holds joint{'s' * (len(free) > 1)} {', '.join(free)}"
    if plant.num_constraints():
        text += " (constraints, such as mimic joints, are not looked at)"
    return [text]


def undriven_lines(plant: MultibodyPlant, driven: Container[str]) -> list[str]:
    """Returns the lines on models without a driver whose joints nothing holds."""
    lines: list[str] = []
    for i in range(2, plant.num_model_instances()):
        instance = ModelInstanceIndex(i)
        model = plant.GetModelInstanceName(instance)
        free = free_joint_lines(plant, instance)
        if free and model not in driven:
            lines += ["", f"{model}: no driver", *free]
    return lines
