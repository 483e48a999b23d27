"""The bodies that a joint joins in Webots."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, RigidBody

from webmotor_drake.nodes.joints import suspension_name


def solid_ends(
    plant: MultibodyPlant, joint: Joint
) -> tuple[RigidBody, RigidBody]:
    """Returns the bodies that a joint joins in Webots, without the small ones between.

    Args:
        plant: with the joint.
        joint: any; one of several axes stands for all of them.
    """
    name, _, place = joint.name().rpartition("_")
    instance, first = joint.model_instance(), joint
    between = f"{name}_body_{int(place) - 1}" if place in ("2", "3") else ""
    if between and joint.parent_body().name() == between:
        first = plant.GetJointByName(f"{name}_1", instance)
    parent, child = first.parent_body(), joint.child_body()
    slider = suspension_name(first.name())
    if plant.HasJointNamed(slider, instance):
        parent = plant.GetJointByName(slider, instance).parent_body()
    while place.isdigit() and child.name() == f"{name}_body_{place}":
        place = str(int(place) + 1)
        child = plant.GetJointByName(f"{name}_{place}", instance).child_body()
    return parent, child
