"""The motions of a report, and their pictures: measurements and models' predictions.

They look like those of a comparison: each model has its own colour and dashes, and the
page draws charts that one can hover over and zoom into.
"""

import dataclasses as dc
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
from webmotor_drake.fitting.friction import Friction, frictions
from webmotor_drake.fitting.logged_motors import Series
from webmotor_drake.fitting.motor_fit import MotorFit, Part
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.run_record import position_names
from webmotor_drake.view.puppet import Puppet

_AT_LIMITS, _TORQUE_OFF = "var(--at-limits)", "var(--torque-off)"
# Meaning of shaded parts, by colours of the page's style.
BANDS = {_AT_LIMITS: "at the motor's limits", _TORQUE_OFF: "torque off"}


@dc.dataclass(eq=False)
class Motion:
    """A measured signal of an experiment, fitted and kept out together.

    Attributes:
        series: the signal, in the fitted part if there is one.
        log: log of its experiment.
        measured: measurement, shape (N,); NaN where it does not count.
        before: prediction with the start values, shape (N,); NaN: not known.
        after: prediction with the estimates, shape (N,).
        left: residual without gaps, in the fitted part if there is one.
        cut: index of the first sample kept out; None: no sample is.
        error: RMS error of the data kept out, else of the fitted data.
        bands: start, end (s, from the log's start) and colour of parts with the motor
            at its limits or its torque off.
        friction: friction of each part, measured and predicted; empty: not known.
    """

    series: Series
    log: RobotLog
    measured: np.ndarray
    before: np.ndarray
    after: np.ndarray
    left: np.ndarray
    cut: int | None
    error: float
    bands: list[tuple[float, float, str]] = dc.field(default_factory=list)
    friction: list[tuple[Friction, Friction]] = dc.field(default_factory=list)


def motions_of(fit: MotorFit) -> dict[str, Motion]:
    """Returns the signals of all experiments by name, those that were fitted first."""
    found: dict[str, Motion] = {}
    for part in fit.parts:
        experiments = part.experiments
        known = [frictions(part, i) for i in range(len(experiments.each))]
        for k, series in enumerate(experiments.series):
            owner = experiments.owners[k]
            one, name = experiments.each[owner], series.name
            if name not in found:
                left = part.after.residuals[k]
                rows = [np.full(len(left), np.nan) for _ in range(3)]
                left = left[np.isfinite(left)]
                found[name] = Motion(series, one.log, *rows, left, None, 0.0)
            motion = found[name]
            for own, rows in (
                (motion.measured, {k: series.measured}),
                (motion.before, part.before.predicted),
                (motion.after, part.after.predicted),
            ):
                if rows is not None:
                    np.copyto(own, rows[k], where=np.isnan(own))
            motion.error = part.after.rms[name]
            if part is fit.kept_out:
                motion.cut = one.span[0]
            if part.after.predicted is not None:
                motion.bands += _bands(part, owner, series)
            friction = known[owner].get(series.motor.signal)
            if friction and series.signal == "position":
                motion.friction.append(friction)
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


def motion_page(
    fit: MotorFit, motions: Mapping[str, Mapping[str, Motion]]
) -> tuple[Results, dict[str, Results]] | None:
    """Returns the robots' measured motion, and their motion under each model.

    Shows the first experiment with measured positions. Joints without measurements
    stay where the scenario has them. None: no position was measured.

    Args:
        fit: one of the models' fits.
        motions: signals by model and name.
    """
    first = next(iter(motions.values()))
    names = [n for n, m in first.items() if m.series.signal == "position"]
    names = [n for n in names if first[n].log is first[names[0]].log]
    if not names or not fit.scenario.directives:
        return None
    puppet = Puppet(fit.scenario)

    def posed(values: Mapping[str, np.ndarray]) -> Results:
        return _posed(puppet, first[names[0]], values)

    measured = {first[n].series.motor.signal: first[n].measured for n in names}
    models = {
        model: posed({of[n].series.motor.signal: of[n].after for n in names})
        for model, of in motions.items()
    }
    return posed(measured), models


def _posed(
    puppet: Puppet, some: Motion, values: Mapping[str, np.ndarray]
) -> Results:
    """Returns results of positions alone, by "<model>/<motor>", with gaps filled."""
    time = some.log.time - some.log.time[0]
    positions = np.tile(puppet.positions, (len(time), 1))
    nothing = np.full(len(time), np.nan)
    signals: dict[str, np.ndarray] = {}
    for model, system in puppet.motors.items():
        for name, place in zip(
            system.devices.names, system.position_indices, strict=True
        ):
            motor = f"{model}/{name}"
            value = values.get(motor, nothing)
            known = np.isfinite(value)
            if known.any():
                positions[:, place] = np.interp(time, time[known], value[known])
            own = {"position": positions[:, place]}
            for signal in ("velocity", "effort", "mode"):
                own[signal] = nothing
            signals |= {f"{motor}/{s}": v for s, v in own.items()}
    about = {"positions": position_names(puppet.plant)}
    return Results(time, signals, about, positions=positions)


BEFORE = "before the fit"
_COMMAND_OF = {"position": "target", "velocity": "target_velocity"}
_LAGS = 200  # of the autocorrelation, samples
_UPRIGHT = 1e-3  # width of a vertical line, as a share of the picture
_FEW = 10.0  # greatest over least value: a log axis would have no ticks


def series_pictures(motions: Mapping[str, Motion]) -> list[Chart]:
    """Returns charts of a series, its residuals, their autocorrelation and friction.

    Args:
        motions: motions of one series, by model.
    """
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
    """Returns a curve per model, for as many models as there are colours."""
    return [
        curve_of(model, color, time, own)
        for color, (model, own) in zip(
            MODEL_COLORS, values.items(), strict=False
        )
    ]


def _with_cut(chart: Chart, motion: Motion, time: np.ndarray) -> Chart:
    """Returns a chart with a vertical line where the part kept out begins."""
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
    _, speed, effort = series.motor.units
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
    """Returns a chart of the least residual over the number of runs."""
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
