"""Measured signals over whole logs, and the predictions of a fit."""

import dataclasses as dc

import numpy as np

from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.logged_motors import Series
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.robot_log import RobotLog


@dc.dataclass(frozen=True, eq=False)
class Motion:
    """A measured signal of an experiment, fitted and kept out together.

    Attributes:
        series: the signal; of the fitted part if there is one.
        log: its experiment's.
        measured: shape (N,), as the others; NaN where it does not count.
        before: as predicted with the start values; NaN: not known.
        after: the same with the estimates.
        left: predicted less measured, of the fitted part if there is one; without gaps.
        cut: the first sample that is kept out; None: none.
        error: RMS error of what was kept out, else of what was fitted.
    """

    series: Series
    log: RobotLog
    measured: np.ndarray
    before: np.ndarray
    after: np.ndarray
    left: np.ndarray
    cut: int | None
    error: float


def motions_of(fit: MotorFit) -> dict[str, Motion]:
    """Returns the signals of all experiments by name, those that were fitted first."""
    found: dict[str, Motion] = {}
    for part in (fit.fitted, fit.kept_out):
        if part is None:
            continue
        for before, after in zip(
            part.before.each, part.after.each, strict=True
        ):
            for i, series in enumerate(after.experiment.series):
                later = _motion(
                    before, after, i, kept_out=part is not fit.fitted
                )
                earlier = found.get(series.name)
                found[series.name] = (
                    _joined(earlier, later) if earlier else later
                )
    return found


def _motion(
    before: Evaluation, after: Evaluation, index: int, *, kept_out: bool
) -> Motion:
    experiment = after.experiment
    series = experiment.series[index]
    left = after.residuals[index]
    return Motion(
        series,
        experiment.log,
        series.measured,
        _row(before, index),
        _row(after, index),
        left[np.isfinite(left)],
        experiment.span[0] if kept_out else None,
        after.rms[series.name],
    )


def _row(evaluation: Evaluation, index: int) -> np.ndarray:
    if evaluation.predicted is None:
        return np.full(len(evaluation.experiment.log.time), np.nan)
    return evaluation.predicted[index]


def _joined(fitted: Motion, kept_out: Motion) -> Motion:
    """Returns both parts of a log as one."""
    whole = {
        name: np.where(np.isfinite(own := getattr(fitted, name)), own, later)
        for name in ("measured", "before", "after")
        for later in [getattr(kept_out, name)]
    }
    return dc.replace(fitted, **whole, cut=kept_out.cut, error=kept_out.error)
