"""Webots' bounce: what touches leaves with a share of the speed it came with.

Drake's contact has no restitution at Webots' steps. So where two shapes meet faster
than the bounceVelocity of their materials, an impulse turns them round before the step
in which ODE does it, with ODE's softness (`impulses`). Drake's contact then finds them
separating, and adds nothing.

Impulses see a robot's joints as free: what its motors hold bounces less.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable
from pydrake.systems.framework import Context

from webmotor_drake.contact.impulses import (
    Contacts,
    speeds_after,
    with_friction,
)
from webmotor_drake.contact.inboard import fixed_shapes
from webmotor_drake.contact.meeting_points import mean_normal, meeting_points
from webmotor_drake.nodes.contact import ContactProperties

# Patches bounce from this speed on, m/s: a box that rocks to rest would never.
# What is lost is a rise of 1 mm.
_PATCH_SPEED = 0.3
# Falling for so many steps is not enough: Drake's contact begins once shapes are in
# each other, so that what stands where a world begins falls for one.
_FALL = 1.5
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]
_POLYGON = HydroelasticContactRepresentation.kPolygon


class Bounce(NamedTuple):
    """How a pair of shapes bounces.

    Attributes:
        entry: of their materials.
        bounce: its restitution.
        friction: Coulomb's coefficient of the pair.
        patch: whether they touch on a patch.
    """

    entry: ContactProperties
    bounce: float
    friction: float
    patch: bool


class _Pair(NamedTuple):
    """Shapes A and B that bounce.

    Attributes:
        a, b: the places of their bodies among all.
        point: which of two points of a touch counts: that on what moves, as with ODE's
            spheres, or that of A.
        least: speed from which on they bounce, m/s.
        bounce: how.
    """

    a: int
    b: int
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


class Bounces:
    """The impulses of the pairs of shapes that bounce.

    Args:
        plant: finalized, discrete, with geometry.
        scene_graph: with its geometry.
        pairs: which bounce.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        scene_graph: SceneGraph,
        pairs: Mapping[tuple[GeometryId, GeometryId], Bounce],
    ):
        self._plant = plant
        self._bodies = [
            plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())
        ]
        places = {
            geometry: i
            for i, body in enumerate(self._bodies)
            for geometry in plant.GetCollisionGeometriesForBody(body)
        }
        fixed = {places[shape] for shape in fixed_shapes(plant)}
        self._pairs: dict[tuple[GeometryId, GeometryId], _Pair] = {}
        inspector = scene_graph.model_inspector()
        # How far from its origin a body has patches, m.
        self._reach = np.zeros(len(self._bodies))
        gravity = np.linalg.norm(plant.gravity_field().gravity_vector())
        fallen = _FALL * float(gravity) * plant.time_step()
        for (a, b), bounce in pairs.items():
            least = max(bounce.entry.bounce_velocity, fallen)
            if bounce.patch:
                least = max(least, _PATCH_SPEED)
            for i, k in (a, b), (b, a):
                point = "B" if places[i] in fixed else "A"
                self._pairs[i, k] = _Pair(
                    places[i], places[k], point, least, bounce
                )
            for shape in (a, b) if bounce.patch else ():
                i = places[shape]
                self._reach[i] = max(self._reach[i], _reach(inspector, shape))
        used = {i for pair in self._pairs.values() for i in (pair.a, pair.b)}
        self._moving = sorted(used - fixed)
        self._least = min(pair.least for pair in self._pairs.values())

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: the plant's, in a diagram.
        """
        fastest = abs(self._plant.GetVelocities(context)).max(initial=0)
        if fastest <= self._least:
            return None
        motion = self._motion(context)
        query = self._plant.get_geometry_query_input_port().Eval(context)
        impacts = self._impacts(query, motion)
        return self._turned(context, impacts) if impacts else None

    def _motion(self, context: Context) -> np.ndarray:
        """Returns w, v and the origin of each body in the world, shape (n, 9)."""
        motion = np.zeros((len(self._bodies), 9))
        for i in self._moving:
            body = self._bodies[i]
            motion[i, :6] = body.EvalSpatialVelocityInWorld(
                context
            ).get_coeffs()
            motion[i, 6:] = body.EvalPoseInWorld(context).translation()
        return motion

    def _impacts(self, query: QueryObject, motion: np.ndarray) -> list[_Touch]:
        """Returns where shapes meet fast enough to bounce."""
        speeds = self._speeds_of_patches(motion)
        if 2 * speeds.max() <= _PATCH_SPEED:
            return self._of_points(query.ComputePointPairPenetration(), motion)
        surfaces, points = query.ComputeContactSurfacesWithFallback(_POLYGON)
        impacts = self._of_points(points, motion)
        for surface in surfaces:
            pair = self._pairs.get((surface.id_M(), surface.id_N()))
            if pair and speeds[pair.a] + speeds[pair.b] > _PATCH_SPEED:
                impacts += _of_patch(query, surface, pair, motion)
        return impacts

    def _speeds_of_patches(self, motion: np.ndarray) -> np.ndarray:
        """Returns a bound of the speeds of each body's patches, m/s, shape (n,)."""
        w, v = np.sqrt((motion.reshape(-1, 3, 3)[:, :2] ** 2).sum(axis=2)).T
        return (v + w * self._reach) * (self._reach > 0)

    def _of_points(
        self, points: Iterable[PenetrationAsPointPair], motion: np.ndarray
    ) -> list[_Touch]:
        found = [
            (pair, p)
            for p in points
            if (pair := self._pairs.get((p.id_A, p.id_B)))
        ]
        if not found:
            return []
        pairs = [pair for pair, _ in found]
        p_WC = np.array([pair.place(p) for pair, p in found])
        z_W = np.array([p.nhat_BA_W for _, p in found])
        return [
            _Touch(pairs[i], p_WC[i], z_W[i], found[i][1].depth)
            for i in _meeting(pairs, p_WC, z_W, motion)
        ]

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
        contacts = _contacts(impacts)
        missing[2::3] -= speeds_after(
            W[2::3, 2::3], before[2::3], contacts, step
        )
        return A @ with_friction(W, missing, contacts.friction)

    def _jacobian(self, context: Context, impact: _Touch) -> np.ndarray:
        """Returns d(velocity of A relative to B, in C) / dv, shape (3, n)."""
        world = self._plant.world_frame()
        J_A, J_B = (
            self._plant.CalcJacobianTranslationalVelocity(
                context,
                JacobianWrtVariable.kV,
                body.body_frame(),
                body.EvalPoseInWorld(context).inverse() @ impact.p_WC,
                world,
                world,
            )
            for body in (
                self._bodies[impact.pair.a],
                self._bodies[impact.pair.b],
            )
        )
        return RotationMatrix.MakeFromOneVector(impact.z_W, 2).matrix().T @ (
            J_A - J_B
        )


def _of_patch(
    query: QueryObject, surface: ContactSurface, pair: _Pair, motion: np.ndarray
) -> list[_Touch]:
    z = mean_normal(surface)
    if z is None:
        return []
    p_WC, depths = meeting_points(query, surface, z)
    pairs, z_W = [pair] * len(p_WC), np.tile(z, (len(p_WC), 1))
    return [
        _Touch(pair, p_WC[i], z, float(depths[i]))
        for i in _meeting(pairs, p_WC, z_W, motion)
    ]


def _meeting(
    pairs: Sequence[_Pair],
    p_WC: np.ndarray,
    z_W: np.ndarray,
    motion: np.ndarray,
) -> np.ndarray:
    """Returns which touches are of shapes that meet fast enough to bounce."""
    if not pairs:
        return np.empty(0, int)
    a, b, least = np.array([(p.a, p.b, p.least) for p in pairs]).T
    v_A, v_B = (_velocities(motion[i.astype(int)], p_WC) for i in (a, b))
    return np.flatnonzero(((v_B - v_A) * z_W).sum(axis=1) > least)


def _velocities(motion: np.ndarray, p_WC: np.ndarray) -> np.ndarray:
    """Returns the velocities of points of bodies in the world, m/s, shape (n, 3)."""
    w, v = motion[:, :3], motion[:, 3:6]
    arm = p_WC - motion[:, 6:]
    # w x arm, which np.cross takes ten times as long for.
    turned = w[:, _NEXT] * arm[:, _LAST] - w[:, _LAST] * arm[:, _NEXT]
    return v + turned


def _contacts(impacts: list[_Touch]) -> Contacts:
    bounces = [impact.pair.bounce for impact in impacts]
    entries = [bounce.entry for bounce in bounces]
    return Contacts(
        depth=np.array([impact.depth for impact in impacts]),
        bounce=np.array([bounce.bounce for bounce in bounces]),
        least=np.array([entry.bounce_velocity for entry in entries]),
        erp=np.array([entry.soft_erp for entry in entries]),
        cfm=np.array([entry.soft_cfm for entry in entries]),
        friction=np.array([bounce.friction for bounce in bounces]),
    )


def _reach(inspector: SceneGraphInspector, geometry: GeometryId) -> float:
    """Returns how far from its body's origin a shape goes, m."""
    box = inspector.GetObbInGeometryFrame(geometry)
    if box is None:  # a half space
        return 0.0
    middle = inspector.GetPoseInFrame(geometry) @ box.center()
    return float(np.linalg.norm(middle) + np.linalg.norm(box.half_width()))
