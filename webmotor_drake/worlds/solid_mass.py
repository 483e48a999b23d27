"""Mass and damping of a Solid by Physics and boundingObject.

The rules are Webots' (WbPhysics.cpp, WbMatter.cpp).
"""

import dataclasses as dc
from collections.abc import Iterator

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import pose
from webmotor_drake.worlds.shapes import (
    DENSITY,
    NONE_GIVEN,
    Mass,
    read_geometry,
    total,
)

# Largest mass that is computed with, kg.
_HEAVIEST = 1e12
_IN_NO_POSE = ("Group", "Pose", "Transform")


def add_mass(node: Node, inside: Around) -> None:
    """Adds a Solid's mass and damping to its link."""
    physics, link = node.node("physics"), inside.link
    assert physics is not None
    shapes = bounding_mass(node, inside.scale)
    own = solid_mass(node, physics, shapes, inside.scale)
    numbers = np.array([own.mass, *own.com, *own.inertia.flat])
    if not (abs(numbers) <= _HEAVIEST).all() or own.mass < 1 / _HEAVIEST:
        raise physics.error(
            f"a mass of {own.mass:g} kg, or its centre or inertia, cannot be"
            " computed with"
        )
    link.parts.append(own.moved(link.X_W.inverse() @ inside.X_W))
    given = physics.node("damping")
    damping = read_node(Damping, given) if given is not None else None
    link.damping.append((shapes.mass / DENSITY, damping))


def bounding_parts(
    node: Node,
    scale: np.ndarray,
    X: RigidTransform | None = None,
    *,
    collides: bool = True,
    tell: bool = False,
) -> Iterator[tuple[Node, RigidTransform, bool]]:
    """Yields the geometries of a boundingObject; all of them have mass.

    Only the first child of a Pose counts. A Group in a Group never collides, nor does a
    Group or a Pose in a Pose (WbMatter.cpp).

    Args:
        node: the boundingObject.
        scale: scale of its Solid's frame.
        X: pose of the node's parent in the Solid; None: the parent is the Solid.
        collides: True unless a node around it keeps it from colliding.
        tell: True to report geometries that do not collide.

    Yields:
        A geometry, its pose in the Solid, and whether it collides.
    """
    X, children = X or RigidTransform(), node.nodes("children")
    if node.type == "Group":
        lost = [child for child in children if child.type == "Group"]
        text = (
            "a Group in a Group of a boundingObject weighs, and never collides"
        )
    elif node.type in ("Pose", "Transform"):
        X = X @ pose(
            scale * np.array(node.numbers("translation", (0, 0, 0))),
            node.numbers("rotation", (0, 0, 1, 0)),
        )
        children, lost = children[:1], children[1:2]
        text = "in a boundingObject a Pose has its first child only"
    elif node.type == "Shape":
        children, lost, text = node.nodes("geometry")[:1], [], ""
    else:
        yield node, X, collides
        return
    for other in lost if tell and collides else ():
        other.place.add("left out", node.type, f"{text}, as in Webots")
    stops = {"Group": ("Group",), "Shape": ()}.get(node.type, _IN_NO_POSE)
    for child in children:
        goes = collides and child.type not in stops
        yield from bounding_parts(child, scale, X, collides=goes, tell=tell)


def bounding_mass(node: Node, scale: np.ndarray) -> Mass:
    """Returns the mass of a Solid's boundingObject at density 1000; 0 without one."""
    bounds, found = node.node("boundingObject"), list[Mass]()
    for part, X, _ in bounding_parts(bounds, scale) if bounds else ():
        try:
            read = read_geometry(part, scale)
        except InputError:
            continue
        if read.mass is not None:
            found.append(read.mass.moved(X @ read.X))
        elif part.type in ("IndexedFaceSet", "Mesh"):
            found.append(NONE_GIVEN.moved(X))
    return total(found)


def solid_mass(
    node: Node, physics: Node, shapes: Mass, scale: np.ndarray
) -> Mass:
    """Returns a Solid's mass in its own frame (WbPhysics.cpp).

    Args:
        node: the Solid.
        physics: its Physics.
        shapes: the mass of its boundingObject.
        scale: scale of its frame.
    """
    density = physics.number("density", 1000.0)
    mass = physics.number("mass", -1.0)
    if mass <= 0 and density <= 0:
        density = 1000.0
    # A Solid's scale applies to given values, too (WbSolid.cpp).
    size = float(np.cbrt(np.prod(scale)))
    mass = mass * size**3 if mass > 0 else -1.0
    centers = physics.fields.get("centerOfMass")
    given = centers.rows(3)[:1] if centers is not None else []
    center = scale * np.array(given[0]) if given else None
    inertia = _given_inertia(physics)
    if inertia is not None:
        if mass > 0 and center is not None:
            return Mass(mass, center, inertia * size**5)
        text = "not used, as in Webots: it needs a mass and a centerOfMass"
        physics.place.add("changed", "inertiaMatrix", text)
    if shapes.mass > 0:
        factor = mass / shapes.mass if mass > 0 else density / 1000.0
        whole = shapes.scaled(factor)
        return dc.replace(whole, com=center) if center is not None else whole
    if mass > 0:
        name, text = (
            node.text("name", "solid"),
            "1 kg m² about each axis, as in Webots",
        )
        text = f"no boundingObject with a volume: an inertia of {text}"
        physics.place.add("note", f"Physics of {name}", text)
    com = center if center is not None else np.zeros(3)
    if mass > 0:
        return Mass(mass, com, np.eye(3))
    return Mass(1.0, com, np.eye(3)).scaled(density / 1000)


def _given_inertia(physics: Node) -> np.ndarray | None:
    """Returns inertiaMatrix, if it is valid."""
    field = physics.fields.get("inertiaMatrix")
    if field is None or not field.items:
        return None
    rows = [*field.rows(3), [0.0, 0.0, 0.0]][:2]
    (xx, yy, zz), (xy, xz, yz) = rows
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return matrix if (np.linalg.eigvalsh(matrix) > 0).all() else None
