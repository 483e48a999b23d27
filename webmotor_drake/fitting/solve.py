"""The search for the parameters: least squares, or CMA-ES and then least squares.

A descent takes Levenberg-Marquardt steps, damped after Nielsen (1999), within bounds: a
parameter that would leave the box stops at its bound, and the step of the others is
solved again. Scipy's trust region creeps from a bound, such as a delay of 0: it took 23
points where these steps took 5, and did not find a spring's parameters in 40.
Derivatives that did not come with a point are expensive: after a step as good as
predicted they are only updated from its residuals; after other steps, and at the end,
they are computed anew.
"""

import dataclasses as dc

import numpy as np

from webmotor_drake.errors import InputError, SimulationError, needing
from webmotor_drake.fitting.estimate import correlation_time
from webmotor_drake.fitting.search import LOSSES, WIDE, Point, Search
from webmotor_drake.sweep.points import hypercube

METHODS = ("least_squares", "cma")

# CMA-ES gets so many times the largest loss for a failed run.
_BAD = 10.0
# Residuals with a longer correlation time than this, in samples, are not noise.
_GOES_ON = 2.0
# Then so many further places are evaluated, and so many of them searched from; beyond
# so many parameters that would be too expensive.
_PLACES, _AGAIN, _MANY = 24, 2, 12
# Least gain to go on for, as a share of the loss (1).
_WORTH = 1e-3
# Widths of derivatives in the last descents: without these, 5 of 18 logs of springs
# ended at up to twice the least loss.
_WIDTHS = WIDE, 5 * WIDE, WIDE
# A parameter has lost its influence if less than this share of it is left.
_LOST = 0.05


@dc.dataclass(frozen=True)
class FitSettings:
    """The settings of `fit`'s search.

    Attributes:
        method: "least_squares", or "cma" (CMA-ES) for rugged problems.
        loss: loss of the residuals, as in `scipy.optimize.least_squares`.
        starts: number of starting points; all but the first are from a Latin
            hypercube. With 1, others are tried if the residuals are not noise.
        seed: seed of all that is random.
        max_iterations: largest number of iterations per start.
        tolerance: relative gain of the loss (1) per step at which to stop.
    """

    method: str = "least_squares"
    loss: str = "linear"
    starts: int = 1
    seed: int = 0
    max_iterations: int = 30
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        """Raises InputError for settings that cannot be."""
        for name, allowed in (("method", METHODS), ("loss", LOSSES)):
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"{name} {getattr(self, name)!r}; one of"
                    f" {', '.join(allowed)} is allowed"
                )
        for name in ("starts", "max_iterations"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"{name} {getattr(self, name)}; 1 or more is allowed"
                )


def solve(search: Search, start: np.ndarray, settings: FitSettings) -> bool:
    """Seeks the parameters with the least residuals: the search's best point.

    Args:
        search: looks at points.
        start: values to start from, shape (P,).
        settings: settings of the search.

    Returns:
        True if Ctrl-C ended it early; the search keeps its best point.

    Raises:
        SimulationError: the run at the start fails.
    """
    place = search.box.place(start)
    if search.look(place) is None:
        raise SimulationError(
            f"the run with the start values failed: {search.runs.problem}"
        )
    try:
        others = settings.starts - 1
        for begin in (place, *hypercube(others, len(place), settings.seed)):
            if settings.method == "cma":
                begin = _cma(search, begin, settings)
            _go_down(search, begin, settings)
        if settings.starts == 1 < settings.max_iterations and (
            _leaves_motion(search)
        ):
            for begin in _promising(search, settings):
                _go_down(search, begin, settings)
                if not _leaves_motion(search):
                    break
        if settings.max_iterations > 1:
            _go_on_by_wide_steps(search, settings)
    except KeyboardInterrupt:
        return True
    return False


def _go_down(search: Search, begin: np.ndarray, settings: FitSettings) -> None:
    """Descends from a place, and once more for parameters that got stuck.

    A limit may stop binding on the way, which leaves no gradient to come back by; steps
    that are too long end at bounds. Parameters that lost their influence, or are at a
    bound, are reset to their start; a second descent begins there with the others kept.
    """
    first = search.look(np.clip(begin, 0.0, 1.0))
    end = _descend(search, begin, settings)
    if first is None or end is None:
        return
    # The best point needs wide derivatives in any case.
    seen = search.wide(end) if end is search.best else end
    had, has = (np.linalg.norm(p.jacobian, axis=0) for p in (first, seen))
    lost = (has < _LOST * had) | (_at_wall(end) & ~_at_wall(first))
    if lost.any():
        _descend(search, np.where(lost, first.place, end.place), settings)


def _go_on_by_wide_steps(search: Search, settings: FitSettings) -> None:
    """Goes on from the best point until wide derivatives, too, show no descent."""
    for width in _WIDTHS:
        before = search.loss(search.best)
        _descend(search, search.best.place, settings, width)
        gain = before - search.loss(search.best)
        if width == WIDE and gain < _WORTH * before:
            break


def _leaves_motion(search: Search) -> bool:
    """Returns whether the best residuals are correlated like motion, unlike noise."""
    experiments = search.runs.experiments
    return len(experiments.parameters) <= _MANY and any(
        correlation_time(part) > _GOES_ON
        for part in experiments.split_residuals(search.best.residuals)
    )


def _promising(search: Search, settings: FitSettings) -> list[np.ndarray]:
    """Returns the best of many places, to start from once more."""
    size = len(search.best.place)
    places = list(hypercube(_PLACES, size, settings.seed))
    losses = [search.loss(point) for point in search.looks(places)]
    return [places[i] for i in np.argsort(losses)[:_AGAIN]]


def _at_wall(point: Point) -> np.ndarray:
    return (point.place <= 0.0) | (point.place >= 1.0)


def _cma(
    search: Search, place: np.ndarray, settings: FitSettings
) -> np.ndarray:
    with needing("the method cma needs cmaes", "'webmotor-drake[fit]'"):
        from cmaes import CMA
    bounds = np.tile([0.0, 1.0], (len(place), 1))
    optimizer = CMA(
        mean=place.copy(), sigma=0.2, bounds=bounds, seed=settings.seed
    )
    best = (np.inf, place)
    for _ in range(settings.max_iterations):
        asked = [optimizer.ask() for _ in range(optimizer.population_size)]
        losses = [search.loss(point) for point in search.looks(asked)]
        worst = max((x for x in losses if np.isfinite(x)), default=1.0)
        told = [x if np.isfinite(x) else _BAD * worst for x in losses]
        optimizer.tell(list(zip(asked, told, strict=True)))
        lowest = int(np.argmin(told))
        best = min(best, (told[lowest], asked[lowest]), key=lambda b: b[0])
        if optimizer.should_stop():
            break
    return best[1]


_FIRST_DAMPING = 0.1  # with less the first step leads to bounds
# Factors on the damping after a step as good as predicted, and after one without gain.
_LESS, _MORE = 0.2, 4.0
_GAUSS_NEWTON = 0.1  # below this damping a small gain is not due to it
_SHORTEST = 1e-7  # a step in the box, 1
_GOOD = 0.5  # a share of the predicted gain
_ELSEWHERE = 100.0  # factor on the tolerance of a descent above the best point
_TINY = 1e-9  # least predicted gain, as a share of the gain


def _descend(
    search: Search,
    place: np.ndarray,
    settings: FitSettings,
    width: float | None = None,
) -> Point | None:
    """Returns the point at the end of a descent; None: the run at its start failed.

    With a `width`, derivatives are differences of that width to both sides.
    """
    rule = LOSSES[settings.loss]
    point = search.look(np.clip(place, 0.0, 1.0), width)
    if point is None:
        return None
    jacobian, is_exact = point.jacobian, True
    damping, more, was_slow = _FIRST_DAMPING, _MORE, False
    for _ in range(settings.max_iterations - 1):
        weights = rule.slope(point.residuals**2)
        downhill = -jacobian.T @ (weights * point.residuals)
        bend = jacobian.T @ (weights[:, np.newaxis] * jacobian)
        step = _step(point.place, downhill, bend, damping)
        foreseen = float(downhill @ step - step @ bend @ step / 2)
        loss, best = search.loss(point), search.loss(search.best)
        least = settings.tolerance * loss * (_ELSEWHERE if loss > best else 1)
        if not is_exact and foreseen < least:
            jacobian, is_exact = point.jacobian, True
            continue
        if np.abs(step).max(initial=0.0) < _SHORTEST:
            break
        tried = search.look(point.place + step, width)
        gain = loss - search.loss(tried)
        if gain > 0:
            share = gain / max(foreseen, _TINY * gain)
            damping *= max(_LESS, 1 - (2 * min(share, 1.0) - 1) ** 3)
            was_exact, before = is_exact, point
            point, more = tried, _MORE
            is_slow = was_exact and gain < least
            if is_slow and (was_slow or damping < _GAUSS_NEWTON):
                break
            was_slow = is_slow
            is_good = _GOOD < share < 1 / _GOOD and gain >= least
            if is_good and not point.is_differentiated:
                change = point.residuals - before.residuals
                jacobian, is_exact = _secant(jacobian, step, change), False
            else:
                jacobian, is_exact = point.jacobian, True
        elif not is_exact:
            jacobian, is_exact = point.jacobian, True
        else:
            damping, more = damping * more, 2 * more
            if foreseen < _WORTH * loss:
                break
    return point


def _secant(
    jacobian: np.ndarray, step: np.ndarray, change: np.ndarray
) -> np.ndarray:
    """Returns the nearest Jacobian that predicts a step's change (Schubert 1970)."""
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
