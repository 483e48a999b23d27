"""Faults of logs, one line each: those that a log shows, and those that a fit shows.

Some show before any run. Values that a slower device repeats are left out, as they are
late by up to its period. Others show only under a model, as a fit hides them in its
parameters: a late clock in a delay, an encoder's wrong sign in a gain at its bound.
These are reported only if they are far beyond chance.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from webmotor_drake.errors import guess, listed
from webmotor_drake.fitting.estimate import Estimate, unseen, weights
from webmotor_drake.fitting.evaluation import told
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.logged_motors import Series, noise_of
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.search import Point
from webmotor_drake.results.text import quantity
from webmotor_drake.scenario.scenario import robots_of

# A gap is a step in time longer than so many usual ones of the signal.
_GAP = 5.0
_FEWEST = 40  # samples in motion
_OVER = 8  # samples to either side
# A joint answers within this time; a position that opposes its target longer has a
# wrong sign.
_ANSWER = 0.15  # s
_OPPOSED, _ALIKE = -0.5, 0.3
# A target that moves less than so many times the noise determines little.
_LITTLE = 20.0
# Motion over that of the target; outside of this range the units differ.
_NEAREST, _FARTHEST = 0.05, 8.0
_CLEARLY = 0.8
_TINY = 1e-30
# Largest relative error of a velocity as the slope of its position.
_SLOPE = 0.3


def remarks_on(experiment: Experiment) -> list[str]:
    """Returns remarks on an experiment's log, one line each."""
    remarks = experiment.log.remarks()
    known = {motor.name for motor in experiment.motors}
    if unknown := [n for n in experiment.log.names if n not in known]:
        joints = {
            motor.joint
            for driver in robots_of(experiment.scenario).values()
            for motor in driver.motors.values()
        }
        free = sorted(joints - known)
        meant = guess(unknown[0], free)
        remarks.append(
            f"{listed(unknown)}: not in the scenario, left out{meant}"
        )
    for series in experiment.series:
        remarks += _faults_of(experiment.log, series)
    still = [s.name for s in experiment.series if s.stands_still]
    if still:
        remarks.append(
            f"{listed(still)}: no movement beyond its noise; it determines nothing"
        )
    return [f"{experiment.prefix}{remark}" for remark in remarks]


def _faults_of(log: RobotLog, series: Series) -> list[str]:
    name = series.name
    known = np.flatnonzero(np.isfinite(series.measured))
    found = []
    if series.repeated > 1:
        step = float(np.median(np.diff(log.time[known])))
        found.append(
            f"{name}: each value is there {series.repeated} times, it was measured at"
            f" {1 / step:.3g} Hz; repetitions are left out"
        )
    found += _gaps(log, name, known)
    if series.signal == "position":
        found += _against_target(log, series, known)
    if series.signal == "velocity":
        found += _against_position(log, series, known)
    return found


def _gaps(log: RobotLog, name: str, known: np.ndarray) -> list[str]:
    time = log.time[known]
    steps = np.diff(time)
    if len(steps) < _FEWEST:
        return []
    usual = float(np.median(steps))
    gaps = np.flatnonzero(steps > _GAP * usual)
    if not log.alternates:  # the log reports gaps of all signals
        gaps = gaps[np.diff(known)[gaps] > 1]
    if not gaps.size:
        return []
    longest = gaps[np.argmax(steps[gaps])]
    return [
        f"{name}: {gaps.size} gap{'s' * (gaps.size > 1)}, the longest"
        f" {steps[longest]:.3g} s from {time[longest]:.4g} s on, where {usual:.3g} s"
        " is usual"
    ]


def _against_target(
    log: RobotLog, series: Series, known: np.ndarray
) -> list[str]:
    """Returns a remark if a position opposes its target, or the target hardly moves."""
    target = log.get(series.motor.name, "target")
    told = np.flatnonzero(np.isfinite(() if target is None else target))
    if not told.size or len(known) < _FEWEST:
        return []
    values, time = series.measured[known], log.time[known]
    lasts = time[-1] - log.time[told[0]]
    if lasts < 0:
        return []
    alike, far = [], []
    for lag in np.linspace(0, min(_ANSWER, lasts), 16):
        last = np.searchsorted(log.time[told], time - lag, side="right") - 1
        there = last >= 0
        wanted = target[told][last[there]]
        alike.append(_correlation(wanted, values[there]))
        far.append(float(np.std(values[there]) / max(np.std(wanted), _TINY)))
    if min(alike) < _OPPOSED and max(alike) < -_ALIKE * min(alike):
        return [
            f"{series.name}: it goes the other way than its target; is the encoder's"
            f" sign turned? --columns '{{NAME: {series.motor.name}.position -1}}' turns"
            " it"
        ]
    ratio = far[int(np.argmax(alike))]
    if max(alike) > _CLEARLY and not _NEAREST < ratio < _FARTHEST:
        return [
            f"{series.name}: it moves {ratio:.3g} times as far as its target; are both"
            " in one unit?"
        ]
    if series.stands_still:  # another remark says so
        return []
    noise = noise_of(values)
    away, unit = float(np.ptp(target[told])), series.unit
    if log.get(series.motor.name, "target_effort") is None and (
        away <= _LITTLE * noise
    ):
        return [
            f"{series.name}: its target hardly moves, by {away:.3g} {unit} beside a"
            f" noise of {noise:.3g} {unit}; it determines little"
        ]
    return []


def _against_position(
    log: RobotLog, series: Series, known: np.ndarray
) -> list[str]:
    """Returns a remark if a velocity is not the slope of its position."""
    from scipy.integrate import cumulative_trapezoid

    position = log.get(series.motor.name, "position")
    if position is None:
        return []
    both = known[np.isfinite(position[known])]
    if len(both) < _FEWEST:
        return []
    time, size = log.time[both], 2 * _OVER
    area = cumulative_trapezoid(series.measured[both], time, initial=0.0)
    # The velocity's average over the same time.
    slope, mean = (
        (way[size:] - way[:-size]) / (time[size:] - time[:-size])
        for way in (position[both], area)
    )
    correlation = _correlation(slope, mean)
    if correlation < _OPPOSED:
        return [
            f"{series.name}: it goes the other way than its position; is its sign"
            " turned?"
        ]
    ratio = float(slope @ mean / max(slope @ slope, _TINY))
    if correlation > 0.9 and abs(math.log(ratio)) > _SLOPE:
        return [
            f"{series.name}: it is {ratio:.3g} times the slope of the position; is its"
            " unit another?"
        ]
    return []


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Returns the correlation of two signals, -1 to 1; 0 if one stands still."""
    if len(a) < _FEWEST or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


# A parameter is pushed against its bound if its estimate without bounds is outside by
# this share of the bounds, and so many standard deviations, or explains this share of
# the squared residuals; a delay also if the error on the data kept out is so many times
# that on the fitted data.
_OUTSIDE, _PUSHED = 1e-6, 4.0
_EXPLAINED = 0.3
_ELSEWHERE = 5.0
# Least drift of a clock, and the least share of the residuals that it explains.
_DRIFT, _BY_CLOCK = 1e-3, 0.6
# Share of samples at a motor's limits from which it is reported.
_SATURATED = 0.8
# Growth of the error on the data kept out from which it is reported.
_GREW = 1.1


def faults_in(fit: MotorFit, point: Point) -> list[str]:
    """Returns the faults of the logs that a fit shows, one line each.

    Args:
        fit: the result.
        point: the best point of the search.
    """
    causes = (_clocks(fit, point), _at_bounds(fit, point), _grown(fit))
    # An earlier cause also produces the later faults: only the first is reported.
    found = next((lines for lines in map(list, causes) if lines), [])
    return [*found, *_limits(fit)]


def _at_bounds(fit: MotorFit, point: Point) -> list[str]:
    """Returns the parameters that the data pushes beyond their bounds."""
    estimates = fit.certainty.estimates
    free = [i for i, e in enumerate(estimates) if not e.at_bound]
    _, variances = weights(fit.fitted.experiments, point)
    scatter = np.sqrt(np.maximum(variances, _TINY))
    jacobian = point.jacobian / scatter[:, np.newaxis]
    left = point.residuals / scatter
    left = unseen(jacobian[:, free], left)
    kept_out = fit.kept_out.after.judged.rms if fit.kept_out else {"": 0.0}
    fails = _mean(kept_out) > _ELSEWHERE * _mean(fit.fitted.after.rms)
    found = {}
    for i, estimate in enumerate(estimates):
        if not estimate.at_bound:
            continue
        column = unseen(jacobian[:, free], jacobian[:, i])
        strength = max(float(np.linalg.norm(column)), _TINY)
        push, place = float(-column @ left) / strength, point.place[i]
        if estimate.at_bound == "low":
            push, place = -push, 1 - place
        share = push**2 / max(left @ left, _TINY)
        is_late = fails and estimate.at_bound == "high" and _is_delay(estimate)
        is_outside = place + push / strength > 1 + _OUTSIDE
        if is_outside and (push > _PUSHED or share > _EXPLAINED or is_late):
            found[estimate] = _pushed(estimate)
    late = [words for e, words in found.items() if _is_delay(e)]
    return late or list(found.values())


def _is_delay(estimate: Estimate) -> bool:
    return estimate.parameter.paths[0][-1] == "delay"


def _pushed(estimate: Estimate) -> str:
    parameter, side = estimate.parameter, estimate.at_bound
    bound = parameter.high if side == "high" else parameter.low
    words = (
        f"{parameter.name} is at its {'upper' if side == 'high' else 'lower'} bound"
        f" {quantity(bound, parameter.unit, 4)}, and the data pushes beyond it"
    )
    if not _is_delay(estimate):
        return words
    if side == "high":
        return f"{words}: measurements are later than that"
    return (
        f"{words}: measurements are earlier than that, or commands were logged after"
        " they acted"
    )


def _clocks(fit: MotorFit, point: Point) -> Iterator[str]:
    """Gives a line per position whose clock drifts from that of the commands."""
    experiments = fit.fitted.experiments
    rows = zip(
        experiments.series,
        fit.fitted.after.predicted,
        experiments.split_residuals(point.jacobian),
        experiments.owners,
        strict=True,
    )
    for series, predicted, seen, owner in rows:
        known = np.isfinite(series.measured)
        if series.signal != "position" or known.sum() < _FEWEST:
            continue
        time = experiments.each[owner].log.time[known]
        # A lag of a + b t leaves a residual of the velocity times the lag.
        left = (predicted - series.measured)[known]
        speed = np.gradient(predicted[known], time)
        late = np.column_stack([seen * series.scale, speed])
        both = np.column_stack([late, speed * (time - time.mean())])
        before, after = (unseen(by, left) for by in (late, both))
        explained = 1 - after @ after / max(before @ before, _TINY)
        drift = float(np.linalg.lstsq(both, left)[0][-1])
        if explained > _BY_CLOCK and abs(drift) > _DRIFT:
            yield (
                f"{series.name}: its clock runs {abs(100 * drift):.2g} %"
                f" {'slow' if drift > 0 else 'fast'} beside that of the commands, which"
                f" explains {explained:.0%} of what is left"
            )


def _limits(fit: MotorFit) -> Iterator[str]:
    """Gives a line per motor that is at its limits nearly all the time."""
    for i, one in enumerate(fit.fitted.experiments.each):
        for motor in one.motors:
            saturated = fit.fitted.signals(i, motor, "saturated")
            share = saturated[one.span[0] : one.span[1] + 1].mean()
            if share > _SATURATED:
                yield (
                    f"{one.prefix}{motor.name}: at its limits in {share:.0%} of the"
                    " samples, which say nothing of its gains"
                )


def _mean(errors: Mapping[str, float]) -> float:
    return float(np.mean(list(errors.values())))


def _grown(fit: MotorFit) -> Sequence[str]:
    """Returns a line if errors on the part that was kept out grew."""
    part = fit.kept_out
    if part is None:
        return []
    before, after = part.before.judged.rms, part.after.judged.rms
    if not _mean(after) > _GREW * _mean(before):
        return []
    if not _mean(fit.sure) > _GREW * _mean(before):
        return []
    kept = told(part.before.judged.mean), told(part.after.judged.mean)
    fitted = told(fit.fitted.before.all.mean), told(fit.fitted.after.all.mean)
    return [
        f"the error on what was kept out grew from {kept[0]} to {kept[1]}, while that"
        f" on what was fitted went from {fitted[0]} to {fitted[1]}: the estimates do"
        " not carry over to other motions"
    ]
