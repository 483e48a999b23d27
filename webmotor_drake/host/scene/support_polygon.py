"""Whether something stands above the support polygon of its contact points."""

import math

import numpy as np


def is_above(center: np.ndarray, points: np.ndarray, down: np.ndarray) -> bool:
    """Returns whether a point is above the convex hull of others, along gravity.

    Args:
        center: the point, m, shape (3,).
        points: those that the hull is of, m, shape (n, 3), n at least 1.
        down: the direction of gravity, of any length but 0, shape (3,).
    """
    z = down / np.linalg.norm(down)
    x = np.cross(z, np.eye(3)[int(np.argmin(abs(z)))])
    plane = np.array([x / np.linalg.norm(x), np.cross(z, x)])
    arms = (points - center) @ plane.T
    angles = np.sort(np.arctan2(arms[:, 1], arms[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * math.pi))
    return bool(gaps.max() < math.pi)
