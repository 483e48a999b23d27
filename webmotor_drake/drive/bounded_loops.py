"""`bounded_solve` in loops, for numba; `torque_loops` says why it stands twice."""

import numpy as np

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.bounded_solve import PATIENCE, TIE


@compiled
def solve_bounded(inertia, force, rows, motors, effort, a):
    """Solves as `bounded_solve.solve_bounded` does, but for its last resort.

    Args:
        inertia: as there.
        force: as there.
        rows: as there.
        motors: wanted accelerations, bounds up to UNBOUNDED and softness, row by
            row, shape (3 or more, m).
        effort: the guess; becomes the efforts.
        a: gets the accelerations, shape (nv,).

    Returns:
        Whether the sets settled.
    """
    n, m = len(force), len(rows)
    if n == 1 and m == 1:
        wanted, bound, softness = motors[0, 0], motors[1, 0], motors[2, 0]
        found = inertia[0, 0] * wanted - force[0]
        found /= 1.0 + softness * inertia[0, 0]
        effort[0] = min(max(found, -bound), bound)
        a[0] = (force[0] + effort[0]) / inertia[0, 0]
        return True
    at_bound, moving = np.zeros(m), np.empty(m, np.int64)
    for i in range(m):
        if abs(effort[i]) >= motors[1, i]:
            at_bound[i] = np.copysign(1.0, effort[i])
    fewest, patience = m + 1, PATIENCE
    room = np.empty((n + 2, n))
    for _ in range(20 + 10 * m):
        _solve_with_set(inertia, force, rows, motors, at_bound, effort, a, room)
        count = _find_moving(a, rows, motors, effort, at_bound, moving)
        if count == 0:
            return True
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            return False
        for i in moving[:count]:
            free = at_bound[i] == 0.0
            at_bound[i] = np.copysign(1.0, effort[i]) if free else 0.0
    return False


@compiled
def _find_moving(a, rows, motors, effort, at_bound, moving):
    """Writes the result of `bounded_solve._moving`; returns their number."""
    count = 0
    for i in range(len(rows)):
        wanted, bound = motors[0, i], motors[1, i]
        reached = a[rows[i]] + motors[2, i] * effort[i]
        tie = TIE * (abs(wanted) + abs(reached))
        freed = at_bound[i] * (wanted - reached) < -tie and bound > 0.0
        if freed or abs(effort[i]) > bound:
            moving[count] = i
            count += 1
    return count


@compiled
def _solve_with_set(inertia, force, rows, motors, at_bound, effort, a, room):
    """Solves as `bounded_solve._solve_with_set` does, in some `room` for it."""
    n, m = len(force), len(rows)
    matrix, aim, scale = room[:n], room[n], room[n + 1]
    _aim(force, rows, motors, at_bound, effort, a, aim, scale)
    for i in range(n):
        for k in range(n):
            a[i] += inertia[i, k] * aim[k]
            matrix[i, k] = scale[i] * inertia[i, k] * scale[k]
        a[i] *= scale[i]
        if scale[i] >= 0.0:
            matrix[i, i] += 1.0
    _solve_symmetric(matrix, a)
    for i in range(n):
        a[i] = aim[i] - scale[i] * a[i]
    for c in range(m):
        if at_bound[c] == 0.0:
            effort[c] = -force[rows[c]]
            for k in range(n):
                effort[c] += inertia[rows[c], k] * a[k]


@compiled
def _aim(force, rows, motors, at_bound, effort, a, aim, scale):
    """Writes efforts at bounds, the aim and the scale; `a` is what they leave."""
    for i in range(len(force)):
        aim[i], scale[i], a[i] = 0.0, -1.0, -force[i]
    for c in range(len(rows)):
        if at_bound[c] == 0.0:
            aim[rows[c]] = motors[0, c]
            scale[rows[c]] = np.sqrt(motors[2, c])
        else:
            effort[c] = at_bound[c] * motors[1, c]
            a[rows[c]] -= effort[c]


@compiled
def _solve_symmetric(matrix, right):
    """Solves with a symmetric positive definite matrix; overwrites both."""
    n = len(right)
    for i in range(n):
        for k in range(i):
            factor = matrix[k, i]
            for j in range(i, n):
                matrix[i, j] -= factor * matrix[k, j]
        factor = 1.0 / np.sqrt(matrix[i, i])
        for j in range(i, n):
            matrix[i, j] *= factor
    for i in range(n):
        right[i] /= matrix[i, i]
        for k in range(i + 1, n):
            right[k] -= matrix[i, k] * right[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
