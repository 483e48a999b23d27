"""The bounded problem: efforts within limits that reach wanted accelerations.

ODE's joint motor is a bounded row of a linear complementarity problem, solved
together with all others (step.cpp, joints/joint.cpp addLimot). In generalised
coordinates: find accelerations a and efforts e with

    A a = f + S e,     |e_i| <= bound_i,
    a_i = wanted_i - softness_i e_i   for the rows i that are not at a bound,

where a row at a bound falls short on the side that the bound explains. A is
symmetric and positive definite, so the solution exists and is unique.
"""

import math

from webmotor_drake.loops import places, zeros

# Steps that move all infeasible rows, or all stops, at once may cycle; after this many
# without progress, one moves at a time, which ends except for rounding.
PATIENCE = 8
# Relative difference of a tie: rounding must not move a row to and fro for ever.
TIE = 1e-12
_PATIENCE, _TIE = PATIENCE, TIE


class Room:
    """Working memory for a bounded problem of up to n velocities."""

    def __init__(self, n):
        # 0, or -1, 1: at -bound, at bound.
        self.at_bound, self.moving = zeros(n), places([0] * n)
        self.matrix, self.x = zeros(n, n), zeros(n)
        self.aim, self.scale = zeros(n), zeros(n)


def solve_bounded(n, m, inertia, force, rows, motors, effort, a, room):
    """Solves the bounded problem by block principal pivoting.

    Júdice and Pires (1994), "A block principal pivoting algorithm for
    large-scale strictly monotone linear complementarity problems".

    Args:
        n: the number of velocities.
        m: number of motors.
        inertia: A, shape (n, n), symmetric positive definite.
        force: f, everything but the efforts sought, shape (n,).
        rows: distinct indices of the rows with an effort, shape (m,).
        motors: wanted accelerations, bounds from 0 up to UNBOUNDED and softness (slip
            in acceleration per effort, from 0 on), row by row, shape (3 or more, m).
        effort: the guess: rows with a guess beyond their bound start at the bound. Gets
            the efforts, always within their bounds.
        a: gets the accelerations, shape (n,).
        room: a `Room`.
    """
    if n == 1 and m == 1:
        wanted, bound, softness = motors[0, 0], motors[1, 0], motors[2, 0]
        found = inertia[0, 0] * wanted - force[0]
        found /= 1.0 + softness * inertia[0, 0]
        effort[0] = min(max(found, -bound), bound)
        a[0] = (force[0] + effort[0]) / inertia[0, 0]
        return
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
            return
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            break
        for k in range(count):
            i = moving[k]
            free = at_bound[i] == 0.0
            at_bound[i] = math.copysign(1.0, effort[i]) if free else 0.0
    _descend(n, m, inertia, force, rows, motors, effort, a, room)


def _descend(n, m, inertia, force, rows, motors, effort, a, room):
    """Solves the bounded problem one row at a time: slower, but never cycles.

    The efforts sought minimise a strictly convex function within their bounds.
    Each turn goes straight to the minimum for a set of rows at their bounds; a row
    that meets its bound on the way joins the set, then the row that its bound
    holds back most leaves it (Stark and Parker 1995, "Bounded-variable least
    squares"). Should rounding keep the sets from settling, the efforts are clipped.
    """
    at_bound, x, moving = room.at_bound, room.x, room.moving
    for i in range(m):
        at_bound[i] = x[i] = 0.0
    for _ in range(20 + 10 * m):
        _solve_with_set(n, m, inertia, force, rows, motors, effort, a, room)
        part, met = 1.0, -1
        for i in range(m):
            if at_bound[i] == 0.0 and abs(effort[i]) > motors[1, i]:
                end = math.copysign(motors[1, i], effort[i])
                reach = (end - x[i]) / (effort[i] - x[i])
                if reach < part:
                    part, met = reach, i
        for i in range(m):
            x[i] += part * (effort[i] - x[i])
        if met >= 0:
            at_bound[met] = math.copysign(1.0, effort[met])
            continue
        count = _find_moving(m, a, rows, motors, effort, at_bound, moving)
        if count == 0:
            break
        least, leaves = math.inf, moving[0]
        for k in range(count):
            i = moving[k]
            short = motors[0, i] - a[rows[i]] - motors[2, i] * effort[i]
            if at_bound[i] * short < least:
                least, leaves = at_bound[i] * short, i
        at_bound[leaves] = 0.0
    for i in range(m):
        effort[i] = min(max(effort[i], -motors[1, i]), motors[1, i])


def _find_moving(m, a, rows, motors, effort, at_bound, moving):
    """Writes the rows that a set's solution shows to be wrong; returns their number.

    They are free rows beyond their bound, and rows that their bound does not hold back.
    """
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
    """Solves the linear problem in which the rows at their bounds are given.

    The unknowns x are sqrt(softness) effort of the other rows, and the accelerations of
    everything else. So the matrix is symmetric and positive definite, and no softness
    is too small: a = aim - scale x.
    """
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
