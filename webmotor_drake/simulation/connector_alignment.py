"""The alignment of two Connectors, and the pose in which one would hold the other.

The rules are Webots' (WbConnector.cpp), with the axes of R2022a: x points away from the
body, z shows turns about x. Each Connector applies its own tolerances.
"""

import math

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix

from webmotor_drake.nodes.connectors import Connector


def is_in_place(node: Connector, X_AB: RigidTransform) -> bool:
    """Returns whether another Connector B is where A may hold it.

    Args:
        node: Connector A.
        X_AB: the pose of B in A.
    """
    if np.linalg.norm(X_AB.translation()) > node.distance_tolerance:
        return False
    R_AB = X_AB.rotation().matrix()
    if _angle(R_AB[0, 0]) <= math.pi - node.axis_tolerance:
        return False
    turn = _angle(R_AB[2, 2])
    return node.number_of_rotations == 0 or _allowed(node, turn) is not None


def held_pose(node: Connector, X_AB: RigidTransform) -> RigidTransform:
    """Returns the pose in which A holds B: the present one, or one nearby.

    Args:
        node: Connector A.
        X_AB: the pose of B in A, for which `is_in_place` is True.
    """
    if not node.snap:
        return X_AB
    R_AB = _facing(X_AB.rotation())
    z_A, z_B = np.array([0.0, 0.0, 1.0]), R_AB.matrix()[:, 2]
    turn = math.atan2(np.cross(z_A, z_B)[0], z_B[2])
    if node.number_of_rotations:
        allowed = _allowed(node, abs(turn))
        if allowed is None:  # the axes were not yet opposite when it was looked
            allowed = min(_turns(node), key=lambda one: abs(one - abs(turn)))
        turn_back = math.copysign(allowed, turn) - turn
        R_AB = RotationMatrix(AngleAxis(turn_back, [1.0, 0.0, 0.0])) @ R_AB
    return RigidTransform(R_AB, [0.0, 0.0, 0.0])


def _facing(R_AB: RotationMatrix) -> RotationMatrix:
    """Returns the nearest orientation of B whose x axis is opposite to A's."""
    x_B, opposite = R_AB.matrix()[:, 0], np.array([-1.0, 0.0, 0.0])
    axis = np.cross(x_B, opposite)
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return R_AB
    angle = math.atan2(length, float(x_B @ opposite))
    return RotationMatrix(AngleAxis(angle, axis / length)) @ R_AB


def _angle(cosine: float) -> float:
    return math.acos(min(max(cosine, -1.0), 1.0))


def _turns(node: Connector) -> list[float]:
    count = node.number_of_rotations
    return [2 * math.pi * i / count for i in range(count // 2 + 1)]


def _allowed(node: Connector, turn: float) -> float | None:
    """Returns the first allowed turn near one; None if there is none."""
    tolerance = node.rotation_tolerance
    near = (one for one in _turns(node) if abs(turn - one) < tolerance)
    return next(near, None)
