"""A base that a planar joint holds, moved as a whole."""

import math

from pydrake.math import RigidTransform
from pydrake.multibody.tree import PlanarJoint
from pydrake.systems.framework import Context

# What rounding may take a pose out of its plane: m, and of a cosine.
_ROUNDING = 1e-6


def move_in_plane(
    context: Context, joint: PlanarJoint, X_WB: RigidTransform
) -> bool:
    """Sets the pose of a base; its velocities stay the same.

    Args:
        context: the plant's, which is changed.
        joint: between the world and the base.
        X_WB: the pose.

    Returns:
        Whether the pose is in the joint's plane; if not, nothing is changed.
    """
    X_WF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
    X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
    X_FM = X_WF.inverse() @ X_WB @ X_BM
    R_FM, (x, y, z) = X_FM.rotation().matrix(), X_FM.translation()
    if abs(z) > _ROUNDING or R_FM[2, 2] < 1 - _ROUNDING:
        return False
    joint.set_pose(context, [x, y], math.atan2(R_FM[1, 0], R_FM[0, 0]))
    return True
