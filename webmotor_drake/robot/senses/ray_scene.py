"""The shapes of a plant, met by rays; Drake has no ray cast."""

import dataclasses as dc
import math
import typing
from collections.abc import Iterable, Sequence

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, Role, SceneGraphInspector
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.robot.senses import ray_shapes

Bodies = frozenset[BodyIndex]


@dc.dataclass(frozen=True)
class Solid:
    """A shape G of the plant.

    Attributes:
        kind: its class, as Box.
        size: what `ray_shapes` takes it by.
        body: the body B that it is on.
        X_BG: its pose there, 4 x 4.
        moves: whether the body does.
        red: how red it is drawn, 0 to 1.
    """

    kind: type
    size: typing.Any
    body: RigidBody
    X_BG: np.ndarray
    moves: bool
    red: float


class RayScene:
    """All shapes with which a plant's bodies collide, or with which they are drawn.

    Args:
        plant: the plant.
        context: the plant's; where its bodies are is looked up when rays are cast.
        inspector: of its scene graph.
        role: of the shapes.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        context: Context,
        inspector: SceneGraphInspector,
        role: Role,
    ):
        self.plant = plant
        self.context = context
        self.solids = [
            solid
            for body in map(plant.get_body, _bodies(plant))
            for solid in _solids(plant, inspector, body, role)
        ]

    def batch(self, unseen: Sequence[Bodies]) -> "RayBatch":
        """Returns what casts rays.

        Args:
            unseen: for each ray the bodies that it passes through.
        """
        return RayBatch(self, unseen)

    def blocked(
        self, start: np.ndarray, end: np.ndarray, unseen: Bodies
    ) -> bool:
        """Whether a body, but those unseen, is between two points."""
        way = end - start
        length = float(np.linalg.norm(way))
        if not length:
            return False
        batch = self.batch([unseen])
        met, _ = batch.cast(start[None], way[None] / length)
        return bool(met[0] < length)


class RayBatch:
    """Casts the same number of rays again and again.

    Args:
        scene: the shapes.
        unseen: for each ray the bodies that it passes through.

    Attributes:
        solids: the shapes that any of the rays can meet.
    """

    def __init__(self, scene: RayScene, unseen: Sequence[Bodies]):
        self._scene = scene
        common = frozenset.intersection(*unseen) if unseen else frozenset()
        solids = [s for s in scene.solids if s.body.index() not in common]
        # Those of a kind together.
        self.solids = sorted(solids, key=lambda solid: solid.kind.__name__)
        blind = np.array(
            [
                [s.body.index() in hidden for s in self.solids]
                for hidden in unseen
            ],
            dtype=bool,
        ).reshape(len(unseen), len(self.solids))
        self._blind = blind if blind.any() else None
        self._rows = np.arange(len(unseen))
        self._groups = _groups(self.solids)
        self._X_BG = np.array([s.X_BG for s in self.solids]).reshape(-1, 4, 4)
        self._X_WG = self._X_BG.copy()
        self._moving: dict[int, tuple[RigidBody, list[int]]] = {}
        for i, solid in enumerate(self.solids):
            if solid.moves:
                own = self._moving.setdefault(
                    int(solid.body.index()), (solid.body, [])
                )
                own[1].append(i)
            else:
                self._X_WG[i] = self._pose(solid.body) @ solid.X_BG

    def _pose(self, body: RigidBody) -> np.ndarray:
        scene = self._scene
        X_WB = scene.plant.EvalBodyPoseInWorld(scene.context, body)
        return X_WB.GetAsMatrix4()

    def cast(
        self, origins: np.ndarray, directions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns how far each ray goes, m, and which of `solids` it meets.

        Args:
            origins: in the world, (n, 3), m.
            directions: unit vectors, (n, 3).

        Returns:
            Lengths, infinite where nothing is met, and indices, each of n.
        """
        if not self.solids:
            n = len(self._rows)
            return np.full(n, np.inf), np.zeros(n, dtype=int)
        for body, indices in self._moving.values():
            self._X_WG[indices] = self._pose(body) @ self._X_BG[indices]
        lengths = self._lengths(origins, directions)
        if self._blind is not None:
            lengths[self._blind] = np.inf
        first = lengths.argmin(axis=1)
        return lengths[self._rows, first], first

    def _lengths(
        self, origins: np.ndarray, directions: np.ndarray
    ) -> np.ndarray:
        """Returns how far each of n rays goes to each of m shapes, (n, m)."""
        R_WG = self._X_WG[:, :3, :3]
        away = origins[:, None, :] - self._X_WG[:, :3, 3]
        # Row vectors times R_WG are the vectors in G.
        p = (away[:, :, None, :] @ R_WG)[:, :, 0]
        d = (directions[:, None, None, :] @ R_WG)[:, :, 0]
        lengths = np.empty(p.shape[:2])
        for part, function, size in self._groups:
            lengths[:, part] = function(p[:, part], d[:, part], size)
        return lengths

    def normals(self, points: np.ndarray, met: np.ndarray) -> np.ndarray:
        """Returns unit normals of the shapes where rays meet them, in the world.

        Args:
            points: in the world, (n, 3), m.
            met: which of `solids`, n.
        """
        normals = []
        for point, index in zip(points, met, strict=True):
            X_WG, solid = self._X_WG[index], self.solids[index]
            p_G = (point - X_WG[:3, 3]) @ X_WG[:3, :3]
            normals.append(X_WG[:3, :3] @ _normal(solid, p_G))
        return np.array(normals).reshape(-1, 3)


def _bodies(plant: MultibodyPlant) -> Iterable[BodyIndex]:
    return map(BodyIndex, range(plant.num_bodies()))


def _groups(solids: Sequence[Solid]) -> list[tuple]:
    """Returns for each kind which of the shapes it is, its function and sizes."""
    groups: list[tuple] = []
    start = 0
    while start < len(solids):
        kind = solids[start].kind
        stop = start + 1
        if kind is not geometry.Convex:
            while stop < len(solids) and solids[stop].kind is kind:
                stop += 1
            sizes = np.array([solid.size for solid in solids[start:stop]])
            groups.append((slice(start, stop), _FUNCTIONS[kind], sizes))
        else:
            groups.append((slice(start, stop), _polytope, solids[start].size))
        start = stop
    return groups


def _polytope(p: np.ndarray, d: np.ndarray, size: typing.Any) -> np.ndarray:
    return ray_shapes.polytope(p, d, *size)


_FUNCTIONS = {
    geometry.Box: ray_shapes.box,
    geometry.Capsule: ray_shapes.capsule,
    geometry.Cylinder: ray_shapes.cylinder,
    geometry.Ellipsoid: ray_shapes.ellipsoid,
    geometry.HalfSpace: ray_shapes.half_space,
}


def _solids(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    body: RigidBody,
    role: Role,
) -> Iterable[Solid]:
    frame = plant.GetBodyFrameIdIfExists(body.index())
    if frame is None:
        return
    moves = not plant.IsAnchored(body)
    for geometry_id in inspector.GetGeometries(frame, role):
        shaped = _shape(inspector, geometry_id)
        if shaped is not None:
            X_BG = inspector.GetPoseInFrame(geometry_id).GetAsMatrix4()
            red = _redness(inspector, geometry_id)
            yield Solid(*shaped, body, X_BG, moves, red)


def _shape(
    inspector: SceneGraphInspector, geometry_id: GeometryId
) -> tuple[type, typing.Any] | None:
    """Returns kind and size of a shape; None for one that rays don't meet."""
    shape = inspector.GetShape(geometry_id)
    match shape:
        case geometry.Box():
            return geometry.Box, shape.size() / 2
        case geometry.Sphere():
            return geometry.Ellipsoid, [shape.radius()] * 3
        case geometry.Ellipsoid():
            return geometry.Ellipsoid, [shape.a(), shape.b(), shape.c()]
        case geometry.Cylinder():
            return geometry.Cylinder, [shape.radius(), shape.length() / 2]
        case geometry.Capsule():
            return geometry.Capsule, [shape.radius(), shape.length() / 2]
        case geometry.HalfSpace():
            return geometry.HalfSpace, [0.0]
        case geometry.Mesh() | geometry.Convex():
            return geometry.Convex, _faces(shape.GetConvexHull())
    return None


def _faces(hull: typing.Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the planes of a hull: normals and their offsets from the origin."""
    faces = range(hull.num_faces())
    normals = np.array([hull.face_normal(i) for i in faces])
    corners = [hull.vertex(hull.element(i).vertex(0)) for i in faces]
    return normals, (normals * np.array(corners)).sum(axis=1)


def _redness(inspector: SceneGraphInspector, geometry_id: GeometryId) -> float:
    """Returns how red a shape is drawn; white without a colour."""
    properties = inspector.GetIllustrationProperties(geometry_id)
    if properties is None or not properties.HasProperty("phong", "diffuse"):
        return 1.0
    return properties.GetProperty("phong", "diffuse").r()


def _normal(solid: Solid, p: np.ndarray) -> np.ndarray:
    """Returns the unit normal at a point of a shape's surface, in its frame."""
    if solid.kind is geometry.HalfSpace:
        return np.array([0.0, 0.0, 1.0])
    if solid.kind is geometry.Convex:
        normals, offsets = solid.size
        return normals[(normals @ p - offsets).argmax()]
    size = np.array(solid.size)
    if solid.kind is geometry.Box:
        axis = (abs(p) - size).argmax()
        return np.eye(3)[axis] * math.copysign(1, p[axis])
    if solid.kind is geometry.Ellipsoid:
        normal = p / size**2
    else:
        radius, half = size
        flat = solid.kind is geometry.Cylinder and (
            abs(p[2]) - half > math.hypot(p[0], p[1]) - radius
        )
        if flat:
            return np.array([0.0, 0.0, math.copysign(1, p[2])])
        normal = p - [0, 0, min(max(p[2], -half), half)]
    return normal / np.linalg.norm(normal)
