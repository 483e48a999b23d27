"""Stops in the torque drive: the plant's own law, solved with the motors.

A plant's solver lets a joint at distance d from its stop move at d / (2 dt) towards
it; where it would be faster, the stop pushes back and gives way in proportion (read
in Drake's sap_driver.cc and sap_limit_constraint.cc; `sap`, `similar` and `lagged`
share it). With the same law in the drive's problem, motors see at once that a stop
carries what they press, and the plant then takes the step that was foreseen.

In accelerations: a stop pushes with (lowest - a) / give where a is below the lowest
that it allows, and likewise from above. That is a spring, so a stop that pushes is a
term on the diagonal of the inertia and one of the force.
"""

import numpy as np

from webmotor_drake.drive.bounded_solve import solve_bounded
from webmotor_drake.loops.solver_constants import (
    NEAR_RIGID,
    PATIENCE,
    STIFFNESS,
    WINDOW,
)


def passes_a_stop(
    a: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    step: float,
) -> bool:
    """Returns whether joints come nearer to a stop than the plant lets them.

    Args:
        a: accelerations, shape (n,), rad/s^2 or m/s^2.
        q: positions, shape (n,), rad or m; any where there are no stops.
        v: velocities, shape (n,), rad/s or m/s.
        low: lower stops, shape (n,), rad or m; -inf for none.
        high: upper stops, inf for none.
        step: dt, s.
    """
    reach = q + WINDOW * step * (v + step * a)
    return np.count_nonzero((reach < low) | (reach > high)) > 0


def allowed_accelerations(
    q: np.ndarray, v: np.ndarray, low: np.ndarray, high: np.ndarray, step: float
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lowest and highest accelerations that stops allow.

    Args:
        q: see `passes_a_stop`.
        v: the same.
        low: the same.
        high: the same.
        step: dt, s.
    """
    lowest = ((low - q) / (WINDOW * step) - v) / step
    highest = ((high - q) / (WINDOW * step) - v) / step
    return lowest, highest


def give_of_stops(inertia: np.ndarray, step: float) -> np.ndarray:
    """Returns how far stops give way per effort, shape (n,).

    Args:
        inertia: the diagonal of M + dt D, of the model alone: the plant does not
            know of the drive's springs and dampers; shape (n,).
        step: dt, s.
    """
    return np.maximum(
        NEAR_RIGID / inertia, 1.0 / (WINDOW * step**2 * STIFFNESS)
    )


def push_of_stops(
    a: np.ndarray, lowest: np.ndarray, highest: np.ndarray, give: np.ndarray
) -> np.ndarray:
    """Returns the efforts of the stops, shape (n,), N m or N.

    Args:
        a: accelerations, shape (n,).
        lowest: see `allowed_accelerations`; shape (n,).
        highest: the same.
        give: see `give_of_stops`; shape (n,).
    """
    beyond = np.maximum(lowest - a, 0.0) - np.maximum(a - highest, 0.0)
    return beyond / give


def solve_at_stops(
    inertia: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    softness: np.ndarray,
    effort: np.ndarray,
    a: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    give: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solves the bounded problem with stops, from its solution without them.

    Which stops push is guessed, solved for and looked at again: Newton's method on
    a function that is quadratic in pieces.

    Args:
        inertia: see `solve_bounded`.
        force: the same.
        rows: the same.
        wanted: the same.
        bound: the same.
        softness: the same.
        effort: the efforts of the solution without stops, shape (m,).
        a: its accelerations, shape (nv,).
        lowest: see `allowed_accelerations`; shape (nv,).
        highest: the same.
        give: how far stops give way, shape (nv,); see `give_of_stops`.

    Returns:
        Efforts, shape (m,), and accelerations, shape (nv,).
    """
    n = len(force)
    side = np.zeros(n)
    for attempt in range(20 + 10 * n):
        changed = 0
        for i in range(n):
            now = 0.0
            if a[i] < lowest[i]:
                now = 1.0
            elif a[i] > highest[i]:
                now = -1.0
            if now != side[i] and (changed == 0 or attempt < PATIENCE):
                side[i] = now
                changed += 1
        if changed == 0:
            break
        pushed, known = inertia.copy(), force.copy()
        for i in np.flatnonzero(side):
            end = lowest[i] if side[i] > 0.0 else highest[i]
            pushed[i, i] += 1.0 / give[i]
            known[i] += end / give[i]
        effort, a = solve_bounded(
            pushed, known, rows, wanted, bound, softness, effort
        )
    return effort, a
