"""Webots' rollingFriction, where shapes touch in a point.

ODE resists the rolling of touching shapes by a torque of at most rho times the normal
force, and their turning about the normal by rhoN times that (dContactRolling in
ode/src/joints/contact.cpp). Here an impulse of that size comes before each step.
"""

from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable
from pydrake.systems.framework import Context

from webmotor_drake.contact.impulses import boxed
from webmotor_drake.contact.inboard import ShapePair, both_ways, shape_bodies
from webmotor_drake.contact.materials import Touching
from webmotor_drake.contact.proximity import has_patch, softness_of
from webmotor_drake.contact.sliding_directions import axes_along
from webmotor_drake.errors import warn
from webmotor_drake.nodes.contact import ContactProperties

_INFINITE = 1e9
# A slower plant is at rest, rad/s; softness of torques that share a body, relative.
_REST, _SHARED = 1e-6, 1e-9


class RollingFriction:
    """The torques against rolling of pairs of shapes.

    Args:
        plant: finalized, discrete plant with geometry.
        pairs: contact properties of the pairs that resist.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        pairs: Mapping[ShapePair, ContactProperties],
    ):
        self._plant = plant
        self._bodies, self._pairs = shape_bodies(plant), both_ways(pairs)

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: Context of the plant, in a diagram.
        """
        plant = self._plant
        v = plant.GetVelocities(context)
        if abs(v).max(initial=0) < _REST:
            return None
        query = plant.get_geometry_query_input_port().Eval(context)
        # Points of two bodies with the same normal are one: their loads add up.
        turns: dict[tuple[int, int, bytes], np.ndarray] = {}
        loads: dict[tuple[int, int, bytes], np.ndarray] = {}
        for p in query.ComputePointPairPenetration():
            shapes = p.id_A, p.id_B
            if shapes not in self._pairs:
                continue
            A, B = self._bodies[p.id_A], self._bodies[p.id_B]
            z_W = p.nhat_BA_W
            key = id(A), id(B), z_W.tobytes()
            if key not in turns:
                frames = A.body_frame(), B.body_frame(), plant.world_frame()
                J = plant.CalcJacobianAngularVelocity(
                    context, JacobianWrtVariable.kV, *frames
                )
                # Three axes: A's turning across z, the direction across both, and z.
                turns[key] = np.vstack([axes_along(J @ v, z_W), z_W]) @ J
                loads[key] = np.zeros(3)
            force = 1 / softness_of(query.inspector(), shapes) * p.depth
            rho, _, rho_n = (
                _INFINITE if r == -1 else r
                for r in self._pairs[shapes].rolling_friction
            )
            loads[key] += force * np.array([rho, rho, rho_n])
        if not turns:
            return None
        J = np.vstack([*turns.values()])
        A = np.linalg.solve(plant.CalcMassMatrix(context), J.T)
        most = plant.time_step() * np.concatenate([*loads.values()])
        W = J @ A
        W += _SHARED * W.trace() * np.eye(len(W))
        return A @ boxed(W, J @ v, -most, most)


def rolling_pairs(touching: Touching) -> dict[ShapePair, ContactProperties]:
    """Returns the properties of pairs that resist rolling; warns where they can't."""
    if not any(any(e.rolling_friction) for e in touching.entries):
        return {}
    inspector = touching.scene_graph.model_inspector()
    pairs, lost = {}, {}
    for (a, b), entry in touching.pairs.items():
        if not any(entry.rolling_friction):
            continue
        given = [inspector.GetProximityProperties(shape) for shape in (a, b)]
        discrete = touching.plant.time_step() > 0
        if not discrete or all(has_patch(p) for p in given):
            lost[entry.materials] = entry
        else:
            pairs[a, b] = entry
    for (first, second), entry in lost.items():
        rho = entry.rolling_friction[0]
        warn(
            f"contact_properties of {first} and {second}: rolling_friction {rho:g}"
            f" ({rho:g} N m per N) counts only where shapes touch in a point, and on a"
            " discrete plant"
        )
    return pairs
