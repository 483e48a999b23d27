"""Mass and damping of a Solid by Physics and boundingObject.

The rules are Webots' (WbPhysics.cpp, WbMatter.cpp).
"""

import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.worlds import masses
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.masses import Mass
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import pose
from webmotor_drake.worlds.shapes import read_geometry

# Masses up to this can be computed with, kg.
_HEAVIEST = 1e12


def add_mass(node: Node, inside: Around) -> None:
    """Adds a Solid's mass and damping to its link."""
    physics, link = node.node("physics"), inside.link
    assert physics is not None
    own = solid_mass(node, physics, inside.scale)
    numbers = np.array([own.mass, *own.com, *own.inertia.flat])
    if not (abs(numbers) <= _HEAVIEST).all() or own.mass < 1 / _HEAVIEST:
        raise physics.error(
            f"a mass of {own.mass:g} kg, or its centre or inertia, cannot be"
            " computed with"
        )
    link.parts.append(own.moved(link.X_W.inverse() @ inside.X_W))
    bounds, given = node.node("boundingObject"), physics.node("damping")
    shapes = weight(bounds, inside.scale) if bounds is not None else []
    volume = masses.total(shapes).mass / masses.DENSITY
    damping = read_node(Damping, given) if given is not None else None
    link.damping.append((volume, damping))


def bounding_parts(node: Node) -> list[tuple[Node, RigidTransform]]:
    """Returns the geometries of a boundingObject, with their poses in the Solid.

    A Pose has its first child only, and a Group in a Group makes no shape
    (WbMatter.cpp).
    """
    if node.type == "Group":
        parts = []
        for child in node.nodes("children"):
            if child.type == "Group":
                child.place.add(
                    "left out",
                    "Group",
                    "a Group in a Group of a boundingObject weighs and does not"
                    " collide, as in Webots",
                )
                continue
            parts += bounding_parts(child)
        return parts
    if node.type in ("Pose", "Transform"):
        children = node.nodes("children")
        if not children:
            return []
        if len(children) > 1:
            children[1].place.add(
                "left out",
                node.type,
                "in a boundingObject a Pose has its first child only, as in Webots",
            )
        if children[0].type in ("Group", "Pose", "Transform"):
            return []
        X = pose(
            node.numbers("translation", (0, 0, 0)),
            node.numbers("rotation", (0, 0, 1, 0)),
        )
        return [
            (geometry, X @ X_G) for geometry, X_G in bounding_parts(children[0])
        ]
    if node.type == "Shape":
        geometry = node.node("geometry")
        return [(geometry, RigidTransform())] if geometry is not None else []
    return [(node, RigidTransform())]


def weight(node: Node, scale: np.ndarray) -> list[Mass]:
    """Returns the mass of the parts of a boundingObject at density 1000."""
    if node.type == "Group":
        return [
            part
            for child in node.nodes("children")
            for part in weight(child, scale)
        ]
    if node.type in ("Pose", "Transform"):
        X = pose(
            scale * np.array(node.numbers("translation", (0, 0, 0))),
            node.numbers("rotation", (0, 0, 1, 0)),
        )
        return [
            part.moved(X)
            for child in node.nodes("children")[:1]
            for part in weight(child, scale)
        ]
    if node.type == "Shape":
        geometry = node.node("geometry")
        return weight(geometry, scale) if geometry is not None else []
    try:
        read = read_geometry(node, scale)
    except InputError:
        return []
    if read.mass is None:
        weighs = node.type in ("IndexedFaceSet", "Mesh")
        return [masses.NONE_GIVEN] if weighs else []
    return [read.mass.moved(read.X)]


def solid_mass(node: Node, physics: Node, scale: np.ndarray) -> Mass:
    """Returns a Solid's mass in its own frame (WbPhysics.cpp).

    Args:
        node: the Solid.
        physics: its Physics.
        scale: of its frame.
    """
    density = physics.number("density", 1000.0)
    mass = physics.number("mass", -1.0)
    if mass <= 0 and density <= 0:
        density = 1000.0
    # A Solid's scale counts for what is given, too (WbSolid.cpp).
    size = float(np.cbrt(np.prod(scale)))
    mass = mass * size**3 if mass > 0 else -1.0
    centers = physics.fields.get("centerOfMass")
    given = centers.rows(3)[:1] if centers is not None else []
    center = scale * np.array(given[0]) if given else None
    inertia = _given_inertia(physics)
    if inertia is not None:
        inertia = inertia * size**5
    if inertia is not None and mass > 0 and center is not None:
        return Mass(mass, center, inertia)
    if inertia is not None:
        physics.place.add(
            "changed",
            "inertiaMatrix",
            "not used, as in Webots: it needs a mass and a centerOfMass",
        )
    bounds = node.node("boundingObject")
    shapes = masses.total(weight(bounds, scale) if bounds is not None else [])
    if shapes.mass > 0:
        factor = mass / shapes.mass if mass > 0 else density / 1000.0
        whole = shapes.scaled(factor)
        return dc.replace(whole, com=center) if center is not None else whole
    com = center if center is not None else np.zeros(3)
    if mass > 0:
        physics.place.add(
            "note",
            f"Physics of {node.text('name', 'solid')}",
            "no boundingObject with a volume: an inertia of 1 kg m² about each"
            " axis, as in Webots",
        )
        return Mass(mass, com, np.eye(3))
    return Mass(density / 1000.0, com, np.eye(3) * density / 1000.0)


def _given_inertia(physics: Node) -> np.ndarray | None:
    """Returns inertiaMatrix, if it is valid."""
    field = physics.fields.get("inertiaMatrix")
    if field is None or not field.items:
        return None
    rows = [*field.rows(3), [0.0, 0.0, 0.0]][:2]
    (xx, yy, zz), (xy, xz, yz) = rows
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return matrix if (np.linalg.eigvalsh(matrix) > 0).all() else None
