"""The bounded problem: efforts within limits that reach wanted accelerations.

ODE's joint motor is a bounded row of a linear complementarity problem, solved
together with all others (step.cpp, joints/joint.cpp addLimot). In generalised
coordinates: find accelerations a and efforts e with

    A a = f + S e,     |e_i| <= bound_i,
    a_i = wanted_i - softness e_i     for the rows i that are not at a bound,

where a row at a bound falls short on the side that the bound explains. A is
symmetric and positive definite, so the solution exists and is unique.
"""

import numpy as np

# Steps that move all infeasible rows at once may cycle; after this many
# without progress, rows move one at a time, which ends but for rounding.
_PATIENCE = 8
# A tie between bound and no bound must not be decided by rounding, over and over.
_TIE = 1e-12


def solve_bounded(
    inertia: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    softness: float,
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
        softness: slip in acceleration per unit of effort, at least 0.

    Returns:
        Efforts, shape (m,), always within their bounds, and accelerations,
        shape (nv,). Should rounding keep the sets from settling, the efforts
        after 20 + 10 m solves are clipped to their bounds.
    """
    at_bound = np.zeros(len(rows), dtype=int)  # or -1, 1: at -bound, at bound
    fewest, patience = len(rows) + 1, _PATIENCE
    for _ in range(20 + 10 * len(rows)):
        effort, a = _solve_with_set(
            inertia, force, rows, wanted, bound, softness, at_bound
        )
        reached = a[rows] + softness * effort
        short = at_bound * (wanted - reached)
        tie = _TIE * (np.abs(wanted) + np.abs(reached))
        next_set = np.where(
            at_bound == 0,
            (effort > bound).astype(int) - (effort < -bound),
            np.where(short >= -tie, at_bound, 0),
        )
        moving = np.flatnonzero(next_set != at_bound)
        if moving.size == 0:
            return effort, a
        if moving.size < fewest:
            fewest, patience = moving.size, _PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            moving = moving[-1:]
        at_bound[moving] = next_set[moving]
    return np.clip(effort, -bound, bound), a


def _solve_with_set(inertia, force, rows, wanted, bound, softness, at_bound):
    """Solves the linear problem in which `at_bound` is given.

    The unknowns are the efforts of the rows that are not at a bound and the
    accelerations of everything else: one square system.
    """
    effort = at_bound * bound
    free = at_bound == 0
    a = np.zeros(len(force))
    a[rows[free]] = wanted[free]
    known = force - inertia @ a
    known[rows] += effort
    columns = inertia.copy()
    columns[:, rows[free]] *= -softness
    columns[rows[free], rows[free]] -= 1.0
    unknown = np.linalg.solve(columns, known)
    effort[free] = unknown[rows[free]]
    unknown[rows[free]] = wanted[free] - softness * effort[free]
    return effort, unknown
