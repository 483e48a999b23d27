"""The corners of a patch on which two shapes press on each other."""

import numpy as np
from pydrake.geometry import ContactSurface

from webmotor_drake.contact.sliding_directions import axes_across

# Webots has at most so many points per pair (WbSimulationCluster.cpp).
MOST = 10
# The directions in which corners are the farthest, all round.
_ANGLES = 2 * np.pi * np.arange(64) / 64
# What is that near to the farthest is the same corner, as a share of the patch's span.
_NEARLY = 1e-3
_WAYS = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


def patch_corners(surface: ContactSurface, force: np.ndarray) -> np.ndarray:
    """Returns the corners of a patch: 4 for a box that lies flat.

    They are the outermost points with pressure, seen along the force.

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
    flat = (points - points[0]) @ axes_across(force / size).T
    far = flat @ _WAYS
    nearly = far >= far.max(axis=0) - _NEARLY * np.ptp(flat, axis=0).max()
    corners = [*dict.fromkeys(nearly.argmax(axis=0).tolist())]
    step = max(1.0, len(corners) / MOST)
    chosen = np.arange(0, len(corners) - 1e-9, step).astype(int)
    return points[np.take(corners, chosen)]
