"""Measured signals over whole logs, and the predictions of a fit."""

import dataclasses as dc
from collections.abc import Sequence

import numpy as np

from webmotor_drake.fitting.logged_motors import Series
from webmotor_drake.fitting.motor_fit import MotorFit, Part
from webmotor_drake.fitting.robot_log import RobotLog

_AT_LIMITS, _TORQUE_OFF = "var(--at-limits)", "var(--torque-off)"
# Meaning of shaded parts, by colours of the page's style.
BANDS = {_AT_LIMITS: "at the motor's limits", _TORQUE_OFF: "torque off"}


@dc.dataclass(frozen=True, eq=False)
class Motion:
    """A measured signal of an experiment, fitted and kept out together.

    Attributes:
        series: the signal; of the fitted part if there is one.
        log: log of its experiment.
        measured: shape (N,), as the others; NaN where it does not count.
        before: prediction with the start values; NaN: not known.
        after: prediction with the estimates.
        left: residual, of the fitted part if there is one; without gaps.
        cut: the first sample that is kept out; None: none.
        error: RMS error of what was kept out, else of what was fitted.
        bands: start and end (s, from the log's start) of parts with the motor at its
            limits, or its torque off, and the colour of that.
    """

    series: Series
    log: RobotLog
    measured: np.ndarray
    before: np.ndarray
    after: np.ndarray
    left: np.ndarray
    cut: int | None
    error: float
    bands: Sequence[tuple[float, float, str]] = ()


def motions_of(fit: MotorFit) -> dict[str, Motion]:
    """Returns the signals of all experiments by name, those that were fitted first."""
    found: dict[str, Motion] = {}
    for part in fit.parts:
        for later in _motions(part, is_kept_out=part is fit.kept_out):
            name = later.series.name
            earlier = found.get(name)
            found[name] = _joined(earlier, later) if earlier else later
    return found


def _motions(part: Part, *, is_kept_out: bool) -> list[Motion]:
    experiments, nothing = part.experiments, [None] * len(part.series)
    rows = zip(
        part.series,
        experiments.owners,
        part.before.predicted or nothing,
        part.after.predicted or nothing,
        part.after.residuals,
        strict=True,
    )
    found = []
    for series, owner, before, after, left in rows:
        one = experiments.each[owner]
        unknown = np.full(len(one.log.time), np.nan)
        found.append(
            Motion(
                series,
                one.log,
                series.measured,
                unknown if before is None else before,
                unknown if after is None else after,
                left[np.isfinite(left)],
                one.span[0] if is_kept_out else None,
                part.after.rms[series.name],
                [] if after is None else _bands(part, owner, series),
            )
        )
    return found


def _bands(
    part: Part, owner: int, series: Series
) -> list[tuple[float, float, str]]:
    one = part.experiments.each[owner]
    first, last = one.span
    time = one.log.time - one.log.time[0]
    found = []
    for color, there in (
        (_AT_LIMITS, part.signals(owner, series.motor, "saturated") > 0),
        (_TORQUE_OFF, one.is_off(series.motor)),
    ):
        inside = np.zeros(len(time) + 2, dtype=int)
        inside[first + 1 : last + 2] = there[first : last + 1]
        edges = np.flatnonzero(np.diff(inside))
        for start, end in edges.reshape(-1, 2).tolist():
            end = min(end, len(time) - 1)
            found.append((float(time[start]), float(time[end]), color))
    return found


def _joined(fitted: Motion, kept_out: Motion) -> Motion:
    """Returns both parts of a log as one."""
    whole = {
        name: np.where(np.isfinite(own := getattr(fitted, name)), own, later)
        for name in ("measured", "before", "after")
        for later in [getattr(kept_out, name)]
    }
    return dc.replace(
        fitted,
        **whole,
        cut=kept_out.cut,
        error=kept_out.error,
        bands=[*fitted.bands, *kept_out.bands],
    )
