"""The charts of a comparison: position, velocity, effort, difference.

Pages show them as charts, notebooks and papers as one figure of matplotlib.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.lines import Line2D

from webmotor_drake.comparison.charts import (
    LIMIT,
    MODEL_COLORS,
    NUM_COLORS,
    TARGET,
    WIDE,
    Chart,
    Curve,
    curve_of,
    level,
)
from webmotor_drake.comparison.compared_runs import ComparedRuns
from webmotor_drake.comparison.table import shown_value
from webmotor_drake.errors import InputError, one_line, unknown_name
from webmotor_drake.results.plots import RunFigure

_REACH = 1.0  # a limit is in view up to this many data ranges away
_STILL = 1e-9
_LEAST_DIFFERENCE = 1e-6  # in view, as a share of the largest
_WIDTH, _HEIGHT = 3.6, 2.4  # of a panel, inches
_FONT = 8.5  # points


def charts(comparison: ComparedRuns, motor: str) -> list[Chart]:
    """Returns position, velocity, effort and difference of a motor."""
    first = next(iter(comparison.results.values()))
    end = max(results.time[-1] for results in comparison.results.values())
    fastest = first.motor_metadata(motor).get("max_velocity")
    soft, stops = first.limits(motor, "position"), first.limits(motor, "stop")
    limits = {
        "position": sorted({*soft, *stops}),
        "velocity": [-fastest, fastest] if fastest else [],
    }
    curves = {
        signal: _moved(comparison, motor, signal, own, end)
        for signal, own in limits.items()
    }
    curves["effort"] = _effort(comparison, motor)
    made = [
        Chart(
            f"{signal.capitalize()} ({unit})",
            _description(comparison, motor, signal, unit),
            end,
            curves[signal],
        )
        for signal, unit in comparison.units(motor)._asdict().items()
    ]
    others = [m for m in comparison.results if m != comparison.reference]
    if others and comparison.reference in comparison.results:
        made.append(_difference(comparison, motor, end))
    return made


def compared_signal(comparison: ComparedRuns, motor: str) -> str:
    """Returns "velocity" for a motor in velocity control only, else "position"."""
    kinds = {segment.quantity for segment in comparison.targets[motor]}
    return "velocity" if kinds == {"velocity"} else "position"


def _moved(
    comparison: ComparedRuns,
    motor: str,
    signal: str,
    limits: list[float],
    end: float,
) -> list[Curve]:
    """Returns curves of targets and models, and of limits near the motion."""
    models = _models(comparison, motor, signal)
    low, high = _ends(models)
    reach = _REACH * max(high - low, _STILL)
    near = [v for v in limits if low - reach <= v <= high + reach]
    targets = [
        Curve("", TARGET, [s.start, s.end], [s.target] * 2, 1.2)
        for s in comparison.targets[motor]
        if s.quantity == signal
    ]
    return [*(level(value, end) for value in near), *targets, *models]


def _effort(comparison: ComparedRuns, motor: str) -> list[Curve]:
    models = _models(comparison, motor, "effort", is_stepped=True)
    most = (1 + _REACH) * max(*map(abs, _ends(models)), _STILL)
    for results in comparison.results.values():
        limit = results[f"{motor}/effort_limit"]
        if not np.isfinite(limit).any():
            continue
        if (limit > most).all():
            break
        limit = _of_steps(np.where(np.isfinite(limit), limit, np.nan))
        bounds = [
            curve_of("", LIMIT, results.time, bound)
            for bound in (limit, -limit)
        ]
        models[:0] = [b._replace(width=1.1, is_stepped=True) for b in bounds]
        break
    return models


def _difference(comparison: ComparedRuns, motor: str, end: float) -> Chart:
    """Returns a chart of the models' distances from the reference, with a log axis."""
    signal = compared_signal(comparison, motor)
    unit = getattr(comparison.units(motor), signal)
    largest, curves = 0.0, []
    for contender in comparison.results:
        difference = comparison.difference(contender, motor, signal)
        if contender == comparison.reference or not difference.value.size:
            continue
        distance = np.abs(difference.value)
        largest = float(np.nanmax(distance, initial=largest))
        distance[distance == 0] = np.nan  # 0 has no place on a log axis
        curves.append(_model(comparison, contender, difference.time, distance))
    return Chart(
        f"Difference in {signal} to {comparison.reference} ({unit})",
        _difference_description(comparison, motor, signal, unit),
        end,
        curves,
        is_log=largest > 0,
        view=(largest * _LEAST_DIFFERENCE, 2 * largest) if largest else None,
    )


def _models(
    comparison: ComparedRuns,
    motor: str,
    signal: str,
    *,
    is_stepped: bool = False,
) -> list[Curve]:
    curves: list[Curve] = []
    for contender, results in comparison.results.items():
        value = results[f"{motor}/{signal}"]
        value = _of_steps(value) if is_stepped else value
        curve = _model(comparison, contender, results.time, value)
        at = 0 if contender == comparison.reference else len(curves)
        curves.insert(at, curve._replace(is_stepped=is_stepped))
    return curves


def _model(
    comparison: ComparedRuns, name: str, time: np.ndarray, values: np.ndarray
) -> Curve:
    line = model_line(comparison, name)
    points = curve_of(name, line.color, time, values)
    return points._replace(width=line.width, opacity=line.opacity)


def model_line(comparison: ComparedRuns, name: str) -> Curve:
    """Returns an empty curve in a model's style; the reference's is solid and wide."""
    color = MODEL_COLORS[list(comparison.outcomes).index(name) % NUM_COLORS]
    wide = name == comparison.reference
    width, opacity = (WIDE, 0.6) if wide else (1.7, 1.0)
    return Curve(name, color, [], [], width, opacity)


def _of_steps(values: np.ndarray) -> np.ndarray:
    """Returns the value of step k in row k; row 0 comes before all steps."""
    return np.concatenate([values[1:2], values[1:]])


def _ends(curves: list[Curve]) -> tuple[float, float]:
    """Returns the least and the greatest finite value of curves; 0 for none."""
    values = np.concatenate([np.zeros(0), *(curve.y for curve in curves)])
    values = values[np.isfinite(values)]
    return (values.min(), values.max()) if values.size else (0.0, 0.0)


def _description(
    comparison: ComparedRuns, motor: str, signal: str, unit: str
) -> str:
    ends = []
    for contender, results in comparison.results.items():
        values = results[f"{motor}/{signal}"][1:]
        values = values[np.isfinite(values)]
        if values.size:
            low, high, end = (
                shown_value(float(value), unit)
                for value in (values.min(), values.max(), values[-1])
            )
            ends.append(f"{contender} from {low} to {high}, at the end {end}")
    return f"{signal} of {one_line(motor)} over time: {'; '.join(ends)}"


def _difference_description(
    comparison: ComparedRuns, motor: str, signal: str, unit: str
) -> str:
    largest = [
        f"{contender} "
        + shown_value(
            comparison.largest_difference(contender, motor, signal), unit
        )
        for contender in comparison.results
        if contender != comparison.reference
    ]
    return (
        f"difference in {signal} of {one_line(motor)} to"
        f" {comparison.reference} over time, the largest: {'; '.join(largest)}"
    )


def model_figure(
    comparison: ComparedRuns, motors: Sequence[str] | None = None
) -> RunFigure:
    """Returns one row per motor: position, velocity, effort and difference.

    Args:
        comparison: comparison to draw.
        motors: "<model>/<motor>" of the motors to draw; None: all.

    Raises:
        InputError: there is no such motor, or nothing was simulated.
    """
    for motor in motors or ():
        if motor not in comparison.motors:
            problem = unknown_name("motor", motor, comparison.motors)
            raise InputError(problem)
    chosen = comparison.motors if motors is None else list(motors)
    if not chosen:
        raise InputError("nothing to plot: no motor was simulated")
    drawn = [charts(comparison, motor) for motor in chosen]
    columns = len(drawn[0])
    size = columns * _WIDTH, len(chosen) * _HEIGHT + 0.5
    figure = RunFigure(figsize=size, layout="constrained")
    grid = figure.subplots(len(chosen), columns, squeeze=False, sharex=True)
    for axes, motor, row in zip(grid, chosen, drawn, strict=True):
        for ax, chart in zip(axes, row, strict=True):
            chart.draw(ax)
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(color="#E4E4E4", linewidth=0.6)
            ax.set_axisbelow(True)
            ax.tick_params(labelsize=_FONT - 1)
            ax.set_ylabel(chart.title, fontsize=_FONT)
        axes[0].set_title(
            one_line(motor),
            fontsize=_FONT + 1,
            fontweight="bold",
            loc="left",
            parse_math=False,
        )
    for ax in grid[-1]:
        ax.set_xlabel("time (s)", fontsize=_FONT)
    _draw_legend(figure, comparison)
    return figure


def _draw_legend(figure: RunFigure, comparison: ComparedRuns) -> None:
    lines = [
        Line2D([], [], label=name, **model_line(comparison, name).style)
        for name in comparison.outcomes
    ]
    figure.legend(
        handles=lines,
        loc="outside upper left",
        ncols=len(lines),
        frameon=False,
        fontsize=_FONT,
    )
