"""Drawing a panel as SVG that takes its colours from the page it stands in.

A panel is drawn in stand-in colours, each of which becomes a CSS variable, so that
one picture serves a light page, a dark one and paper.
"""

import html
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webmotor_drake.results.thinning import thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

TEXT, GRID, TARGET, LIMIT = "#fe0001", "#fe0002", "#fe0003", "#fe0004"
NUM_COLORS = 8  # of models
MODEL_COLORS = [f"#fd00{i:02x}" for i in range(NUM_COLORS)]
# Dashes and gaps, in units of line width.
DASHES = {
    LIMIT: [1, 1.4],
    MODEL_COLORS[0]: [],
    MODEL_COLORS[1]: [5, 1.6],
    MODEL_COLORS[2]: [1.6, 1.3],
    MODEL_COLORS[3]: [5, 1.5, 1.2, 1.5],
    MODEL_COLORS[4]: [9, 2],
    MODEL_COLORS[5]: [1, 1],
    MODEL_COLORS[6]: [3, 1, 1, 1, 1, 1],
    MODEL_COLORS[7]: [12, 2.5],
}
WIDE = 4.2  # of the reference, which is solid, points
_VARIABLES = {
    TEXT: "currentColor",
    GRID: "var(--grid)",
    TARGET: "var(--target)",
    LIMIT: "var(--limit)",
    **{c: f"var(--model-{i})" for i, c in enumerate(MODEL_COLORS)},
}
# Those of the page in templates/report.html, when it is light.
_ON_PAPER = {
    TEXT: "#1b1f24",
    GRID: "#e3e7eb",
    TARGET: "#8a929b",
    LIMIT: "#6b737c",
    MODEL_COLORS[0]: "#0072b2",
    MODEL_COLORS[1]: "#d55e00",
    MODEL_COLORS[2]: "#00806a",
    MODEL_COLORS[3]: "#b0448c",
    MODEL_COLORS[4]: "#8a6d00",
    MODEL_COLORS[5]: "#5a51c7",
    MODEL_COLORS[6]: "#5f6b00",
    MODEL_COLORS[7]: "#a8201a",
}
_SHORTER = re.compile(r"(\d+\.\d\d)\d+")
_SIZE = 4.9, 2.75  # inches; the page scales it
_AXES = 0.125, 0.16, 0.845, 0.81  # left, bottom, width, height; shares
_FONT = 9.5  # points
_BUCKETS = 300  # of a curve: on paper it is no wider than that
_FEW_POWERS = 1e3  # from least to greatest: fewer than three ticks
_STILL = 1e-9  # a range below this is rounding: the signal stands still


class Picture(NamedTuple):
    """A figure of a page."""

    title: str
    # An <svg> element that describes itself to those who don't see it.
    svg: str
    # JSON for the page's script, which draws it anew to hover and zoom.
    data: str


def draw_picture(
    title: str,
    description: str,
    end: float,
    draw: Callable[["Axes"], None],
    *,
    x_label: str = "time (s)",
) -> Picture:
    """Draws a panel and returns it for a page.

    Args:
        title: stands above it.
        description: what it shows, in words.
        end: of the time that it shows from 0 on, s.
        draw: draws into the axes, in the colours of this module.
        x_label: what it is, if it is not time.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": f"{title}{description}",  # ids: repeatable, not shared
        "path.simplify_threshold": 0.2,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=_SIZE)
        FigureCanvasSVG(figure)
        ax = figure.add_axes(_AXES)
        draw(ax)
        _prepare(ax, end, x_label)
        data = _chart(ax, end)
        _thin(ax)
        text = io.StringIO()
        figure.savefig(
            text, format="svg", transparent=True, metadata={"Date": None}
        )
    return Picture(title, _for_page(text.getvalue(), description), data)


def _chart(ax: "Axes", end: float) -> str:
    """Returns the curves of axes as JSON for the page's script."""
    lines = []
    for line in ax.lines:
        x, y = line.get_data()
        if line.get_transform() != ax.transData:  # across the whole width
            x = [0.0, end]
        lines.append(
            {
                "name": line.get_label(),
                "color": _VARIABLES.get(line.get_color(), "currentColor"),
                "width": line.get_linewidth(),
                "opacity": line.get_alpha() or 1,
                "dash": _dash(line),
                "steps": line.get_drawstyle() != "default",
                "x": _short(x),
                "y": _short(y),
            }
        )
    chart = {
        "log": ax.get_yscale() == "log",
        "range": _short(ax.get_ylim()),
        "end": end,
        "label": ax.get_xlabel(),
        "unit": " s" if "(s)" in ax.get_xlabel() else f" {ax.get_xlabel()}",
        "lines": lines,
    }
    text = json.dumps(chart, separators=(",", ":"))
    return text.replace("<", "\\u003c")  # of a name; it would end the script


def _dash(line: "Line2D") -> list[float]:
    """Returns lengths of dashes and gaps, in points; empty: solid."""
    color, width = line.get_color(), line.get_linewidth()
    if color not in DASHES or width == WIDE:
        return []
    return [length * width for length in DASHES[color]]


def _short(values: Sequence[float]) -> list[float | None]:
    """Returns numbers of five digits, as JSON has them."""
    return [
        float(f"{value:.5g}") if math.isfinite(value) else None
        for value in values
    ]


def _thin(ax: "Axes") -> None:
    """Reduces the curves to the points that the picture's size shows."""
    for line in ax.lines:
        line.set_data(*thinned(*map(np.asarray, line.get_data()), _BUCKETS))


def _prepare(ax: "Axes", end: float, x_label: str) -> None:
    """Sets span of time, ticks, grid and frame, which all panels share."""
    ax.set_xlim(0, end or 1.0)
    ax.set_xlabel(x_label, fontsize=_FONT, color=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(TEXT)
    ax.grid(color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=_FONT - 0.5, color=TEXT, labelcolor=TEXT, length=3)
    _prepare_linear(ax.xaxis)
    if ax.get_yscale() == "log":
        _prepare_log(ax)
        return
    _prepare_linear(ax.yaxis)
    ax.ticklabel_format(axis="y", scilimits=(-4, 5), useMathText=False)
    ax.yaxis.get_major_locator().set_params(nbins=6)
    low, high = ax.get_ylim()
    if high - low < _STILL:
        middle = (high + low) / 2
        ax.set_ylim(middle - 1, middle + 1)


def _prepare_log(ax: "Axes") -> None:
    """Sets ticks at powers of ten; of a range without two, between them, too."""
    ax.tick_params(which="minor", left=False, labelleft=False)
    low, high = ax.get_ylim()
    if high / low < _FEW_POWERS:
        ax.yaxis.get_major_locator().set_params(subs=(1.0, 2.0, 5.0))
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}")


def _prepare_linear(axis: "Axis") -> None:
    axis.get_offset_text().set(color=TEXT, fontsize=_FONT - 1)
    axis.get_major_formatter().set_useOffset(False)


def on_paper(figure: "Figure") -> None:
    """Gives the lines of a figure the colours of a light page."""
    drawn = [line for ax in figure.axes for line in ax.lines]
    named = [line for legend in figure.legends for line in legend.get_lines()]
    for line in (*drawn, *named):
        line.set_color(_ON_PAPER.get(line.get_color(), line.get_color()))


def _for_page(svg: str, description: str) -> str:
    """Returns the <svg> element of a file, fit to stand in a page."""
    svg = svg[svg.index("<svg") :]
    for color, variable in _VARIABLES.items():
        svg = svg.replace(color, variable)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    # Ids that nothing refers to: every figure has the same.
    svg = re.sub(r' id="[\w.]+_\d+"', "", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font: \1 var(--font)", svg)
    # Coordinates to hundredths; what is written beside the ticks stays.
    svg = re.sub(
        r'"[^"<>]*"', lambda quoted: _SHORTER.sub(r"\1", quoted[0]), svg
    )
    opening = svg[: svg.index(">")]
    view = re.search(r'viewBox="[^"]*"', opening).group()
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {view} role="img"'
        f' aria-label="{html.escape(description)}"{svg[svg.index(">") :]}'
    )
