"""The loads of joints in the plant's contact solver, for friction that grows with them.

The load is defined as in BAM's controller for MuJoCo: gravity, Coriolis forces and
springs now, and the efforts of contacts, stops and constraints in the last step. The
accelerations of other joints or a free base are left out. The solver does not report
the efforts of contacts and the like; their sum is the rest of the joint's equation of
motion:

    pushed = M (v+ - v) / dt + bias + D v+ - actuation

with the row M of the mass matrix, the bias forces and the joint's damping D at the
start of that step. So these are kept from one step to the next.
"""

import numpy as np
from pydrake.multibody.tree import MultibodyForces
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import ModelMotors

# Tolerance, relative and absolute: a joint that did not move by dt v+ was set.
_SAME_PLACE = 1e-9


class JointLoads:
    """The loads of a model's n motors' joints, for a discrete plant; it keeps no state.

    Attributes:
        size: the number of floats of `equations`.
    """

    def __init__(self, model: ModelMotors):
        plant = self._plant = model.plant
        self._step = plant.time_step()
        self._joints = [named.joint for named in model.driven]
        self._dofs = [joint.velocity_start() for joint in self._joints]
        self._places = [joint.position_start() for joint in self._joints]
        self._springs = np.array(
            [named.parameters.spring_constant for named in model.driven]
        )
        self._forces = MultibodyForces(plant)
        self._still = np.zeros(plant.num_velocities())
        self._shape = len(self._joints), len(self._still) + 2
        self.size = self._shape[0] * self._shape[1]

    def equations(self, context: Context) -> np.ndarray:
        """Returns the joints' equations of motion in the step that starts now.

        Args:
            context: Context of the plant.

        Returns:
            For each joint: the effort per velocity at the step's end, the effort if
            these are 0, and the load without contacts and the like; flattened, shape
            (size,).
        """
        plant, dofs, dt = self._plant, self._dofs, self._step
        v = plant.GetVelocities(context)
        plant.CalcForceElementsContribution(context, self._forces)
        bias = plant.CalcInverseDynamics(context, self._still, self._forces)
        # Joints' dampers are among the force elements, with the velocity of now.
        damping = np.array(
            [joint.GetDampingVector(context)[0] for joint in self._joints]
        )
        bias = bias[dofs] - damping * v[dofs]
        inertia = plant.CalcMassMatrix(context)[dofs]
        found = np.empty(self._shape)
        found[:, :-2] = inertia / dt
        found[range(len(dofs)), dofs] += damping
        found[:, -2] = bias - inertia @ v / dt
        pull = self._springs * plant.GetPositions(context)[self._places]
        found[:, -1] = -bias - pull
        return found.ravel()

    def own(self, equations: np.ndarray) -> np.ndarray:
        """Returns the loads without contacts and the like, shape (n,), N m or N."""
        return equations.reshape(self._shape)[:, -1]

    def pushed(
        self,
        equations: np.ndarray,
        began_at: np.ndarray,
        plant_state: np.ndarray,
        actuation: np.ndarray,
    ) -> np.ndarray:
        """Returns the efforts of contacts and the like in a step, shape (n,), N m or N.

        Args:
            equations: equations of that step.
            began_at: positions of the joints as the step began, shape (n,), rad or m.
            plant_state: [q, v] after the step. If it was set since then, the result is
                0.
            actuation: actuation of the joints in that step, shape (n,), N m or N.
        """
        v = plant_state[-len(self._still) :]
        way = plant_state[self._places] - began_at
        moved = self._step * v[self._dofs]
        if (np.abs(way - moved) > _SAME_PLACE * (1 + np.abs(way))).any():
            return np.zeros(len(way))
        rows = equations.reshape(self._shape)
        return rows[:, :-2] @ v + rows[:, -2] - actuation
