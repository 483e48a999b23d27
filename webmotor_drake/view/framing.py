"""Places cameras, so that a robot fills the picture."""

import math
from collections.abc import Sequence

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix

Vector = Sequence[float] | np.ndarray

# From the robot to the camera: in front of it, to its right, a little above.
TOWARDS_CAMERA = np.array([1.0, -1.0, 0.55])

# The least distance of a camera, m: nobody looks from within.
_NEAREST = 0.05


def framing(
    corners: np.ndarray,
    towards: np.ndarray,
    gravity: Vector,
    tangents: Vector,
) -> tuple[RigidTransform, np.ndarray]:
    """Returns the pose of a camera that sees all corners, and its target, m.

    Args:
        corners: points in the world, shape (n, 3), m.
        towards: direction from the corners to the camera, in axes with z up.
        gravity: gravity of the world, m/s^2.
        tangents: tangents of the half angles, across and up, that may be filled.
    """
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    z = -towards / np.linalg.norm(towards)
    x = np.cross(z, [0, 0, 1])
    x /= np.linalg.norm(x)
    R_WC = upright(gravity) @ RotationMatrix(
        np.column_stack([x, np.cross(z, x), z])
    )
    seen = (corners - center) @ R_WC.matrix()  # in the camera's directions
    needed = (abs(seen[:, :2]) / tangents).max(axis=1) - seen[:, 2]
    away = max(float(needed.max()), _NEAREST)
    return RigidTransform(R_WC, center - away * R_WC.col(2)), center


def upright(gravity: Vector) -> RotationMatrix:
    """Returns the turn from z up to the world's own up; Webots' may have y up.

    Args:
        gravity: gravity of the world, m/s^2.
    """
    up = -np.array(gravity, float)
    if not up.any() or not np.cross(up, [0, 0, 1]).any():
        return RotationMatrix()
    axis = np.cross([0, 0, 1], up)
    angle = math.atan2(float(np.linalg.norm(axis)), float(up[2]))
    turn = AngleAxis(angle=angle, axis=axis / np.linalg.norm(axis))
    return RotationMatrix(turn)
