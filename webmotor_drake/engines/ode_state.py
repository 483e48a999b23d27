"""The state that a Drake plant has where its mechanism moves in ODE."""

import math
from collections.abc import Mapping
from types import ModuleType

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, Joint, JointIndex
from pydrake.systems.framework import Context

from webmotor_drake.engines.ode_joint import OdeJoint
from webmotor_drake.simulation.body_poses import free_joints


class OdeState:
    """Reads the plant's positions and velocities from ODE.

    Args:
        ode: the engine's module.
        plant: the finalized plant.
        context: the plant's, at the poses that the ODE bodies have now.
        bodies: the ODE body of each body of the plant; None: fixed to the world.
        joints: the ODE joint of each joint of one degree of freedom.
    """

    def __init__(
        self,
        ode: ModuleType,
        plant: MultibodyPlant,
        context: Context,
        *,
        bodies: Mapping[BodyIndex, object],
        joints: Mapping[JointIndex, OdeJoint],
    ):
        self._ode, self._plant = ode, plant
        self._context = plant.CreateDefaultContext()
        start = plant.GetPositionsAndVelocities(context)
        plant.SetPositionsAndVelocities(self._context, start)
        self._joints = {plant.get_joint(i): j for i, j in joints.items()}
        self._free = []
        for index, joint in free_joints(plant).items():
            if (body := bodies[index]) is not None:
                X_WB = joint.child_body().EvalPoseInWorld(context)
                X_OB = self._pose(body).InvertAndCompose(X_WB)
                self._free.append((joint, body, X_OB))

    def read(self) -> np.ndarray:
        """Returns [q, v] now."""
        context = self._context
        state = self._plant.GetPositionsAndVelocities(context).copy()
        nq = self._plant.num_positions()
        for joint, moved in self._joints.items():
            state[joint.position_start()] = moved.position
            state[nq + joint.velocity_start()] = moved.velocity
        self._plant.SetPositionsAndVelocities(context, state)
        for joint, body, X_OB in self._free:
            X_WO = self._pose(body)
            if X_WO.IsNearlyEqualTo(X_WO, math.inf):  # no NaN in it
                self._set(joint, body, X_WO, X_OB)
        return self._plant.GetPositionsAndVelocities(context).copy()

    def _pose(self, body: object) -> RigidTransform:
        turned = np.array(self._ode.dBodyGetRotation(body)[:12])
        at = self._ode.dBodyGetPosition(body)[:3]
        R_WO = RotationMatrix.ProjectToRotationMatrix(
            turned.reshape(3, 4)[:, :3]
        )
        return RigidTransform(R_WO, at)

    def _set(
        self,
        joint: Joint,
        body: object,
        X_WO: RigidTransform,
        X_OB: RigidTransform,
    ) -> None:
        """Sets a free joint's pose and velocity from its ODE body's."""
        context, ode = self._context, self._ode
        X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
        X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
        X_WM = X_WO @ X_OB @ X_BM
        joint.SetPose(context, X_WF.InvertAndCompose(X_WM))
        w_WM = np.array(ode.dBodyGetAngularVel(body)[:3])
        lever = X_WM.translation() - X_WO.translation()
        v_WM = ode.dBodyGetLinearVel(body)[:3] + np.cross(w_WM, lever)
        R_FW = X_WF.rotation().inverse()
        joint.set_angular_velocity(context, R_FW @ w_WM)
        joint.set_translational_velocity(context, R_FW @ v_WM)
