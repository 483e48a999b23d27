"""Bodies and joints of a plant: trees, mechanisms, fixed ones, pairs that can touch."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import numpy as np
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
_EARTH = 9.81


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
    """Returns the index of the innermost moving body that carries a body; -1: none.

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
    """Returns each pair's value by the pair and by its reverse."""
    return {**pairs, **{pair[::-1]: value for pair, value in pairs.items()}}


def fixed_shapes(plant: MultibodyPlant) -> set[GeometryId]:
    """Returns the collision shapes that are fixed to the world, after Finalize."""
    bodies = shape_bodies(plant)
    return {shape for shape in bodies if plant.IsAnchored(bodies[shape])}


def pairs_that_can_touch(
    plant: MultibodyPlant, scene_graph: SceneGraph, shapes: Iterable[GeometryId]
) -> Iterator[ShapePair]:
    """Yields pairs of shapes, at least one of which moves, that no filter keeps apart.

    Args:
        plant: finalized plant.
        scene_graph: scene graph with its geometry and all collision filters.
        shapes: shapes to pair.
    """
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    for a, b in itertools.combinations(shapes, 2):
        if a in fixed and b in fixed:
            continue
        if not inspector.CollisionFiltered(a, b):
            yield a, b


class Mechanisms:
    """The mechanisms of a plant, before and after its Finalize.

    A mechanism is a free body, or a model that is fixed to the world, with all that
    hangs on it by joints.

    Args:
        plant: plant with all its bodies and joints.
    """

    def __init__(self, plant: MultibodyPlant):
        self._plant = plant
        self._joints = inboard_joints(plant)
        self._of = {int(b.index()): self._found(b) for b in bodies_of(plant)}

    def of(self, body: RigidBody) -> tuple[str, int]:
        """Returns the mechanism of a body."""
        return self._of[int(body.index())]

    def weight(self, body: RigidBody) -> float:
        """Returns the weight that may stand on a body, N; Earth's without gravity.

        A free mechanism counts whole, another body only with what is welded to it.
        """
        gravity = self._plant.gravity_field().gravity_vector()
        strength = float(np.linalg.norm(gravity)) or _EARTH
        kind, _ = mechanism = self.of(body)
        root = self._root(body)
        return strength * sum(
            other.default_mass()
            for other in bodies_of(self._plant)[1:]
            if self.of(other) == mechanism
            and (kind == "free" or self._root(other) == root)
        )

    def _root(self, body: RigidBody) -> int:
        return int(to_weld_root(body, self._joints)[0].index())

    def _found(self, body: RigidBody) -> tuple[str, int]:
        place = moving_root(self._plant, body, self._joints)
        if place < 0:
            return "model", int(body.model_instance())
        joint = self._joints.get(BodyIndex(place))
        if joint is None or joint.num_velocities() == 6:
            return "free", place
        return "model", int(joint.child_body().model_instance())
