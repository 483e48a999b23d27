"""Poses in Webots' fields: a translation, and a rotation by axis and angle."""

from collections.abc import Sequence

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix

from webmotor_drake.nodes import Pose


def turn(axis: Sequence[float], angle: float) -> RotationMatrix:
    """Returns the rotation about an axis of any length; the identity for length 0."""
    largest = float(abs(np.array(axis)).max())
    if largest < 1e-12 or not angle:
        return RotationMatrix()
    axis = np.array(axis) / largest
    length = float(np.linalg.norm(axis))
    # Modulo full turns: wheels are saved at hundreds of radians.
    return RotationMatrix(
        AngleAxis(
            angle=float(np.remainder(angle, 2 * np.pi)),
            axis=np.array(axis) / length,
        )
    )


def pose(
    translation: Sequence[float], rotation: Sequence[float]
) -> RigidTransform:
    """Returns the pose of `translation` and `rotation` (axis, then angle)."""
    *axis, angle = rotation
    return RigidTransform(turn(axis, angle), np.array(translation, dtype=float))


def short(value: float) -> float:
    """Returns a length or an angle without rounding errors below 1e-12."""
    return round(float(value), 12) + 0.0


def axis_angle(R: RotationMatrix) -> list[float]:
    """Returns a rotation as x, y, z of a unit axis and the angle, rad.

    The axis of no rotation is z, as in Webots' files.
    """
    turned = R.ToAngleAxis()
    if turned.angle() == 0:
        return [0.0, 0.0, 1.0, 0.0]
    return [*turned.axis().tolist(), float(turned.angle())]


def webots_pose(X: RigidTransform) -> Pose:
    """Returns a pose in Webots' fields."""
    rotation = [*map(short, axis_angle(X.rotation()))]
    if not rotation[3]:
        rotation = [0.0, 0.0, 1.0, 0.0]
    return Pose([*map(short, X.translation())], rotation)
