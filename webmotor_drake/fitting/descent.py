"""The way down from a place of the box to the least squares near it.

Levenberg and Marquardt's steps, damped as Nielsen (1999) has it, with walls: what
would leave the box goes to its wall, and the rest of the step is found again. Scipy's
trust region creeps where it starts at a wall, as a delay of 0 does: where these steps
took 5 looks it took 23, and a spring's parameters were not found in 40.

Derivatives are dear: where a step was as good as foreseen, they are corrected by what
it showed, and found anew where it was not, and at the end.
"""

import numpy as np

from webmotor_drake.fitting.search import LOSSES, Point, Search

_FIRST_DAMPING = 0.1  # with less the first step leads to walls
# By how much it changes where a step was as good as foreseen, and where it was none.
_LESS, _MORE = 0.2, 4.0
_GAUSS_NEWTON = 0.1  # from there down a small gain is not that of a damped step
_SHORTEST = 1e-7  # a step in the box, 1
_GOOD = 0.5  # a share of the gain that was foreseen
_TINY = 1e-9  # no gain is more times the foreseen one than that leaves


def descend(
    search: Search,
    place: np.ndarray,
    *,
    loss: str,
    iterations: int,
    tolerance: float,
) -> Point | None:
    """Returns the point at the end of the way; None: the run at its start failed."""
    rule = LOSSES[loss]
    point = search.look(np.clip(place, 0.0, 1.0))
    if point is None:
        return None
    jacobian, is_exact = point.jacobian, True
    damping, more = _FIRST_DAMPING, _MORE
    for _ in range(iterations - 1):
        weights = rule.slope(point.residuals**2)
        downhill = -jacobian.T @ (weights * point.residuals)
        bend = jacobian.T @ (weights[:, np.newaxis] * jacobian)
        step = _step(point.place, downhill, bend, damping)
        foreseen = float(downhill @ step - step @ bend @ step / 2)
        least = tolerance * search.loss(point)
        if not is_exact and foreseen < least:
            jacobian, is_exact = point.jacobian, True
            continue
        if np.abs(step).max(initial=0.0) < _SHORTEST:
            break
        tried = search.look(point.place + step)
        gain = search.loss(point) - search.loss(tried)
        if gain > 0:
            share = gain / max(foreseen, _TINY * gain)
            damping *= max(_LESS, 1 - (2 * min(share, 1.0) - 1) ** 3)
            was_exact, before = is_exact, point
            point, more = tried, _MORE
            if gain < least and damping < _GAUSS_NEWTON and was_exact:
                break
            if _GOOD < share < 1 / _GOOD and gain >= least:
                change = point.residuals - before.residuals
                jacobian, is_exact = _secant(jacobian, step, change), False
            else:
                jacobian, is_exact = point.jacobian, True
        elif not is_exact:
            jacobian, is_exact = point.jacobian, True
        else:
            damping, more = damping * more, 2 * more
            if foreseen < least / 10:
                break
    return point


def _secant(
    jacobian: np.ndarray, step: np.ndarray, change: np.ndarray
) -> np.ndarray:
    """Returns the nearest Jacobian that foresees a step's change (Schubert 1970)."""
    steps = np.where(jacobian != 0, step, 0.0)
    squares = (steps**2).sum(axis=1)
    seen = squares > 0  # else no parameter has influence
    missing = (change - jacobian @ step) * seen / np.where(seen, squares, 1.0)
    return jacobian + missing[:, np.newaxis] * steps


def _step(
    place: np.ndarray, downhill: np.ndarray, bend: np.ndarray, damping: float
) -> np.ndarray:
    """Returns a damped Gauss-Newton step that stays within the box, shape (P,)."""
    step = np.zeros_like(place)
    scale = np.diag(bend).copy()
    scale[scale == 0] = 1.0  # nothing that was measured depends on it
    matrix = bend + damping * np.diag(scale)
    free = ~(((place <= 0) & (downhill < 0)) | ((place >= 1) & (downhill > 0)))
    for _ in range(len(place)):
        if not free.any():
            break
        pull = downhill[free] - bend[np.ix_(free, ~free)] @ step[~free]
        step[free] = np.linalg.solve(matrix[np.ix_(free, free)], pull)
        out = free & ((place + step < 0) | (place + step > 1))
        if not out.any():
            break
        step[out] = np.clip(place + step, 0, 1)[out] - place[out]
        free &= ~out
    return np.clip(place + step, 0.0, 1.0) - place
