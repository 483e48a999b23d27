"""Along which directions shapes slide, and how much resists them there.

Boxes, cylinders and planes have directions, as in Webots (computeFrictionDirection of
WbBox, WbCylinder, WbPlane; WbSimulationCluster::fillSurfaceParameters).
"""

import math
from typing import NamedTuple

import numpy as np
from pydrake.geometry import Box, Cylinder, GeometryId, HalfSpace, QueryObject

from webmotor_drake.nodes.contact import ContactProperties

# The shapes that have directions.
DIRECTED = Box, Cylinder, HalfSpace


class Sliding(NamedTuple):
    """How a pair of shapes slides.

    Attributes:
        entry: entry of their materials.
        first, second: the shapes of its first and second material.
        turned: shape into which the normal points that friction_rotation turns about:
            the one that moves, else the first.
    """

    entry: ContactProperties
    first: GeometryId
    second: GeometryId
    turned: GeometryId


class Grip(NamedTuple):
    """The resistance to sliding.

    Attributes:
        axes: two directions across the normal, shape (2, 3).
        friction: Coulomb's coefficients along them.
        slip: slip along them, m/(N s).
    """

    axes: np.ndarray
    friction: tuple[float, float]
    slip: tuple[float, float]


def grip(query: QueryObject, sliding: Sliding, n_W: np.ndarray) -> Grip:
    """Returns friction and slip where two shapes touch, and their directions.

    Args:
        query: query of the shapes.
        sliding: sliding of the pair.
        n_W: the normal, into the shape `sliding.turned`.
    """
    entry = sliding.entry
    if entry.by_direction:
        shapes = sliding.first, sliding.second
        turns = zip(shapes, entry.friction_rotation, strict=True)
        x1_W, x2_W = (
            _turned(_direction(query, shape, n_W), n_W, -angle)
            for shape, angle in turns
        )
        if x1_W.any() and x2_W.any():
            turn = math.acos(min(1.0, abs(float(x1_W @ x2_W))))
            return Grip(
                axes_along(x1_W, n_W), entry.frictions(turn), entry.slips(turn)
            )
    friction = entry.coulomb_friction[0]
    friction = math.inf if friction == -1 else friction
    slip = entry.force_dependent_slip[0] if entry.force_dependent_slip else 0.0
    return Grip(axes_across(n_W), (friction, friction), (slip, slip))


def axes_across(n_W: np.ndarray) -> np.ndarray:
    """Returns any two unit vectors across a normal, shape (2, 3)."""
    return axes_along(np.eye(3)[int(np.argmin(abs(n_W)))], n_W)


def axes_along(x_W: np.ndarray, n_W: np.ndarray) -> np.ndarray:
    """Returns two unit vectors across a normal, the first along x_W; shape (2, 3)."""
    x = x_W - n_W * (n_W @ x_W)
    size = np.linalg.norm(x)
    if not size:
        return axes_across(n_W)
    x /= size
    return np.array([x, _cross(n_W, x)])


def _direction(
    query: QueryObject, geometry: GeometryId, n_W: np.ndarray
) -> np.ndarray:
    """Returns the first direction of a shape's surface; 0 if it has none."""
    R_WG = query.GetPoseInWorld(geometry).rotation().matrix()
    x, _, z = np.eye(3)
    match query.inspector().GetShape(geometry):
        case HalfSpace():
            return R_WG @ x
        case Box() | Cylinder():
            n_G = abs(R_WG.T @ n_W)
            return R_WG @ (x if n_G[2] > max(n_G[0], n_G[1]) else z)
        case _:
            return np.zeros(3)


def _turned(x: np.ndarray, n: np.ndarray, angle: float) -> np.ndarray:
    """Returns a vector turned about a unit vector (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    return c * x + s * _cross(n, x) + (1 - c) * (n @ x) * n


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the cross product, in a tenth of np.cross's time."""
    (a_x, a_y, a_z), (b_x, b_y, b_z) = a.tolist(), b.tolist()
    return np.array(
        [a_y * b_z - a_z * b_y, a_z * b_x - a_x * b_z, a_x * b_y - a_y * b_x]
    )
