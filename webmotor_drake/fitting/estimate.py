"""Intervals of the estimates, and parameters that experiments do not tell apart."""

import dataclasses as dc
import math
import time
from collections.abc import Sequence

import numpy as np

from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import LOSSES, Box, Loss, Point, Search

# Duration of a search, over that of its first point with derivatives; of one whose
# points have derivatives in their plants.
_AS_LONG, _TOGETHER = 5.0, 20.0
# Half of a normal distribution's 95 % interval, in standard deviations.
_95_PERCENT = 1.96
# An estimate is determined if its 95 % interval is not wider than that share of its
# bounds.
_WIDEST = 0.5
# Parameters that look alike are not reported if each interval is below this share.
_SURE = 0.1
# A parameter this near to its bound, as a share of its bounds, is at it.
_AT_BOUND = 1e-4
# Least share of the largest curvature; less is rounding.
_FLATTEST = 1e-13
# A push against a bound beyond so many standard deviations is not chance.
_PUSHED = 2.0
# A side has no influence if less than this share of the predicted change occurs.
_OPEN = 0.25
# Least mean stiffness of a series: under a robust loss outliers have none.
_SOFTEST = 1e-6
# Lags are summed until one is this many times the correlation time.
_WINDOW = 5.0


@dc.dataclass(frozen=True)
class Estimate:
    """A parameter that was fitted.

    Attributes:
        parameter: parameter that was fitted.
        value: estimated value.
        deviation: standard deviation of the value; NaN at a bound.
        at_bound: "low", "high" or empty.
        is_determined: True at a bound, or if the interval is at most half the bounds.
    """

    parameter: Parameter
    value: float
    deviation: float
    at_bound: str
    is_determined: bool

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, within the bounds."""
        half = _95_PERCENT * self.deviation
        return (
            max(self.value - half, self.parameter.low),
            min(self.value + half, self.parameter.high),
        )

    def reaching(self, bound: float) -> "Estimate":
        """Returns the estimate with an interval that reaches to a bound."""
        half = max(abs(self.value - bound), _95_PERCENT * self.deviation)
        size = self.parameter.high - self.parameter.low
        return dc.replace(
            self,
            deviation=half / _95_PERCENT,
            is_determined=2 * half <= _WIDEST * size,
        )

    @property
    def row(self) -> list[str]:
        """The cells of a table, without insignificant digits."""
        of, deviation = self.parameter, self.deviation
        low, high = self.interval
        note = ""
        value = shown(self.value, deviation)
        interval = f"{shown(low, deviation)} to {shown(high, deviation)}"
        if self.at_bound:
            value, interval = f"{self.value:.4g}", "-"
            side = {"low": "lower", "high": "upper"}[self.at_bound]
            note = f"at its {side} bound"
        elif math.isnan(deviation):
            value, interval, note = "-", "-", "no influence"
        elif not self.is_determined:
            value, note = f"({self.value:.1g})", "not determined"
            interval = f"{low:.2g} to {high:.2g}"
        return [of.name, f"{of.start:.4g}", value, interval, of.unit, note]


@dc.dataclass(frozen=True)
class Certainty:
    """The estimates of all parameters.

    Attributes:
        estimates: one per parameter.
        covariance: covariance of the values, shape (P, P); NaN at bounds.
        undetermined: combinations that the data does not determine, in words.
    """

    estimates: list[Estimate]
    covariance: np.ndarray
    undetermined: list[str]

    @property
    def rows(self) -> list[list[str]]:
        """The table of the parameters, its head first."""
        head = ["parameter", "start", "estimate", "95 % interval", "unit", ""]
        return [head, *(estimate.row for estimate in self.estimates)]

    @property
    def correlation(self) -> np.ndarray:
        """Correlations of the estimates, shape (P, P); NaN at bounds."""
        deviations = np.sqrt(np.diag(self.covariance))
        return self.covariance / np.outer(deviations, deviations)


def shown(value: float, deviation: float) -> str:
    """Returns a value as text, rounded to the second digit of its deviation."""
    if not math.isfinite(deviation) or deviation <= 0:
        return f"{value:.4g}"
    decimals = 1 - math.floor(math.log10(deviation))
    if decimals <= 0:
        return f"{round(value, decimals):.0f}"
    return f"{value:.{min(decimals, 12)}f}"


def certainty(
    experiments: Experiments,
    point: Point,
    loss: str = "linear",
    errors: np.ndarray | None = None,
) -> Certainty:
    """Returns how certain the data makes the parameters, around the best point.

    The covariance is that of least squares. Each series has its own variance of the
    residuals, multiplied by their correlation time, as residuals are rarely white. A
    robust loss gives the covariance of an M-estimator (Huber). A parameter at its
    bound gets no interval: it counts as known if the data clearly pushes it beyond,
    else the other parameters are as uncertain as if it were free.

    Args:
        experiments: experiments that were fitted.
        point: the best point.
        loss: loss of the residuals.
        errors: changes of the residuals by one standard deviation of each value taken
            as known, shape (R, K); see `start_errors`.
    """
    parameters = experiments.parameters
    box = Box(parameters)
    values, slope = box.values(point.place), box.slope(point.place)
    bounds = np.array([p.high - p.low for p in parameters])
    at_bound = [_bound(place) for place in point.place]
    free = [i for i, bound in enumerate(at_bound) if not bound]
    seen = [i for i in free if np.abs(point.jacobian[:, i]).max() > 0]
    inside = np.full((len(parameters), len(parameters)), np.nan)
    if seen:
        rule = LOSSES[loss]
        stiffness, variances = weights(experiments, point, rule)
        psi, own = rule.influence(point.residuals), list(seen)
        for i in (i for i, bound in enumerate(at_bound) if bound):
            column = unseen(point.jacobian[:, seen], point.jacobian[:, i])
            chance = np.sqrt(column**2 @ variances)
            if 0 < abs(column @ psi) < _PUSHED * chance:
                own.append(i)
        columns = point.jacobian[:, own]
        found = _covariance(columns, stiffness, variances, errors)
        inside[np.ix_(own, own)] = found
        held = own[len(seen) :]
        inside[held] = inside[:, held] = np.nan
    covariance = inside * np.outer(slope, slope)
    deviation = np.sqrt(np.diag(covariance))
    share = 2 * _95_PERCENT * deviation / bounds
    estimates = [
        Estimate(
            parameter,
            float(values[i]),
            float(deviation[i]),
            at_bound[i],
            bool(at_bound[i]) or bool(share[i] <= _WIDEST),
        )
        for i, parameter in enumerate(parameters)
    ]
    words = [
        f"{parameters[i].name}: nothing that was measured depends on it"
        for i in free
        if i not in seen
    ]
    if seen:
        words += _combinations(
            [parameters[i] for i in seen],
            point.jacobian[:, seen] / slope[seen],
            share[seen] > _SURE,
        )
    words += [
        f"{e.parameter.name}: the data allows"
        f" {e.interval[0]:.3g} to {e.interval[1]:.3g} {e.parameter.unit}".rstrip()
        for i, e in enumerate(estimates)
        if i in seen and not e.is_determined
    ]
    return Certainty(estimates, covariance, words)


def with_open_sides(
    found: Certainty,
    runs: FitRuns,
    point: Point,
    groups: Sequence[Sequence[int]],
) -> Certainty:
    """Returns a certainty with intervals up to the bound on sides without influence.

    An estimate may lie where a limit begins to bind. Beyond it no measurement depends
    on the parameter, but the derivatives do not show that.

    Args:
        found: certainty by derivatives.
        runs: does the runs at the ends of the intervals.
        point: the best point.
        groups: indices of parameters that can be changed in one run, per group.
    """
    estimates, words = list(found.estimates), list(found.undetermined)
    sure = [e.is_determined and not e.at_bound for e in estimates]
    values = np.array([e.value for e in estimates])
    slope = Box([e.parameter for e in estimates]).slope(point.place)
    here = runs.experiments.residuals(point.predicted)
    sides = [
        (side, [i for i in group if sure[i]])
        for group in groups
        if any(sure[i] for i in group)
        for side in (0, 1)
    ]
    ends = np.tile(values, (len(sides), 1))
    for row, (side, group) in zip(ends, sides, strict=True):
        row[group] = [found.estimates[i].interval[side] for i in group]
    tables = runs.predict(ends)
    for (side, group), end, rows in zip(sides, ends, tables, strict=True):
        if rows is None:
            continue
        change = runs.experiments.residuals(rows) - here
        for i in group:
            column = point.jacobian[: len(here), i]
            foreseen = column * (end[i] - values[i]) / slope[i]
            moved = np.linalg.norm(change[column != 0])
            if moved < _OPEN * np.linalg.norm(foreseen):
                own = estimates[i].parameter
                estimates[i] = estimates[i].reaching((own.low, own.high)[side])
                words.append(
                    f"{own.name}: {('below', 'above')[side]} its estimate nothing"
                    " that was measured depends on it"
                )
    return dc.replace(found, estimates=estimates, undetermined=words)


def unseen(jacobian: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Returns the part of values that no change of the parameters explains."""
    return values - jacobian @ np.linalg.lstsq(jacobian, values)[0]


def _bound(place: float) -> str:
    if place < _AT_BOUND:
        return "low"
    return "high" if place > 1 - _AT_BOUND else ""


def _covariance(
    jacobian: np.ndarray,
    stiffness: np.ndarray,
    variances: np.ndarray,
    errors: np.ndarray | None,
) -> np.ndarray:
    """Returns H^-1 (J' (V + S E E' S) J) H^-1 with H = J' S J and errors E."""
    scale = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / scale
    curvature = scaled.T @ (scaled * stiffness[:, np.newaxis])
    middle = scaled.T @ (scaled * variances[:, np.newaxis])
    sizes, axes = np.linalg.eigh(curvature)
    # Without curvature the variance is large, not zero.
    least = _FLATTEST * sizes[-1]
    flat = axes[:, sizes < least]
    middle += least * middle.trace() / curvature.trace() * flat @ flat.T
    inverse = axes / np.maximum(sizes, least) @ axes.T
    if errors is not None:
        moved = scaled.T @ (errors * stiffness[:, np.newaxis])
        middle += moved @ moved.T
    return inverse @ middle @ inverse / np.outer(scale, scale)


def weights(
    experiments: Experiments, point: Point, loss: Loss = LOSSES["linear"]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the stiffness and the variance of each residual.

    Returns:
        The mean stiffness of the residual's series, shape (R,), and the variance of
        its influence times its correlation time, shape (R,).
    """
    parts = experiments.split_residuals(point.residuals)
    freedom = max(1 - point.jacobian.shape[1] / len(point.residuals), 1e-3)
    stiffness, variances = [], []
    for part in parts:
        held = loss.influence(part)
        mean = max(float(loss.stiffness(part).mean()), _SOFTEST)
        scatter = held.var() / freedom * correlation_time(held)
        stiffness.append(np.full(len(part), mean))
        variances.append(np.full(len(part), scatter))
    priors = np.ones(len(point.residuals) - sum(map(len, parts)))
    return (
        np.concatenate([*stiffness, priors]),
        np.concatenate([*variances, priors]),
    )


def autocorrelation(residuals: np.ndarray) -> np.ndarray:
    """Returns the autocorrelation of residuals.

    Args:
        residuals: residuals of one series, shape (N,).

    Returns:
        Correlation at lags of 0, 1, ... samples, shape (N,); the first is 1.
    """
    size = len(residuals)
    centred = residuals - residuals.mean()
    spectrum = np.fft.rfft(centred, 2 * size)
    sums = np.fft.irfft(np.abs(spectrum) ** 2)[:size]
    return sums / sums[0] if sums[0] > 0 else np.eye(1, size)[0]


def correlation_time(residuals: np.ndarray) -> float:
    """Returns the samples per independent one, at least 1 (Sokal's window)."""
    sums = 2 * np.cumsum(autocorrelation(residuals)) - 1
    enough = np.arange(len(sums)) >= _WINDOW * sums
    last = int(np.argmax(enough)) if enough.any() else len(sums) - 1
    return float(np.clip(sums[last], 1.0, len(residuals)))


def foreseen(search: Search, start: np.ndarray) -> list[str]:
    """Returns the time that a search will take and its unsure parameters, in lines.

    Residuals at the start values are assumed to be as large as their scales.
    Parameters not told apart there stay so unless the motion changes.

    Args:
        search: search before its start; it keeps the point evaluated here.
        start: values to start from, shape (P,).
    """
    began = time.perf_counter()
    point = search.look(search.box.place(start))
    if point is None:
        return []
    jacobian = point.jacobian
    took = time.perf_counter() - began
    lasts = took * (_TOGETHER if point.is_differentiated else _AS_LONG)
    noise = np.where(np.arange(len(point.residuals)) % 2, 1.0, -1.0)
    clean = Point(point.place, point.predicted, noise, jacobian)
    found = certainty(search.runs.experiments, clean)
    lines = [
        f"{search.runs.number} runs took {took:.2g} s, the search will take about"
        f" {lasts:.2g} s"
    ]
    return lines + [f"foreseen: {words}" for words in found.undetermined]


# Parameters look alike if a joint change of them has less influence than each alone, by
# this factor (Belsley, Kuh and Welsch call 30 strong).
_TOLD_APART = 30.0
# A combination consists of parameters with this share of its largest change.
_PART = 0.2
# Parameters of a combination that a line names.
_NAMED = 4
# Experiments that tell parameters apart, by the fields that look alike.
_APART = (
    (
        {"kd", "viscous", "damping_constant", "cfm"},
        "a drop with the torque off shows friction without the loop's damping (drop.csv"
        " of --excite)",
    ),
    (
        {"reflected_inertia", "motor_inertia", "kp", "control_pid", "delay"},
        "a second load of known mass tells inertia and gains apart, moved fast"
        " (chirp.csv of --excite)",
    ),
    (
        {"coulomb", "static_friction", "stribeck", "kp", "torque_constant"},
        "slow triangles, with two known loads, tell friction from torque"
        " (triangles.csv of --excite)",
    ),
    (
        {"motor_load", "external_load", "coulomb", "stall_torque"},
        "three known loads, moved up and down, tell its parts apart",
    ),
)


def _experiment_for(parameters: Sequence[Parameter]) -> str:
    """Returns the experiment that tells parameters apart; "" if unknown."""
    keys = [[k for k in p.paths[0] if isinstance(k, str)] for p in parameters]
    fields = {names[-1] for names in keys}
    counts = [len(alike & fields) for alike, _ in _APART]
    best = int(np.argmax(counts))
    return _APART[best][1] if counts[best] > 1 else ""


def _combinations(
    parameters: list[Parameter], jacobian: np.ndarray, unsure: np.ndarray
) -> list[str]:
    """Returns the combinations that the data does not determine, in words."""
    scale = np.linalg.norm(jacobian, axis=0)
    _, strengths, directions = np.linalg.svd(
        jacobian / scale, full_matrices=False
    )
    words = []
    for strength, direction in zip(strengths, directions, strict=True):
        if strength * _TOLD_APART > strengths[0]:
            continue
        change = direction / scale
        sharing = np.abs(direction) > _PART * np.abs(direction).max()
        if not (sharing & unsure).any():
            continue
        order = [
            i for i in np.argsort(-np.abs(direction)).tolist() if sharing[i]
        ]
        words.append(_told([parameters[i] for i in order], change[order]))
    return words


def _told(parameters: list[Parameter], change: np.ndarray) -> str:
    """Describes a change of several parameters that the data does not show."""
    names = [p.name for p in parameters]
    if len(names) == 1:
        return f"{names[0]}: hardly seen beside the others"
    # The parameter that changes most for its bounds changes by a tenth of them.
    spans = np.array([p.high - p.low for p in parameters])
    change = change * np.sign(change[0]) * 0.1 / np.abs(change / spans).max()
    parts = [
        f"{p.name} {'raised' if c > 0 else 'lowered'} by"
        f" {abs(c):.2g} {p.unit}".rstrip()
        for p, c in zip(parameters, change, strict=True)
    ]
    wanted = _experiment_for(parameters)
    return (
        f"{_joined(names)} cannot be told apart: {_joined(parts)} looks nearly the"
        f" same{wanted and f'; {wanted}'}"
    )


def _joined(parts: list[str]) -> str:
    """Returns "a, b and c"; of more than four "a, b, c, d and 3 more"."""
    *some, last = parts
    if len(parts) > _NAMED:
        some, last = parts[:_NAMED], f"{len(parts) - _NAMED} more"
    return f"{', '.join(some)} and {last}"
