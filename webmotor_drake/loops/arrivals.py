"""Follows the corners of shapes A to the faces of shapes B through a step.

Corners are spheres, faces are planes, and both move along straight lines. Poses of
bodies are 3 x 4 matrices, row by row, 12 numbers each. Motions are a body's angular
velocity, its velocity and the part of this that the step adds, 9 numbers each.
"""

import math

# Columns of a found corner: its pair, its point, its kind of arrival (below); its gap,
# and its distance within all other faces as it meets this one, m; its speeds along the
# normal: mean of the step, at the start, and the part that the step adds, m/s; the
# normal, from B into A, and the middle of its sphere, m.
PAIR, CORNER, COMES, GAP, INSIDE, RATE, STRAIGHT, FALL, NORMAL = range(9)
MIDDLE, COLUMNS, _COLUMNS = 11, 14, 14
# Kinds of arrival: it bears its load already, is in B but comes fast, or lands.
RESTS, SINKS, LANDS = range(3)
_RESTS, _SINKS, _LANDS = range(3)
_INF = float("inf")
# A corner that goes in faster than this, m/s, Drake's friction would hold by more than
# twice its load.
_FAST = 0.02
# A corner less deep than this share of its depth at rest bears no load yet.
_LOADED = 0.25
# Deeper than that share of their radius only balls may come: corners rest less deep.
_BALL = 0.4
# This many held corners carry an edge.
_CARRY = 2
# A short cylinder rolls on its middle if its axis is this close to a face: sine.
_LIES = 0.05
# Places in `work` after the poses at the step's end. Seen from B: A's pose now and at
# the end, its middle, the speed that the step adds. Distances: of ways from straight
# ones; from touching corners to their leaving by the end, from others to their arrival,
# and the least of these two.
_NOW, _THEN, _MIDDLE, _FALL = 0, 12, 24, 27
_BOW, _STAYS, _AWAY, _SLACK = 30, 31, 32, 33


def arrivals(
    pairs,
    shapes,
    measures,
    points,
    planes,
    poses,
    velocities,
    changes,
    falls,
    step,
    motions,
    work,
    found,
):
    """Finds the corners that touch faces, or will by the end of a step.

    Args:
        pairs: shapes A and B, (2 p).
        shapes: indices per shape: body, first point, first point that counts only if
            those before it do not carry the shape, end of the points, first plane, end
            of the planes, and end of the points that count only if the shape lies on
            its side, (7 s).
        measures: numbers per shape: depth at which its corners rest, its middle on its
            body, the largest distance from there, m, and its axis, (8 s).
        points: places on their bodies, and radii of spheres, (4 c), m.
        planes: planes of faces on their bodies: outward normals and offsets, (4 k), m.
        poses: poses of bodies in the world, (12 b).
        velocities: velocities of bodies, angular ones first, (6 b).
        changes: changes of velocities before the step, (6 b).
        falls: changes of velocities that the step adds, (6 b).
        step: length of the step, s.
        motions: returns the bodies' motions, (9 b).
        work: room for numbers, (12 b + 34). The last four return distances, m: of
            corners' ways from straight ones at most; and that shapes may move until a
            touching corner leaves by the step's end, until another corner arrives, and
            until either happens.
        found: returns found corners, COLUMNS numbers each; the last place is reused.

    Returns:
        The number of corners that are found.
    """
    seen, count = len(poses), 0
    for i in range(len(falls)):
        row = 9 * (i // 6) + i % 6
        motions[row] = velocities[i] + changes[i] + falls[i]
        if i % 6 > 2:
            motions[row + 3] = falls[i]
    _advance(poses, motions, step, work)
    work[seen + _STAYS] = work[seen + _AWAY] = work[seen + _SLACK] = _INF
    work[seen + _BOW] = 0.0
    for pair in range(len(pairs) // 2):
        a, b = pairs[2 * pair], pairs[2 * pair + 1]
        if not _near(
            a, b, shapes, measures, planes, poses, motions, step, work
        ):
            continue
        held = 0
        for i in range(shapes[7 * a + 1], shapes[7 * a + 3]):
            if held >= _CARRY and i >= shapes[7 * a + 2]:
                break
            row = min(_COLUMNS * count, len(found) - _COLUMNS)
            comes = _followed(
                points, 4 * i, planes, 4 * shapes[7 * b + 4],
                4 * shapes[7 * b + 5], measures, 8 * a,
                i < shapes[7 * a + 6], step, work, seen, found, row,
            )  # fmt: skip
            bow = _bow(points, 4 * i, poses, motions, shapes[7 * a], step)
            work[seen + _BOW] = max(work[seen + _BOW], bow)
            if comes > 0 and i < shapes[7 * a + 2]:
                held += 1
            if comes == 2:
                found[row], found[row + 1] = pair, i
                _place(
                    points, 4 * i, poses, motions, shapes[7 * a],
                    shapes[7 * b], found, row,
                )  # fmt: skip
                count += 1
    return count


def _advance(poses, motions, step, then):
    """Writes the poses at the end of the step (Rodrigues)."""
    for body in range(len(poses) // 12):
        p, m = 12 * body, 9 * body
        x, y, z = motions[m], motions[m + 1], motions[m + 2]
        square = step * step * (x * x + y * y + z * z)
        first, half = step, step * step / 2
        if square > 1e-12:
            angle = math.sqrt(square)
            first = step * math.sin(angle) / angle
            half = step * step * (1 - math.cos(angle)) / square
        for k in range(3):
            a, b, c = poses[p + k], poses[p + 4 + k], poses[p + 8 + k]
            u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
            then[p + k] = a + first * u + half * (y * w - z * v)
            then[p + 4 + k] = b + first * v + half * (z * u - x * w)
            then[p + 8 + k] = c + first * w + half * (x * v - y * u)
            k = 4 * k + 3
            then[p + k] = poses[p + k] + step * motions[m + 3 + k // 4]


def _near(a, b, shapes, measures, planes, poses, motions, step, work):
    """Returns whether two shapes may meet in the step; then writes A as seen from B."""
    body_a, body_b, seen = shapes[7 * a], shapes[7 * b], len(poses)
    _see(poses, 12 * body_a, 12 * body_b, work, seen + _NOW)
    x, y, z = measures[8 * a + 1], measures[8 * a + 2], measures[8 * a + 3]
    reach = measures[8 * a + 4]
    u, v = _at(work, seen, x, y, z), _at(work, seen + 4, x, y, z)
    w = _at(work, seen + 8, x, y, z)
    far = math.sqrt(u * u + v * v + w * w)
    # A body's turning moves what is far from its origin the most.
    bound = reach + step * (
        _size(motions, 9 * body_a + 3)
        + _size(motions, 9 * body_a)
        * (math.sqrt(x * x + y * y + z * z) + reach)
        + _size(motions, 9 * body_b + 3)
        + _size(motions, 9 * body_b) * (far + reach)
    )
    away = -_INF
    for k in range(4 * shapes[7 * b + 4], 4 * shapes[7 * b + 5], 4):
        height = planes[k] * u + planes[k + 1] * v + planes[k + 2] * w
        away = max(away, height - planes[k + 3])
    if away > bound:
        work[seen + _SLACK] = min(work[seen + _SLACK], away - bound)
        work[seen + _AWAY] = min(work[seen + _AWAY], away - bound)
        return False
    angle = step * _size(motions, 9 * body_b)
    bow = (far + bound) * angle * max(angle, 2.0) / 8
    work[seen + _BOW] = max(work[seen + _BOW], bow)
    _see(work, 12 * body_a, 12 * body_b, work, seen + _THEN)
    work[seen + _MIDDLE], work[seen + _MIDDLE + 1] = u, v
    work[seen + _MIDDLE + 2] = w
    for k in range(3):
        total = 0.0
        for m in range(3):
            fall = motions[9 * body_a + 6 + m] - motions[9 * body_b + 6 + m]
            total += poses[12 * body_b + 4 * m + k] * fall
        work[seen + _FALL + k] = total
    return True


def _bow(points, i, poses, motions, body, step):
    """Returns how far at most a point's way on its body is from a straight one."""
    m, p = 9 * body, 12 * body
    angle = step * _size(motions, m)
    if angle == 0.0:
        return 0.0
    x, y, z = points[i], points[i + 1], points[i + 2]
    u = poses[p] * x + poses[p + 1] * y + poses[p + 2] * z
    v = poses[p + 4] * x + poses[p + 5] * y + poses[p + 6] * z
    w = poses[p + 8] * x + poses[p + 9] * y + poses[p + 10] * z
    x = motions[m + 1] * w - motions[m + 2] * v
    y = motions[m + 2] * u - motions[m] * w
    z = motions[m] * v - motions[m + 1] * u
    return step * math.sqrt(x * x + y * y + z * z) * min(angle / 8, 1.0)


def _see(poses, a, b, seen, place):
    """Writes the pose of a body A in B."""
    for i in range(3):
        for k in range(4):
            total = 0.0
            for m in range(3):
                value = poses[a + 4 * m + k]
                if k == 3:
                    value -= poses[b + 4 * m + 3]
                total += poses[b + 4 * m + i] * value
            seen[place + 4 * i + k] = total


def _at(poses, row, x, y, z):
    """Returns a coordinate of a place after a pose, by a row of the pose."""
    return (
        poses[row] * x
        + poses[row + 1] * y
        + poses[row + 2] * z
        + poses[row + 3]
    )


def _size(vectors, place):
    x, y, z = vectors[place], vectors[place + 1], vectors[place + 2]
    return math.sqrt(x * x + y * y + z * z)


def _followed(
    points, i, planes, first, last, measures, a, rolls, step, work, seen,
    found, row,
):  # fmt: skip
    """Returns 0 for a corner that passes by, 1 for one that is held, 2 if found."""
    x, y, z, radius = points[i], points[i + 1], points[i + 2], points[i + 3]
    px, py = _at(work, seen, x, y, z), _at(work, seen + 4, x, y, z)
    pz, then = _at(work, seen + 8, x, y, z), seen + _THEN
    qx, qy = _at(work, then, x, y, z), _at(work, then + 4, x, y, z)
    qz, then = _at(work, then + 8, x, y, z), seen + _MIDDLE
    x, y, z = px - work[then], py - work[then + 1], pz - work[then + 2]
    rests = measures[a]
    loaded = -_LOADED * rests
    outside = leaves = kept = deepest = latest = -_INF
    facing, coming = -1, -1
    for k in range(first, last, 4):
        u, v, w = planes[k], planes[k + 1], planes[k + 2]
        gap = u * px + v * py + w * pz - planes[k + 3] - radius
        later = u * qx + v * qy + w * qz - planes[k + 3] - radius
        outside, leaves = max(outside, gap), max(leaves, later)
        # A face that is not reached keeps a corner out.
        kept = max(kept, min(gap, later))
        # Only the side of A that faces B lands; what is behind comes later.
        faces = u * x + v * y + w * z < radius
        if faces and gap > deepest:
            deepest, facing = gap, k
        time = -1.0
        if gap > loaded:
            time = max(gap, 0.0) / (gap - later) if later < gap else 0.0
        if time > latest:
            latest, coming = time, k if faces else -1
    inside = outside <= loaded
    slack = loaded - outside if inside else kept + rests
    work[seen + _SLACK] = min(work[seen + _SLACK], slack)
    if inside:
        work[seen + _STAYS] = min(work[seen + _STAYS], loaded - leaves)
    else:
        work[seen + _AWAY] = min(work[seen + _AWAY], slack)
        if kept > -rests:
            return 0
        facing = coming
    if facing < 0:
        return 1
    if rolls and not _lies(measures, a + 5, planes, facing, work, seen):
        return 0
    comes, away = _RESTS if inside else _LANDS, 0.0
    if not inside or rests > _BALL * radius:
        away, latest = -_INF, max(latest, 0.0)
        for k in range(first, last, 4):
            if k != facing:
                u, v, w = planes[k], planes[k + 1], planes[k + 2]
                gap = u * px + v * py + w * pz - planes[k + 3]
                rate = u * (qx - px) + v * (qy - py) + w * (qz - pz)
                away = max(away, gap + latest * rate)
        # Its middle is beyond another face then: it slides onto the next tile, above
        # that already, or it is a ball at an edge, less deep there than behind a face.
        if away > 0:
            return 1
    u, v, w = planes[facing], planes[facing + 1], planes[facing + 2]
    gap = u * px + v * py + w * pz - planes[facing + 3] - radius
    rate = (u * (qx - px) + v * (qy - py) + w * (qz - pz)) / step
    then = seen + _FALL
    fall = u * work[then] + v * work[then + 1] + w * work[then + 2]
    if inside and rate - fall < -_FAST:
        comes = _SINKS
        work[seen + _SLACK] = min(work[seen + _SLACK], 0.0)
    found[row + 2], found[row + 3], found[row + 4] = comes, gap, -away
    found[row + 5], found[row + 7] = rate, fall
    found[row + 8], found[row + 9], found[row + 10] = u, v, w
    return 2


def _lies(axes, a, planes, k, work, seen):
    """Returns whether an axis on A is parallel to a plane on B."""
    total = 0.0
    for i in range(3):
        for m in range(3):
            total += planes[k + i] * work[seen + _NOW + 4 * i + m] * axes[a + m]
    return abs(total) < _LIES


def _place(points, i, poses, motions, a, b, found, row):
    """Writes normal, middle and speed of a found corner, in the world."""
    u, v, w = found[row + 8], found[row + 9], found[row + 10]
    for k in range(3):
        r = 12 * b + 4 * k
        found[row + 8 + k] = poses[r] * u + poses[r + 1] * v + poses[r + 2] * w
        r = 12 * a + 4 * k
        found[row + 11 + k] = _at(
            poses, r, points[i], points[i + 1], points[i + 2]
        )
    found[row + 6] = _leaving(poses, motions, a, found, row)
    found[row + 6] -= _leaving(poses, motions, b, found, row)


def _leaving(poses, motions, body, found, row):
    """Returns the speed of a point of a body along a normal."""
    x = found[row + 11] - poses[12 * body + 3]
    y = found[row + 12] - poses[12 * body + 7]
    z = found[row + 13] - poses[12 * body + 11]
    m, n = 9 * body, row + 8
    i, j, k = motions[m], motions[m + 1], motions[m + 2]
    return (
        found[n] * (motions[m + 3] + j * z - k * y)
        + found[n + 1] * (motions[m + 4] + k * x - i * z)
        + found[n + 2] * (motions[m + 5] + i * y - j * x)
    )
