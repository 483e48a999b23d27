"""The torque drive: effort that brings joints to their velocity commands.

One plant step of Drake, where nothing touches the driven bodies, is

    (M + dt D) a = f(q, v) + effort,    v+ = v + dt a,    q+ = q + dt N v+

with the mass matrix M, the model's joint damping D and all other forces f at the
start of the step. Springs K and dampers B of JointParameters act on the *new*
velocity, -K (q + dt v+) - B v+, as ODE's do (WbOdeUtilities.cpp), so they belong on
both sides: A = M + dt (D + B + dt K). A motor is the row v+ = rate - cfm effort with
|effort| <= bound. `solve_trees` finds the efforts of all joints together, and with
them what the plant's stops will push.
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
from pydrake.systems.framework import Context

from webmotor_drake.compiled import constants
from webmotor_drake.drive.topology import forest, velocities
from webmotor_drake.drive.torque_solve import (
    Forest,
    Joints,
    is_solution,
    predicted_acceleration,
    solve_trees,
)
from webmotor_drake.motor.nodes import JointParameters
from webmotor_drake.motor.tables import Demand


@dc.dataclass
class External:
    """Forces on the plant that the drive has to know of; None: there are none."""

    # Shape (plant.num_velocities(),).
    generalized: np.ndarray | None = None
    spatial: Sequence[ExternallyAppliedSpatialForce] | None = None


NOTHING = External()


class TorqueDrive:
    """Solves for the efforts of all driven joints of a model in one plant step.

    Nothing in it changes from step to step.

    Args:
        plant: a finalized plant.
        joints: the joints with a motor or JointParameters, m of them, each with
            one degree of freedom.
        parameters: their JointParameters, in the same order.
        step: dt, s.
        cfm: slip per effort of each joint, shape (m,), rad/s/(N m) or m/s/N, as
            Webots' WorldInfo.CFM.
        plant_context: where the plant's masses, damping and locked joints are
            read, once; None: the plant's defaults.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        joints: Sequence[Joint],
        parameters: Sequence[JointParameters],
        *,
        step: float,
        cfm: np.ndarray,
        plant_context: Context | None = None,
    ):
        self._plant = plant
        self._context = plant.CreateDefaultContext()
        if plant_context is not None:
            self._context.SetTimeStateAndParametersFrom(plant_context)
        self._forces = MultibodyForces(plant)
        self._step = step

        self._forest, self._tree = _forest(plant, self._context, joints, step)
        rows = np.searchsorted(
            self._tree, [joint.velocity_start() for joint in joints]
        )
        spring = np.array([p.spring_constant for p in parameters])
        self._damping = np.array([p.damping_constant for p in parameters])
        implicit = self._damping + step * spring
        self._forest.diagonal[rows] += step * implicit
        self._joints = Joints(
            spring=spring,
            implicit=implicit,
            softness=cfm / step,
            diagonal=self._forest.diagonal[rows],
            low=self._forest.low[rows],
            high=self._forest.high[rows],
            q=self._forest.q[rows],
            v=self._forest.v[rows],
            dof=self._tree[rows],
        )
        # For compiled code, which takes arrays, and loops without it.
        self._constants = Joints(*map(constants, self._joints))
        locked = _locked(plant, self._context)
        self._locked = np.flatnonzero(np.isin(self._tree, locked))
        self._locked_joints = np.flatnonzero(np.isin(self._joints.dof, locked))
        self._whole = len(self._tree) == plant.num_velocities()
        # Only then are all accelerations known beforehand.
        self._fully_driven = len(joints) == len(self._tree) and not len(locked)
        self._acceleration = np.zeros(plant.num_velocities())
        self._no_acceleration = np.zeros(plant.num_velocities())
        self._total = np.zeros(len(joints))

    def __deepcopy__(self, memo: dict) -> "TorqueDrive":
        """Returns itself: Contexts that are cloned share what never changes."""
        return self

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
            demand: `Demand` rows, shape (4, m), flattened row by row.
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
        steady = self._fully_driven and predicted_acceleration(
            *motors, self._constants, acceleration, self._step
        )
        if not steady:
            acceleration = self._no_acceleration
        force = plant.CalcInverseDynamics(context, acceleration, forces)
        if steady and is_solution(
            *motors, self._constants, acceleration, force, total, self._step
        ):
            return total
        # Symmetric; transposed it is what compiled code wants, row-major.
        inertia = plant.CalcMassMatrix(context).T
        if not self._whole:
            inertia = inertia[np.ix_(self._tree, self._tree)]
            acceleration, force = acceleration[self._tree], force[self._tree]
        if len(self._locked):
            demand, inertia, force = self._lock(demand, inertia, force)
        solve_trees(
            state,
            demand,
            effort,
            self._joints,
            self._forest,
            inertia,
            acceleration,
            force,
            total,
            self._step,
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
        joints = self._joints
        damping = self._damping + brake
        return -joints.spring * state[joints.q] - damping * state[joints.v]

    def _lock(
        self, demand: np.ndarray, inertia: np.ndarray, force: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the problem without the locked joints' part in it.

        They have no acceleration and no bound: their motors have nothing to do.
        """
        demand = demand.reshape(len(Demand), -1).copy()
        demand[Demand.BOUND, self._locked_joints] = 0.0
        inertia, force = inertia.copy(), force.copy()
        inertia[self._locked] = 0.0
        inertia[:, self._locked] = 0.0
        inertia[self._locked, self._locked] = 1.0
        force[self._locked] = 0.0
        return demand.ravel(), inertia, force

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


def _forest(
    plant: MultibodyPlant,
    context: Context,
    joints: Sequence[Joint],
    step: float,
) -> tuple[Forest, np.ndarray]:
    """Returns the joints' trees, and the trees' velocities among the plant's."""
    trees = [velocities(plant, tree) for tree, _ in forest(plant, joints)]
    trees.sort()  # each is in one piece: Drake numbers tree by tree
    tree = np.concatenate(trees)
    blocks = np.cumsum([0, *map(len, trees)])
    rows = np.searchsorted(tree, [joint.velocity_start() for joint in joints])
    order = np.argsort(rows)
    damping, low, high, q = _velocities(plant, context)
    if not _damps_implicitly(plant):
        damping[:] = 0.0
    return Forest(
        diagonal=step * damping[tree],
        damping=step * damping[tree],
        low=low[tree],
        high=high[tree],
        q=q[tree],
        v=plant.num_positions() + tree,
        order=order,
        rows=rows[order],
        firsts=np.searchsorted(rows[order], blocks),
        blocks=blocks,
    ), tree


def _velocities(
    plant: MultibodyPlant, context: Context
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns damping, stops and place of the position of each velocity."""
    n = plant.num_velocities()
    damping, q = np.zeros(n), np.zeros(n, dtype=int)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    holds = plant.time_step() > 0 and _damps_implicitly(plant)
    for joint in map(plant.get_joint, plant.GetJointIndices()):
        start, size = joint.velocity_start(), joint.num_velocities()
        damping[start : start + size] = joint.GetDampingVector(context)
        if joint.num_positions() == size == 1:
            q[start] = joint.position_start()
            if holds:
                low[start] = joint.position_lower_limits()[0]
                high[start] = joint.position_upper_limits()[0]
    return damping, low, high, q


def _damps_implicitly(plant: MultibodyPlant) -> bool:
    """Whether the plant's solver takes damping and stops at the new velocity.

    Tamsi, which newer versions of Drake don't have, takes the old one.
    """
    tamsi = getattr(DiscreteContactApproximation, "kTamsi", None)
    return tamsi is None or (
        plant.get_discrete_contact_approximation() != tamsi
    )


def _locked(plant: MultibodyPlant, context: Context) -> list[int]:
    """Returns the velocities of locked joints; only discrete plants have them."""
    if plant.time_step() == 0:
        return []
    return [
        joint.velocity_start() + i
        for joint in map(plant.get_joint, plant.GetJointIndices())
        if joint.is_locked(context)
        for i in range(joint.num_velocities())
    ]
