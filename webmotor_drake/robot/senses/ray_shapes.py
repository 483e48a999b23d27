"""Where rays meet shapes, in closed form, all at once.

All functions take rays in the shapes' own frames G: origins and unit directions of
shape (..., 3), and return how far along each ray the shape's surface is first met
ahead of the origin, of shape (...); infinite where it isn't. A ray that starts inside
meets the surface where it leaves.
"""

import numpy as np


def first_ahead(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Returns where a ray enters, or leaves if it starts inside.

    Args:
        near: where a line is inside from; a line that misses has near > far.
        far: up to where it is inside.
    """
    ahead = np.where(near > 0, near, far)
    return np.where((near <= far) & (far > 0), ahead, np.inf)


def _inside_quadric(
    a: np.ndarray, half_b: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns where a t^2 + 2 half_b t + c <= 0, for a >= 0."""
    root = half_b**2 - a * c
    miss = root < 0
    root = np.sqrt(np.where(miss, 0, root))
    flat = a < 1e-15
    safe = np.where(flat, 1, a)
    near, far = (-half_b - root) / safe, (-half_b + root) / safe
    # A line along the axis of a cylinder is inside everywhere, or nowhere.
    near = np.where(flat, np.where(c <= 0, -np.inf, np.inf), near)
    far = np.where(flat, np.where(c <= 0, np.inf, -np.inf), far)
    return np.where(miss, np.inf, near), np.where(miss, -np.inf, far)


def _between(
    position: np.ndarray, direction: np.ndarray, half: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns where |position + t direction| <= half."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low = (-half - position) / direction
        high = (half - position) / direction
    near, far = np.minimum(low, high), np.maximum(low, high)
    # Along the slab a line is inside everywhere, or nowhere.
    along = direction == 0
    inside = abs(position) <= half
    near = np.where(along, np.where(inside, -np.inf, np.inf), near)
    return near, np.where(along, np.where(inside, np.inf, -np.inf), far)


def box(p: np.ndarray, d: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Boxes of half the sizes (..., 3)."""
    near, far = _between(p, d, half)
    return first_ahead(near.max(axis=-1), far.min(axis=-1))


def ellipsoid(p: np.ndarray, d: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ellipsoids, and spheres, of radii (..., 3)."""
    p, d = p / radii, d / radii
    return first_ahead(
        *_inside_quadric(
            (d * d).sum(axis=-1),
            (p * d).sum(axis=-1),
            (p * p).sum(axis=-1) - 1,
        )
    )


def cylinder(p: np.ndarray, d: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Cylinders along z of radius and half length (..., 2)."""
    return first_ahead(*_inside_cylinder(p, d, size))


def _inside_cylinder(
    p: np.ndarray, d: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    near, far = _inside_quadric(
        (d[..., :2] ** 2).sum(axis=-1),
        (p[..., :2] * d[..., :2]).sum(axis=-1),
        (p[..., :2] ** 2).sum(axis=-1) - size[..., 0] ** 2,
    )
    bottom, top = _between(p[..., 2], d[..., 2], size[..., 1])
    return np.maximum(near, bottom), np.minimum(far, top)


def capsule(p: np.ndarray, d: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Capsules along z of radius and half length between the caps (..., 2)."""
    parts = [_inside_cylinder(p, d, size)]
    for side in (-1, 1):
        centre = np.zeros_like(p)
        centre[..., 2] = side * size[..., 1]
        q = p - centre
        parts.append(
            _inside_quadric(
                np.ones(q.shape[:-1]),
                (q * d).sum(axis=-1),
                (q * q).sum(axis=-1) - size[..., 0] ** 2,
            )
        )
    # It is convex: what is inside of any part is one stretch.
    some = [near <= far for near, far in parts]
    near = np.minimum.reduce(
        [np.where(s, n, np.inf) for s, (n, _) in zip(some, parts, strict=True)]
    )
    far = np.maximum.reduce(
        [np.where(s, f, -np.inf) for s, (_, f) in zip(some, parts, strict=True)]
    )
    return first_ahead(near, far)


def half_space(p: np.ndarray, d: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Half spaces below z = 0, met from either side."""
    z, down = p[..., 2], -d[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = z / down
    return np.where((down != 0) & (t > 0), t, np.inf)


def polytope(
    p: np.ndarray, d: np.ndarray, normals: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """One convex polytope: x with normals x <= offsets, of (f, 3) and (f,)."""
    height = p @ normals.T - offsets
    speed = d @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -height / speed
    near = np.where(speed < 0, t, -np.inf).max(axis=-1)
    far = np.where(speed > 0, t, np.inf).min(axis=-1)
    outside = ((speed == 0) & (height > 0)).any(axis=-1)
    return first_ahead(np.where(outside, np.inf, near), far)
