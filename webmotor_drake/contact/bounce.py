"""Webots' bounce: bodies part with a share of the speed at which they met.

Drake's contact has no restitution at Webots' steps. So where two shapes meet faster
than the bounceVelocity of their materials, an impulse turns them round before the step
in which ODE does it, with ODE's softness (`impulses`). Drake's contact then finds them
separating, and adds nothing.

Impulses see a robot's joints as free: what its motors hold bounces less.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    ContactSurface,
    GeometryId,
    HydroelasticContactRepresentation,
    PenetrationAsPointPair,
    QueryObject,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.math import RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.before_step import jacobian_at
from webmotor_drake.contact.corners import vertices_of
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.impulses import (
    PATCH_SPEED,
    Bounce,
    speeds_after,
    with_friction,
)
from webmotor_drake.contact.inboard import (
    ShapePair,
    bodies_of,
    fixed_shapes,
    shape_bodies,
)
from webmotor_drake.contact.materials import Touching
from webmotor_drake.contact.pressed import MOST, patch_corners
from webmotor_drake.contact.proximity import friction_of, has_patch
from webmotor_drake.errors import warn

# Falling for so many steps is not enough: Drake's contact begins once shapes are in
# each other, so that what stands where a world begins falls for one.
_FALL = 1.5
# Patches begin before shapes touch (`configure_contact`), and stop what comes: m.
_NEAR = 2e-3
# A patch whose normals cancel out by more than that looks to all sides.
_ONE_SIDED = 0.4
_POLYGON = HydroelasticContactRepresentation.kPolygon


class _Pair(NamedTuple):
    """Shapes A and B that bounce.

    Attributes:
        a, b: the places of their bodies among all.
        moving: those that are not fixed, each with its sign in B's velocity less A's.
        point: the point of a touch that counts: that on what moves, as with ODE's
            spheres, or that of A.
        least: speed from which on they bounce, m/s.
        bounce: the pair's bounce.
    """

    a: int
    b: int
    moving: list[tuple[float, int]]
    point: str
    least: float
    bounce: Bounce

    def place(self, p: PenetrationAsPointPair) -> np.ndarray:
        """Returns where they touch in the world, m."""
        return p.p_WCa if self.point == "A" else p.p_WCb


class _Touch(NamedTuple):
    """Two shapes that meet at C, A's normal z from B; depth in m."""

    pair: _Pair
    p_WC: np.ndarray
    z_W: np.ndarray
    depth: float


class _Motion(dict[int, list[float]]):
    """w, v and the origin in the world of bodies by place, found when asked for.

    Plain numbers: a robot touches in so few points that arrays would take longer.
    """

    def __init__(self, bodies: Sequence[RigidBody], context: Context):
        self._bodies, self._context = bodies, context

    def __missing__(self, i: int) -> list[float]:
        body, context = self._bodies[i], self._context
        velocity = body.EvalSpatialVelocityInWorld(context).get_coeffs()
        origin = body.EvalPoseInWorld(context).translation()
        self[i] = velocity.tolist() + origin.tolist()
        return self[i]

    def speed(self, i: int, reach: float) -> float:
        """Returns a bound of the speeds of a body up to reach from its origin, m/s."""
        motion = self[i]
        return math.hypot(*motion[3:6]) + reach * math.hypot(*motion[:3])

    def approach(
        self, pair: _Pair, p_WC: Sequence[float], z_W: Sequence[float]
    ) -> float:
        """Returns how fast bodies meet at a point, along A's normal from B, m/s."""
        x, y, z = p_WC
        v = [0.0, 0.0, 0.0]
        for sign, i in pair.moving:
            w_x, w_y, w_z, v_x, v_y, v_z, o_x, o_y, o_z = self[i]
            a_x, a_y, a_z = x - o_x, y - o_y, z - o_z
            v[0] += sign * (v_x + (w_y * a_z - w_z * a_y))
            v[1] += sign * (v_y + (w_z * a_x - w_x * a_z))
            v[2] += sign * (v_z + (w_x * a_y - w_y * a_x))
        return v[0] * z_W[0] + v[1] * z_W[1] + v[2] * z_W[2]


class Bounces:
    """The impulses of the pairs of shapes that bounce.

    Args:
        plant: finalized, discrete, with geometry.
        scene_graph: with its geometry.
        pairs: pairs that bounce.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        scene_graph: SceneGraph,
        pairs: Mapping[ShapePair, Bounce],
    ):
        self._plant = plant
        self._bodies = bodies_of(plant)
        places = {
            geometry: int(body.index())
            for geometry, body in shape_bodies(plant).items()
        }
        fixed = {places[shape] for shape in fixed_shapes(plant)}
        self._pairs: dict[ShapePair, _Pair] = {}
        inspector = scene_graph.model_inspector()
        # How far from its origin a body that moves has patches, m.
        self._reach: dict[int, float] = {}
        gravity = np.linalg.norm(plant.gravity_field().gravity_vector())
        fallen = _FALL * float(gravity) * plant.time_step()
        for (a, b), bounce in pairs.items():
            least = max(bounce.entry.bounce_velocity, fallen)
            if bounce.patch:
                least = max(least, PATCH_SPEED)
            for i, k in (a, b), (b, a):
                point = "B" if places[i] in fixed else "A"
                signs = (1.0, places[k]), (-1.0, places[i])
                moving = [own for own in signs if own[1] not in fixed]
                self._pairs[i, k] = _Pair(
                    places[i], places[k], moving, point, least, bounce
                )
            for shape in (a, b) if bounce.patch else ():
                i = places[shape]
                if i not in fixed:
                    reach = _reach(inspector, shape)
                    self._reach[i] = max(self._reach.get(i, 0.0), reach)
        self._least = min(pair.least for pair in self._pairs.values())

    def change(
        self, context: Context, landed: Collection[ShapePair] = ()
    ) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: the plant's, in a diagram.
            landed: pairs that have bounced at their corners; see `landing`.
        """
        fastest = abs(self._plant.GetVelocities(context)).max(initial=0)
        if fastest <= self._least:
            return None
        motion = _Motion(self._bodies, context)
        query = self._plant.get_geometry_query_input_port().Eval(context)
        impacts = self._impacts(query, motion, landed)
        return self._turned(context, impacts) if impacts else None

    def _impacts(
        self,
        query: QueryObject,
        motion: _Motion,
        landed: Collection[ShapePair],
    ) -> list[_Touch]:
        """Returns where shapes meet fast enough to bounce."""
        speeds = {i: motion.speed(i, r) for i, r in self._reach.items()}
        if sum(sorted(speeds.values())[-2:]) <= PATCH_SPEED:
            points = query.ComputePointPairPenetration()
            return self._of_points(points, motion, landed)
        surfaces, points = query.ComputeContactSurfacesWithFallback(_POLYGON)
        impacts = self._of_points(points, motion, landed)
        for surface in surfaces:
            shapes = surface.id_M(), surface.id_N()
            pair = self._pairs.get(shapes)
            if pair is None or shapes in landed:
                continue
            fastest = speeds.get(pair.a, 0.0) + speeds.get(pair.b, 0.0)
            if fastest > PATCH_SPEED:
                step = self._plant.time_step()
                impacts += _of_patch(query, surface, pair, motion, step)
        return impacts

    def _of_points(
        self,
        points: Iterable[PenetrationAsPointPair],
        motion: _Motion,
        landed: Collection[ShapePair],
    ) -> list[_Touch]:
        impacts = []
        for p in points:
            pair = self._pairs.get((p.id_A, p.id_B))
            if pair is None or (p.id_A, p.id_B) in landed:
                continue
            p_WC, z_W = pair.place(p), p.nhat_BA_W
            speed = motion.approach(pair, p_WC.tolist(), z_W.tolist())
            if speed > pair.least:
                impacts.append(_Touch(pair, p_WC, z_W, p.depth))
        return impacts

    def _turned(self, context: Context, impacts: list[_Touch]) -> np.ndarray:
        """Returns the change of velocities by impacts, all at once."""
        plant = self._plant
        step = plant.time_step()
        J = np.vstack([self._jacobian(context, i) for i in impacts])
        A = np.linalg.solve(plant.CalcMassMatrix(context), J.T)
        W = J @ A  # velocity per impulse
        before = J @ plant.GetVelocities(context)
        gravity = plant.CalcGravityGeneralizedForces(context)
        missing = before + step * gravity @ A
        bounces = [impact.pair.bounce for impact in impacts]
        depths = np.array([impact.depth for impact in impacts])
        missing[2::3] -= speeds_after(
            W[2::3, 2::3], before[2::3], bounces, depths, step
        )
        friction = np.array([bounce.friction for bounce in bounces])
        return A @ with_friction(W, missing, friction)

    def _jacobian(self, context: Context, impact: _Touch) -> np.ndarray:
        """Returns d(velocity of A relative to B, in C) / dv, shape (3, n)."""
        a, b = self._bodies[impact.pair.a], self._bodies[impact.pair.b]
        J = jacobian_at(self._plant, context, a, b, impact.p_WC)
        return RotationMatrix.MakeFromOneVector(impact.z_W, 2).matrix().T @ J


def _of_patch(
    query: QueryObject,
    surface: ContactSurface,
    pair: _Pair,
    motion: _Motion,
    step: float,
) -> list[_Touch]:
    """Returns where shapes meet on a patch: nowhere if that looks to all sides."""
    mesh = surface.poly_mesh_W()
    faces = range(mesh.num_elements())
    mean = sum(mesh.area(i) * mesh.face_normal(i) for i in faces)
    size, impacts = np.linalg.norm(mean), list[_Touch]()
    if size < _ONE_SIDED * mesh.total_area():
        return impacts
    z = mean / size
    for p, depth in _meeting_points(query, surface, z):
        speed = motion.approach(pair, p.tolist(), z.tolist())
        if speed > pair.least:
            # A patch stops what ODE lets in a step later: so deep it would be then.
            deep = depth if depth > 0 else max(0.0, depth + step * speed)
            impacts.append(_Touch(pair, p, z, deep))
    return impacts


def _meeting_points(
    query: QueryObject, surface: ContactSurface, z: np.ndarray
) -> list[tuple[np.ndarray, float]]:
    """Returns corners beyond a patch with their depths; without any the patch's own.

    ODE has them where corners of one shape are within the other: four where a box
    lies flat, two where it stands on an edge (ode/src/box.cpp).
    """
    corners, points = patch_corners(surface, z), []
    middle = corners.mean(axis=0) if len(corners) else surface.centroid()
    reach = np.linalg.norm(corners - middle, axis=1).max(initial=0.0) + _NEAR
    for shape, sign in (surface.id_M(), 1.0), (surface.id_N(), -1.0):
        p_GC = vertices_of(query.inspector().GetShape(shape))
        p = (query.GetPoseInWorld(shape) @ p_GC.T).T - middle
        depths = -sign * p @ z
        beside = np.linalg.norm(p + sign * depths[:, None] * z, axis=1)
        inside = (depths > -_NEAR) & (beside < reach)
        points += zip(p[inside] + middle, depths[inside], strict=True)
    if not points:
        points = [(corner, 0.0) for corner in corners]
    return sorted(points, key=lambda point: -point[1])[:MOST]


def _reach(inspector: SceneGraphInspector, geometry: GeometryId) -> float:
    """Returns how far from its body's origin a shape goes, m."""
    box = inspector.GetObbInGeometryFrame(geometry)
    if box is None:  # a half space
        return 0.0
    middle = inspector.GetPoseInFrame(geometry) @ box.center()
    return float(np.linalg.norm(middle) + np.linalg.norm(box.half_width()))


def bouncing_pairs(
    touching: Touching, default: float | None = None
) -> dict[ShapePair, Bounce]:
    """Returns the pairs of shapes that bounce, and how.

    Args:
        touching: shapes with their friction.
        default: restitution where an entry does not say it, and without an entry.
    """
    if not default and not any(entry.bounce for entry in touching.entries):
        return {}
    if not touching.plant.time_step():
        warn("nothing bounces on a continuous plant (time_step 0)")
        return {}
    inspector = touching.scene_graph.model_inspector()
    friction = {g: friction_of(inspector, g) for g in touching.materials}
    patches = {
        g: has_patch(inspector.GetProximityProperties(g)) for g in friction
    }
    pairs: dict[ShapePair, Bounce] = {}
    for a, b in touching.pairs:
        entry = touching.entry(a, b)
        bounce = default if entry.bounce is None else entry.bounce
        if bounce:
            mu = combined(friction[a], friction[b])
            pairs[a, b] = Bounce(entry, bounce, mu, patches[a] and patches[b])
    return pairs
