"""Colliding meshes in convex parts: Drake collides with the hull of a mesh only.

Parts that share no vertex are separated. If a static part is not convex, each of its
triangles becomes a thin prism: otherwise a robot in an arena of one mesh would be
inside the hull of that mesh.
"""

import functools
import itertools
import typing
from collections.abc import Callable

import numpy as np
from pydrake.geometry import Convex

# Shares of a mesh's size: corners nearer than the first are one, and a corner farther
# than the second outside of a face makes the mesh concave.
_SAME, _OUTSIDE = 1e-6, 1e-3
# Largest and least thickness of a prism behind its face, m.
_THICK, _THIN = 0.05, 0.002
# Most prisms, and most faces times corners of a convexity check: more take too long.
MOST_PRISMS, _MOST_CHECKS = 1500, 40_000_000


# Number of cached results: legs and wheels of a robot often share a mesh.
_KEPT = 50
# Drake computes a hull again and again; of so few triangles that is fast.
_FEW = 40

T = typing.TypeVar("T")


def _kept(function: Callable[..., T]) -> Callable[..., T]:
    """Caches the last results of a function of triangles."""

    @functools.lru_cache(maxsize=_KEPT)
    def known(data: bytes, **options: bool) -> T:
        return function(np.frombuffer(data).reshape(-1, 3, 3), **options)

    @functools.wraps(function)
    def found(triangles: np.ndarray, **options: bool) -> T:
        return known(triangles.astype(float).tobytes(), **options)

    return found


@_kept
def hull(triangles: np.ndarray) -> np.ndarray:
    """Returns the triangles of a mesh's convex hull; a small mesh stays as it is.

    Args:
        triangles: shape (n, 3, 3), m, not flat.
    """
    if len(triangles) <= _FEW:
        return triangles
    points = triangles.reshape(-1, 3)
    found = Convex(points=points.T, label="part").GetConvexHull()
    corners = np.array([found.vertex(i) for i in range(found.num_vertices())])
    faces = []
    for i in range(found.num_elements()):
        face = found.element(i)
        first, *others = (face.vertex(k) for k in range(face.num_vertices()))
        faces += [(first, a, b) for a, b in itertools.pairwise(others)]
    return corners[np.array(faces)]


@_kept
def convex_parts(
    triangles: np.ndarray, *, fixed: bool
) -> tuple[list[np.ndarray], bool]:
    """Splits a mesh into parts; Drake collides with the hull of each part.

    Args:
        triangles: shape (n, 3, 3), m, anticlockwise from outside.
        fixed: True if the mesh stands still.

    Returns:
        The parts, and whether the hull of any part is larger than the part.
    """
    parts: list[np.ndarray] = []
    filled = False
    prisms = 0
    for component in _components(triangles):
        if _is_convex(component):
            parts.append(component)
        elif fixed and prisms + len(component) <= MOST_PRISMS:
            prisms += len(component)
            parts += [
                _prism(triangle, depth)
                for triangle, depth in zip(
                    component, _depths(component), strict=True
                )
            ]
        else:
            parts.append(component)
            filled = True
    if len(parts) > MOST_PRISMS or not parts:
        return [triangles], True
    return parts, filled


def _is_convex(triangles: np.ndarray) -> bool:
    """Returns whether a mesh is flat, or closed with all corners behind all faces."""
    points, corners = np.unique(
        triangles.reshape(-1, 3), axis=0, return_inverse=True
    )
    if len(points) * len(triangles) > _MOST_CHECKS:
        return False
    a = triangles[:, 0]
    normals = np.cross(triangles[:, 1] - a, triangles[:, 2] - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths == 0, 1, lengths)
    offsets = np.einsum("ij,ij->i", normals, a)[:, None]
    tolerance = _OUTSIDE * float(np.ptp(points, axis=0).max())
    some = slice(None, None, max(1, len(triangles) // _FEW))
    heights = normals[some] @ points.T - offsets[some]
    if heights.max() > tolerance and heights.min() < -tolerance:
        return False
    heights = normals @ points.T - offsets
    if abs(heights).max() <= tolerance:
        return True
    if heights.max() > tolerance and heights.min() < -tolerance:
        return False
    # Each edge of a closed mesh has two faces.
    sides = corners.reshape(-1, 3)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    _, faces = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    return bool((faces == 2).all())


def _components(triangles: np.ndarray) -> list[np.ndarray]:
    """Returns the parts of a mesh that share no corner."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max()) or 1.0
    rounded = np.round(triangles.reshape(-1, 3) / (_SAME * size)).astype(
        np.int64
    )
    _, corners = np.unique(rounded, axis=0, return_inverse=True)
    corners = corners.reshape(-1, 3)
    labels = np.arange(corners.max() + 1)
    while True:  # each corner gets the least label around it
        least = labels[corners].min(axis=1)
        new = labels.copy()
        np.minimum.at(new, corners.ravel(), np.repeat(least, 3))
        new = new[new]
        if (new == labels).all():
            break
        labels = new
    owner = labels[corners[:, 0]]
    return [triangles[owner == label] for label in np.unique(owner)]


def _depths(triangles: np.ndarray) -> np.ndarray:
    """Returns a mesh's thickness behind each face's middle (Moeller, Trumbore 1997)."""
    a = triangles[:, 0]
    e1, e2 = triangles[:, 1] - a, triangles[:, 2] - a
    normals = np.cross(e1, e2)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    depths = np.full(len(triangles), _THICK)
    for i, middle in enumerate(triangles.mean(axis=1)):
        ray = -normals[i]
        p = np.cross(ray, e2)
        scale = np.einsum("ij,ij->i", e1, p)
        with np.errstate(all="ignore"):  # a parallel ray meets nothing
            s = middle - a
            u = np.einsum("ij,ij->i", s, p) / scale
            q = np.cross(s, e1)
            v = q @ ray / scale
            t = np.einsum("ij,ij->i", e2, q) / scale
            met = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 1e-6)
        if met.any():
            depths[i] = np.clip(t[met].min(), _THIN, _THICK)
    return depths


def _prism(triangle: np.ndarray, depth: float) -> np.ndarray:
    """Returns a prism behind a triangle; shape (8, 3, 3)."""
    a, b, c = triangle
    normal = np.cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal)
    d, e, f = triangle - depth * normal
    return np.array(
        [
            (a, b, c),
            (f, e, d),
            (a, d, b),
            (b, d, e),
            (b, e, c),
            (c, e, f),
            (c, f, a),
            (a, f, d),
        ]
    )
