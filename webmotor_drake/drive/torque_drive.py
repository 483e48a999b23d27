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

from webmotor_drake.compiled import constants
from webmotor_drake.drive.topology import forest, velocities
from webmotor_drake.drive.torque_solve import aim, hits, solve_trees
from webmotor_drake.motor.nodes import JointParameters


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
        self._step = step

        v_index = np.array([joint.velocity_start() for joint in joints])
        trees = [velocities(plant, tree) for tree, _ in forest(plant, joints)]
        trees.sort()  # each is in one piece: Drake numbers tree by tree
        self._tree = np.concatenate(trees)
        self._blocks = np.cumsum([0, *map(len, trees)])
        rows = np.searchsorted(self._tree, v_index)
        order = np.argsort(rows)
        firsts = np.searchsorted(rows[order], self._blocks)
        self._order = order, rows[order], firsts
        spring = np.array([p.spring_constant for p in parameters])
        self._damping = np.array([p.damping_constant for p in parameters])
        implicit = self._damping + step * spring
        self._diagonal = np.zeros(len(self._tree))
        if _damps_implicitly(plant):
            self._diagonal += step * _model_damping(plant)[self._tree]
        self._diagonal[rows] += step * implicit
        self._whole = len(self._tree) == plant.num_velocities()
        # Only then are all accelerations known beforehand.
        self._fully_driven = len(joints) == len(self._tree)
        # For compiled code, which pays for each array that it is given.
        self._joints = np.array(
            [spring, implicit, cfm / step, self._diagonal[rows]]
        )
        self._places = np.array(
            [
                [joint.position_start() for joint in joints],
                plant.num_positions() + v_index,
                v_index,
            ]
        )
        self._constants = (
            constants(self._joints),
            constants(self._places),
            step,
        )
        self._acceleration = np.zeros(plant.num_velocities())
        self._no_acceleration = np.zeros(plant.num_velocities())
        self._total = np.zeros(len(joints))

    def solve(
        self,
        state: np.ndarray,
        demand: np.ndarray,
        effort: np.ndarray,
        external: External,
    ) -> np.ndarray:
        """Finds the efforts of one plant step.

        Args:
            state: the plant's [q, v] at the start of the step.
            demand: `law.Demand` rows, shape (4, m), flattened row by row.
            effort: the motors' efforts in the last step, shape (m,), N m or N;
                they become those of this one. Good ones save time.
            external: what else acts on the plant.

        Returns:
            The efforts of motors, springs and dampers together, shape (m,), N m
            or N; valid until the next call.
        """
        plant, context, forces = self._plant, self._context, self._forces
        plant.SetPositionsAndVelocities(context, state)
        plant.CalcForceElementsContribution(context, forces)
        if external is not NOTHING:
            self._add(external)
        acceleration, total = self._acceleration, self._total
        motors = state, demand, effort
        steady = self._fully_driven and aim(
            *motors, *self._constants, acceleration
        )
        if not steady:
            acceleration = self._no_acceleration
        force = plant.CalcInverseDynamics(context, acceleration, forces)
        if steady and hits(
            *motors, *self._constants, acceleration, force, total
        ):
            return total
        # Symmetric; transposed it is what compiled code wants, row-major.
        inertia = plant.CalcMassMatrix(context).T
        if not self._whole:
            inertia = inertia[np.ix_(self._tree, self._tree)]
            acceleration, force = acceleration[self._tree], force[self._tree]
        solve_trees(
            *motors,
            self._joints,
            self._places,
            self._step,
            inertia,
            acceleration,
            force,
            self._diagonal,
            *self._order,
            self._blocks,
            total,
        )
        return total

    def spring_effort(self, state: np.ndarray, brake: np.ndarray) -> np.ndarray:
        """Returns the springs' and dampers' effort in the step that led here.

        Args:
            state: the plant's [q, v] after the step.
            brake: damping that brakes added, shape (m,).

        Returns:
            Shape (m,), N m or N: -K q - B v, as they act on the new state.
        """
        q, v, _ = self._places
        damping = self._damping + brake
        return -self._joints[0] * state[q] - damping * state[v]

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
