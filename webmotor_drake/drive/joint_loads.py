"""The loads of joints in the plant's contact solver, for friction that grows with them.

A load is what BAM's controller for MuJoCo takes it to be: gravity, Coriolis forces and
springs now, and what contacts, stops and constraints pushed in the last step. How other
joints or a free base accelerate is not in it. The solver does not tell what all these
pushed together; but what is left of the joint's equation of motion, they did:

    pushed = M (v+ - v) / dt + bias + D v+ - actuation

with the row M of the mass matrix, the bias forces and the joint's damping D as that
step began. So these are kept from one step to the next.
"""

import numpy as np
from pydrake.multibody.tree import MultibodyForces
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import ModelMotors

# A joint that moved by other than dt v+, as a share of that and of 1, was put there.
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
            context: the plant's.

        Returns:
            Per joint what its effort is for each velocity at the step's end, what it is
            without, and its load but for what will push; flattened, shape (size,).
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
            began_at: positions of the joints when it began, shape (n,), rad or m.
            plant_state: [q, v] after it. Where somebody has set it since, nothing is
                known of what pushed.
            actuation: actuation of the joints in that step, shape (n,), N m or N.
        """
        v = plant_state[-len(self._still) :]
        way = plant_state[self._places] - began_at
        moved = self._step * v[self._dofs]
        if (np.abs(way - moved) > _SAME_PLACE * (1 + np.abs(way))).any():
            return np.zeros(len(way))
        rows = equations.reshape(self._shape)
        return rows[:, :-2] @ v + rows[:, -2] - actuation
