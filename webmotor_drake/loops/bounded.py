"""The bounded problem of motors' efforts; `drive.bounded_solve` says what it is."""

import math

from webmotor_drake.loops import places, zeros
from webmotor_drake.loops.solver_constants import PATIENCE, TIE

_PATIENCE, _TIE = PATIENCE, TIE


class Room:
    """Where a bounded problem of up to n velocities is solved."""

    def __init__(self, n):
        self.at_bound, self.moving = zeros(n), places([0] * n)
        self.matrix, self.aim, self.scale = zeros(n, n), zeros(n), zeros(n)


def solve_bounded(n, m, inertia, force, rows, motors, effort, a, room):
    """Solves as its namesake in `drive.bounded_solve` does, but for its last resort.

    Args:
        n: the number of velocities.
        m: of motors.
        inertia: as there.
        force: as there.
        rows: as there.
        motors: wanted accelerations, bounds up to UNBOUNDED and softness, row by
            row, shape (3 or more, m).
        effort: the guess; becomes the efforts.
        a: gets the accelerations, shape (nv,).
        room: a `Room`.

    Returns:
        Whether the sets settled.
    """
    if n == 1 and m == 1:
        wanted, bound, softness = motors[0, 0], motors[1, 0], motors[2, 0]
        found = inertia[0, 0] * wanted - force[0]
        found /= 1.0 + softness * inertia[0, 0]
        effort[0] = min(max(found, -bound), bound)
        a[0] = (force[0] + effort[0]) / inertia[0, 0]
        return True
    at_bound, moving = room.at_bound, room.moving
    for i in range(m):
        at_bound[i] = 0.0
        if abs(effort[i]) >= motors[1, i]:
            at_bound[i] = math.copysign(1.0, effort[i])
    fewest, patience = m + 1, _PATIENCE
    for _ in range(20 + 10 * m):
        _solve_with_set(n, m, inertia, force, rows, motors, effort, a, room)
        count = _find_moving(m, a, rows, motors, effort, at_bound, moving)
        if count == 0:
            return True
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            return False
        for k in range(count):
            i = moving[k]
            free = at_bound[i] == 0.0
            at_bound[i] = math.copysign(1.0, effort[i]) if free else 0.0
    return False


def _find_moving(m, a, rows, motors, effort, at_bound, moving):
    """Writes the result of `bounded_solve._moving`; returns their number."""
    count = 0
    for i in range(m):
        wanted, bound = motors[0, i], motors[1, i]
        reached = a[rows[i]] + motors[2, i] * effort[i]
        tie = _TIE * (abs(wanted) + abs(reached))
        freed = at_bound[i] * (wanted - reached) < -tie and bound > 0.0
        if freed or abs(effort[i]) > bound:
            moving[count] = i
            count += 1
    return count


def _solve_with_set(n, m, inertia, force, rows, motors, effort, a, room):
    """Solves as `bounded_solve._solve_with_set` does."""
    matrix, aim, scale = room.matrix, room.aim, room.scale
    at_bound = room.at_bound
    for i in range(n):
        aim[i], scale[i], a[i] = 0.0, -1.0, -force[i]
    for c in range(m):
        if at_bound[c] == 0.0:
            aim[rows[c]] = motors[0, c]
            scale[rows[c]] = math.sqrt(motors[2, c])
        else:
            effort[c] = at_bound[c] * motors[1, c]
            a[rows[c]] -= effort[c]
    for i in range(n):
        total, own = a[i], scale[i]
        for k in range(n):
            total += inertia[i, k] * aim[k]
            matrix[i, k] = own * inertia[i, k] * scale[k]
        a[i] = total * own
        if own >= 0.0:
            matrix[i, i] += 1.0
    solve_symmetric(n, matrix, a)
    for i in range(n):
        a[i] = aim[i] - scale[i] * a[i]
    for c in range(m):
        if at_bound[c] == 0.0:
            total, row = -force[rows[c]], rows[c]
            for k in range(n):
                total += inertia[row, k] * a[k]
            effort[c] = total


def solve_symmetric(n, matrix, right):
    """Solves with a symmetric positive definite matrix; overwrites both."""
    for i in range(n):
        for k in range(i):
            factor = matrix[k, i]
            for j in range(i, n):
                matrix[i, j] -= factor * matrix[k, j]
        factor = 1.0 / math.sqrt(matrix[i, i])
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
