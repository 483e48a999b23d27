"""Charts as data: curves that a page draws with uPlot, and a figure with matplotlib.

A colour is a variable of the page's style, so that one chart serves a light page, a
dark page and paper. Lines of models also differ in dash and width. The reference's line
is wide and pale beneath the others, so that all lines show where models agree.
"""

import json
import math
import typing
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from webmotor_drake.results.panels import thinned

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes

TEXT, TARGET, LIMIT = "currentColor", "var(--target)", "var(--limit)"
NUM_COLORS = 8  # of models
MODEL_COLORS = [f"var(--model-{i})" for i in range(NUM_COLORS)]
# Colours on paper, those of the page's style when it is light; dashes and gaps, in
# units of line width, if it is not solid.
_STYLES = {
    TEXT: ["#1b1f24"],
    TARGET: ["#8a929b"],
    LIMIT: ["#6b737c", 1, 1.4],
    MODEL_COLORS[0]: ["#0072b2"],
    MODEL_COLORS[1]: ["#d55e00", 5, 1.6],
    MODEL_COLORS[2]: ["#00806a", 1.6, 1.3],
    MODEL_COLORS[3]: ["#b0448c", 5, 1.5, 1.2, 1.5],
    MODEL_COLORS[4]: ["#8a6d00", 9, 2],
    MODEL_COLORS[5]: ["#5a51c7", 1, 1],
    MODEL_COLORS[6]: ["#5f6b00", 3, 1, 1, 1, 1, 1],
    MODEL_COLORS[7]: ["#a8201a", 12, 2.5],
}
WIDE = 4.2  # of the reference, which is solid, points
_BUCKETS = 700  # of a curve: half of the pixels that it is wide
_STILL = 1e-9  # a range below this is rounding: the signal stands still
_MARGIN = 0.05  # of the range


class Curve(NamedTuple):
    """A line of a chart.

    Attributes:
        name: label of its values; "" if these are not shown.
        color: colour of this module.
        x: shape (n,).
        y: shape (n,); NaN where there is nothing to draw.
        width: points; `WIDE` is solid.
        opacity: from 0 to 1.
        is_stepped: True if a value holds for the step that ends there.
        is_dotted: True for points without a line between them.
    """

    name: str
    color: str
    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    width: float = 1.3
    opacity: float = 1.0
    is_stepped: bool = False
    is_dotted: bool = False

    @property
    def dash(self) -> list[float]:
        """Lengths of dashes and gaps, in units of the width; empty: solid."""
        return [] if self.width == WIDE else _STYLES.get(self.color, [])[1:]

    @property
    def style(self) -> dict[str, typing.Any]:
        """Colour of paper, width and dashes, for matplotlib."""
        return {
            "color": _STYLES[self.color][0],
            "lw": self.width,
            "alpha": self.opacity,
            "ls": (0, tuple(self.dash)) if self.dash else "-",
        }


class Chart(NamedTuple):
    """A picture of curves.

    Attributes:
        title: text above the chart, with the unit.
        description: its contents, in words.
        end: greatest x; the axis begins at 0.
        curves: lines, from the bottom layer to the top.
        is_log: True if the vertical axis is logarithmic.
        view: least and greatest value in view; None: the range of the curves.
        x_label: name of the horizontal axis.
        bands: start, end and colour of parts that are shaded.
    """

    title: str
    description: str
    end: float
    curves: list[Curve]
    is_log: bool = False
    view: tuple[float, float] | None = None
    x_label: str = "time (s)"
    bands: Sequence[tuple[float, float, str]] = ()

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value in view."""
        if self.view is not None:
            return self.view
        values = np.concatenate([np.zeros(0), *(c.y for c in self.curves)])
        values = values[np.isfinite(values)]
        low, high = (values.min(), values.max()) if values.size else (0.0, 0.0)
        still = high - low < _STILL
        margin = 1.0 if still else _MARGIN * (high - low)
        return float(low - margin), float(high + margin)

    @property
    def data(self) -> str:
        """JSON for the page's script."""
        curves = [
            {
                **curve._asdict(),
                "dash": [length * curve.width for length in curve.dash],
                "x": _short(curve.x),
                "y": _short(curve.y),
            }
            for curve in self.curves
        ]
        chart = {
            "log": self.is_log,
            "range": _short(self.range),
            "end": self.end,
            "label": self.x_label,
            "unit": " s" if "(s)" in self.x_label else f" {self.x_label}",
            "lines": curves,
            "bands": self.bands,
        }
        text = json.dumps(chart, separators=(",", ":"))
        # A "</script>" in a name would end the script.
        return text.replace("<", "\\u003c")

    def draw(self, ax: "Axes") -> None:
        """Draws the chart into axes, in the colours of paper."""
        for curve in self.curves:
            draw = ax.step if curve.is_stepped else ax.plot
            draw(curve.x, curve.y, **curve.style)
        if self.is_log:
            ax.set_yscale("log")
        ax.set_xlim(0, self.end or 1.0)
        ax.set_ylim(*self.range)


def curve_of(
    name: str, color: str, time: np.ndarray, values: np.ndarray
) -> Curve:
    """Returns a long signal as a curve of only the points that a picture shows."""
    return Curve(name, color, *thinned(time, values, _BUCKETS))


def level(value: float, end: float, color: str = LIMIT) -> Curve:
    """Returns a line across a chart at a value."""
    return Curve("", color, [0.0, end], [value, value], 1.1)


def _short(values: Sequence[float] | np.ndarray) -> list[float | None]:
    """Returns numbers rounded to five digits, for JSON."""
    return [
        float(f"{value:.5g}") if math.isfinite(value) else None
        for value in values
    ]
