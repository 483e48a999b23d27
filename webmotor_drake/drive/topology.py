"""Joints and bodies of a plant that form a tree, or a joint of Webots."""

from collections.abc import Iterable

from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import BodyIndex, Joint, JointIndex, RigidBody

from webmotor_drake.contact.inboard import bodies_of, joints_of
from webmotor_drake.nodes.joints import suspension_name


def trees(
    plant: MultibodyPlant, joints: Iterable[Joint]
) -> tuple[set[JointIndex], set[BodyIndex]]:
    """Returns the joints and bodies of all trees that hold one of `joints`."""
    found = forest(plant, joints)
    return set().union(*(t[0] for t in found)), set().union(
        *(t[1] for t in found)
    )


def forest(
    plant: MultibodyPlant, joints: Iterable[Joint]
) -> list[tuple[set[JointIndex], set[BodyIndex]]]:
    """Returns the joints and bodies of each tree that holds one of `joints`.

    Trees meet only in the world, so one tree moves another only by contact.
    """
    world, tree_of = plant.world_body().index(), {}
    for joint in joints_of(plant):
        ends = {joint.parent_body().index(), joint.child_body().index()}
        # A joint between two trees makes them one.
        tree = {joint.index()}, ends - {world}
        for other in map(tree_of.get, tree[1].copy()):
            if other is not None:
                tree[0].update(other[0])
                tree[1].update(other[1])
        tree_of.update(dict.fromkeys(tree[1], tree))
    found = {}
    for joint in joints:
        ends = joint.parent_body().index(), joint.child_body().index()
        tree = tree_of[ends[ends[0] == world]]
        found[id(tree)] = tree
    return list(found.values())


def velocities(
    plant: MultibodyPlant, joints: Iterable[JointIndex]
) -> list[int]:
    """Returns the sorted velocity indices of `joints` in a finalized plant."""
    indices: list[int] = []
    for index in joints:
        joint = plant.get_joint(index)
        start = joint.velocity_start()
        indices += range(start, start + joint.num_velocities())
    return sorted(indices)


def uses_tamsi(plant: MultibodyPlant) -> bool:
    """Returns whether the plant's solver is tamsi, which newer versions of Drake lack.

    It ignores actuators' gains; joints' damping and stops act on the old velocity.
    """
    tamsi = getattr(DiscreteContactApproximation, "kTamsi", None)
    return (
        tamsi is not None
        and plant.get_discrete_contact_approximation() == tamsi
    )


def welded_groups(plant: MultibodyPlant) -> dict[BodyIndex, BodyIndex]:
    """Returns for each body the representative of all bodies welded to it."""
    return {
        body.index(): min(b.index() for b in plant.GetBodiesWeldedTo(body))
        for body in bodies_of(plant)
    }


def solid_ends(
    plant: MultibodyPlant, joint: Joint
) -> tuple[RigidBody, RigidBody]:
    """Returns the bodies that a joint joins in Webots, without the small ones between.

    Args:
        plant: plant that has the joint.
        joint: any joint; one of several axes stands for all of them.
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
