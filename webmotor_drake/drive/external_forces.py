"""Forces on a plant's bodies, from several systems at once."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.common.value import Value
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    ExternallyAppliedSpatialForceMultiplexer,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.drive.builder_hooks import summed
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.contact import Damping


class BodyForces(LeafSystem):
    """Forces and torques on n bodies B, from their poses and velocities.

    Args:
        bodies: bodies that the forces act on.
        p_BP: the points P of the bodies at which forces act, shape (n, 3), m.
    """

    def __init__(self, bodies: Sequence[BodyIndex], p_BP: np.ndarray):
        super().__init__()
        self._bodies, self._p_BP = bodies, p_BP
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

    def _forces(
        self, context: Context, R_WB: np.ndarray, w: np.ndarray, v_P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns torques, N m, and forces, N, in the world's frame, each (n, 3).

        R_WB has shape (n, 3, 3); w and the points' velocities v_P have (n, 3).
        """
        raise NotImplementedError

    def _motion(
        self, context: Context
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns R_WB, w and v_P; see `_forces`."""
        poses = self.GetInputPort("body_poses").Eval(context)
        velocities = self.GetInputPort("body_spatial_velocities").Eval(context)
        R = np.array([poses[i].rotation().matrix() for i in self._bodies])
        w = np.array([velocities[i].rotational() for i in self._bodies])
        v = np.array([velocities[i].translational() for i in self._bodies])
        return R, w, v + np.cross(w, np.einsum("nij,nj->ni", R, self._p_BP))

    def _calc_forces(self, context: Context, output: Value) -> None:
        torques, pushes = self._forces(context, *self._motion(context))
        output.set_value(
            spatial_forces(self._bodies, self._p_BP, torques, pushes)
        )


class BodyDamping(BodyForces):
    """The forces and torques that damp bodies, as Webots' Damping does.

    With damping d a velocity decays by (1 - d)^h in a step h (WbOdeContext.cpp). So the
    force at the centre of mass is -m v c / h and the torque about it -I w c / h with
    c = 1 - (1 - d)^h: one explicit step gives exactly this decay.

    .. pydrake_system::

        name: BodyDamping
        input_ports:
        - body_poses
        - body_spatial_velocities
        output_ports:
        - forces

    Args:
        plant: finalized plant; the bodies' default masses are used.
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
    """Returns the damping force per momentum, 1/s: c / h of `BodyDamping`."""
    if step:
        return (1 - (1 - damping) ** step) / step
    if damping == 1:
        raise InputError(
            "a continuous plant (time_step 0) cannot lose all velocity at once;"
            " a damping below 1 is allowed there"
        )
    return -math.log1p(-damping)


def spatial_forces(
    bodies: Sequence[BodyIndex],
    p_BP: Sequence[np.ndarray] | np.ndarray,
    torques: np.ndarray,
    pushes: np.ndarray,
) -> list[ExternallyAppliedSpatialForce]:
    """Returns forces for a plant.

    Args:
        bodies: the n bodies B on which they act.
        p_BP: points on these, shape (n, 3), m.
        torques: in the world's frame, shape (n, 3), N m.
        pushes: forces in the world's frame, shape (n, 3), N.
    """
    forces = []
    for i, body in enumerate(bodies):
        force = ExternallyAppliedSpatialForce()
        force.body_index = body
        force.p_BoBq_B = p_BP[i]
        force.F_Bq_W = SpatialForce(torques[i], pushes[i])
        forces.append(force)
    return forces


def add_body_forces(
    builder: DiagramBuilder, plant: MultibodyPlant, forces: BodyForces
) -> None:
    """Adds forces to a diagram, and applies them; see `add_forces`."""
    builder.AddSystem(forces)
    for name in ("body_poses", "body_spatial_velocities"):
        builder.Connect(plant.GetOutputPort(name), forces.GetInputPort(name))
    add_forces(builder, plant, forces.GetOutputPort("forces"))


def add_forces(
    builder: DiagramBuilder, plant: MultibodyPlant, source: OutputPort
) -> None:
    """Applies spatial forces to a plant, in addition to those already there.

    Drake's port takes one source, so sources are summed. Call this before adding the
    driver of the pushed bodies; then the torque drive sees the forces.

    Args:
        builder: the diagram.
        plant: finalized, in the diagram.
        source: a port that gives a list of ExternallyAppliedSpatialForce.
    """
    port = plant.get_applied_spatial_force_input_port()
    both = ExternallyAppliedSpatialForceMultiplexer(2)
    builder.Connect(summed(builder, source, port, both), port)
