"""The shapes of a plant, met by rays; Drake has no ray cast."""

import dataclasses as dc
import itertools
import math
import typing
from collections.abc import Iterable, Sequence

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, Role, SceneGraphInspector
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.host.senses.surface_redness import Redness, redness_of
from webmotor_drake.loops import entry
from webmotor_drake.loops.rays import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HALF_SPACE,
    POLYTOPE,
    cast_rays,
)

Bodies = frozenset[BodyIndex]
# Signs of the corners of a box.
CORNERS = np.array(list(itertools.product((-1, 1), repeat=3)))
_cast_rays = entry(cast_rays)


@dc.dataclass(frozen=True)
class Solid:
    """A shape G of the plant.

    Attributes:
        kind: BOX and so on.
        size: size as `cast_rays` takes it; planes of a polytope, (k, 4).
        body: body B that carries the shape.
        X_BG: pose on the body, 12 numbers.
        geometry: its id.
    """

    kind: int
    size: typing.Any
    body: RigidBody
    X_BG: np.ndarray
    geometry: GeometryId


class RayScene:
    """All collision shapes, or all drawn shapes, of a plant's bodies.

    Args:
        plant: the plant.
        context: the plant's Context; each cast reads the bodies' poses from it.
        inspector: function that returns the inspector of the shapes.
        role: role of the shapes.
        is_supervised: True if somebody may move bodies that are welded to the world.

    Attributes:
        still: the bodies that never move.
        version: number of the shapes' changes.
        ink: ink of Pens; None: no Pen has written.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        context: Context,
        inspector: typing.Callable[[], SceneGraphInspector],
        role: Role,
        *,
        is_supervised: bool = False,
    ):
        self.plant = plant
        self.context = context
        world = plant.world_body().index()
        self.still = frozenset(
            index
            for index in _bodies(plant)
            if index == world
            or (not is_supervised and plant.IsAnchored(plant.get_body(index)))
        )
        self.version = 0
        self.ink: typing.Any = None
        self._inspector, self._role = inspector, role
        self._solids: list[Solid] | None = None
        self._redness: dict[GeometryId, Redness] = {}

    @property
    def solids(self) -> list[Solid]:
        """The present shapes."""
        if self._solids is None:
            inspector = self._inspector()
            self._solids = [
                solid
                for body in map(self.plant.get_body, _bodies(self.plant))
                for solid in _solids(self.plant, inspector, body, self._role)
            ]
        return self._solids

    def forget(self) -> None:
        """Makes the shapes be looked up again after a change."""
        self._solids = None
        self._redness.clear()
        self.version += 1

    def redness(self, solid: Solid) -> Redness:
        """Returns the function for a shape's redness where a ray meets it."""
        known = self._redness
        if solid.geometry not in known:
            known[solid.geometry] = redness_of(
                self._inspector(), solid.geometry
            )
        return known[solid.geometry]

    def blocked(
        self, start: np.ndarray, end: np.ndarray, unseen: Bodies
    ) -> bool:
        """Returns whether a body, except those unseen, is between two points."""
        way = end - start
        length = float(np.linalg.norm(way))
        if not length:
            return False
        batch = RayBatch(self, start[None], way[None] / length, [unseen])
        lengths, _ = batch.cast()
        return bool(lengths[0] < length)


class RayBatch:
    """Casts the same rays repeatedly while bodies move.

    Args:
        scene: the shapes.
        origins: origins of n rays, on the rays' bodies, (n, 3), m.
        directions: unit vectors there, (n, 3).
        unseen: for each ray the bodies that it passes through.
        bodies: for each ray the body that its origin and direction are on; None:
            the world.
        ranges: the rays' maximum lengths, m; None: endless.

    Attributes:
        solids: the shapes that any of the rays can meet.
    """

    def __init__(
        self,
        scene: RayScene,
        origins: np.ndarray,
        directions: np.ndarray,
        unseen: Sequence[Bodies],
        bodies: Sequence[RigidBody] | None = None,
        ranges: Sequence[float] | None = None,
    ):
        count = len(unseen)
        self._origins, self._directions = origins, directions
        self._scene, self._context = scene, scene.context
        if bodies is None:
            bodies = [scene.plant.world_body()] * count
        common = frozenset.intersection(*unseen) if unseen else frozenset()
        self.solids = solids = [
            s for s in scene.solids if s.body.index() not in common
        ]
        known: dict[BodyIndex, RigidBody] = {
            body.index(): body for body in (*bodies, *(s.body for s in solids))
        }
        rows = {index: row for row, index in enumerate(known)}
        self._poses = np.zeros((len(known), 3, 4))
        self._place(enumerate(known.values()))
        self._moving = [
            (rows[index], body)
            for index, body in known.items()
            if index not in scene.still
        ]
        self._placed = np.zeros((len(solids), 3, 4))
        self._ray_bodies = np.array([rows[b.index()] for b in bodies], int)
        self._lengths = np.zeros(count)
        self._met = np.zeros(count, int)
        sizes, faces, planes = _sizes_and_planes(solids)
        blind = [s.body.index() in hidden for hidden in unseen for s in solids]
        # The arguments of the kernel, in its order. Rays and shapes never change; the
        # other arguments are views.
        self._arguments = (
            np.ravel(origins),
            np.ravel(directions),
            self._ray_bodies,
            np.full(count, np.inf)
            if ranges is None
            else np.array(ranges, float),
            self._poses.ravel(),
            np.array([rows[s.body.index()] for s in solids], int),
            np.array([s.X_BG for s in solids], float).ravel(),
            np.array([s.kind for s in solids], int),
            *(sizes, faces, planes),
            np.array(blind, np.uint8),
            *(self._placed.ravel(), self._lengths, self._met),
        )

    def _place(self, bodies: Iterable[tuple[int, RigidBody]]) -> None:
        poses, context = self._poses, self._context
        for row, body in bodies:
            poses[row] = body.EvalPoseInWorld(context).GetAsMatrix34()

    def cast(self) -> tuple[np.ndarray, np.ndarray]:
        """Casts the rays; returns their lengths, m, and the shapes that they meet.

        Returns:
            Lengths, at most the ranges, and indices in `solids`, -1 for no shape; each
                of n, and the same arrays at every call.
        """
        self._place(self._moving)
        _cast_rays(*self._arguments)
        return self._lengths, self._met

    def squareness(self, rays: Iterable[int]) -> list[float]:
        """Returns the cosines between rays and the normals where they met shapes.

        Args:
            rays: numbers of rays that met a shape.
        """
        cosines = []
        for i in rays:
            p_G, d_G = self.end(i)
            normal_G = _normal(self.solids[self._met[i]], p_G)
            cosines.append(abs(float(normal_G @ d_G)))
        return cosines

    def redness(self, i: int) -> float:
        """Returns how red the shape is where ray `i` met it, 0 to 1."""
        solid, end = self.solids[self._met[i]], self.end(i)
        red = self._scene.redness(solid)(*end)
        ink = self._scene.ink
        return red if ink is None else ink.redness(solid, end[0], red)

    def end(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns the end and direction of a ray in the frame of the shape it met."""
        X_WB = self._poses[self._ray_bodies[i]]
        X_WG = self._placed[self._met[i]]
        direction = self._directions[i]
        end = self._origins[i] + self._lengths[i] * direction
        p_W = X_WB[:, :3] @ end + X_WB[:, 3]
        p_G = (p_W - X_WG[:, 3]) @ X_WG[:, :3]
        return p_G, X_WB[:, :3] @ direction @ X_WG[:, :3]


def _bodies(plant: MultibodyPlant) -> Iterable[BodyIndex]:
    return map(BodyIndex, range(plant.num_bodies()))


def _sizes_and_planes(
    solids: Sequence[Solid],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns sizes, faces and planes as `cast_rays` takes them."""
    planes: list[np.ndarray] = [np.zeros((0, 4))]
    sizes, faces, count = [], [], 0
    for solid in solids:
        size, first = solid.size, count
        if solid.kind == POLYTOPE:
            planes.append(size)
            size, count = [], count + len(size)
        sizes.append([*size, 0.0, 0.0, 0.0][:3])
        faces.append([first, count])
    return (
        np.array(sizes, float).ravel(),
        np.array(faces, int).ravel(),
        np.concatenate(planes).ravel(),
    )


def _solids(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    body: RigidBody,
    role: Role,
) -> Iterable[Solid]:
    frame = plant.GetBodyFrameIdOrThrow(body.index())
    for geometry_id in own_shapes(
        inspector, inspector.GetGeometries(frame, role)
    ):
        shaped = _shape(inspector, geometry_id)
        if shaped is not None:
            X_BG = inspector.GetPoseInFrame(geometry_id).GetAsMatrix34()
            yield Solid(*shaped, body, X_BG.ravel(), geometry_id)


def _shape(
    inspector: SceneGraphInspector, geometry_id: GeometryId
) -> tuple[int, typing.Any] | None:
    """Returns kind and size of a shape; None for one that rays don't meet."""
    shape = inspector.GetShape(geometry_id)
    match shape:
        case geometry.Box():
            return BOX, shape.size() / 2
        case geometry.Sphere():
            return ELLIPSOID, [shape.radius()] * 3
        case geometry.Ellipsoid():
            return ELLIPSOID, [shape.a(), shape.b(), shape.c()]
        case geometry.Cylinder():
            return CYLINDER, [shape.radius(), shape.length() / 2]
        case geometry.Capsule():
            return CAPSULE, [shape.radius(), shape.length() / 2]
        case geometry.HalfSpace():
            return HALF_SPACE, []
        case geometry.Mesh() | geometry.Convex():
            return POLYTOPE, _faces(shape.GetConvexHull())
    return None


def _faces(hull: typing.Any) -> np.ndarray:
    """Returns the planes of a hull: normals and offsets, (k, 4)."""
    faces = range(hull.num_faces())
    normals = np.array([hull.face_normal(i) for i in faces])
    corners = [hull.vertex(hull.element(i).vertex(0)) for i in faces]
    offsets = (normals * np.array(corners)).sum(axis=1)
    return np.column_stack([normals, offsets])


def face_normal(solid: Solid, p: np.ndarray) -> np.ndarray | None:
    """Returns the normal of the flat face at a point of a shape; None: it is curved."""
    normal = _normal(solid, p)
    is_side = solid.kind == CYLINDER and abs(normal[2]) < 1
    curved = is_side or solid.kind in (CAPSULE, ELLIPSOID)
    return None if curved else normal


def _normal(solid: Solid, p: np.ndarray) -> np.ndarray:
    """Returns the unit normal at a point of a shape's surface, in its frame."""
    if solid.kind == HALF_SPACE:
        return np.array([0.0, 0.0, 1.0])
    if solid.kind == POLYTOPE:
        normals, offsets = solid.size[:, :3], solid.size[:, 3]
        return normals[(normals @ p - offsets).argmax()]
    size = np.array(solid.size)
    if solid.kind == BOX:
        axis = (abs(p) - size).argmax()
        return np.eye(3)[axis] * math.copysign(1, p[axis])
    if solid.kind == ELLIPSOID:
        normal = p / size**2
    else:
        radius, half = size
        flat = solid.kind == CYLINDER and (
            abs(p[2]) - half > math.hypot(p[0], p[1]) - radius
        )
        if flat:
            return np.array([0.0, 0.0, math.copysign(1, p[2])])
        normal = p - [0, 0, min(max(p[2], -half), half)]
    return normal / np.linalg.norm(normal)
