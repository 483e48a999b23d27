"""The pictures of a report: the measurements and each model's predictions.

They are drawn as those of a comparison: a model has its own colour and dashes, and the
page draws them anew to hover over and to zoom into.
"""

import html
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.comparison.svg import (
    DASHES,
    LIMIT,
    MODEL_COLORS,
    TARGET,
    TEXT,
    Picture,
    draw_picture,
)
from webmotor_drake.fitting.estimate import autocorrelation
from webmotor_drake.fitting.motions import Motion
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.results.thinning import thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEFORE = "before the fit"
_COMMAND_OF = {"position": "target", "velocity": "target_velocity"}
_LAGS = 200  # of the autocorrelation, samples
_BUCKETS = 700  # of a curve: half of the pixels that it is wide
_UPRIGHT = 1e-3  # how wide an upright line is, as a share of the picture
_FEW = 10.0  # from least to greatest: a logarithm would have no ticks
# Of the matrix of correlations, pixels.
_CELL, _LETTER = 14, 6.2


def series_pictures(motions: Mapping[str, Motion]) -> list[Picture]:
    """Returns a series and its residuals over time, and how these go on.

    Args:
        motions: of one series, by model.
    """
    some = next(iter(motions.values()))
    series, log = some.series, some.log
    time = log.time - log.time[0]

    def motion(ax: "Axes") -> None:
        _draw(ax, time, some.measured, TEXT, "measured", lw=4.2, alpha=0.3)
        command = log.get(series.motor.name, _COMMAND_OF.get(series.signal, ""))
        if command is not None and np.isfinite(command).any():
            _draw(ax, time, command, TARGET, "command", lw=0.9)
        if len(motions) == 1:
            _draw(ax, time, some.before, MODEL_COLORS[1], BEFORE)
        for color, (model, own) in zip(
            MODEL_COLORS, motions.items(), strict=False
        ):
            _draw(ax, time, own.after, color, model)
        _mark_kept_out(ax, some, time)

    def residuals(ax: "Axes") -> None:
        ax.axhline(0, color=TEXT, lw=0.6, label="_zero")
        for color, (model, own) in zip(
            MODEL_COLORS, motions.items(), strict=False
        ):
            _draw(ax, time, own.after - some.measured, color, model)
        _mark_kept_out(ax, some, time)

    end = float(time[-1])
    name = f"{series.name}: measured, and of {', '.join(motions)}"
    return [
        draw_picture(
            f"{series.signal.capitalize()} ({series.unit})", name, end, motion
        ),
        draw_picture(
            f"Predicted less measured ({series.unit})",
            f"{series.name}: what {', '.join(motions)} leave over time",
            end,
            residuals,
        ),
        _correlogram(motions),
    ]


def _draw(
    ax: "Axes",
    time: np.ndarray,
    values: np.ndarray,
    color: str,
    label: str,
    *,
    lw: float = 1.3,
    alpha: float | None = None,
) -> None:
    points = thinned(time, values, _BUCKETS)
    ax.plot(
        *points,
        color=color,
        lw=lw,
        ls=(0, tuple(DASHES[color])) if DASHES.get(color) else "-",
        alpha=alpha,
        label=label,
    )


def _mark_kept_out(ax: "Axes", motion: Motion, time: np.ndarray) -> None:
    if motion.cut is None:
        return
    cut = time[motion.cut]
    low, high = ax.get_ylim()
    ends = [cut, cut + _UPRIGHT * time[-1]]
    ax.plot(ends, [low, high], color=LIMIT, lw=1.0, label="_kept out")
    ax.set_ylim(low, high)


def _correlogram(motions: Mapping[str, Motion]) -> Picture:
    some = next(iter(motions.values()))
    step = float(np.median(np.diff(some.log.time)))
    found = {
        model: autocorrelation(motion.left)
        for model, motion in motions.items()
        if len(motion.left)
    }
    size = len(next(iter(found.values()), [0.0]))
    lags, band = min(_LAGS, size), 1.96 / math.sqrt(size)

    def draw(ax: "Axes") -> None:
        for color, (model, correlation) in zip(
            MODEL_COLORS, found.items(), strict=False
        ):
            _draw(ax, step * np.arange(lags), correlation[:lags], color, model)
        for level in (-band, band):
            ax.axhline(level, color=LIMIT, lw=1.0, label="_noise")

    return draw_picture(
        "Autocorrelation of the residual; within the dotted lines it is noise",
        f"{some.series.name}: how the residual is like itself later",
        step * (lags - 1),
        draw,
        x_label="time between (s)",
    )


def convergence(fit: MotorFit) -> Picture:
    """Returns the least residual over the runs that were done."""
    runs, errors = zip(*fit.history, strict=True)

    def draw(ax: "Axes") -> None:
        ax.plot(runs, errors, color=MODEL_COLORS[0], lw=1.4, label="residual")
        if max(errors) > _FEW * min(errors) > 0:
            ax.set_yscale("log")
            ax.set_ylim(min(errors) / 1.3, 1.3 * max(errors))

    return draw_picture(
        "Convergence: RMS residual over its scale",
        f"from {errors[0]:.3g} to {errors[-1]:.3g} in {runs[-1]} runs",
        runs[-1],
        draw,
        x_label="runs",
    )


def correlation_matrix(fit: MotorFit) -> str:
    """Returns the correlations of the estimates as an <svg> element.

    Rows have the parameters' names and numbers, columns their numbers.
    """
    correlation = fit.certainty.correlation
    names = [e.parameter.name for e in fit.certainty.estimates]
    size = len(correlation)
    left = _LETTER * max(len(name) + 4 for name in names)
    width, height = left + _CELL * size, _CELL * (size + 1)
    cells = [
        f'<rect x="{left + _CELL * column:g}" y="{_CELL * (row + 1)}"'
        f' width="{_CELL}" height="{_CELL}"'
        f' fill="var(--model-{int(value < 0)})" opacity="{abs(value):.2f}">'
        f"<title>{html.escape(names[row])}, {html.escape(names[column])}:"
        f" {value:.2f}</title></rect>"
        for row, values in enumerate(correlation.tolist())
        for column, value in enumerate(values)
        if math.isfinite(value)
    ]
    labels = [
        f'<text x="{left - 4:g}" y="{_CELL * (i + 2) - 3}" text-anchor="end">'
        f"{html.escape(name)} {i + 1}</text>"
        f'<text x="{left + _CELL * (i + 0.5):g}" y="{_CELL - 3}"'
        f' text-anchor="middle">{i + 1}</text>'
        for i, name in enumerate(names)
    ]
    return (
        f'<svg viewBox="0 0 {width:g} {height}" role="img" class="matrix"'
        f' style="width: {width:g}px"'
        ' aria-label="correlation matrix of the estimates">'
        f'<rect x="{left:g}" y="{_CELL}" width="{_CELL * size}"'
        f' height="{_CELL * size}" fill="none" stroke="var(--line)"/>'
        f"{''.join(cells)}{''.join(labels)}</svg>"
    )
