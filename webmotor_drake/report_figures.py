"""The pictures of a comparison: SVG that takes its colours from the page.

A figure is drawn in stand-in colours, each of which becomes a CSS variable, so that
one picture serves a light page, a dark one and paper. Lines of models differ in
dash and width as well as in colour: where models agree, all of them show.
"""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webmotor_drake.comparison_table import shown_value
from webmotor_drake.errors import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from webmotor_drake.comparison import Comparison
    from webmotor_drake.results import Results

# Dashes of the models in their order, in units of line width.
_DASHES = [
    [],
    [5, 1.6],
    [1.6, 1.3],
    [5, 1.5, 1.2, 1.5],
    [9, 2],
    [1, 1],
    [3, 1, 1, 1, 1, 1],
    [12, 2.5],
]
NUM_COLORS = len(_DASHES)

_TEXT, _GRID, _TARGET, _LIMIT = "#fe0001", "#fe0002", "#fe0003", "#fe0004"
_VARIABLES = {
    _TEXT: "currentColor",
    _GRID: "var(--grid)",
    _TARGET: "var(--target)",
    _LIMIT: "var(--limit)",
    **{f"#fd00{i:02x}": f"var(--model-{i})" for i in range(NUM_COLORS)},
}
_SIZE = 4.9, 2.75  # inches; the page scales it
_FONT = 9.5  # points
_MAX_ROWS = 1500  # a curve is not wider than that in pixels
_REACH = 1.0  # a limit is in view up to this many data ranges away
_STILL = 1e-9


class Picture(NamedTuple):
    """A figure of a page."""

    title: str
    # An <svg> element that describes itself to those who don't see it.
    svg: str


class Line(NamedTuple):
    """How the line of a model looks."""

    # Number of its CSS variable.
    color: int
    # Points.
    width: float
    opacity: float
    # Lengths of dashes and gaps in units of its width; empty: solid.
    dash: list[float]


def pictures(comparison: "Comparison", motor: str) -> list[Picture]:
    """Returns position, velocity, effort and difference of a motor."""
    runs = comparison.results.values()
    units = next(iter(runs)).units(motor)
    end = max(results.time[-1] for results in runs)
    panels = [
        ("Position", units.position, _draw_position),
        ("Velocity", units.velocity, _draw_velocity),
        ("Effort", units.effort, _draw_effort),
    ]
    drawn = [
        _picture(
            f"{title} ({unit})",
            _description(comparison, motor, title.lower(), unit),
            end,
            lambda ax, draw=draw: draw(ax, comparison, motor),
        )
        for title, unit, draw in panels
    ]
    others = [m for m in comparison.results if m != comparison.reference]
    if others and comparison.reference in comparison.results:
        signal = compared_signal(comparison, motor)
        unit = getattr(units, signal)
        drawn.append(
            _picture(
                f"Difference in {signal} to {comparison.reference} ({unit})",
                _difference_description(comparison, motor, signal, unit),
                end,
                lambda ax: _draw_difference(ax, comparison, motor, signal),
            )
        )
    return drawn


def compared_signal(comparison: "Comparison", motor: str) -> str:
    """Returns "velocity" for a motor in velocity control only, else "position"."""
    kinds = {segment.quantity for segment in comparison.targets[motor]}
    return "velocity" if kinds == {"velocity"} else "position"


def _draw_position(ax: "Axes", comparison: "Comparison", motor: str) -> None:
    _draw_targets(ax, comparison, motor, "position")
    values = _draw_models(ax, comparison, motor, "position")
    first = next(iter(comparison.results.values()))
    limits = {*first.limits(motor, "position"), *first.limits(motor, "stop")}
    _draw_limits(ax, values, sorted(limits))


def _draw_velocity(ax: "Axes", comparison: "Comparison", motor: str) -> None:
    _draw_targets(ax, comparison, motor, "velocity")
    values = _draw_models(ax, comparison, motor, "velocity")
    first = next(iter(comparison.results.values()))
    limit = first.motor_metadata(motor).get("max_velocity")
    _draw_limits(ax, values, [-limit, limit] if limit else [])


def _draw_effort(ax: "Axes", comparison: "Comparison", motor: str) -> None:
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
            ax.step(*_thinned(first.time, bound), **_style(_LIMIT))


def _draw_difference(
    ax: "Axes", comparison: "Comparison", motor: str, signal: str
) -> None:
    ax.axhline(0, color=_TEXT, lw=0.6)
    for i, model in enumerate(comparison.outcomes):
        difference = comparison.difference(model, motor, signal)
        if model != comparison.reference and difference.value.size:
            ax.plot(*_thinned(*difference), **_model_style(i))


def _draw_models(
    ax: "Axes",
    comparison: "Comparison",
    motor: str,
    signal: str,
    *,
    steps: bool = False,
) -> np.ndarray:
    """Draws a signal of all models; returns all of its values in a row."""
    values = []
    for i, model in enumerate(comparison.outcomes):
        results = comparison.results.get(model)
        if results is None:
            continue
        value = results[f"{motor}/{signal}"]
        if steps:  # row k holds during step k; row 0 comes before all steps
            value = np.concatenate([value[1:2], value[1:]])
        draw = ax.step if steps else ax.plot
        style = _model_style(i, wide=model == comparison.reference)
        draw(*_thinned(results.time, value), **style)
        values.append(value)
    every = np.concatenate(values)
    every = every[np.isfinite(every)]
    return every if every.size else np.zeros(1)


def _draw_targets(
    ax: "Axes", comparison: "Comparison", motor: str, quantity: str
) -> None:
    for segment in comparison.targets[motor]:
        if segment.quantity == quantity:
            ax.plot(
                [segment.start, segment.end],
                [segment.target] * 2,
                color=_TARGET,
                lw=1.2,
                zorder=1.5,
            )


def _draw_limits(ax: "Axes", values: np.ndarray, limits: list[float]) -> None:
    """Draws the limits that are not far away from the motion."""
    low, high = values.min(), values.max()
    reach = _REACH * max(high - low, _STILL)
    for limit in limits:
        if low - reach <= limit <= high + reach:
            ax.axhline(limit, **_style(_LIMIT))


def _with_finite_limits(comparison: "Comparison") -> "Results | None":
    """Returns the first model that has effort limits to draw."""
    for results in comparison.results.values():
        if any(
            np.isfinite(results[f"{motor}/effort_limit"]).any()
            for motor in comparison.motors
        ):
            return results
    return None


def _style(color: str) -> dict:
    return {"color": color, "lw": 1.1, "ls": (0, (1, 1.4)), "zorder": 1.4}


def _model_style(i: int, *, wide: bool = False) -> dict:
    """Returns how to draw model `i`, the reference `wide` and beneath."""
    line = model_line(i, wide=wide)
    return {
        "color": f"#fd00{line.color:02x}",
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
        return Line(color, 4.2, 0.5, [])
    return Line(color, 1.7, 1.0, _DASHES[color])


def _picture(
    title: str, description: str, end: float, draw: Callable[["Axes"], None]
) -> Picture:
    """Draws a panel from time 0 to `end` and returns it as part of a page."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": f"{title}{description}",  # ids: repeatable, not shared
        "path.simplify_threshold": 0.2,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=_SIZE, layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.add_subplot()
        draw(ax)
        _prepare(ax, end)
        text = io.StringIO()
        figure.savefig(
            text, format="svg", transparent=True, metadata={"Date": None}
        )
    return Picture(title, _for_page(text.getvalue(), description))


def _prepare(ax: "Axes", end: float) -> None:
    ax.set_xlim(0, end or 1.0)
    ax.set_xlabel("time (s)", fontsize=_FONT, color=_TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(_TEXT)
    ax.grid(color=_GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(
        labelsize=_FONT - 0.5, color=_TEXT, labelcolor=_TEXT, length=3
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(color=_TEXT, fontsize=_FONT - 1)
        axis.get_major_formatter().set_useOffset(False)
    ax.ticklabel_format(axis="y", scilimits=(-4, 5), useMathText=False)
    ax.yaxis.get_major_locator().set_params(nbins=6)
    low, high = ax.get_ylim()
    if high - low < _STILL:  # a standstill: rounding is not worth an axis
        middle = (high + low) / 2
        ax.set_ylim(middle - 1, middle + 1)


def _for_page(svg: str, description: str) -> str:
    """Returns the <svg> element of a file, fit to stand in a page."""
    svg = svg[svg.index("<svg") :]
    for color, variable in _VARIABLES.items():
        svg = svg.replace(color, variable)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="[a-z][a-zA-Z.]*\d?_\d+"', "", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font: \1 var(--font)", svg)
    svg = re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)
    opening = svg[: svg.index(">")]
    view = re.search(r'viewBox="[^"]*"', opening).group()
    label = _attribute(description)
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {view} role="img"'
        f' aria-label="{label}"{svg[svg.index(">") :]}'
    )


def _attribute(text: str) -> str:
    """Returns text as it may stand in an attribute."""
    for char, escaped in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        text = text.replace(char, escaped)
    return text


def _description(
    comparison: "Comparison", motor: str, signal: str, unit: str
) -> str:
    """Returns a curve in words: where each model ends, and its extremes."""
    ends = []
    for model, results in comparison.results.items():
        values = results[f"{motor}/{signal}"][1:]
        values = values[np.isfinite(values)]
        if values.size:
            low, high, end = (
                shown_value(float(value), unit)
                for value in (values.min(), values.max(), values[-1])
            )
            ends.append(f"{model} from {low} to {high}, at the end {end}")
    return f"{signal} of {one_line(motor)} over time: {'; '.join(ends)}"


def _difference_description(
    comparison: "Comparison", motor: str, signal: str, unit: str
) -> str:
    largest = [
        f"{model} "
        + shown_value(comparison.largest_difference(model, motor, signal), unit)
        for model in comparison.results
        if model != comparison.reference
    ]
    return (
        f"difference in {signal} of {one_line(motor)} to"
        f" {comparison.reference} over time, the largest: {'; '.join(largest)}"
    )


def _thinned(
    time: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns least and greatest of each bucket of rows; peaks stay."""
    size = -(-values.size // (_MAX_ROWS // 2))
    if size <= 2:
        return time, values
    rows = []
    for start in range(0, values.size, size):
        bucket = values[start : start + size]
        if np.isnan(bucket).all():
            rows.append(start)
        else:
            ends = np.nanargmin(bucket), np.nanargmax(bucket)
            rows += [start + end for end in sorted(set(ends))]
    rows = np.unique([*rows, 0, values.size - 1])
    return time[rows], values[rows]
