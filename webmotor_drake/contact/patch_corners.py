"""The corners of a patch on which two shapes press on each other."""

import numpy as np
from pydrake.geometry import ContactSurface

from webmotor_drake.contact.sliding_directions import axes_across

# Webots has at most so many points per pair (WbSimulationCluster.cpp).
MOST = 10
# A corner that stands out by a smaller share of the patch's span does not count.
_FLAT = 1e-3


def patch_corners(surface: ContactSurface, force: np.ndarray) -> np.ndarray:
    """Returns the corners of a patch: 4 for a box that lies flat.

    They are the convex hull of where there is pressure, seen along the force.

    Args:
        surface: Drake's, in the world's frame.
        force: the net force, N, shape (3,).

    Returns:
        Points in the world, m, shape (n, 3), at most 10; none where nothing presses.
    """
    if surface.is_triangle():
        mesh, pressure = surface.tri_mesh_W(), surface.tri_e_MN()
    else:
        mesh, pressure = surface.poly_mesh_W(), surface.poly_e_MN()
    # With a margin surfaces reach beyond the shapes, at negative pressure.
    points = [
        mesh.vertex(i)
        for i in range(mesh.num_vertices())
        if pressure.EvaluateAtVertex(i) >= 0
    ]
    size = np.linalg.norm(force)
    if not points or not size:
        return np.empty((0, 3))
    points = np.array(points)
    corners = points[_hull((points - points[0]) @ axes_across(force / size).T)]
    if len(corners) <= MOST:
        return corners
    return corners[
        np.linspace(0, len(corners), MOST, endpoint=False).astype(int)
    ]


def _hull(points: np.ndarray) -> list[int]:
    """Returns the indices of the convex hull's corners, in order.

    A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions, 1979.

    Args:
        points: in a plane, shape (n, 2).
    """
    span = np.ptp(points, axis=0).max()
    order = np.lexsort(points.T[::-1])
    chains = []
    for way in (order, order[::-1]):
        chain: list[int] = []
        for i in way:
            while len(chain) > 1 and not _turns_left(
                *points[[chain[-2], chain[-1], i]], _FLAT * span
            ):
                chain.pop()
            chain.append(int(i))
        chains.append(chain)
    lower, upper = chains
    return lower[:-1] + upper[:-1] or lower


def _turns_left(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, least: float
) -> bool:
    """Returns whether b is right of the line from a to c by `least` or more."""
    along, to_b = c - a, b - a
    length = np.hypot(*along)
    if length <= least:
        return False
    return (along[1] * to_b[0] - along[0] * to_b[1]) / length > least
