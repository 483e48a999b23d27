"""Meshes with fewer triangles, for pages that would be too large."""

import math

import numpy as np

# Cells along the longest side of a mesh, from fine to coarse.
_CELLS = [round(256 / math.sqrt(2) ** i) for i in range(14)]


def simplified(
    triangles: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns a mesh of no more than `most` triangles, or as few as can be.

    Vertices in one cell of a grid become one, their mean (Rossignac and Borrel's
    clustering); triangles that lose a corner by that go.

    Args:
        triangles: shape (n, 3, 3), m.
        most: number of triangles that are wanted.

    Returns:
        Vertices, shape (v, 3), and the indices of the triangles, shape (m, 3).
    """
    points = triangles.reshape(-1, 3)
    low, size = points.min(axis=0), np.ptp(points, axis=0).max() or 1.0
    vertices, corners = _clustered(points, np.round((points - low) / size, 6))
    for cells in _CELLS:
        if len(corners) <= most:
            break
        cell = np.floor((points - low) / size * cells)
        vertices, corners = _clustered(points, cell)
    return vertices, corners


def _clustered(
    points: np.ndarray, cells: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mesh in which the points of a cell are one."""
    _, cluster = np.unique(cells, axis=0, return_inverse=True)
    cluster = cluster.reshape(-1)
    number = np.bincount(cluster)
    vertices = np.column_stack(
        [np.bincount(cluster, weights=points[:, i]) / number for i in range(3)]
    )
    corners = cluster.reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    # Two layers of a thin sheet may have become one.
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return vertices, corners[np.sort(first)]
