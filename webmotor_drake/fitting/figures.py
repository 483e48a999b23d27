"""The pictures of a fit: what was measured, before and after; what is left."""

import math
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.comparison.svg import (
    LIMIT,
    MODEL_COLORS,
    TARGET,
    TEXT,
    Picture,
    draw_picture,
)
from webmotor_drake.fitting.estimate import autocorrelation, split
from webmotor_drake.fitting.outcome import Fit, Part
from webmotor_drake.results.thinning import thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AFTER, BEFORE = MODEL_COLORS[0], MODEL_COLORS[1]
_DASHES = (0, (4, 1.6))
_COMMAND_OF = {"position": "target", "velocity": "target_velocity"}
# The autocorrelation is shown for so many correlation times of the slowest.
_LAGS = 200
_BUCKETS = 500  # a curve is not wider than that in pixels


def series_pictures(fit: Fit, index: int) -> list[Picture]:
    """Returns a series as measured, before and after; residuals; autocorrelation."""
    series = fit.fitted.experiment.series[index]
    unit = series.unit
    parts = [fit.fitted, *([fit.kept_out] if fit.kept_out else [])]
    begin = fit.fitted.experiment.log.time[0]
    end = float(fit.fitted.experiment.log.time[-1] - begin)
    after = fit.fitted.after.rms[series.name]

    def motion(ax: "Axes") -> None:
        _draw_command(ax, fit, index, begin)
        for part in parts:
            _draw_motion(ax, part, index, begin)
        _mark_kept_out(ax, fit, begin)

    def residuals(ax: "Axes") -> None:
        for part in parts:
            time = part.experiment.log.time - begin
            ax.plot(
                *thinned(time, part.after.residuals[index], _BUCKETS),
                color=AFTER,
                lw=0.9,
            )
        _mark_kept_out(ax, fit, begin)

    return [
        draw_picture(
            f"{series.signal.capitalize()} ({unit})",
            f"{series.name}: measured, before the fit and after it",
            end,
            motion,
        ),
        draw_picture(
            f"Residual ({unit})",
            f"{series.name}: what the fit leaves over time, RMS {after:.3g} {unit}",
            end,
            residuals,
        ),
        _correlogram(fit, index),
    ]


def _draw_motion(ax: "Axes", part: Part, index: int, begin: float) -> None:
    series = part.experiment.series[index]
    log = part.experiment.log
    time = log.time - begin
    ax.plot(
        *thinned(time, series.measured, _BUCKETS), color=TEXT, lw=3, alpha=0.35
    )
    if part.before.predicted is not None:
        style = {"color": BEFORE, "lw": 1.0, "ls": _DASHES}
        ax.plot(*thinned(time, part.before.predicted[index], _BUCKETS), **style)
    if part.after.predicted is not None:
        ax.plot(
            *thinned(time, part.after.predicted[index], _BUCKETS),
            color=AFTER,
            lw=1.2,
        )


def _draw_command(ax: "Axes", fit: Fit, index: int, begin: float) -> None:
    experiment = fit.fitted.experiment
    series, log = experiment.series[index], experiment.log
    command = log.get(series.motor.name, _COMMAND_OF.get(series.signal, ""))
    if command is not None and np.isfinite(command).any():
        points = thinned(log.time - begin, command, _BUCKETS)
        ax.plot(*points, color=TARGET, lw=0.9)


def _mark_kept_out(ax: "Axes", fit: Fit, begin: float) -> None:
    if fit.kept_out is not None:
        experiment = fit.kept_out.experiment
        cut = experiment.log.time[experiment.span[0]] - begin
        ax.axvline(cut, color=LIMIT, lw=1.0, ls=(0, (1, 1.4)))


def _correlogram(fit: Fit, index: int) -> Picture:
    experiment = fit.fitted.experiment
    series = experiment.series[index]
    parts = split(experiment, experiment.residuals(fit.fitted.after.predicted))
    correlation = autocorrelation(parts[index])
    lags = min(_LAGS, len(correlation))
    step = float(np.median(np.diff(experiment.log.time)))
    band = 1.96 / math.sqrt(len(correlation))

    def draw(ax: "Axes") -> None:
        ax.plot(step * np.arange(lags), correlation[:lags], color=AFTER, lw=1.2)
        for level in (-band, band):
            ax.axhline(level, color=LIMIT, lw=1.0, ls=(0, (1, 1.4)))
        ax.axhline(0, color=TEXT, lw=0.6)

    return draw_picture(
        "Autocorrelation of the residual",
        f"{series.name}: how the residual is like itself some time later; within"
        " the dotted lines it is noise",
        step * (lags - 1),
        draw,
        x_label="time between (s)",
    )


def convergence(fit: Fit) -> Picture:
    """Returns the least residual over the runs that were done."""
    runs, errors = zip(*fit.history, strict=True)

    def draw(ax: "Axes") -> None:
        ax.plot(runs, errors, color=AFTER, lw=1.4, marker="o", ms=3)
        if min(errors) > 0:
            ax.set_yscale("log")

    return draw_picture(
        "Convergence: RMS residual, over its scale",
        f"from {errors[0]:.3g} to {errors[-1]:.3g} in {runs[-1]} runs",
        runs[-1],
        draw,
        x_label="runs",
    )


def correlation_matrix(fit: Fit) -> str:
    """Returns the correlations of the estimates as an <svg> element."""
    correlation = fit.certainty.correlation
    size = len(correlation)
    cells = [
        f'<rect x="{column}" y="{row}" width="1" height="1"'
        f' fill="var(--model-{int(value < 0)})" opacity="{abs(value):.2f}">'
        f"<title>{value:.2f}</title></rect>"
        for row, values in enumerate(correlation.tolist())
        for column, value in enumerate(values)
        if math.isfinite(value)
    ]
    return (
        f'<svg viewBox="0 0 {size} {size}" role="img" class="matrix"'
        ' aria-label="correlation matrix of the estimates">'
        f'<rect width="{size}" height="{size}" fill="none"'
        ' stroke="var(--line)" stroke-width=".05"/>'
        f"{''.join(cells)}</svg>"
    )
