"""The points in which shapes press on each other, and how hard."""

from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    ContactSurface,
    Cylinder,
    HydroelasticContactRepresentation,
    PenetrationAsPointPair,
    QueryObject,
)

from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.proximity import softness_of

_POLYGON = HydroelasticContactRepresentation.kPolygon
# The least growth of pressure with depth, Pa/m: some polygons have none.
_LEAST = 1.0
# A cylinder lies if its axis is that near to the other's surface: sine of the angle.
_LIES = 0.05


class PressedPoint(NamedTuple):
    """A point in which shapes A and B touch.

    Attributes:
        shapes: A and B.
        p_WC: point of contact, m.
        n_W: the normal, from B into A.
        force: force with which they press, N; negative where they do not touch yet.
        stiffness: growth of that as they come nearer, N/m.
    """

    shapes: ShapePair
    p_WC: np.ndarray
    n_W: np.ndarray
    force: float
    stiffness: float


def pressed_points(query: QueryObject) -> list[PressedPoint]:
    """Returns where shapes touch: patches as Drake has them, lying cylinders as ODE.

    Args:
        query: query of the shapes.
    """
    surfaces, pairs = query.ComputeContactSurfacesWithFallback(_POLYGON)
    points = []
    for pair in pairs:
        points += _of_pair(query, pair)
    for surface in surfaces:
        points += _of_patch(surface)
    return points


def _of_pair(
    query: QueryObject, pair: PenetrationAsPointPair
) -> list[PressedPoint]:
    shapes = pair.id_A, pair.id_B
    soft = softness_of(query.inspector(), shapes)
    n_W, middle = pair.nhat_BA_W.copy(), (pair.p_WCa + pair.p_WCb) / 2
    places = _ends(query, shapes, middle, n_W)
    share = len(places)
    return [
        PressedPoint(
            shapes, p, n_W, pair.depth / soft / share, 1 / soft / share
        )
        for p in places
    ]


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
    """Returns the middles of a patch's polygons, in which Drake has its forces."""
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
