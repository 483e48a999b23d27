"""Webots' Damping: bodies that lose a share of their velocity per second.

With d lost per second a step of h keeps (1 - d)^h (WbOdeContext.cpp). So the force at
the centre of mass is -m v c / h and the torque about it -I w c / h with
c = 1 - (1 - d)^h: one explicit step of them is that decay, exactly.
"""

import math
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.drive.external_forces import BodyForces
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.contact import Damping


class BodyDamping(BodyForces):
    """The forces and torques that damp bodies.

    .. pydrake_system::

        name: BodyDamping
        input_ports:
        - body_poses
        - body_spatial_velocities
        output_ports:
        - forces

    Args:
        plant: finalized; bodies have their default masses.
        damping: damping of each body that is damped.

    Raises:
        InputError: damping of 1 on a continuous plant.
    """

    def __init__(
        self, plant: MultibodyPlant, damping: Mapping[BodyIndex, Damping]
    ):
        bodies = [plant.get_body(index) for index in damping]
        p_BC = np.array([body.default_com() for body in bodies])
        super().__init__(list(damping), p_BC)
        self.set_name("body_damping")
        step = plant.time_step()
        rates = [
            [_rate(d.linear, step), _rate(d.angular, step)]
            for d in damping.values()
        ]
        self._linear, self._angular = np.array(rates).T
        self._masses = np.array([body.default_mass() for body in bodies])
        self._I_C = np.array(
            [
                body.default_spatial_inertia()
                .Shift(body.default_com())
                .CalcRotationalInertia()
                .CopyToFullMatrix3()
                for body in bodies
            ]
        )

    def _forces(
        self, context: Context, R_WB: np.ndarray, w: np.ndarray, v_P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        f = -(self._linear * self._masses)[:, np.newaxis] * v_P
        w_B = np.einsum("nji,nj->ni", R_WB, w)
        L_W = np.einsum("nij,njk,nk->ni", R_WB, self._I_C, w_B)
        return -self._angular[:, np.newaxis] * L_W, f


def _rate(damping: float, step: float) -> float:
    """Returns the share of a velocity that is lost, 1/s."""
    if step:
        return (1 - (1 - damping) ** step) / step
    if damping == 1:
        raise InputError(
            "a continuous plant (time_step 0) cannot lose all velocity at once;"
            " a damping below 1 is allowed there"
        )
    return -math.log1p(-damping)
