"""The points in which two shapes meet that touch on a patch.

ODE has them where corners of one are within the other: four where a box lies flat, two
where it stands on an edge (ode/src/box.cpp).
"""

from collections.abc import Iterable

import numpy as np
from pydrake.geometry import (
    ContactSurface,
    Convex,
    GeometryId,
    Mesh,
    PolygonSurfaceMesh,
    QueryObject,
    SceneGraphInspector,
)

from webmotor_drake.contact.corners import vertices_of
from webmotor_drake.contact.patch_corners import MOST, patch_corners

# Patches begin before shapes touch (`configure_contact`), and stop what comes: m.
_NEAR = 2e-3
# 1 + the cosine between the normals of two faces where Drake gives up: measured, 1.51
# and 1.58.
_SHARP = 1.6e-6
# A patch whose normals cancel out by more than that looks to all sides.
_ONE_SIDED = 0.4


def meeting_points(
    query: QueryObject, surface: ContactSurface
) -> tuple[np.ndarray, list[tuple[np.ndarray, float]]]:
    """Returns where two shapes meet, and how deep they are in each other.

    Args:
        query: of the shapes.
        surface: their patch.

    Returns:
        Its mean normal, and points in the world, m, at most 10, with their depths, m,
        negative before they touch; none where it looks to all sides.
    """
    mesh = surface.poly_mesh_W()
    faces = range(mesh.num_elements())
    mean = sum(mesh.area(i) * mesh.face_normal(i) for i in faces)
    size = np.linalg.norm(mean)
    if size < _ONE_SIDED * mesh.total_area():
        return mean, []
    try:
        points = _corners_inside(query, surface)
    except RuntimeError:  # a shape nearby has a sharp edge: see `sharp_shapes`
        points = []
    if not points:
        corners = patch_corners(surface, mean / size)
        points = [(corner, 0.0) for corner in corners]
    return mean / size, sorted(points, key=lambda point: -point[1])[:MOST]


def _corners_inside(
    query: QueryObject, surface: ContactSurface
) -> list[tuple[np.ndarray, float]]:
    """Returns the corners of both shapes that are in the other, and their depths."""
    ids = surface.id_M(), surface.id_N()
    return [
        (p_WC, -found.distance)
        for own, other in (ids, ids[::-1])
        for p_WC in _placed(query, own)
        for found in query.ComputeSignedDistanceToPoint(p_WC, _NEAR)
        if found.id_G == other
    ]


def sharp_shapes(
    inspector: SceneGraphInspector, shapes: Iterable[GeometryId]
) -> list[GeometryId]:
    """Returns the hulls of which Drake cannot say how far a point is from them.

    Faces meet at such an edge at less than 0.1 degrees: it has no normal there.
    """
    return [
        shape
        for shape in shapes
        if isinstance(inspector.GetShape(shape), Convex | Mesh)
        and _is_sharp(inspector.GetConvexHull(shape))
    ]


def _is_sharp(hull: PolygonSurfaceMesh) -> bool:
    known: dict[tuple[int, int], np.ndarray] = {}
    for i in range(hull.num_elements()):
        face, normal = hull.element(i), hull.face_normal(i)
        corners = [face.vertex(k) for k in range(face.num_vertices())]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            other = known.setdefault((min(a, b), max(a, b)), normal)
            if 1 + other @ normal < _SHARP:
                return True
    return False


def _placed(query: QueryObject, geometry: GeometryId) -> np.ndarray:
    """Returns the corners of a shape in the world, m, shape (n, 3)."""
    p_GC = vertices_of(query.inspector().GetShape(geometry))
    return (query.GetPoseInWorld(geometry) @ p_GC.T).T
