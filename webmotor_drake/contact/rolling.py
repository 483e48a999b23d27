"""Webots' rollingFriction, where shapes touch in a point.

ODE resists the rolling of what touches by a torque of at most rho times the normal
force, and its turning about the normal by rhoN times that (dContactRolling in
ode/src/joints/contact.cpp). Here an impulse of that size comes before each step.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.geometry import GeometryId, SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.bouncing_pairs import has_patch
from webmotor_drake.contact.impulses import with_z
from webmotor_drake.contact.inboard import pairs_that_can_touch
from webmotor_drake.contact.materials import Material
from webmotor_drake.errors import warn
from webmotor_drake.nodes.contact import ContactProperties

_STIFFNESS = "material", "point_contact_stiffness", 1e6  # Drake's default, N/m
_INFINITE = 1e9
# Rounds in which torques that share a body settle; the speed of what rests, rad/s.
_ROUNDS, _REST = 10, 1e-6


class Rolling(NamedTuple):
    """How a pair of shapes resists rolling.

    Attributes:
        rho: of rolling, m.
        rho_n: of turning about the normal, m.
        stiffness: of the point in which they touch, N/m.
    """

    rho: float
    rho_n: float
    stiffness: float


class RollingFriction:
    """The torques against rolling of pairs of shapes.

    Args:
        plant: finalized, discrete, with geometry.
        pairs: which resist.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        pairs: Mapping[tuple[GeometryId, GeometryId], Rolling],
    ):
        self._plant = plant
        bodies = {
            geometry: plant.get_body(BodyIndex(i))
            for i in range(plant.num_bodies())
            for geometry in plant.GetCollisionGeometriesForBody(
                plant.get_body(BodyIndex(i))
            )
        }
        self._pairs = {
            pair: (bodies[pair[0]], bodies[pair[1]], rolling)
            for (a, b), rolling in pairs.items()
            for pair in ((a, b), (b, a))
        }

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: the plant's, in a diagram.
        """
        plant = self._plant
        v = plant.GetVelocities(context)
        if abs(v).max(initial=0) < _REST:
            return None
        query = plant.get_geometry_query_input_port().Eval(context)
        touches = [
            (*self._pairs[p.id_A, p.id_B], p.nhat_BA_W, p.depth)
            for p in query.ComputePointPairPenetration()
            if (p.id_A, p.id_B) in self._pairs
        ]
        if not touches:
            return None
        J = np.vstack(
            [self._turn(context, A, B, z) for A, B, _, z, _ in touches]
        )
        A = np.linalg.solve(plant.CalcMassMatrix(context), J.T)
        most = plant.time_step() * np.array(
            [
                (r.rho * r.stiffness * depth, r.rho_n * r.stiffness * depth)
                for _, _, r, _, depth in touches
            ]
        )
        return A @ _resisting(J @ A, J @ v, most)

    def _turn(
        self, context: Context, A: RigidBody, B: RigidBody, z_W: np.ndarray
    ) -> np.ndarray:
        """Returns d(angular velocity of A relative to B, z last) / dv, shape (3, n)."""
        plant = self._plant
        J = plant.CalcJacobianAngularVelocity(
            context,
            JacobianWrtVariable.kV,
            A.body_frame(),
            B.body_frame(),
            plant.world_frame(),
        )
        return with_z(z_W).T @ J


def rolling_pairs(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    materials: Mapping[GeometryId, Material],
    entries: Sequence[ContactProperties],
) -> dict[tuple[GeometryId, GeometryId], Rolling]:
    """Returns the pairs of shapes that resist rolling; tells of those that cannot.

    Args:
        plant: finalized, discrete.
        scene_graph: with its geometry, and all collision filters.
        materials: of all shapes.
        entries: of pairs of materials.
    """
    by_pair = {e.materials: e for e in entries if any(e.rolling_friction)}
    if not by_pair:
        return {}
    inspector = scene_graph.model_inspector()
    pairs, lost = {}, {}
    for a, b in pairs_that_can_touch(plant, scene_graph, materials):
        first, second = sorted((materials[a].name, materials[b].name))
        entry = by_pair.get((first, second))
        if entry is None:
            continue
        given = [inspector.GetProximityProperties(shape) for shape in (a, b)]
        if not plant.time_step() or all(has_patch(p) for p in given):
            lost[entry.materials] = entry
            continue
        rho, _, rho_n = (
            _INFINITE if r == -1 else r for r in entry.rolling_friction
        )
        stiffness = [p.GetPropertyOrDefault(*_STIFFNESS) for p in given]
        in_series = 1 / sum(1 / k for k in stiffness)
        pairs[a, b] = Rolling(rho, rho_n, in_series)
    for (first, second), entry in lost.items():
        rho = entry.rolling_friction[0]
        warn(
            f"contact_properties of {first} and {second}: rolling_friction {rho:g}"
            f" ({rho:g} N m per N) counts only where shapes touch in a point, and on a"
            " discrete plant"
        )
    return pairs


def _resisting(
    W: np.ndarray, turning: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Returns angular impulses that stop what turns, as far as they go, N m s.

    Args:
        W: angular velocities per impulse, shape (3n, 3n), each contact's z last.
        turning: angular velocities, shape (3n,), rad/s.
        most: across the normal and about it, shape (n, 2), N m s.
    """
    p, own = np.zeros(len(turning)), np.maximum(W.diagonal(), 1e-12)
    for _ in range(_ROUNDS):
        for i, (roll, turn) in enumerate(most):
            x, z = 3 * i, 3 * i + 2
            p[z] = np.clip(p[z] - (turning[z] + W[z] @ p) / own[z], -turn, turn)
            p[x:z] -= (turning[x:z] + W[x:z] @ p) / own[x:z].max()
            size = np.hypot(*p[x:z])
            if size > roll:
                p[x:z] *= roll / size
    return p
