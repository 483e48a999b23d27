"""The points where shapes press on each other, with forces, and patches' corners."""

from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    ContactSurface,
    Cylinder,
    HydroelasticContactRepresentation,
    QueryObject,
)

from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.proximity import softness_of
from webmotor_drake.contact.sliding_directions import axes_across

_POLYGON = HydroelasticContactRepresentation.kPolygon
# The least growth of pressure with depth that counts, Pa/m: some polygons have none.
_LEAST = 1.0
# A cylinder lies if its axis is this parallel to the other surface: sine of the angle.
_LIES = 0.05
# Webots has at most so many points per pair (WbSimulationCluster.cpp).
MOST = 10
# Directions all round; a corner is the farthest point in one of them.
_ANGLES = 2 * np.pi * np.arange(64) / 64
# Points that are nearly the farthest are the same corner; a share of the patch's span.
_NEARLY = 1e-3
_WAYS = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


class PressedPoint(NamedTuple):
    """A point in which shapes A and B touch.

    Attributes:
        shapes: A and B.
        p_WC: point of contact, m.
        n_W: the normal, from B into A.
        force: force with which they press, N; negative where they do not touch yet.
        stiffness: growth of the force as the shapes come nearer, N/m.
    """

    shapes: ShapePair
    p_WC: np.ndarray
    n_W: np.ndarray
    force: float
    stiffness: float


def pressed_points(query: QueryObject) -> list[PressedPoint]:
    """Returns the points of contact: patches as in Drake, lying cylinders as in ODE.

    Args:
        query: query of the shapes.
    """
    surfaces, pairs = query.ComputeContactSurfacesWithFallback(_POLYGON)
    points = []
    for pair in pairs:
        shapes = pair.id_A, pair.id_B
        soft = softness_of(query.inspector(), shapes)
        n_W, middle = pair.nhat_BA_W.copy(), (pair.p_WCa + pair.p_WCb) / 2
        places = _ends(query, shapes, middle, n_W)
        share = len(places)
        force, stiffness = pair.depth / soft / share, 1 / soft / share
        points += [
            PressedPoint(shapes, p, n_W, force, stiffness) for p in places
        ]
    for surface in surfaces:
        points += _of_patch(surface)
    return points


def _ends(
    query: QueryObject, shapes: ShapePair, p_WC: np.ndarray, n_W: np.ndarray
) -> list[np.ndarray]:
    """Returns the ends of the line in which a lying cylinder touches, else p_WC."""
    for geometry in shapes:
        shape = query.inspector().GetShape(geometry)
        if not isinstance(shape, Cylinder):
            continue
        X_WG = query.GetPoseInWorld(geometry)
        z_W = X_WG.rotation().matrix()[:, 2].copy()
        if abs(z_W @ n_W) < _LIES:
            half = shape.length() / 2 * z_W
            middle = p_WC - z_W * (z_W @ (p_WC - X_WG.translation()))
            return [middle - half, middle + half]
    return [p_WC]


def _of_patch(surface: ContactSurface) -> list[PressedPoint]:
    """Returns the middles of a patch's polygons, where Drake's forces act."""
    mesh, pressure = surface.poly_mesh_W(), surface.poly_e_MN()
    shapes = surface.id_M(), surface.id_N()
    points = []
    for i in range(mesh.num_elements()):
        p, n, area = mesh.element_centroid(i), mesh.face_normal(i), mesh.area(i)
        soft = 0.0
        if surface.HasGradE_M():
            soft += 1 / max(surface.EvaluateGradE_M_W(i) @ n, _LEAST)
        if surface.HasGradE_N():
            soft += 1 / max(-surface.EvaluateGradE_N_W(i) @ n, _LEAST)
        force = area * pressure.EvaluateCartesian(i, p)
        points.append(
            PressedPoint(shapes, p.copy(), n.copy(), force, area / soft)
        )
    return points


def patch_corners(surface: ContactSurface, force: np.ndarray) -> np.ndarray:
    """Returns the corners of a patch: 4 for a box that lies flat.

    They are the outermost points with pressure, seen along the force.

    Args:
        surface: contact surface of Drake, in the world's frame.
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
