"""Webots' rotations: an axis and an angle."""

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RotationMatrix


def axis_angle(R: RotationMatrix) -> list[float]:
    """Returns a rotation as x, y, z of a unit axis and the angle, rad.

    The axis of no rotation is z, as in Webots' files.
    """
    turn = R.ToAngleAxis()
    if turn.angle() == 0:
        return [0.0, 0.0, 1.0, 0.0]
    return [*turn.axis().tolist(), float(turn.angle())]


def rotation_of(values: list[float]) -> RotationMatrix:
    """Returns the rotation of an axis, not 0 but of any length, and an angle."""
    *axis, angle = values
    unit = np.array(axis) / np.linalg.norm(axis)
    return RotationMatrix(AngleAxis(angle=angle, axis=unit))
