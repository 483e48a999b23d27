"""Webots' Damping: bodies that lose a share of their velocity per second.

With d lost per second a step of h keeps (1 - d)^h (WbOdeContext.cpp). So the force at
the centre of mass is -m v c / h and the torque about it -I w c / h with
c = 1 - (1 - d)^h: one explicit step of them is that decay, exactly.
"""

import math
from collections.abc import Mapping

import numpy as np
from pydrake.common.value import Value
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context, LeafSystem, OutputPort

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.contact import Damping


class BodyDamping(LeafSystem):
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
        damping: of each body that is damped.

    Raises:
        InputError: damping of 1 on a continuous plant.
    """

    def __init__(
        self, plant: MultibodyPlant, damping: Mapping[BodyIndex, Damping]
    ):
        super().__init__()
        self.set_name("body_damping")
        self._indices = list(damping)
        bodies = [plant.get_body(index) for index in damping]
        step = plant.time_step()
        rates = [
            [_rate(d.linear, step), _rate(d.angular, step)]
            for d in damping.values()
        ]
        self._linear, self._angular = np.array(rates).T
        self._masses = np.array([body.default_mass() for body in bodies])
        self._p_BC = np.array([body.default_com() for body in bodies])
        self._I_C = np.array(
            [
                body.default_spatial_inertia()
                .Shift(body.default_com())
                .CalcRotationalInertia()
                .CopyToFullMatrix3()
                for body in bodies
            ]
        )
        self.DeclareAbstractInputPort(
            "body_poses", Value[list[RigidTransform]]()
        )
        self.DeclareAbstractInputPort(
            "body_spatial_velocities", Value[list[SpatialVelocity]]()
        )
        self.DeclareAbstractOutputPort(
            "forces",
            lambda: Value[list[ExternallyAppliedSpatialForce]]([]),
            self._calc_forces,
        )

    def get_forces_output_port(self) -> OutputPort:
        """Returns the port of the forces, in the world's frame."""
        return self.GetOutputPort("forces")

    def _calc_forces(self, context: Context, output: Value) -> None:
        poses = self.GetInputPort("body_poses").Eval(context)
        velocities = self.GetInputPort("body_spatial_velocities").Eval(context)
        R = np.array([poses[i].rotation().matrix() for i in self._indices])
        w = np.array([velocities[i].rotational() for i in self._indices])
        v = np.array([velocities[i].translational() for i in self._indices])
        v_C = v + np.cross(w, np.einsum("nij,nj->ni", R, self._p_BC))
        f = -(self._linear * self._masses)[:, np.newaxis] * v_C
        w_B = np.einsum("nji,nj->ni", R, w)
        L_W = np.einsum("nij,njk,nk->ni", R, self._I_C, w_B)
        t = -self._angular[:, np.newaxis] * L_W
        forces = []
        for i, body in enumerate(self._indices):
            force = ExternallyAppliedSpatialForce()
            force.body_index = body
            force.p_BoBq_B = self._p_BC[i]
            force.F_Bq_W = SpatialForce(t[i], f[i])
            forces.append(force)
        output.set_value(forces)


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
