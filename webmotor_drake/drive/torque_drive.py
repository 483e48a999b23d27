"""The torque drive: effort that brings joints to their velocity commands.

One plant step of Drake, where nothing touches the driven bodies, is

    (M + dt D) a = f(q, v) + effort,    v+ = v + dt a,    q+ = q + dt N v+

with the mass matrix M, the model's joint damping D and all other forces f at the
start of the step. Springs K and dampers B of JointParameters act on the *new*
velocity, -K (q + dt v+) - B v+, as ODE's do (WbOdeUtilities.cpp), so they belong on
both sides: A = M + dt (D + B + dt K). A motor is the row v+ = rate - cfm effort with
|effort| <= bound. `solve_trees` finds the efforts of all joints together, and with them
the efforts of the plant's stops.
"""

import dataclasses as dc
import functools
import typing
from collections.abc import Sequence

import numpy as np
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.multibody.tree import MultibodyForces
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive import topology
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_port import parameters_of
from webmotor_drake.drive.torque_problem import (
    Trees,
    problem_tables,
    read_stops,
)
from webmotor_drake.loops import entry, model_pieces
from webmotor_drake.loops.rows import Demand
from webmotor_drake.loops.tree_solver import MOVING, RESTING, TreeSolver


@dc.dataclass
class External:
    """Forces on the plant that the drive has to know of; None: no such forces."""

    # Shape (plant.num_velocities(),).
    generalized: np.ndarray | None = None
    spatial: Sequence[ExternallyAppliedSpatialForce] | None = None

    def __deepcopy__(self, memo: dict) -> "External":
        """Returns itself: it never changes, so cloned Contexts share it."""
        return self


NOTHING = External()
_solve_models = entry(model_pieces.solve)
# Inertia, accelerations and their inverse dynamics, of all trees.
Dynamics = tuple[np.ndarray, np.ndarray, np.ndarray]


class TorqueDrive:
    """Solves for the efforts of all driven joints of a model in one plant step.

    Nothing in it changes from step to step.

    Args:
        model: motors and joints with JointParameters; the drive acts on m of them.
        trees: the trees of these joints, see `tree_by_tree`.
        step: dt, s.
        plant_context: Context whose masses, damping and locked joints are read, once.
    """

    def __init__(
        self,
        model: ModelMotors,
        trees: Trees,
        *,
        step: float,
        plant_context: Context,
    ):
        self._plant = plant = model.plant
        self._parameters = parameters_of(plant, plant_context)
        self._with_other = functools.partial(
            TorqueDrive, model, trees, step=step
        )
        self._context = plant.CreateDefaultContext()
        self._context.SetTimeStateAndParametersFrom(plant_context)
        self._forces = MultibodyForces(plant)

        self._tables = problem_tables(model, trees, step, self._context)
        self._joints, velocities, _ = self._tables
        self._damping = np.array(
            [given.damping_constant for given in model.acting_parameters]
        )
        joints = [actuator.joint() for actuator in model.acting]
        self._own_damping = np.array(
            [joint.GetDampingVector(plant_context)[0] for joint in joints]
        )
        solver = self._solver = TreeSolver(
            self._joints, velocities, trees.members, trees.begins, step
        )
        self._predicted_acceleration = entry(solver.predicted_acceleration)
        self._is_solution = entry(solver.is_solution)
        self._solve_trees = entry(solver.solve_trees)
        self.read_stops()
        tree, rows = trees.velocities, self._joints["row"]
        locked = topology.velocities(
            plant,
            [j.index() for j in joints_of(plant) if j.is_locked(plant_context)],
        )
        self._tree, self._locked = tree, np.flatnonzero(np.isin(tree, locked))
        self._locked_joints = np.flatnonzero(np.isin(tree[rows], locked))
        self._whole = len(tree) == plant.num_velocities()
        self._fully_driven = len(joints) == len(tree) and not locked
        self._acceleration = np.zeros(plant.num_velocities())
        self._no_acceleration = np.zeros(plant.num_velocities())
        self._total = np.zeros(len(joints))

    def for_context(self, plant_context: Context) -> "TorqueDrive":
        """Returns the drive for a Context of the plant: this one if it fits."""
        if parameters_of(self._plant, plant_context) == self._parameters:
            return self
        return self._with_other(plant_context=plant_context)

    def read_stops(self) -> None:
        """Reads the joints' position limits, which the plant itself keeps."""
        if read_stops(self._plant, *self._tables):
            self._solver.read_stops()

    def __deepcopy__(self, memo: dict) -> "TorqueDrive":
        """Returns itself: it never changes, so cloned Contexts share it."""
        return self

    def solve(
        self,
        state: np.ndarray,
        demand: np.ndarray,
        effort: np.ndarray,
        external: External,
        foreseen: np.ndarray,
        last: int = MOVING,
    ) -> tuple[np.ndarray, int]:
        """Finds the efforts of one plant step.

        Args:
            state: the plant's [q, v] at the start of the step.
            demand: `Demand` rows, shape (rows, m), flattened row by row.
            effort: the motors' efforts in the last step, shape (m,), N m or N;
                overwritten with those of this one. Good guesses save time.
            external: other forces that act on the plant.
            foreseen: gets the velocities of the trees at the end of the step, shape
                (len(trees.velocities),), rad/s or m/s.
            last: outcome of the last step, see `loops.tree_solver`. After RESTING its
                efforts are tried first; they may still be a solution.

        Returns:
            The efforts of motors, springs and dampers together, shape (m,), N m
            or N, valid until the next call; and the outcome of this step.
        """
        self._move_to(state, external)
        acceleration, total = self._acceleration, self._total
        motors = state, demand, effort
        # All accelerations are known beforehand only if all joints are driven.
        steady = (
            last == RESTING
            and self._fully_driven
            and self._predicted_acceleration(*motors, acceleration)
        )
        if not steady:
            acceleration = self._no_acceleration
        force = self._plant.CalcInverseDynamics(
            self._context, acceleration, self._forces
        )
        if steady and self._is_solution(
            *motors, acceleration, force, total, foreseen
        ):
            return total, RESTING
        dynamics = self._of_trees(acceleration, force)
        if self._locked.size:
            demand = self._without_locked(demand)
        found = self._solve_trees(
            state, demand, effort, *dynamics, total, foreseen
        )
        if self._locked.size:
            foreseen[self._locked] = 0.0
        return total, found

    def solve_models(
        self,
        state: np.ndarray,
        demand: np.ndarray,
        effort: np.ndarray,
        external: External,
        foreseen: np.ndarray,
        *laws: typing.Any,
    ) -> tuple[np.ndarray, float]:
        """Solves as `solve` does, with the laws of motor models.

        `demand` is changed; `laws` are the last arguments of `model_pieces.solve`.

        Returns:
            The efforts as of `solve`, and the largest error left in a law, N m or N.
        """
        self._move_to(state, external)
        dynamics = self._of_trees(self._no_acceleration, self._bias())
        total, locked = self._total, (self._locked_joints, self._locked)
        given = state, demand, effort, *dynamics, total, foreseen
        error = _solve_models(self._solver, *given, *locked, *laws)
        return total, error

    def _move_to(self, state: np.ndarray, external: External) -> None:
        """Sets the drive's own Context to a state, and computes the forces there."""
        plant, context = self._plant, self._context
        plant.SetPositionsAndVelocities(context, state)
        plant.CalcForceElementsContribution(context, self._forces)
        if external is not NOTHING:
            self._add(external)

    def _bias(self) -> np.ndarray:
        """Returns the inverse dynamics at zero acceleration."""
        return self._plant.CalcInverseDynamics(
            self._context, self._no_acceleration, self._forces
        )

    def _of_trees(
        self, acceleration: np.ndarray, force: np.ndarray
    ) -> Dynamics:
        # The matrix is symmetric; its transpose is row-major, as compiled code needs.
        inertia = self._plant.CalcMassMatrix(self._context).T
        if not self._whole:
            inertia = inertia[np.ix_(self._tree, self._tree)]
            acceleration, force = acceleration[self._tree], force[self._tree]
        if self._locked.size:
            inertia, force = self._lock(inertia, force)
        return inertia, acceleration, force

    def acceleration(
        self, state: np.ndarray, total: np.ndarray, external: External
    ) -> np.ndarray:
        """Returns the accelerations of the trees of a continuous plant.

        Args:
            state: the plant's [q, v].
            total: the efforts of the joints, shape (m,), N m or N.
            external: other forces that act on the plant.

        Returns:
            Shape (len(trees.velocities),), rad/s^2 or m/s^2.
        """
        self._move_to(state, external)
        tree = self._tree
        force = -self._bias()[tree]
        force[self._joints["row"]] += total
        inertia = self._plant.CalcMassMatrix(self._context)
        inertia = inertia[np.ix_(tree, tree)]
        if self._locked.size:
            inertia, force = self._lock(inertia, force)
        return np.linalg.solve(inertia, force)

    def loads(self, state: np.ndarray, external: External) -> np.ndarray:
        """Returns the efforts on the joints besides motors, friction and dampers.

        Args:
            state: the plant's [q, v].
            external: other forces that act on the plant.

        Returns:
            Shape (m,), N m or N; the effect of other joints' motion is included, that
            of their motors at the same time is not.
        """
        self._move_to(state, external)
        joints = self._joints
        force = self._bias()[joints["dof"]]
        force -= self._own_damping * state[joints["v_place"]]
        pull = joints["spring"] * state[joints["q_place"]]
        return -force - pull

    def spring_effort(self, state: np.ndarray, brake: np.ndarray) -> np.ndarray:
        """Returns the springs' and dampers' effort in the step that led here.

        Args:
            state: the plant's [q, v] after the step.
            brake: damping that brakes added, shape (m,).

        Returns:
            Shape (m,), N m or N: -K q - B v, as they act on the new state.
        """
        joints = self._joints
        pull = -joints["spring"] * state[joints["q_place"]]
        return pull - (self._damping + brake) * state[joints["v_place"]]

    def _lock(
        self, inertia: np.ndarray, force: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the problem without the locked joints: they don't accelerate."""
        inertia, force = inertia.copy(), force.copy()
        inertia[self._locked] = 0.0
        inertia[:, self._locked] = 0.0
        inertia[self._locked, self._locked] = 1.0
        force[self._locked] = 0.0
        return inertia, force

    def _without_locked(self, demand: np.ndarray) -> np.ndarray:
        """Returns the demand without effort at locked joints."""
        demand = demand.reshape(len(Demand), -1).copy()
        demand[Demand.EFFORT_LIMIT, self._locked_joints] = 0.0
        return demand.ravel()

    def _add(self, external: External) -> None:
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
