"""Faults of logs that only a model can show, told by the result of a fit.

A fit hides them in its parameters: a delay takes what a clock is late, a gain at its
bound what an encoder's sign does. Each is told in a line, and only where it is far
beyond chance.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from webmotor_drake.fitting.estimate import Estimate, unseen, weights
from webmotor_drake.fitting.evaluation import told
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.search import Point
from webmotor_drake.results.text import quantity

# A parameter is pushed against its bound if it would be so many standard deviations
# outside, or if that explains so much of the squared residuals.
_PUSHED = 4.0
_EXPLAINED = 0.3
# A clock runs off by at least this, and explains so much.
_DRIFT, _BY_CLOCK = 1e-3, 0.6
_FEWEST = 40  # samples
_TINY = 1e-30
# Motors at their limits in such a share of the samples.
_SATURATED = 0.8
# An error on what was kept out grew by more than that.
_GREW = 1.1


def faults_in(fit: MotorFit, point: Point) -> list[str]:
    """Returns the faults of the logs that a fit shows, one line each.

    Args:
        fit: the result.
        point: the best point of the search.
    """
    causes = (_clocks(fit, point), _at_bounds(fit, point), _grown(fit))
    # What a clock does, and what a delay at its bound does, shows in the others.
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
    found = {}
    for i, estimate in enumerate(estimates):
        if not estimate.at_bound:
            continue
        column = unseen(jacobian[:, free], jacobian[:, i])
        strength = max(float(np.linalg.norm(column)), _TINY)
        push = float(-column @ left) / strength
        push *= 1 if estimate.at_bound == "high" else -1
        share = push**2 / max(_square(left), _TINY)
        if push > 0 and (push > _PUSHED or share > _EXPLAINED):
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
    """Gives the positions whose times run off from those of the commands."""
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
        # What is late by a + b t has a residual of the velocity times that.
        left = (predicted - series.measured)[known]
        speed = np.gradient(predicted[known], time)
        late = np.column_stack([seen * series.scale, speed])
        both = np.column_stack([late, speed * (time - time.mean())])
        rest = [_square(unseen(by, left)) for by in (late, both)]
        explained = 1 - rest[1] / max(rest[0], _TINY)
        drift = float(np.linalg.lstsq(both, left)[0][-1])
        if explained > _BY_CLOCK and abs(drift) > _DRIFT:
            yield (
                f"{series.name}: its clock runs {abs(100 * drift):.2g} %"
                f" {'slow' if drift > 0 else 'fast'} beside that of the commands, which"
                f" explains {explained:.0%} of what is left"
            )


def _square(values: np.ndarray) -> float:
    return float(values @ values)


def _limits(fit: MotorFit) -> Iterator[str]:
    """Gives the motors that are at their limits nearly all the time."""
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
