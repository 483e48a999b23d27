"""The bounded problem: efforts within limits that reach wanted accelerations.

ODE's joint motor is a bounded row of a linear complementarity problem, solved
together with all others (step.cpp, joints/joint.cpp addLimot). In generalised
coordinates: find accelerations a and efforts e with

    A a = f + S e,     |e_i| <= bound_i,
    a_i = wanted_i - softness_i e_i   for the rows i that are not at a bound,

where a row at a bound falls short on the side that the bound explains. A is
symmetric and positive definite, so the solution exists and is unique.
"""

import numpy as np

from webmotor_drake.loops.solver_constants import PATIENCE, TIE, UNBOUNDED


def solve_bounded(
    inertia: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    softness: np.ndarray,
    guess: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solves the bounded problem by block principal pivoting.

    Júdice and Pires (1994), "A block principal pivoting algorithm for
    large-scale strictly monotone linear complementarity problems".

    Args:
        inertia: A, shape (nv, nv), symmetric positive definite.
        force: f, everything but the efforts sought, shape (nv,).
        rows: distinct indices of the m rows with an effort, shape (m,).
        wanted: accelerations wanted for these rows, shape (m,).
        bound: largest |efforts|, shape (m,), at least 0.
        softness: slips in acceleration per unit of effort, shape (m,), at
            least 0.
        guess: efforts, shape (m,); rows of which it is beyond the bound are
            taken to be there at first. Saves time if right, changes nothing.

    Returns:
        Efforts, shape (m,), always within their bounds, and accelerations,
        shape (nv,). Should rounding keep the sets from settling, the efforts
        after 20 + 10 m solves are clipped to their bounds.
    """
    bound = np.minimum(bound, UNBOUNDED)
    if len(force) == 1 and len(rows) == 1:
        return _solve_one(inertia, force, wanted, bound, softness)
    if len(force) == len(rows) and not _any(np.abs(guess) >= bound):
        effort, a = _solve_unbounded(inertia, force, rows, wanted, softness)
        if not _any(np.abs(effort) > bound):
            return effort, a
    # 0, or -1, 1: at -bound, at bound. Rows with the bound 0 stay there.
    at_bound = np.copysign(1.0, guess) * (np.abs(guess) >= bound)
    fewest, patience = len(rows) + 1, PATIENCE
    for _ in range(20 + 10 * len(rows)):
        effort, a = _solve_with_set(
            inertia, force, rows, wanted, bound, softness, at_bound
        )
        moving = _moving(a[rows], wanted, effort, bound, softness, at_bound)
        if len(moving) == 0:
            return effort, a
        if len(moving) < fewest:
            fewest, patience = len(moving), PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            break
        for i in moving:
            free = at_bound[i] == 0.0
            at_bound[i] = np.sign(effort[i]) if free else 0.0
    return _descend(inertia, force, rows, wanted, bound, softness)


def _solve_unbounded(inertia, force, rows, wanted, softness):
    """Solves for all rows, as if no row had a bound.

    One solve with few calls of numpy: a fifth of the time of `_solve_with_set`.
    """
    target, give = np.empty(len(rows)), np.empty(len(rows))
    target[rows], give[rows] = wanted, softness
    matrix = inertia * give
    matrix.flat[:: len(rows) + 1] += 1.0
    effort = np.linalg.solve(matrix, inertia @ target - force)
    return effort[rows], target - give * effort


def _descend(inertia, force, rows, wanted, bound, softness):
    """Solves the bounded problem one row at a time: slower, but never cycles.

    The efforts sought minimise a strictly convex function within their bounds.
    Each turn goes straight to the minimum for a set of rows at their bounds; a row
    that meets its bound on the way joins the set, then the row that its bound
    holds back most leaves it (Stark and Parker 1995, "Bounded-variable least
    squares").
    """
    at_bound, x = np.zeros(len(rows)), np.zeros(len(rows))
    effort, a = x, np.zeros(len(force))
    for _ in range(20 + 10 * len(rows)):
        effort, a = _solve_with_set(
            inertia, force, rows, wanted, bound, softness, at_bound
        )
        part, met = 1.0, -1
        for i in np.flatnonzero((at_bound == 0.0) & (np.abs(effort) > bound)):
            end = np.copysign(bound[i], effort[i])
            reach = (end - x[i]) / (effort[i] - x[i])
            if reach < part:
                part, met = reach, i
        if met >= 0:
            x = x + part * (effort - x)
            at_bound[met] = np.sign(effort[met])
            continue
        x = effort
        moving = _moving(a[rows], wanted, effort, bound, softness, at_bound)
        if len(moving) == 0:
            break
        short = at_bound * (wanted - a[rows] - softness * effort)
        at_bound[moving[np.argmin(short[moving])]] = 0.0
    return np.minimum(np.maximum(effort, -bound), bound), a


def _solve_one(inertia, force, wanted, bound, softness):
    """Solves the problem of one joint in closed form."""
    effort = (inertia[0, 0] * wanted - force) / (1 + softness * inertia[0, 0])
    effort = np.minimum(np.maximum(effort, -bound), bound)
    return effort, (force + effort) / inertia[0, 0]


def _moving(a, wanted, effort, bound, softness, at_bound):
    """Returns which rows are in the wrong set, judged by a solution for it.

    Those are free rows beyond their bound, and rows at a bound that it does not
    hold back.
    """
    reached = a + softness * effort
    tie = TIE * (np.abs(wanted) + np.abs(reached))
    freed = (at_bound * (wanted - reached) < -tie) & (bound > 0.0)
    return np.flatnonzero(freed | (np.abs(effort) > bound))


def _solve_with_set(inertia, force, rows, wanted, bound, softness, at_bound):
    """Solves the linear problem in which `at_bound` is given.

    With y = sqrt(softness) effort for the rows that are not at a bound, unknown
    with the accelerations of everything else, the matrix is symmetric and positive
    definite, and no softness is too small: a = aim - scale x.
    """
    n = len(force)
    free = at_bound == 0.0
    free_rows = rows[free]
    aim, scale = np.zeros(n), np.full(n, -1.0)
    aim[free_rows] = wanted[free]
    scale[free_rows] = np.sqrt(softness[free])
    effort = at_bound * bound
    given = force.copy()
    given[rows] += effort
    matrix = inertia * scale * scale[:, np.newaxis]
    matrix.flat[free_rows * (n + 1)] += 1.0
    x = np.linalg.solve(matrix, scale * (inertia @ aim - given))
    a = aim - scale * x
    effort[free] = (inertia @ a - force)[free_rows]
    return effort, a


def _any(conditions):
    """Returns whether any holds; takes a third of the time of numpy's own."""
    return np.count_nonzero(conditions) > 0
