"""The torque drive: effort that brings joints to their velocity commands.

One plant step of Drake, where nothing touches the driven bodies, is

    (M + dt D) a = f(q, v) + effort,    v+ = v + dt a,    q+ = q + dt N v+

with the mass matrix M, the model's joint damping D and all other forces f at the
start of the step. Springs K and dampers B of JointParameters act on the *new*
velocity, -K (q + dt v+) - B v+, as ODE's do (WbOdeUtilities.cpp), so they belong on
both sides: A = M + dt (D + B + dt K). A motor is the row v+ = rate - cfm effort with
|effort| <= bound. `solve_bounded` finds the efforts of all joints together.
"""

import dataclasses as dc
from collections.abc import Sequence

import numpy as np
from pydrake.multibody.plant import (
    DiscreteContactApproximation,
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import Joint, MultibodyForces

from webmotor_drake.bounded_solve import solve_bounded
from webmotor_drake.compiled import compiled
from webmotor_drake.nodes import JointParameters
from webmotor_drake.topology import trees, velocities


@dc.dataclass
class External:
    """Forces on the plant that the drive has to know of; None: there are none."""

    # Shape (plant.num_velocities(),).
    generalized: np.ndarray | None = None
    spatial: Sequence[ExternallyAppliedSpatialForce] | None = None


NOTHING = External()


class TorqueDrive:
    """Solves for the efforts of all driven joints of a model in one plant step.

    Args:
        plant: a finalized plant. Its parameters are read from a default Context:
            a mass that somebody changes in another Context is not seen.
        joints: the joints with a motor or JointParameters, m of them, each with
            one degree of freedom.
        parameters: their JointParameters, in the same order.
        step: dt, s.
        cfm: slip per effort of each joint, shape (m,), rad/s/(N m) or m/s/N, as
            Webots' WorldInfo.CFM.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        joints: Sequence[Joint],
        parameters: Sequence[JointParameters],
        *,
        step: float,
        cfm: np.ndarray,
    ):
        self._plant = plant
        self._context = plant.CreateDefaultContext()
        self._forces = MultibodyForces(plant)
        self._no_acceleration = np.zeros(plant.num_velocities())
        self._step = step
        self._softness = cfm / step

        v_index = np.array([joint.velocity_start() for joint in joints])
        self._tree = np.array(velocities(plant, trees(plant, joints)[0]))
        self._rows = np.searchsorted(self._tree, v_index)
        self._q = np.array([joint.position_start() for joint in joints])
        self._v = plant.num_positions() + v_index
        self._spring = np.array([p.spring_constant for p in parameters])
        self._damping = np.array([p.damping_constant for p in parameters])
        self._implicit = self._damping + step * self._spring
        self._diagonal = np.zeros(len(self._tree))
        if _damps_implicitly(plant):
            self._diagonal += step * _model_damping(plant)[self._tree]
        self._diagonal[self._rows] += step * self._implicit
        self._whole = len(self._tree) == plant.num_velocities()

    def solve(
        self,
        state: np.ndarray,
        demand: np.ndarray,
        guess: np.ndarray,
        external: External,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the efforts of one plant step.

        Args:
            state: the plant's [q, v] at the start of the step.
            demand: `law.Demand` rows, shape (4, m) or flattened row by row.
            guess: the motors' efforts, shape (m,); those of the last step save
                time and change nothing.
            external: what else acts on the plant.

        Returns:
            The motors' efforts and the springs' and dampers' efforts, both of
            shape (m,), N m or N.
        """
        inertia, bias = self._free_motion(state, external)
        return _efforts(
            inertia,
            bias,
            self._diagonal,
            self._rows,
            state[self._q],
            state[self._v],
            demand,
            guess,
            self._spring,
            self._implicit,
            self._step,
            self._softness,
        )

    def spring_effort(self, state: np.ndarray, brake: np.ndarray) -> np.ndarray:
        """Returns the springs' and dampers' effort in the step that led here.

        Args:
            state: the plant's [q, v] after the step.
            brake: damping that brakes added, shape (m,).

        Returns:
            Shape (m,), N m or N: -K q - B v, as they act on the new state.
        """
        damping = self._damping + brake
        return -self._spring * state[self._q] - damping * state[self._v]

    def _free_motion(
        self, state: np.ndarray, external: External
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns M and -f of the trees with driven joints."""
        plant, context, forces = self._plant, self._context, self._forces
        plant.SetPositionsAndVelocities(context, state)
        plant.CalcForceElementsContribution(context, forces)
        if external is not NOTHING:
            self._add(external)
        bias = plant.CalcInverseDynamics(context, self._no_acceleration, forces)
        # Symmetric; transposed it is what compiled code wants, row-major.
        inertia = plant.CalcMassMatrix(context).T
        if self._whole:
            return inertia, bias
        return inertia[np.ix_(self._tree, self._tree)], bias[self._tree]

    def _add(self, external: External) -> None:
        """Adds the external forces to those of the plant's force elements."""
        if external.generalized is not None:
            generalized = self._forces.mutable_generalized_forces()
            generalized += external.generalized
        for applied in external.spatial or ():
            body = self._plant.get_body(applied.body_index)
            R_WB = body.EvalPoseInWorld(self._context).rotation()
            body.AddInForce(
                self._context,
                p_BP_E=R_WB @ applied.p_BoBq_B,
                F_Bp_E=applied.F_Bq_W,
                frame_E=self._plant.world_frame(),
                forces=self._forces,
            )


@compiled
def _efforts(
    inertia,
    bias,
    diagonal,
    rows,
    q,
    v,
    demand,
    guess,
    spring,
    implicit,
    step,
    softness,
):
    """Returns the motors' and the springs' efforts; see `TorqueDrive.solve`."""
    rate, bound, direct, brake = demand.reshape(4, -1)
    implicit = implicit + brake
    pull = -spring * q - implicit * v
    force = -bias
    force[rows] += pull + direct
    inertia.ravel()[:: len(force) + 1] += diagonal
    inertia.ravel()[rows * (len(force) + 1)] += step * brake
    effort, acceleration = solve_bounded(
        inertia,
        force,
        rows,
        (rate - v) / step,
        bound,
        softness,
        guess - direct,
    )
    return effort + direct, pull - implicit * (step * acceleration[rows])


def _damps_implicitly(plant: MultibodyPlant) -> bool:
    """Whether the model's joint damping acts on the new velocity.

    Tamsi, which newer versions of Drake don't have, takes the old one.
    """
    tamsi = getattr(DiscreteContactApproximation, "kTamsi", None)
    return tamsi is None or (
        plant.get_discrete_contact_approximation() != tamsi
    )


def _model_damping(plant: MultibodyPlant) -> np.ndarray:
    """Returns the joint damping of the model, shape (num_velocities,)."""
    damping = np.zeros(plant.num_velocities())
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        start = joint.velocity_start()
        damping[start : start + joint.num_velocities()] = (
            joint.default_damping_vector()
        )
    return damping
