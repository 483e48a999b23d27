"""Webots' bounce: bodies part with a share of the speed at which they met.

Drake's contact has no restitution at Webots' steps. So where two shapes meet faster
than the bounceVelocity of their materials, an impulse turns them round before the step
in which ODE does it, with ODE's softness (`impulses`). Drake's contact then finds them
separating, and adds nothing.

Impulses take a robot's joints as free, so limbs that its motors hold bounce less.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    ContactSurface,
    GeometryId,
    HydroelasticContactRepresentation,
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
    both_ways,
    fixed_shapes,
    shape_bodies,
)
from webmotor_drake.contact.materials import Touching
from webmotor_drake.contact.pressed import MOST, patch_corners
from webmotor_drake.contact.proximity import friction_of, has_patch
from webmotor_drake.errors import warn

# Shapes bounce if they meet faster than a fall of so many steps makes them: Drake's
# contact begins once shapes overlap, so a body at rest at the start falls for one.
_FALL = 1.5
# Patches begin this far before shapes touch (`configure_contact`) and stop them, m.
_NEAR = 2e-3
# A patch whose mean normal is shorter than this faces all sides.
_ONE_SIDED = 0.4
_POLYGON = HydroelasticContactRepresentation.kPolygon


class _Touch(NamedTuple):
    """Shapes A and B that meet at C, A's normal z from B; depth in m."""

    shapes: ShapePair
    p_WC: np.ndarray
    z_W: np.ndarray
    depth: float


class Bounces:
    """The impulses of the pairs of shapes that bounce.

    Args:
        plant: finalized, discrete plant with geometry.
        scene_graph: scene graph with its geometry.
        pairs: pairs that bounce.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        scene_graph: SceneGraph,
        pairs: Mapping[ShapePair, Bounce],
    ):
        self._plant, self._pairs = plant, both_ways(pairs)
        self._bodies, self._fixed = shape_bodies(plant), fixed_shapes(plant)
        inspector = scene_graph.model_inspector()
        # Farthest patch of a moving body from its origin, m.
        self._reach: dict[RigidBody, float] = {}
        for pair, bounce in pairs.items():
            for shape in set(pair) - self._fixed if bounce.patch else ():
                body, reach = self._bodies[shape], _reach(inspector, shape)
                self._reach[body] = max(self._reach.get(body, 0.0), reach)
        gravity = np.linalg.norm(plant.gravity_field().gravity_vector())
        self._fallen = _FALL * float(gravity) * plant.time_step()
        self._least = min(map(self._least_of, pairs.values()))

    def _least_of(self, bounce: Bounce) -> float:
        """Returns the speed above which a pair bounces, m/s."""
        own = bounce.entry.bounce_velocity
        return max(own, self._fallen, PATCH_SPEED if bounce.patch else 0.0)

    def change(
        self, context: Context, landed: Collection[ShapePair] = ()
    ) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: Context of the plant, in a diagram.
            landed: pairs that have bounced at their corners; see `landing`.
        """
        fastest = abs(self._plant.GetVelocities(context)).max(initial=0)
        if fastest <= self._least:
            return None
        impacts, step = [], self._plant.time_step()
        for touch in self._touches(context, landed):
            speed, depth = self._speed(context, touch), touch.depth
            if speed > self._least_of(self._pairs[touch.shapes]):
                # A patch stops shapes a step before ODE does: use ODE's depth.
                deep = depth if depth > 0 else max(0.0, depth + step * speed)
                impacts.append(touch._replace(depth=deep))
        return self._turned(context, impacts) if impacts else None

    def _touches(
        self, context: Context, landed: Collection[ShapePair]
    ) -> Iterator[_Touch]:
        """Yields the touches of pairs that may be fast enough to bounce."""
        query = self._plant.get_geometry_query_input_port().Eval(context)
        speeds = {}
        for body, reach in self._reach.items():
            V_WB = body.EvalSpatialVelocityInWorld(context).get_coeffs()
            w, v = np.split(V_WB, 2)
            speeds[body] = math.hypot(*v) + reach * math.hypot(*w)
        surfaces: Sequence[ContactSurface] = ()
        if sum(sorted(speeds.values())[-2:]) <= PATCH_SPEED:
            points = query.ComputePointPairPenetration()
        else:
            surfaces, points = query.ComputeContactSurfacesWithFallback(
                _POLYGON
            )
        for p in points:
            shapes = p.id_A, p.id_B
            if shapes in self._pairs and shapes not in landed:
                # Like ODE's spheres: the point on the shape that moves, else on A.
                p_WC = p.p_WCb if p.id_A in self._fixed else p.p_WCa
                yield _Touch(shapes, p_WC, p.nhat_BA_W, p.depth)
        for surface in surfaces:
            shapes = surface.id_M(), surface.id_N()
            if shapes in self._pairs and shapes not in landed:
                bodies = (self._bodies[shape] for shape in shapes)
                if sum(speeds.get(body, 0.0) for body in bodies) > PATCH_SPEED:
                    yield from _of_patch(query, surface, shapes)

    def _speed(self, context: Context, touch: _Touch) -> float:
        """Returns the speed at which shapes approach along A's normal, m/s."""
        v_W = np.zeros(3)
        for shape, sign in zip(touch.shapes, (-1, 1), strict=True):
            if shape not in self._fixed:
                body = self._bodies[shape]
                p = touch.p_WC - body.EvalPoseInWorld(context).translation()
                V_WB = body.EvalSpatialVelocityInWorld(context)
                v_W += sign * V_WB.Shift(p).translational()
        x, y, z = (v_W * touch.z_W).tolist()
        return x + y + z

    def _turned(self, context: Context, impacts: list[_Touch]) -> np.ndarray:
        plant, step = self._plant, self._plant.time_step()
        J = np.vstack([self._jacobian(context, i) for i in impacts])
        A = np.linalg.solve(plant.CalcMassMatrix(context), J.T)
        W = J @ A  # velocity per impulse
        before = J @ plant.GetVelocities(context)
        gravity = plant.CalcGravityGeneralizedForces(context)
        missing = before + step * gravity @ A
        bounces = [self._pairs[impact.shapes] for impact in impacts]
        depths = np.array([impact.depth for impact in impacts])
        missing[2::3] -= speeds_after(
            W[2::3, 2::3], before[2::3], bounces, depths, step
        )
        friction = np.array([bounce.friction for bounce in bounces])
        return A @ with_friction(W, missing, friction)

    def _jacobian(self, context: Context, touch: _Touch) -> np.ndarray:
        """Returns d(velocity of A relative to B, in C) / dv, shape (3, n)."""
        bodies = (self._bodies[shape] for shape in touch.shapes)
        J = jacobian_at(self._plant, context, *bodies, touch.p_WC)
        return RotationMatrix.MakeFromOneVector(touch.z_W, 2).matrix().T @ J


def _of_patch(
    query: QueryObject, surface: ContactSurface, shapes: ShapePair
) -> Iterator[_Touch]:
    """Yields the touches of a patch; none if the patch faces all sides.

    They are the corners of both shapes at the patch, with their depths, else the
    patch's own corners. ODE has the corners of one shape that are within the other:
    four where a box lies flat, two where it stands on an edge (ode/src/box.cpp).
    """
    mesh = surface.poly_mesh_W()
    faces = range(mesh.num_elements())
    mean = sum(mesh.area(i) * mesh.face_normal(i) for i in faces)
    size = np.linalg.norm(mean)
    if size < _ONE_SIDED * mesh.total_area():
        return
    z = mean / size
    corners, points = patch_corners(surface, z), []
    middle = corners.mean(axis=0) if len(corners) else surface.centroid()
    reach = np.linalg.norm(corners - middle, axis=1).max(initial=0.0) + _NEAR
    for shape, sign in zip(shapes, (1.0, -1.0), strict=True):
        p_GC = vertices_of(query.inspector().GetShape(shape))
        p = (query.GetPoseInWorld(shape) @ p_GC.T).T - middle
        depths = -sign * p @ z
        beside = np.linalg.norm(p + sign * depths[:, None] * z, axis=1)
        inside = (depths > -_NEAR) & (beside < reach)
        points += zip(p[inside] + middle, depths[inside], strict=True)
    points = points or [(corner, 0.0) for corner in corners]
    for p_WC, depth in sorted(points, key=lambda point: -point[1])[:MOST]:
        yield _Touch(shapes, p_WC, z, depth)


def _reach(inspector: SceneGraphInspector, geometry: GeometryId) -> float:
    """Returns the distance from a body's origin to a shape's farthest point, m."""
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
        default: restitution of pairs without an entry, and of entries without one.
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
    for (a, b), entry in touching.pairs.items():
        bounce = default if entry.bounce is None else entry.bounce
        if bounce:
            mu = combined(friction[a], friction[b])
            pairs[a, b] = Bounce(entry, bounce, mu, patches[a] and patches[b])
    return pairs
