"""Bodies and joints of a plant: their trees; which are fixed, which can touch."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydrake.geometry import GeometryId, SceneGraph
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    FixedOffsetFrame,
    Joint,
    RigidBody,
    WeldJoint,
)

Inboard = dict[BodyIndex, Joint]
ShapePair = tuple[GeometryId, GeometryId]
Value = TypeVar("Value")


def bodies_of(plant: MultibodyPlant) -> list[RigidBody]:
    """Returns all bodies, the world's first, before and after Finalize."""
    return [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]


def joints_of(plant: MultibodyPlant) -> list[Joint]:
    """Returns all joints, before and after Finalize."""
    return [plant.get_joint(index) for index in plant.GetJointIndices()]


def inboard_joints(plant: MultibodyPlant) -> Inboard:
    """Returns the joint on which each body hangs, before and after Finalize."""
    return {joint.child_body().index(): joint for joint in joints_of(plant)}


def to_weld_root(
    body: RigidBody, joints: Inboard
) -> tuple[RigidBody, RigidTransform]:
    """Returns the innermost body that a body is welded to, and its pose there.

    Args:
        body: any body.
        joints: joints of its plant.
    """
    X_RB, root = RigidTransform(), body
    while isinstance(joint := joints.get(root.index()), WeldJoint):
        X_PF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
        X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
        X_RB = X_PF @ joint.X_FM() @ X_BM.inverse() @ X_RB
        root = joint.parent_body()
    return root, X_RB


def movable_frame(
    plant: MultibodyPlant, joint: Joint | None
) -> FixedOffsetFrame | None:
    """Returns the frame by which a weld to the world can be moved."""
    if (
        isinstance(joint, WeldJoint)
        and isinstance(joint.frame_on_parent(), FixedOffsetFrame)
        and joint.parent_body() == plant.world_body()
    ):
        return joint.frame_on_parent()
    return None


def moving_root(plant: MultibodyPlant, body: RigidBody, joints: Inboard) -> int:
    """Returns the innermost body that moves of those that carry one; -1: none.

    Args:
        plant: plant of the body.
        body: any body.
        joints: joints of the plant.
    """
    found, world = -1, plant.world_body().index()
    root, _ = to_weld_root(body, joints)
    while root.index() != world:
        found = int(root.index())
        joint = joints.get(root.index())
        outer = plant.world_body() if joint is None else joint.parent_body()
        root, _ = to_weld_root(outer, joints)
    return found


def shape_bodies(plant: MultibodyPlant) -> dict[GeometryId, RigidBody]:
    """Returns the body of each collision shape."""
    return {
        geometry: body
        for body in bodies_of(plant)
        for geometry in plant.GetCollisionGeometriesForBody(body)
    }


def both_ways(pairs: Mapping[ShapePair, Value]) -> dict[ShapePair, Value]:
    """Returns the same of each pair of shapes and of its reverse."""
    return {**pairs, **{pair[::-1]: value for pair, value in pairs.items()}}


def fixed_shapes(plant: MultibodyPlant) -> set[GeometryId]:
    """Returns the collision shapes that are fixed to the world."""
    joints, world = inboard_joints(plant), plant.world_body().index()
    return {
        geometry
        for geometry, body in shape_bodies(plant).items()
        if to_weld_root(body, joints)[0].index() == world
    }


def pairs_that_can_touch(
    plant: MultibodyPlant, scene_graph: SceneGraph, shapes: Iterable[GeometryId]
) -> Iterator[ShapePair]:
    """Yields pairs of which at least one moves and that no filter keeps apart.

    Args:
        plant: finalized plant.
        scene_graph: with its geometry, and all collision filters.
        shapes: all of them.
    """
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    for a, b in itertools.combinations(shapes, 2):
        if a in fixed and b in fixed:
            continue
        if not inspector.CollisionFiltered(a, b):
            yield a, b
