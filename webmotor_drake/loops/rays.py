"""Intersects rays with shapes, in closed form: one pass over all rays and shapes.

Poses are 3 x 4 matrices, row by row, 12 numbers each.
"""

import math

BOX, ELLIPSOID, CYLINDER, CAPSULE, HALF_SPACE, POLYTOPE = range(6)
_BOX, _ELLIPSOID, _CYLINDER, _CAPSULE, _, _POLYTOPE = range(6)
_INF = float("inf")
# A component of a direction below this share is 0: the ray is along the shape.
_ALONG = 1e-15


def cast_rays(
    origins,
    directions,
    ray_bodies,
    ranges,
    poses,
    shape_bodies,
    shape_poses,
    kinds,
    sizes,
    faces,
    planes,
    blind,
    placed,
    lengths,
    met,
):
    """Finds the first shape that each ray meets.

    A ray that starts inside of a shape meets it where it leaves.

    Args:
        origins: origins of n rays, in the frames of their bodies, (3 n), m.
        directions: unit vectors there, (3 n).
        ray_bodies: the rays' bodies, as indices of `poses`, (n).
        ranges: largest lengths of the rays, (n), m.
        poses: poses of bodies in the world, (12 b).
        shape_bodies: the bodies of m shapes, (m).
        shape_poses: poses of the shapes on their bodies, (12 m).
        kinds: kinds of the shapes, BOX and so on, (m).
        sizes: half sizes of a box; radii of an ellipsoid; radius and half length
            of a cylinder or capsule (between its caps), along z, (3 m), m.
        faces: first plane and end of the planes of polytopes, (2 m).
        planes: planes of polytopes: outward normals and offsets, (4 k).
        blind: one value per ray and shape, True if the ray passes through, (n m).
        placed: returns the shapes' poses in the world, (12 m).
        lengths: returns the lengths of the rays, (n), m.
        met: returns indices of the shapes that they meet, -1 for none, (n).
    """
    shapes = len(kinds)
    _place_shapes(poses, shape_bodies, shape_poses, placed)
    for i in range(len(ray_bodies)):
        b = 12 * ray_bodies[i]
        x, y, z = origins[3 * i], origins[3 * i + 1], origins[3 * i + 2]
        ox = poses[b] * x + poses[b + 1] * y + poses[b + 2] * z + poses[b + 3]
        b += 4
        oy = poses[b] * x + poses[b + 1] * y + poses[b + 2] * z + poses[b + 3]
        b += 4
        oz = poses[b] * x + poses[b + 1] * y + poses[b + 2] * z + poses[b + 3]
        b -= 8
        x, y = directions[3 * i], directions[3 * i + 1]
        z = directions[3 * i + 2]
        dx = poses[b] * x + poses[b + 1] * y + poses[b + 2] * z
        dy = poses[b + 4] * x + poses[b + 5] * y + poses[b + 6] * z
        dz = poses[b + 8] * x + poses[b + 9] * y + poses[b + 10] * z
        best, first = ranges[i], -1
        for j in range(shapes):
            if blind[i * shapes + j]:
                continue
            g = 12 * j
            x = ox - placed[g + 3]
            y = oy - placed[g + 7]
            z = oz - placed[g + 11]
            px = placed[g] * x + placed[g + 4] * y + placed[g + 8] * z
            py = placed[g + 1] * x + placed[g + 5] * y + placed[g + 9] * z
            pz = placed[g + 2] * x + placed[g + 6] * y + placed[g + 10] * z
            ux = placed[g] * dx + placed[g + 4] * dy + placed[g + 8] * dz
            uy = placed[g + 1] * dx + placed[g + 5] * dy + placed[g + 9] * dz
            uz = placed[g + 2] * dx + placed[g + 6] * dy + placed[g + 10] * dz
            if kinds[j] == _POLYTOPE:
                begin, end = faces[2 * j], faces[2 * j + 1]
                t = _polytope(px, py, pz, ux, uy, uz, planes, begin, end)
            else:
                t = _met(kinds[j], px, py, pz, ux, uy, uz, sizes, 3 * j)
            if t < best:
                best, first = t, j
        lengths[i] = best
        met[i] = first


def _place_shapes(poses, shape_bodies, shape_poses, placed):
    """Writes the shapes' poses in the world."""
    for j in range(len(shape_bodies)):
        b, g = 12 * shape_bodies[j], 12 * j
        for row in range(3):
            r = b + 4 * row
            for column in range(4):
                total = poses[r + 3] if column == 3 else 0.0
                for k in range(3):
                    total += poses[r + k] * shape_poses[g + 4 * k + column]
                placed[g + 4 * row + column] = total


def _met(kind, px, py, pz, ux, uy, uz, sizes, place):
    """Returns a ray's length to a shape (not a polytope), in the shape's frame."""
    a, b, c = sizes[place], sizes[place + 1], sizes[place + 2]
    if kind == _BOX:
        return _box(px, py, pz, ux, uy, uz, a, b, c)
    if kind == _ELLIPSOID:
        return _ellipsoid(px / a, py / b, pz / c, ux / a, uy / b, uz / c)
    if kind == _CYLINDER:
        near, far = _cylinder(px, py, pz, ux, uy, uz, a, b)
        return _ahead(near, far)
    if kind == _CAPSULE:
        return _capsule(px, py, pz, ux, uy, uz, a, b)
    if uz == 0 or -pz / uz <= 0:  # a half space below z = 0, from either side
        return _INF
    return -pz / uz


def _ahead(near, far):
    """Returns where a ray enters, or leaves if it starts inside."""
    if near > far or far <= 0:
        return _INF
    return near if near > 0 else far


def _slab(p, u, half):
    """Returns where |p + t u| <= half."""
    if abs(u) < _ALONG:
        if abs(p) <= half:
            return -_INF, _INF
        return _INF, -_INF
    low, high = (-half - p) / u, (half - p) / u
    if low < high:
        return low, high
    return high, low


def _quadric(a, half_b, c):
    """Returns where a t^2 + 2 half_b t + c <= 0, for a >= 0."""
    if a < _ALONG:
        if c <= 0:
            return -_INF, _INF
        return _INF, -_INF
    root = half_b * half_b - a * c
    if root < 0:
        return _INF, -_INF
    root = math.sqrt(root)
    return (-half_b - root) / a, (-half_b + root) / a


def _box(px, py, pz, ux, uy, uz, a, b, c):
    near, far = _slab(px, ux, a)
    low, high = _slab(py, uy, b)
    near, far = max(near, low), min(far, high)
    low, high = _slab(pz, uz, c)
    return _ahead(max(near, low), min(far, high))


def _ellipsoid(px, py, pz, ux, uy, uz):
    near, far = _quadric(
        ux * ux + uy * uy + uz * uz,
        px * ux + py * uy + pz * uz,
        px * px + py * py + pz * pz - 1,
    )
    return _ahead(near, far)


def _cylinder(px, py, pz, ux, uy, uz, radius, half):
    near, far = _quadric(
        ux * ux + uy * uy,
        px * ux + py * uy,
        px * px + py * py - radius * radius,
    )
    low, high = _slab(pz, uz, half)
    return max(near, low), min(far, high)


def _capsule(px, py, pz, ux, uy, uz, radius, half):
    # A capsule is convex, so a ray is inside of its parts along one stretch.
    near, far = _cylinder(px, py, pz, ux, uy, uz, radius, half)
    if near > far:
        near, far = _INF, -_INF
    for sign in range(-1, 2, 2):
        z = pz - sign * half
        low, high = _quadric(
            1.0,
            px * ux + py * uy + z * uz,
            px * px + py * py + z * z - radius * radius,
        )
        if low <= high:
            near, far = min(near, low), max(far, high)
    return _ahead(near, far)


def _polytope(px, py, pz, ux, uy, uz, planes, first, last):
    near, far = -_INF, _INF
    for k in range(first, last):
        nx, ny, nz = planes[4 * k], planes[4 * k + 1], planes[4 * k + 2]
        height = nx * px + ny * py + nz * pz - planes[4 * k + 3]
        speed = nx * ux + ny * uy + nz * uz
        if abs(speed) < _ALONG:
            if height > 0:
                return _INF
        elif speed < 0:
            near = max(near, -height / speed)
        else:
            far = min(far, -height / speed)
    return _ahead(near, far)
