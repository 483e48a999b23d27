"""Reads a Solid, or shapes that are only drawn, from importMFNodeFromString's text.

Shapes are Box, Sphere, Cylinder and Capsule, in Poses, Transforms and Groups; what a
Solid weighs follows Webots' rules (WbPhysics.cpp, WbSolid.cpp createOdeMass).
"""

import dataclasses as dc
import functools
import operator
from collections.abc import Iterator

import numpy as np
from pydrake import geometry
from pydrake.geometry import Rgba
from pydrake.math import RigidTransform
from pydrake.multibody.tree import (
    CalcSpatialInertia,
    RotationalInertia,
    SpatialInertia,
)

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.rotations import rotation_of
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.reader import read_nodes

_DENSITY = 1000.0
# Nodes that hold others, and that others are drawn in.
HOLDERS = ("Group", "Pose", "Transform")
DRAWN = (*HOLDERS, "Shape")
_JOINTS = ("HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint")
_SOLIDS = ("Box", "Sphere", "Cylinder", "Capsule", "Plane")


def why_ignored(kind: str) -> str:
    """Returns what of a text has no effect, and why if it is no mere decoration."""
    if kind in _JOINTS:
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


@dc.dataclass(frozen=True)
class Collision:
    """A shape G that a body B collides with.

    Attributes:
        node: its text.
        shape: its form.
        pose: X_BG.
    """

    node: TextNode
    shape: geometry.Shape
    pose: RigidTransform


def parse(text: str) -> list[TextNode]:
    """Reads the nodes of a text.

    Raises:
        InputError: no nodes, or the text is wrong; says where.
    """
    nodes = read_nodes(text, "the text")
    if not nodes:
        raise InputError("the text has no node")
    return nodes


def pose_of(node: TextNode) -> RigidTransform:
    """Returns the pose of a node in its parent.

    Raises:
        InputError: its numbers do not make a pose.
    """
    translation = node.numbers("translation", [0.0, 0.0, 0.0])
    rotation = node.numbers("rotation", [0.0, 0.0, 1.0, 0.0])
    if not any(rotation[:3]):
        return RigidTransform(translation)  # as Webots has it
    return RigidTransform(rotation_of(rotation), translation)


def velocity_of(node: TextNode) -> list[float]:
    """Returns the linear (m/s) and angular velocity (rad/s) that a Solid starts with.

    Raises:
        InputError: not velocities.
    """
    return [
        *node.numbers("linearVelocity", [0.0, 0.0, 0.0]),
        *node.numbers("angularVelocity", [0.0, 0.0, 0.0]),
    ]


def colors_of(node: TextNode) -> list[list[float]]:
    """Returns a Solid's recognitionColors.

    Raises:
        InputError: not colours.
    """
    colors = _rows(node, "recognitionColors")
    if any(not 0 <= part <= 1 for color in colors for part in color):
        raise InputError(f"recognitionColors {colors}; must be from 0 to 1")
    return colors


def shape_of(node: TextNode) -> geometry.Shape | None:
    """Returns the form of a geometry; None for one that is not drawn here.

    Raises:
        InputError: its size is impossible.
    """
    sizes = _sizes(node)
    if sizes is None:
        return geometry.HalfSpace() if node.type == "Plane" else None
    if not all(0 < size < np.inf for size in sizes):
        raise InputError(f"a {node.type} of {sizes} m; sizes are above 0")
    return getattr(geometry, node.type)(*sizes)


def _sizes(node: TextNode) -> list[float] | None:
    """Returns the sizes of a geometry in the order that Drake's shapes take them."""
    match node.type:
        case "Box":
            return node.numbers("size", [2.0, 2.0, 2.0])
        case "Sphere":
            return [node.number("radius", 1.0)]
        case "Cylinder" | "Capsule":
            return [node.number("radius", 1.0), node.number("height", 2.0)]
    return None


def colour_of(shape: TextNode) -> Rgba:
    """Returns the colour of a Shape, by its PBRAppearance or Material.

    White without one, and Webots' grey for a Material that says nothing.
    """
    look = shape.node("appearance")
    name, default = "baseColor", [1.0, 1.0, 1.0]
    if look is not None and look.type == "Appearance":
        look = look.node("material")
        name, default = "diffuseColor", [0.8, 0.8, 0.8]
    if look is None:
        return Rgba(1, 1, 1, 1)
    rgb = look.numbers(name, default)
    alpha = 1 - look.number("transparency", 0.0)
    if name not in look.fields and "emissiveColor" in look.fields:
        rgb = look.numbers("emissiveColor", rgb)
    return Rgba(*(min(max(value, 0.0), 1.0) for value in (*rgb, alpha)))


def collisions_of(solid: TextNode) -> list[Collision]:
    """Returns the collision shapes of a Solid's boundingObject.

    Raises:
        InputError: it has a shape that does not collide here.
    """
    outer = solid.node("boundingObject")
    return [] if outer is None else list(_collisions(outer, RigidTransform()))


def _collisions(node: TextNode, pose: RigidTransform) -> Iterator[Collision]:
    if node.type == "Group":
        for child in node.nodes("children"):
            yield from _collisions(child, pose)
    elif node.type in ("Pose", "Transform"):
        first = node.node("children")  # further ones do not count, as in Webots
        if first is not None:
            yield from _collisions(first, pose @ pose_of(node))
    elif node.type == "Shape":
        inside = node.node("geometry")
        if inside is not None:
            yield from _collisions(inside, pose)
    elif node.type in _SOLIDS:
        shape = shape_of(node)
        if shape is not None:
            yield Collision(node, shape, pose)
    else:
        raise InputError(
            f"a {node.type} in a boundingObject; one of"
            f" {', '.join(_SOLIDS)} is needed"
        )


def inertia_of(
    physics: TextNode, collisions: list[Collision]
) -> SpatialInertia:
    """Returns the inertia of a Solid with Physics.

    Raises:
        InputError: no body can have such an inertia.
    """
    density = physics.number("density", _DENSITY)
    mass = physics.number("mass", -1.0)
    center = _rows(physics, "centerOfMass")
    matrix = _rows(physics, "inertiaMatrix")
    density = density if density > 0 else _DENSITY
    if mass > 0 and center and len(matrix) == 2:
        M = _explicit(mass, center[0], matrix)
        if M is not None:
            return M
    shapes = _of_shapes(collisions)
    if shapes is None:
        m = mass if mass > 0 else density / _DENSITY
        p = center[0] if center else [0.0, 0.0, 0.0]
        # 1 kg m^2 about each axis, whatever the mass.
        return _about(m, p, RotationalInertia(1.0, 1.0, 1.0))
    m = mass if mass > 0 else shapes.get_mass() * density / _DENSITY
    scaled = SpatialInertia(m, shapes.get_com(), shapes.get_unit_inertia())
    if not center:
        return scaled
    central = scaled.Shift(scaled.get_com()).CalcRotationalInertia()
    return _about(m, center[0], central)


def _rows(node: TextNode, name: str) -> list[list[float]]:
    field = node.fields.get(name)
    return [] if field is None else field.rows(3)


def _about(
    mass: float, center: list[float], central: RotationalInertia
) -> SpatialInertia:
    """Returns a spatial inertia by the inertia about its centre of mass."""
    return SpatialInertia.MakeFromCentralInertia(
        mass, np.array(center), central
    )


def _explicit(
    mass: float, center: list[float], matrix: list[list[float]]
) -> SpatialInertia | None:
    """Returns the inertia of centerOfMass and inertiaMatrix; None if not given."""
    (xx, yy, zz), (xy, xz, yz) = matrix
    full = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not (np.linalg.eigvalsh(full) > 0).all():
        return None
    try:
        return _about(mass, center, RotationalInertia(xx, yy, zz, xy, xz, yz))
    except RuntimeError:
        raise InputError(
            "no body has such an inertiaMatrix: two of its moments are less than"
            " the third"
        ) from None


def _of_shapes(collisions: list[Collision]) -> SpatialInertia | None:
    """Returns the inertia of shapes at 1000 kg/m^3; None without mass."""
    parts = [
        CalcSpatialInertia(one.shape, _DENSITY)
        .ReExpress(one.pose.rotation())
        .Shift(-one.pose.translation())
        for one in collisions
        if not isinstance(one.shape, geometry.HalfSpace)
    ]
    return functools.reduce(operator.iadd, parts) if parts else None
