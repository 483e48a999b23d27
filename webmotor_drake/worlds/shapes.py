"""Geometry nodes: their masses, collision shapes and looks.

Masses add up as in WbPhysics.cpp, WbSolid.cpp and WbSolidMerger.cpp.
"""

import dataclasses as dc
import itertools
import typing
from pathlib import Path

import numpy as np
from pydrake import geometry
from pydrake.math import RigidTransform
from pydrake.multibody.tree import CalcSpatialInertia

from webmotor_drake.results.whole_file import load_bytes
from webmotor_drake.scenario.meshes import lacks_normals
from webmotor_drake.worlds.meshes import mesh_of, textured_faces
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import turn
from webmotor_drake.worlds.terrain import Grid, read_grid

# Shapes whose axis was y before R2022a and is z since (WbNodeUtilities.cpp).
_TURNED = frozenset({"Cylinder", "Capsule", "Cone", "Plane", "ElevationGrid"})
_OLD_AXIS = turn([1, 0, 0], -np.pi / 2)

# Least and largest length at which Drake's collision queries work, m.
_LEAST, _MOST = 1e-6, 1e5


# The density of shapes if Physics gives none, kg/m^3.
DENSITY = 1000.0


@dc.dataclass(frozen=True)
class Mass:
    """Mass, centre of mass and inertia in a frame F.

    Attributes:
        mass: mass, kg.
        com: p_FFcm, the centre of mass, m.
        inertia: I_FFcm_F, about the centre of mass, shape (3, 3), kg m^2.
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def moved(self, X_GF: RigidTransform) -> "Mass":
        """Returns the same mass, expressed in a frame G."""
        R = X_GF.rotation().matrix()
        return Mass(self.mass, X_GF @ self.com, R @ self.inertia @ R.T)

    def scaled(self, factor: float) -> "Mass":
        """Returns `factor` times the mass and inertia, about the same centre."""
        return Mass(factor * self.mass, self.com, factor * self.inertia)


def total(parts: list[Mass]) -> Mass:
    """Returns the total of several masses in one frame."""
    mass = sum(part.mass for part in parts)
    if not mass:
        return Mass(0.0, np.zeros(3), np.zeros((3, 3)))
    if len(parts) == 1:
        return parts[0]
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        r = part.com - com
        shift = part.mass * (r @ r * np.eye(3) - np.outer(r, r))
        inertia += part.inertia + shift
    return Mass(mass, com, inertia)


# Mass of a mesh that encloses no volume, and of a shape without a size.
NONE_GIVEN = Mass(1.0, np.zeros(3), np.eye(3))


@dc.dataclass(frozen=True)
class Shape:
    """A shape in a frame of its own.

    Attributes:
        kind: "box", "sphere", "cylinder", "capsule", "plane" or "mesh".
        size: x, y, z of a box; radius of a sphere; radius and length of a cylinder
            or capsule (without caps); x and y of a plane, m.
        triangles: triangles of a mesh, shape (n, 3, 3), m.
        file: file with colours, from which a mesh is drawn; "": none.
        scale: scale of `file`, along x, y and z.
        grid: points of a mesh that is an ElevationGrid.
        png: image on a mesh.
        places: texture coordinates of the corners, right and up, shape (n, 3, 2); the
            image spans 0 to 1 and repeats beyond.
    """

    kind: str
    size: tuple[float, ...] = ()
    triangles: np.ndarray | None = None
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    grid: Grid | None = None
    png: bytes = b""
    places: np.ndarray | None = None


class Geometry(typing.NamedTuple):
    """A geometry node that was read.

    Attributes:
        shape: its shape; None: it neither collides nor is drawn here.
        X: pose of the shape in the frame of its node: a turn if the file has old axes.
        mass: mass at density 1000; None without mass.
        problem: reason why there is no shape; "" if there is one.
    """

    shape: Shape | None
    X: RigidTransform
    mass: Mass | None
    problem: str = ""


def read_geometry(node: Node, scale: np.ndarray) -> Geometry:
    """Reads a geometry node.

    Args:
        node: Box, Sphere and so on.
        scale: scale of the frame that it is in, along x, y and z.

    Raises:
        InputError: a field holds a wrong value; with its place.
    """
    turned = node.type in _TURNED and node.place.source.has_old_axes
    X = RigidTransform(_OLD_AXIS) if turned else RigidTransform()
    if turned:  # its own z is the frame's y
        scale = np.array([scale[0], scale[2], scale[1]])
    read = _READERS.get(node.type)
    if read is None:
        return Geometry(None, X, None, "not a geometry that is known here")
    try:
        shape = read(node, scale)
    except OverflowError:
        return Geometry(None, X, None, f"larger than {_MOST:g} m")
    if shape is None or min(shape.size, default=1.0) <= 0:
        mass = NONE_GIVEN if node.type in _WEIGHED else None
        problem = "has no surface or a size that is not above 0"
        return Geometry(None, X, mass, problem)
    if not _can_be(shape):
        problem = f"larger than {_MOST:g} m or smaller than {_LEAST:g} m"
        return Geometry(None, X, None, problem)
    mass = None
    if node.type in _WEIGHED:
        kind = getattr(geometry, node.type)
        mass = mass_of_shape(kind(*shape.size))
    elif shape.triangles is not None and node.type in _WEIGHED_MESHES:
        mass = mass_of_mesh(shape.triangles)
    return Geometry(shape, X, mass)


# Geometries that have mass in Webots; the first line are Drake's shapes, too.
_WEIGHED = ("Box", "Sphere", "Cylinder", "Capsule")
_WEIGHED_MESHES = ("IndexedFaceSet", "Mesh", "CadShape")


def _can_be(shape: Shape) -> bool:
    """Returns whether Drake can compute with a shape's sizes; else it would abort."""
    if shape.kind == "plane":
        return max(shape.size) <= _MOST
    if shape.triangles is not None and abs(shape.triangles).max() > _MOST:
        return False
    return all(_LEAST <= length <= _MOST for length in shape.size)


def _sized(node: Node, scale: np.ndarray) -> Shape:
    if node.type in ("Box", "Plane"):
        default = (2, 2, 2) if node.type == "Box" else (1, 1)
        sizes = np.array(node.numbers("size", default)) * scale[: len(default)]
    else:
        radius, height = node.number("radius", 1.0), node.number("height", 2.0)
        sizes = [radius * scale[:2].max(), height * scale[2]]
        if node.type == "Sphere":
            sizes = [radius * scale.max()]
    return Shape(node.type.lower(), tuple(map(float, sizes)))


def _cone(node: Node, scale: np.ndarray) -> Shape | None:
    radius = node.number("bottomRadius", 1.0)
    height = node.number("height", 2.0)
    if radius <= 0 or height <= 0:
        return None
    angles = np.linspace(0, 2 * np.pi, 25)
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    rim = np.column_stack([x, y, np.full(25, -height / 2)])
    top, bottom = [0, 0, height / 2], [0, 0, -height / 2]
    sides = [(a, b, top) for a, b in itertools.pairwise(rim)]
    floor = [(b, a, bottom) for a, b in itertools.pairwise(rim)]
    return Shape("mesh", triangles=np.array(sides + floor) * scale)


def _faces(node: Node, scale: np.ndarray) -> Shape | None:
    triangles, _ = textured_faces(node)
    if triangles is None:
        return None
    return Shape("mesh", triangles=triangles * scale)


def _mesh(node: Node, scale: np.ndarray) -> Shape | None:
    file, triangles = mesh_of(node)
    made = Shape("mesh", triangles=triangles * scale)
    if not file.endswith(".obj") or lacks_normals(load_bytes(Path(file))):
        return made
    sizes: tuple[float, float, float] = tuple(scale.tolist())
    return dc.replace(made, file=file, scale=sizes)


def _elevation(node: Node, scale: np.ndarray) -> Shape | None:
    grid = read_grid(node, scale)
    if grid is None:
        return None
    return Shape("mesh", triangles=grid.triangles(), grid=grid)


_READERS: dict[str, typing.Callable[[Node, np.ndarray], Shape | None]] = {
    **dict.fromkeys(("Box", "Sphere", "Cylinder", "Capsule", "Plane"), _sized),
    "Cone": _cone,
    "IndexedFaceSet": _faces,
    "Mesh": _mesh,
    "CadShape": _mesh,
    "ElevationGrid": _elevation,
}
# Geometry that is only looked at.
NEVER_COLLIDES = frozenset({"Cone", "CadShape", "IndexedLineSet", "PointSet"})
UNSEEN = frozenset({"IndexedLineSet", "PointSet"})

_GREY = (0.8, 0.8, 0.8, 1.0)
_WHITE = 1.0, 1.0, 1.0, 1.0


def read_color(shape: Node) -> tuple[float, float, float, float]:
    """Returns the colour of a Shape, RGBA; textures are ignored.

    Without an appearance it is white, as in Webots; with one that is dropped, grey. If
    only an emissiveColor is given, it is that.
    """
    looks = shape.node("appearance")
    if looks is None:
        given = shape.fields.get("appearance")
        return _GREY if given is not None and given.all_nodes else _WHITE
    pbr = looks.type == "PBRAppearance"
    look = looks if pbr else looks.node("material")
    if look is None:
        return _WHITE
    name = "baseColor" if pbr else "diffuseColor"
    color = look.numbers(name, _WHITE[:3] if pbr else _GREY[:3])
    if name not in look.fields:
        color = look.numbers("emissiveColor", color)
    if pbr and color == [1, 1, 1] and look.node("baseColorMap") is not None:
        color = list(_GREY[:3])
    alpha = 1 - look.number("transparency", 0.0)
    numbers = np.clip([*color, alpha], 0, 1).round(4)
    red, green, blue, alpha = numbers.tolist()
    return red, green, blue, alpha


def mass_of_shape(shape: geometry.Shape) -> Mass:
    """Returns the mass of a shape in its own frame, of density 1000."""
    M = CalcSpatialInertia(shape, DENSITY)
    inertia = M.CalcRotationalInertia().CopyToFullMatrix3()
    return Mass(M.get_mass(), np.zeros(3), inertia)


def mass_of_mesh(triangles: np.ndarray) -> Mass | None:
    """Returns the mass of a closed mesh of density 1000.

    Args:
        triangles: corners, shape (n, 3, 3), anticlockwise seen from outside.

    Returns:
        The mass; None if its volume or a moment of inertia is not positive: Webots then
        takes 1 kg and an inertia of 1 kg m^2.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    # Signed volumes of the tetrahedra from the origin, and their moments.
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(volumes.sum())
    if not volume > 0:
        return None
    corners = a + b + c
    com = (volumes @ corners) / (4 * volume)
    second = np.zeros((3, 3))
    for p in (a, b, c, corners):
        second += np.einsum("i,ij,ik->jk", volumes, p, p)
    second /= 20
    second -= volume * np.outer(com, com)
    inertia = DENSITY * (np.trace(second) * np.eye(3) - second)
    if not (np.linalg.eigvalsh(inertia) > 0).all():
        return None
    return Mass(DENSITY * volume, com, inertia)


def possible(inertia: np.ndarray) -> np.ndarray:
    """Returns a physical inertia: moments that are too small are enlarged.

    Webots only asks for positive principal moments. In a real body the two smaller
    ones add up to at least the largest. If they do not, both are scaled up by the same
    factor until they do.
    """
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] + moments[1] >= moments[2] * (1 - 1e-12):
        return inertia
    small = np.maximum(moments[:2], 1e-12 * moments[2])
    moments[:2] = small * (moments[2] / small.sum() * (1 + 1e-9))
    return axes @ np.diag(moments) @ axes.T
