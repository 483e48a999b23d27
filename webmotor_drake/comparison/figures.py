"""The pictures of a comparison: position, velocity, effort, difference.

Lines of models differ in dash and width as well as in colour; the reference's is
wide and pale beneath the others: where models agree, all of them show.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webmotor_drake.comparison.compared_runs import ComparedRuns
from webmotor_drake.comparison.svg import (
    DASHES,
    LIMIT,
    MODEL_COLORS,
    NUM_COLORS,
    TARGET,
    WIDE,
    Picture,
    draw_picture,
)
from webmotor_drake.comparison.table import shown_value
from webmotor_drake.errors import one_line
from webmotor_drake.results.thinning import thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from webmotor_drake.results.results import Results

_LIMIT_STYLE = {
    "color": LIMIT,
    "lw": 1.1,
    "ls": (0, tuple(DASHES[LIMIT])),
    "zorder": 1.4,
}
_BUCKETS = 700  # of a curve: half of the pixels that it is wide
_REACH = 1.0  # a limit is in view up to this many data ranges away
_STILL = 1e-9
_LEAST_DIFFERENCE = 1e-6  # in view, as a share of the largest


class Line(NamedTuple):
    """The line of a model: colour and dashes."""

    # Number of its CSS variable.
    color: int
    # Points.
    width: float
    opacity: float
    # Lengths of dashes and gaps in units of its width; empty: solid.
    dash: list[float]


class Panel(NamedTuple):
    """A picture that is not drawn yet.

    Attributes:
        title: what it shows, and the unit.
        description: what it shows, in words.
        draw: draws it into axes, in the colours of `svg`.
    """

    title: str
    description: str
    draw: "Callable[[Axes], None]"


def pictures(comparison: ComparedRuns, motor: str) -> list[Picture]:
    """Returns position, velocity, effort and difference of a motor."""
    end = max(results.time[-1] for results in comparison.results.values())
    return [
        draw_picture(panel.title, panel.description, end, panel.draw)
        for panel in panels(comparison, motor)
    ]


def panels(comparison: ComparedRuns, motor: str) -> list[Panel]:
    """Returns position, velocity, effort and difference of a motor."""
    units = comparison.units(motor)
    kinds = [
        ("Position", units.position, _draw_position),
        ("Velocity", units.velocity, _draw_velocity),
        ("Effort", units.effort, _draw_effort),
    ]
    made = [
        Panel(
            f"{title} ({unit})",
            _description(comparison, motor, title.lower(), unit),
            lambda ax, draw=draw: draw(ax, comparison, motor),
        )
        for title, unit, draw in kinds
    ]
    others = [m for m in comparison.results if m != comparison.reference]
    if others and comparison.reference in comparison.results:
        signal = compared_signal(comparison, motor)
        unit = getattr(units, signal)
        made.append(
            Panel(
                f"Difference in {signal} to {comparison.reference} ({unit})",
                _difference_description(comparison, motor, signal, unit),
                lambda ax: _draw_difference(ax, comparison, motor, signal),
            )
        )
    return made


def compared_signal(comparison: ComparedRuns, motor: str) -> str:
    """Returns "velocity" for a motor in velocity control only, else "position"."""
    kinds = {segment.quantity for segment in comparison.targets[motor]}
    return "velocity" if kinds == {"velocity"} else "position"


def _draw_position(ax: "Axes", comparison: ComparedRuns, motor: str) -> None:
    _draw_targets(ax, comparison, motor, "position")
    values = _draw_models(ax, comparison, motor, "position")
    first = next(iter(comparison.results.values()))
    limits = {*first.limits(motor, "position"), *first.limits(motor, "stop")}
    _draw_limits(ax, values, sorted(limits))


def _draw_velocity(ax: "Axes", comparison: ComparedRuns, motor: str) -> None:
    _draw_targets(ax, comparison, motor, "velocity")
    values = _draw_models(ax, comparison, motor, "velocity")
    first = next(iter(comparison.results.values()))
    limit = first.motor_metadata(motor).get("max_velocity")
    _draw_limits(ax, values, [-limit, limit] if limit else [])


def _draw_effort(ax: "Axes", comparison: ComparedRuns, motor: str) -> None:
    values = _draw_models(ax, comparison, motor, "effort", steps=True)
    first = _with_finite_limits(comparison)
    if first is None:
        return
    limit = first[f"{motor}/effort_limit"]
    near = limit <= (1 + _REACH) * max(np.nanmax(np.abs(values)), _STILL)
    if near.any():
        limit = np.where(np.isfinite(limit), limit, np.nan)
        for bound in (limit, -limit):
            bound = np.concatenate([bound[1:2], bound[1:]])
            ax.step(*thinned(first.time, bound, _BUCKETS), **_LIMIT_STYLE)


def _draw_difference(
    ax: "Axes", comparison: ComparedRuns, motor: str, signal: str
) -> None:
    """Draws how far models are apart, from a millionth of the largest on."""
    largest = 0.0
    for i, contender in enumerate(comparison.outcomes):
        difference = comparison.difference(contender, motor, signal)
        if contender == comparison.reference or not difference.value.size:
            continue
        distance = np.abs(difference.value)
        largest = np.nanmax(distance, initial=largest)
        distance[distance == 0] = np.nan  # has no place on the axis
        time, distance = thinned(difference.time, distance, _BUCKETS)
        ax.plot(time, distance, label=contender, **model_style(i))
    if largest > 0:
        ax.set_yscale("log")
        ax.set_ylim(largest * _LEAST_DIFFERENCE, 2 * largest)


def _draw_models(
    ax: "Axes",
    comparison: ComparedRuns,
    motor: str,
    signal: str,
    *,
    steps: bool = False,
) -> np.ndarray:
    """Draws a signal of all models; returns all of its values in a row."""
    values = []
    for i, contender in enumerate(comparison.outcomes):
        results = comparison.results.get(contender)
        if results is None:
            continue
        value = results[f"{motor}/{signal}"]
        if steps:  # row k holds during step k; row 0 comes before all steps
            value = np.concatenate([value[1:2], value[1:]])
        draw = ax.step if steps else ax.plot
        style = model_style(i, wide=contender == comparison.reference)
        points = thinned(results.time, value, _BUCKETS)
        draw(*points, label=contender, **style)
        values.append(value)
    every = np.concatenate(values)
    every = every[np.isfinite(every)]
    return every if every.size else np.zeros(1)


def _draw_targets(
    ax: "Axes", comparison: ComparedRuns, motor: str, quantity: str
) -> None:
    for segment in comparison.targets[motor]:
        if segment.quantity == quantity:
            ax.plot(
                [segment.start, segment.end],
                [segment.target] * 2,
                color=TARGET,
                lw=1.2,
                zorder=1.5,
            )


def _draw_limits(ax: "Axes", values: np.ndarray, limits: list[float]) -> None:
    """Draws the limits that are not far away from the motion."""
    low, high = values.min(), values.max()
    reach = _REACH * max(high - low, _STILL)
    for limit in limits:
        if low - reach <= limit <= high + reach:
            ax.axhline(limit, **_LIMIT_STYLE)


def _with_finite_limits(comparison: ComparedRuns) -> "Results | None":
    """Returns the first model that has effort limits to draw."""
    for results in comparison.results.values():
        if any(
            np.isfinite(results[f"{motor}/effort_limit"]).any()
            for motor in comparison.motors
        ):
            return results
    return None


def model_style(i: int, *, wide: bool = False) -> dict:
    """Returns how to draw model `i`, the reference `wide` and beneath."""
    line = model_line(i, wide=wide)
    return {
        "color": MODEL_COLORS[line.color],
        "lw": line.width,
        "alpha": line.opacity,
        "ls": (0, tuple(line.dash)) if line.dash else "-",
        "zorder": 2 if wide else 3 + i / 100,
        "solid_capstyle": "butt",
    }


def model_line(i: int, *, wide: bool) -> Line:
    """Returns the line of model `i`; the reference is solid and `wide`."""
    color = i % NUM_COLORS
    if wide:
        return Line(color, WIDE, 0.6, [])
    return Line(color, 1.7, 1.0, DASHES[MODEL_COLORS[color]])


def _description(
    comparison: ComparedRuns, motor: str, signal: str, unit: str
) -> str:
    """Returns a curve in words: where each model ends, and its extremes."""
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
