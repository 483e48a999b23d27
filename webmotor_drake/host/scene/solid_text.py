"""Reads a Solid, or shapes that are only drawn, from importMFNodeFromString's text.

Shapes are Box, Sphere, Cylinder and Capsule, in Poses, Transforms and Groups. Sizes,
colours and masses are read as in a world's file.
"""

import numpy as np
from pydrake import geometry
from pydrake.math import RigidTransform
from pydrake.multibody.tree import RotationalInertia, SpatialInertia

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.simulation.spares import MAX_COLLISIONS
from webmotor_drake.worlds.around import pose_of as pose_in
from webmotor_drake.worlds.node_kinds import JOINTS
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.shapes import possible, read_geometry
from webmotor_drake.worlds.solid_mass import (
    bounding_mass,
    bounding_parts,
    solid_mass,
)

# Nodes that hold other nodes, which are drawn in them.
HOLDERS = ("Group", "Pose", "Transform")
DRAWN = (*HOLDERS, "Shape")
_SOLIDS = ("Box", "Sphere", "Cylinder", "Capsule", "Plane")
_UNSCALED = np.ones(3)


def why_ignored(kind: str) -> str:
    """Returns the name of a node without effect, and why unless it is decoration."""
    if kind in JOINTS:
        return (
            f"a {kind} (a plant that runs takes no joints; a model in the"
            " scenario's `spares` can have them)"
        )
    if kind in ("Solid", "Robot", *DEVICES):
        return (
            f"a {kind} in another node (a Solid comes as one body; a model in the"
            " scenario's `spares` can have more)"
        )
    return f"a {kind}"


# A shape G that a body B collides with: its text, its form, and its pose X_BG.
Collision = tuple[TextNode, geometry.Shape, RigidTransform]


def pose_of(node: TextNode) -> RigidTransform:
    """Returns the pose of a node in its parent.

    Raises:
        InputError: its numbers do not make a pose.
    """
    return pose_in(node, _UNSCALED)


def shape_of(node: TextNode) -> geometry.Shape | None:
    """Returns the form of a geometry; None for one that is not drawn here.

    Raises:
        InputError: its size is impossible.
    """
    if node.type not in _SOLIDS:
        return None
    read = read_geometry(node, _UNSCALED)
    if read.shape is None:
        raise node.error(read.problem)
    if node.type == "Plane":
        return geometry.HalfSpace()
    return getattr(geometry, node.type)(*read.shape.size)


def collisions_of(solid: TextNode) -> list[Collision]:
    """Returns the collision shapes of a Solid's boundingObject.

    Raises:
        InputError: it has too many shapes, a shape that does not collide here, or a
            Plane in a Solid that moves.
    """
    outer, found = solid.node("boundingObject"), list[Collision]()
    moves = solid.node("physics") is not None
    parts = bounding_parts(outer, _UNSCALED) if outer else ()
    for node, pose in ((node, X) for node, X, collides in parts if collides):
        shape = shape_of(node)
        if shape is None:
            raise InputError(
                f"a {node.type} in a boundingObject; one of"
                f" {', '.join(_SOLIDS)} is needed"
            )
        if moves and node.type == "Plane":
            raise InputError(
                "a Plane cannot move; a Solid with Physics cannot have one"
            )
        found.append((node, shape, pose))
    if len(found) > MAX_COLLISIONS:
        raise InputError(
            f"{len(found)} shapes in a boundingObject; up to"
            f" {MAX_COLLISIONS} are possible"
        )
    return found


def inertia_of(solid: TextNode, physics: TextNode) -> SpatialInertia:
    """Returns the inertia of a Solid with Physics, by Webots' rules."""
    shapes = bounding_mass(solid, _UNSCALED)
    mass = solid_mass(solid, physics, shapes, _UNSCALED)
    I = possible(mass.inertia)  # noqa: E741 as in the books
    about = RotationalInertia(*I.diagonal(), *I[np.triu_indices(3, 1)])
    return SpatialInertia.MakeFromCentralInertia(mass.mass, mass.com, about)
