"""The pictures of a report: the measurements and each model's predictions.

They are drawn as those of a comparison: a model has its own colour and dashes, and the
page draws them anew to hover over and to zoom into.
"""

import math
from collections.abc import Mapping

import numpy as np

from webmotor_drake.comparison.charts import (
    LIMIT,
    MODEL_COLORS,
    TARGET,
    TEXT,
    WIDE,
    Chart,
    Curve,
    curve_of,
    level,
)
from webmotor_drake.fitting.estimate import autocorrelation
from webmotor_drake.fitting.motions import Motion
from webmotor_drake.fitting.motor_fit import MotorFit

BEFORE = "before the fit"
_COMMAND_OF = {"position": "target", "velocity": "target_velocity"}
_LAGS = 200  # of the autocorrelation, samples
_UPRIGHT = 1e-3  # how wide an upright line is, as a share of the picture
_FEW = 10.0  # from least to greatest: a logarithm would have no ticks


def series_pictures(motions: Mapping[str, Motion]) -> list[Chart]:
    """Returns a series and its residuals over time, and how these go on."""
    some = next(iter(motions.values()))
    series, log = some.series, some.log
    time = log.time - log.time[0]
    end = float(time[-1])
    measured = curve_of("measured", TEXT, time, some.measured)
    curves = [measured._replace(width=WIDE, opacity=0.3)]
    command = log.get(series.motor.name, _COMMAND_OF.get(series.signal, ""))
    if command is not None and np.isfinite(command).any():
        commanded = curve_of("command", TARGET, time, command)
        curves.append(commanded._replace(width=0.9))
    if len(motions) == 1:
        curves.append(curve_of(BEFORE, MODEL_COLORS[1], time, some.before))
    left = {m: own.after - some.measured for m, own in motions.items()}
    charts = [
        Chart(
            f"{series.signal.capitalize()} ({series.unit})",
            f"{series.name}: measured, and of {', '.join(motions)}",
            end,
            curves + _of_models(time, {m: o.after for m, o in motions.items()}),
            bands=some.bands,
        ),
        Chart(
            f"Predicted less measured ({series.unit})",
            f"{series.name}: what {', '.join(motions)} leave over time",
            end,
            [level(0, end, TEXT)._replace(width=0.6), *_of_models(time, left)],
            bands=some.bands,
        ),
    ]
    return [
        *(_with_cut(chart, some, time) for chart in charts),
        _correlogram(motions),
        *_frictions(motions),
    ]


def _of_models(
    time: np.ndarray, values: Mapping[str, np.ndarray]
) -> list[Curve]:
    """Returns a curve per model, of as many as there are colours."""
    return [
        curve_of(model, color, time, own)
        for color, (model, own) in zip(
            MODEL_COLORS, values.items(), strict=False
        )
    ]


def _with_cut(chart: Chart, motion: Motion, time: np.ndarray) -> Chart:
    """Returns a chart with an upright line from which on the log was kept out."""
    if motion.cut is None:
        return chart
    cut, view = time[motion.cut], chart.range
    ends = [cut, cut + _UPRIGHT * time[-1]]
    upright = Curve("", LIMIT, ends, view, 1.0)
    return chart._replace(curves=[*chart.curves, upright], view=view)


def _correlogram(motions: Mapping[str, Motion]) -> Chart:
    some = next(iter(motions.values()))
    step = float(np.median(np.diff(some.log.time)))
    found = {
        model: autocorrelation(motion.left)
        for model, motion in motions.items()
        if len(motion.left)
    }
    size = len(next(iter(found.values()), [0.0]))
    lags, band = min(_LAGS, size), 1.96 / math.sqrt(size)
    end = step * (lags - 1)
    own = {model: values[:lags] for model, values in found.items()}
    return Chart(
        "Autocorrelation of the residual; within the dotted lines it is noise",
        f"{some.series.name}: how the residual is like itself later",
        end,
        [
            *_of_models(step * np.arange(lags), own),
            *(level(value, end) for value in (-band, band)),
        ],
        x_label="time between (s)",
    )


def _frictions(motions: Mapping[str, Motion]) -> list[Chart]:
    """Returns friction against speed and against load; [] where it is not known."""
    some = next(iter(motions.values()))
    series = some.series
    if not some.friction:
        return []
    effort, speed = ("N", "m/s") if series.motor.is_linear else ("N·m", "rad/s")
    points = {"measured": (TEXT, [seen for seen, _ in some.friction])}
    for color, (model, own) in zip(MODEL_COLORS, motions.items(), strict=False):
        points[model] = color, [made for _, made in own.friction]
    charts = []
    for quantity, label in (
        ("speed", f"speed ({speed})"),
        ("load", f"load ({effort})"),
    ):
        curves = []
        for name, (color, parts) in points.items():
            x = np.concatenate([getattr(p, quantity) for p in parts])
            y = np.concatenate([p.friction for p in parts])
            order = np.argsort(x)
            dots = Curve(name, color, x[order], y[order], 1.0, is_dotted=True)
            curves.append(dots)
        charts.append(
            Chart(
                f"Friction ({effort}) against {quantity}",
                f"{series.name}: friction by {quantity}, of the log and of models",
                max(float(np.max(c.x, initial=0.0)) for c in curves),
                curves,
                x_label=label,
            )
        )
    return charts


def convergence(fit: MotorFit) -> Chart:
    """Returns the least residual over the runs that were done."""
    runs, errors = zip(*fit.history, strict=True)
    is_log = max(errors) > _FEW * min(errors) > 0
    return Chart(
        "Convergence: RMS residual over its scale",
        f"from {errors[0]:.3g} to {errors[-1]:.3g} in {runs[-1]} runs",
        runs[-1],
        [Curve("residual", MODEL_COLORS[0], runs, errors, 1.4)],
        is_log=is_log,
        view=(min(errors) / 1.3, 1.3 * max(errors)) if is_log else None,
        x_label="runs",
    )
