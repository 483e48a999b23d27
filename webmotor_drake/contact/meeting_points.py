"""The points in which two shapes meet that touch on a patch.

ODE has them where corners of one are within the other: four where a box lies flat, two
where it stands on an edge (ode/src/box.cpp).
"""

import itertools

import numpy as np
from pydrake.geometry import (
    Box,
    ContactSurface,
    Convex,
    GeometryId,
    Mesh,
    QueryObject,
)

from webmotor_drake.contact.patch_corners import MOST, patch_corners

_SIGNS = np.array([*itertools.product((-0.5, 0.5), repeat=3)])
# Patches begin before shapes touch (`configure_contact`), and stop what comes: m.
_NEAR = 2e-3
# A patch whose normals cancel out by more than that looks to all sides.
_ONE_SIDED = 0.4


def mean_normal(surface: ContactSurface) -> np.ndarray | None:
    """Returns the mean normal of a patch; None for one that looks to all sides."""
    mesh = surface.poly_mesh_W()
    faces = range(mesh.num_elements())
    mean = sum(mesh.area(i) * mesh.face_normal(i) for i in faces)
    size = np.linalg.norm(mean)
    if size < _ONE_SIDED * mesh.total_area():
        return None
    return mean / size


def meeting_points(
    query: QueryObject, surface: ContactSurface, z_W: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns where two shapes meet, and how deep they are in each other.

    Args:
        query: of the shapes.
        surface: their patch.
        z_W: its normal.

    Returns:
        Points in the world, m, shape (n, 3), at most 10, and their depths, m,
        negative before they touch.
    """
    ids = surface.id_M(), surface.id_N()
    points, depths = [], []
    for own, other in (ids, ids[::-1]):
        for p_WC in _corners(query, own):
            for found in query.ComputeSignedDistanceToPoint(p_WC, _NEAR):
                if found.id_G == other:
                    points.append(p_WC)
                    depths.append(-found.distance)
    if not points:
        corners = patch_corners(surface, z_W)
        return corners, np.zeros(len(corners))
    deepest = np.argsort(depths)[::-1][:MOST]
    return np.array(points)[deepest], np.array(depths)[deepest]


def _corners(query: QueryObject, geometry: GeometryId) -> np.ndarray:
    """Returns the corners of a shape in the world, m, shape (n, 3)."""
    inspector = query.inspector()
    match shape := inspector.GetShape(geometry):
        case Box():
            p_GC = _SIGNS * shape.size()
        case Convex() | Mesh():
            hull = inspector.GetConvexHull(geometry)
            p_GC = np.array(
                [hull.vertex(i) for i in range(hull.num_vertices())]
            )
        case _:
            return np.empty((0, 3))
    return (query.GetPoseInWorld(geometry) @ p_GC.T).T
