"""Webots' bounce: what touches leaves with a share of the speed it came with.

Drake's contact has no restitution at Webots' steps. So where two shapes meet faster
than the bounceVelocity of their materials, an impulse turns them round in the step in
which ODE does it, with ODE's softness (ode/src/joints/contact.cpp: a contact's velocity
becomes bounce times the old one). Drake's contact then finds them separating, and adds
nothing.

Impulses see a robot's joints as free: what its motors hold bounces less.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.common.value import Value
from pydrake.geometry import (
    ContactSurface,
    GeometryId,
    HydroelasticContactRepresentation,
    QueryObject,
)
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable, RigidBody
from pydrake.systems.framework import Context, OutputPort

from webmotor_drake.nodes.contact import ContactProperties

# Patches bounce from this speed on, m/s: a box that rocks to rest would never.
# What is lost is a rise of 1 mm.
_PATCH_SPEED = 0.3
# A patch whose normals cancel out by more than that looks to all sides.
_ONE_SIDED = 0.7
# ODE's points of a patch, which share its softness; steps it takes to turn round.
_CORNERS, _STEPS = 4, 100
# Rounds in which impulses of one step settle.
_ROUNDS = 30
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

    @property
    def least_speed(self) -> float:
        """From which on they bounce, m/s."""
        least = self.entry.bounce_velocity
        return max(least, _PATCH_SPEED) if self.patch else least


class _Touch(NamedTuple):
    """Two shapes that touch at C, A's normal z from B; depth in m."""

    ids: tuple[GeometryId, GeometryId]
    p_WC: np.ndarray
    z_W: np.ndarray
    depth: float


class _Impact(NamedTuple):
    """Bodies A and B that meet at C, their normal its z axis."""

    bodies: tuple[RigidBody, RigidBody]
    p_WC: np.ndarray
    R_WC: np.ndarray
    depth: float
    bounce: Bounce


class Bounces:
    """The impulses of the pairs of shapes that bounce.

    Args:
        plant: finalized, discrete, with geometry.
        pairs: which bounce.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        pairs: Mapping[tuple[GeometryId, GeometryId], Bounce],
    ):
        self._plant = plant
        bodies = {
            geometry: body
            for body in map(
                plant.get_body, map(BodyIndex, range(plant.num_bodies()))
            )
            for geometry in plant.GetCollisionGeometriesForBody(body)
        }
        self._pairs: dict[
            tuple[GeometryId, GeometryId],
            tuple[tuple[RigidBody, RigidBody], Bounce],
        ] = {}
        for (a, b), bounce in pairs.items():
            A, B = bodies[a], bodies[b]
            self._pairs[a, b] = (A, B), bounce
            self._pairs[b, a] = (B, A), bounce
        speeds = [(b.patch, b.least_speed) for b in pairs.values()]
        self._least = min(speed for _, speed in speeds)
        self._with_patches = any(patch for patch, _ in speeds)

    def declare_port(self) -> OutputPort:
        """Declares a port of the plant: the forces of the step that begins."""
        plant = self._plant
        return plant.DeclareAbstractOutputPort(
            "bounces",
            lambda: Value[list[ExternallyAppliedSpatialForce]]([]),
            lambda context, output: output.set_value(self.forces(context)),
            {plant.all_state_ticket(), plant.all_parameters_ticket()},
        )

    def forces(self, context: Context) -> list[ExternallyAppliedSpatialForce]:
        """Returns the forces that act for one step.

        Args:
            context: the plant's, in a diagram.
        """
        fastest = abs(self._plant.GetVelocities(context)).max(initial=0)
        if fastest <= self._least:
            return []
        patches = self._with_patches and fastest > _PATCH_SPEED
        query = self._plant.get_geometry_query_input_port().Eval(context)
        impacts = self._impacts(context, query, patches)
        if not impacts:
            return []
        return [
            force
            for impact, impulse in zip(
                impacts, self._impulses(context, impacts), strict=True
            )
            if impulse.any()
            for force in self._pushes(context, impact, impulse)
        ]

    def _impacts(
        self, context: Context, query: QueryObject, patches: bool
    ) -> list[_Impact]:
        """Returns where shapes meet fast enough to bounce."""
        touches = [
            (touch, *self._pairs[touch.ids])
            for touch in _touches(query, patches)
            if touch.ids in self._pairs
        ]
        if not touches:
            return []
        p_WC = np.array([touch.p_WC for touch, *_ in touches])
        v_A, v_B = (
            _velocities(context, [bodies[i] for _, bodies, _ in touches], p_WC)
            for i in range(2)
        )
        z_W = np.array([touch.z_W for touch, *_ in touches])
        speeds = ((v_B - v_A) * z_W).sum(axis=1)
        return [
            _Impact(bodies, touch.p_WC, _with_z(touch.z_W), touch.depth, bounce)
            for (touch, bodies, bounce), speed in zip(
                touches, speeds, strict=True
            )
            if speed > bounce.least_speed
        ]

    def _impulses(self, context: Context, impacts: list[_Impact]) -> np.ndarray:
        """Returns the impulses on A in the world, N s, shape (n, 3)."""
        plant = self._plant
        step = plant.time_step()
        J = np.vstack([self._jacobian(context, i) for i in impacts])
        A = np.linalg.solve(plant.CalcMassMatrix(context), J.T)
        W = J @ A  # velocity per impulse
        before = J @ plant.GetVelocities(context)
        gravity = plant.CalcGravityGeneralizedForces(context)
        missing = before + step * gravity @ A
        for row, impact in zip(range(2, len(J), 3), impacts, strict=True):
            missing[row] -= _speed_after(impact, W[row, row], before[row], step)
        friction = np.array([i.bounce.friction for i in impacts])
        impulses = _solved(W, missing, friction).reshape(-1, 3)
        return np.array(
            [i.R_WC @ p for i, p in zip(impacts, impulses, strict=True)]
        )

    def _jacobian(self, context: Context, impact: _Impact) -> np.ndarray:
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
            for body in impact.bodies
        )
        return impact.R_WC.T @ (J_A - J_B)

    def _pushes(
        self, context: Context, impact: _Impact, impulse: np.ndarray
    ) -> Iterator[ExternallyAppliedSpatialForce]:
        """Yields an impulse as forces on both bodies for one step."""
        force = impulse / self._plant.time_step()
        for body, push in zip(impact.bodies, (force, -force), strict=True):
            applied = ExternallyAppliedSpatialForce()
            applied.body_index = body.index()
            X_WB = body.EvalPoseInWorld(context)
            applied.p_BoBq_B = X_WB.inverse() @ impact.p_WC
            applied.F_Bq_W = SpatialForce(np.zeros(3), push)
            yield applied


def _touches(query: QueryObject, patches: bool) -> Iterator[_Touch]:
    """Yields where shapes touch; where only points count those alone."""
    if patches:
        surfaces, points = query.ComputeContactSurfacesWithFallback(_POLYGON)
    else:
        surfaces, points = [], query.ComputePointPairPenetration()
    for p in points:
        middle = (p.p_WCa + p.p_WCb) / 2
        yield _Touch((p.id_A, p.id_B), middle, p.nhat_BA_W, p.depth)
    for surface in surfaces:
        z_W = _normal(surface)
        if z_W is not None:
            ids = surface.id_M(), surface.id_N()
            yield _Touch(ids, surface.centroid(), z_W, 0.0)


def _normal(surface: ContactSurface) -> np.ndarray | None:
    """Returns the mean normal of a patch; None for one that looks to all sides."""
    mesh = surface.poly_mesh_W()
    faces = range(mesh.num_elements())
    mean = sum(mesh.area(i) * mesh.face_normal(i) for i in faces)
    size = np.linalg.norm(mean)
    if size < _ONE_SIDED * mesh.total_area():
        return None
    return mean / size


def _velocities(
    context: Context, bodies: Sequence[RigidBody], p_WC: np.ndarray
) -> np.ndarray:
    """Returns the velocities of points of bodies in the world, m/s, shape (n, 3)."""
    motions = {}
    for body in bodies:
        if body.index() not in motions:
            V_WB = body.EvalSpatialVelocityInWorld(context)
            place = body.EvalPoseInWorld(context).translation()
            motions[body.index()] = (
                *(V_WB.rotational(), V_WB.translational()),
                place,
            )
    w, v, p_WB = np.array([motions[body.index()] for body in bodies]).swapaxes(
        0, 1
    )
    arm = p_WC - p_WB
    # w x arm, which np.cross takes ten times as long for.
    turned = w[:, _NEXT] * arm[:, _LAST] - w[:, _LAST] * arm[:, _NEXT]
    return v + turned


def _with_z(z: np.ndarray) -> np.ndarray:
    """Returns a rotation whose last column is z."""
    x = np.cross(z, np.eye(3)[int(np.argmin(abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _speed_after(impact: _Impact, w: float, v: float, step: float) -> float:
    """Returns the speed at which ODE's contact lets go, m/s.

    Its constraint gives way by soft_cfm / h per impulse, so that heavy bodies take
    several steps to turn round, and takes back soft_erp of the depth per step.

    Args:
        impact: which.
        w: velocity per impulse, 1/kg.
        v: before, negative, m/s.
        step: h, s.
    """
    entry, depth = impact.bounce.entry, impact.depth
    points = _CORNERS if impact.bounce.patch else 1
    softness = entry.soft_cfm / step / points
    for _ in range(_STEPS):
        goal = entry.soft_erp * depth / step
        if -v > entry.bounce_velocity:
            goal = max(goal, -impact.bounce.bounce * v)
        if goal <= v:
            break
        v += w * (goal - v) / (w + softness)
        depth -= step * v
    return v


def _solved(
    W: np.ndarray, missing: np.ndarray, friction: np.ndarray
) -> np.ndarray:
    """Returns impulses p with W p + missing = 0, across as far as friction goes.

    Projected Gauss-Seidel, contact by contact.

    Args:
        W: velocities per impulse, shape (3n, 3n), each contact's z last.
        missing: velocities without impulses less those wanted, shape (3n,), m/s.
        friction: Coulomb's coefficients, shape (n,).
    """
    p = np.zeros(len(missing))
    for _ in range(_ROUNDS):
        for i, mu in enumerate(friction):
            own = slice(3 * i, 3 * i + 3)
            block = W[own, own]
            rest = missing[own] + W[own] @ p - block @ p[own]
            p[own] = _one_impulse(block, rest, mu)
    return p


def _one_impulse(W: np.ndarray, rest: np.ndarray, mu: float) -> np.ndarray:
    """Returns the impulse of one contact, which sticks or slides."""
    p = -np.linalg.solve(W, rest)
    across = np.hypot(*p[:2])
    if across <= mu * p[2]:
        return p
    along = np.array([*(mu * p[:2] / max(across, 1e-300)), 1.0])
    return along * max(0.0, -rest[2] / (W[2] @ along))
