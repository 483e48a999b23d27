"""Poses over time in the words of people: angles, distances, paths."""

import numpy as np


def roll_pitch_yaw(quaternions: np.ndarray) -> np.ndarray:
    """Returns roll, pitch and yaw, rad, as Drake's RollPitchYaw has them.

    The body is turned about the world's x by roll, then y by pitch, then z by yaw.
    Roll and yaw don't jump by a whole turn from row to row.

    Args:
        quaternions: w, x, y, z of length 1, shape (K, 4).

    Returns:
        Shape (K, 3).
    """
    w, x, y, z = quaternions.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.column_stack([_unwrapped(roll), pitch, _unwrapped(yaw)])


def _unwrapped(angle: np.ndarray) -> np.ndarray:
    """Returns the angle without jumps; rows that are no numbers stay so."""
    known = np.isfinite(angle)
    angle = angle.copy()
    angle[known] = np.unwrap(angle[known])
    return angle
