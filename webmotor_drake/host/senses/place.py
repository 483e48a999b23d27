"""The pose and velocity of a device in the world."""

import typing

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.drive.self_collision import robot_bodies

if typing.TYPE_CHECKING:
    from webmotor_drake.drive.device_mounts import Mount


class Place:
    """A device D on a body B, in the world W at present.

    Args:
        plant: plant that contains the body.
        context: the plant's Context, read at each call.
        mount: body, and pose of the device on the body.

    Attributes:
        body: the body.
        X_BD: pose of the device on the body.
        key: body and pose, equal for all devices at one place.
        instance: model instance of its robot.
    """

    def __init__(self, plant: MultibodyPlant, context: Context, mount: "Mount"):
        self.plant = plant
        self.context = context
        self.body = mount.body
        self.X_BD = mount.X_BD
        pose = mount.X_BD.GetAsMatrix34().tobytes()
        self.key = int(mount.body.index()), pose
        self._p_BD = mount.X_BD.translation()
        # Most devices are at their body's origin, where poses take half the time.
        self._at_origin = not self._p_BD.any()
        self._aligned = mount.X_BD.rotation().IsExactlyIdentity()
        self.instance = mount.robot

    def robot(self) -> frozenset[BodyIndex]:
        """Returns the bodies of its robot."""
        return frozenset(robot_bodies(self.plant, self.instance))

    def X_WD(self) -> RigidTransform:
        """Returns the pose."""
        return self.X_WB() @ self.X_BD

    @property
    def moves(self) -> bool:
        """True if its body may move."""
        return not self.plant.IsAnchored(self.body)

    def R_WD(self) -> np.ndarray:
        """Returns the orientation, 3 x 3."""
        R_WB = self.X_WB().rotation()
        if self._aligned:
            return R_WB.matrix()
        return (R_WB @ self.X_BD.rotation()).matrix()

    def p_WD(self) -> np.ndarray:
        """Returns the position of the origin, m."""
        if self._at_origin:
            return self.X_WB().translation()
        return self.X_WB() @ self._p_BD

    def w_WD(self) -> np.ndarray:
        """Returns the angular velocity, rad/s, in the world's axes."""
        return self.V_WB().rotational()

    def v_WD(self) -> np.ndarray:
        """Returns the velocity of the origin, m/s, in the world's axes."""
        if self._at_origin:
            return self.V_WB().translational()
        p_BD_W = self.X_WB().rotation() @ self._p_BD
        return self.V_WB().Shift(p_BD_W).translational()

    def X_WB(self) -> RigidTransform:
        """Returns the body's pose."""
        return self.plant.EvalBodyPoseInWorld(self.context, self.body)

    def V_WB(self) -> typing.Any:
        """Returns the body's spatial velocity."""
        return self.plant.EvalBodySpatialVelocityInWorld(
            self.context, self.body
        )
