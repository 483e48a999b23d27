"""Pictures of a run: one row per motor; position, velocity and effort.

Lines are told apart by their dashes as well as by their colours, which follow
the colour-blind-safe set of Okabe and Ito.
"""

# Matplotlib's methods have types in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.panel_rows import Row, rows_of
from webmotor_drake.results.panels import Panel, intervals, number_text, thinned
from webmotor_drake.results.run_record import RunRecord
from webmotor_drake.results.whole_file import write_whole

# Keyword arguments of matplotlib's: their types differ from one to the next.
_Style = dict[str, Any]

_STYLES: dict[str, _Style] = {
    "measured": {"color": "#0072B2", "lw": 1.6, "zorder": 3},
    "commanded": {
        "color": "#D55E00",
        "lw": 1.3,
        "ls": (0, (4, 2)),
        "zorder": 4,
    },
    "bound": {"color": "#333333", "lw": 1.1, "ls": (0, (1, 1.2))},
    "x": {"color": "#0072B2", "lw": 1.6},
    "y": {"color": "#D55E00", "lw": 1.4, "ls": (0, (5, 1.5))},
    "z": {"color": "#007A5A", "lw": 1.4, "ls": (0, (1.5, 1))},
}
_SOFT_LIMIT: _Style = {"color": "#007A5A", "lw": 1.1, "ls": (0, (6, 2, 1, 2))}
_STOP: _Style = {"color": "#333333", "lw": 1.4}
_WALL: _Style = {"fc": "#F2F2F2", "ec": "#AAAAAA", "hatch": "////", "lw": 0}
_SATURATED: _Style = {"fc": "#F7DC9B", "ec": "#F7DC9B", "lw": 0.6, "zorder": 1}
_QUIET = "#555555"
_START: _Style = {
    "marker": "o",
    "mfc": "white",
    "mec": "#333333",
    "ms": 5,
    "zorder": 5,
}
_FONT = 8.5  # points
_LEGEND: _Style = {
    "fontsize": _FONT - 0.5,
    "frameon": False,
    "handlelength": 2.4,
    "columnspacing": 1.0,
}

# Lengths in inches.
_WIDTH = 12.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.72, 0.15, 0.5, 0.42
_BETWEEN_COLUMNS = 0.72
_BETWEEN_ROWS = 0.5  # tick labels of one row, title of the next
_DPI = 120
_MAX_PIXELS = 60_000  # Agg draws up to 2^16

_LONGEST_TITLE = 48  # characters
_PIXELS = 1000  # more than a curve is wide


class RunFigure(Figure):
    """A figure tied to no window and no global state; notebooks show it."""

    def __init__(self):
        super().__init__()
        FigureCanvasAgg(self)

    def picture(self, kind: str = "png") -> bytes:
        """Returns the bytes of its picture, a "png" or an "svg"."""
        data = io.BytesIO()
        dpi = min(_DPI, _MAX_PIXELS / self.get_figheight())
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "webmotor"}):
            self.savefig(data, format=kind, dpi=dpi)
        return data.getvalue()

    _repr_png_ = picture


def plot_run(
    results: RunRecord, file: str | os.PathLike[str], **shown: Any
) -> None:
    """Draws a run into the PNG or SVG `file`, written whole or not at all.

    Args:
        results: the run; its metadata gives units, limits and stops.
        file: picture to write; its folder is made if needed.
        **shown: motors, signals and times, see `run_figure`.

    Raises:
        InputError: there is nothing to draw, `file` is neither .png nor .svg, or
            it cannot be written.
    """
    kind = Path(file).suffix.lower()
    if kind not in (".png", ".svg"):
        raise InputError(
            f"cannot draw {file}: a name in .png or .svg is needed"
        )
    figure = run_figure(results, **shown)
    write_whole(file, figure.picture(kind[1:]))


def run_figure(
    results: RunRecord,
    *,
    motors: Sequence[str] | None = None,
    signals: Sequence[str] | None = None,
    times: tuple[float, float] | None = None,
) -> RunFigure:
    """Returns the figure of a run, tied to no window and no global state.

    One row per motor: position with its target, soft limits and mechanical stops;
    velocity with its command; effort with its bound, shaded where it was saturated.
    One row per body: position, orientation, and its path seen from above. A limit
    far away from the motion would flatten it, so it is not drawn; the title of the
    row names it nevertheless.

    Args:
        results: the run; its metadata gives units, limits and stops.
        motors: names of motors and bodies, or patterns as "arm/*"; None: all.
        signals: names of signals, from left to right: "position", "velocity",
            "effort", any other signal such as "energy" or "feedback", of bodies
            "position", "orientation" and "path". None: these six.
        times: start and end of the part to show, s; None: all of it.

    Raises:
        InputError: there is no such motor or signal, or nothing to show.
    """
    time, rows = rows_of(results, motors=motors, signals=signals, times=times)
    figure = RunFigure()
    columns = max(len(row.panels) for row in rows)
    grid = _grid(figure, len(rows), columns)
    for axes, row in zip(grid, rows, strict=True):
        for ax, panel in zip(axes, row.panels, strict=False):
            _prepare(ax)
            _draw(ax, panel, time)
        for ax in axes[len(row.panels) :]:
            ax.set_axis_off()
        _draw_title(axes, row)
        if row.is_body:
            _explain_axes(axes, row)
    figure.align_ylabels()
    _label_time(grid, rows)
    _draw_legends(grid[0], rows)
    return figure


def _grid(figure: Figure, rows: int, columns: int) -> np.ndarray:
    """Sizes the figure and returns its axes, shape (rows, columns)."""
    height = float(np.clip(10.5 / rows, 1.15, 2.6))
    total = _TOP + rows * (height + _BETWEEN_ROWS) - _BETWEEN_ROWS + _BOTTOM
    between = (columns - 1) * _BETWEEN_COLUMNS
    width = (_WIDTH - _LEFT - _RIGHT - between) / columns
    figure.set_size_inches(_WIDTH, total)
    return figure.subplots(
        rows,
        columns,
        squeeze=False,
        gridspec_kw={
            "left": _LEFT / _WIDTH,
            "right": 1 - _RIGHT / _WIDTH,
            "top": 1 - _TOP / total,
            "bottom": _BOTTOM / total,
            "wspace": _BETWEEN_COLUMNS / width,
            "hspace": _BETWEEN_ROWS / height,
        },
    )


def _prepare(ax: Axes) -> None:
    """Sets ticks, grid and frame, which all axes share."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=_FONT - 1, length=3, pad=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: number_text(value, 6))
    ax.locator_params(axis="y", nbins=5)


def _draw_title(axes: Sequence[Axes], row: Row) -> None:
    """Writes the name and its limits above the axes of a row."""
    name = one_line(row.name)
    if len(name) > _LONGEST_TITLE:
        half = _LONGEST_TITLE // 2
        name = f"{name[:half]}…{name[-half:]}"
    above: _Style = {
        "xycoords": "axes fraction",
        "textcoords": "offset points",
        "parse_math": False,  # a name may hold dollar signs
    }
    axes[0].annotate(
        name, (0, 1), (0, 5), fontsize=_FONT + 1, fontweight="bold", **above
    )
    if len(axes) == 1:  # no room beside the name
        return
    axes[-1].annotate(
        row.note,
        (1, 1),
        (0, 5),
        fontsize=_FONT - 1,
        color=_QUIET,
        horizontalalignment="right",
        **above,
    )


def _draw(ax: Axes, panel: Panel, time: np.ndarray) -> None:
    """Draws a panel, from the bottom layer to the top."""
    x = time if panel.x is None else panel.x
    if panel.saturated is not None:
        ax.broken_barh(
            intervals(*thinned(time, panel.saturated, _PIXELS)),
            (0, 1),
            transform=ax.get_xaxis_transform(),
            **_SATURATED,
        )
    for curve in panel.curves:
        draw = ax.step if curve.is_steps else ax.plot
        points = x, curve.values
        if panel.x is None:
            points = thinned(*points, _PIXELS)
        draw(*points, **_STYLES[curve.role])
    ax.set_ylabel(panel.label, fontsize=_FONT)
    if panel.x is not None:
        ax.plot(x[:1], panel.curves[0].values[:1], **_START)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x (m), from above; ○ start", fontsize=_FONT)
        return
    low, high = panel.view
    ax.set_ylim(low, high)
    for value in panel.soft_limits:
        ax.axhline(value, **_SOFT_LIMIT)
    for value, is_lower in panel.stops:
        ax.axhline(value, **_STOP)
        if low < value < high:
            ax.axhspan(value, low if is_lower else high, **_WALL)
    span = time[-1] - time[0]
    ax.set_xlim(time[0], time[-1] if span > 0 else time[0] + 1)


def _label_time(grid: np.ndarray, rows: list[Row]) -> None:
    """Names the time beneath the last panel of each column that has it."""
    for column in range(grid.shape[1]):
        for axes, row in zip(grid[::-1], rows[::-1], strict=True):
            if column < len(row.panels) and row.panels[column].x is None:
                axes[column].set_xlabel("time (s)", fontsize=_FONT)
                break


def _explain_axes(axes: Sequence[Axes], row: Row) -> None:
    """Names the curves of a body, above each of its panels."""
    for ax, panel in zip(axes, row.panels, strict=False):
        if len(panel.curves) > 1:
            lines = [_line(curve.label, curve.role) for curve in panel.curves]
            _explain(ax, lines, loc="lower right", bbox_to_anchor=(1, 1))


def _draw_legends(axes: Sequence[Axes], rows: list[Row]) -> None:
    """Explains each column once, above the title of the first row."""
    rows = [row for row in rows if not row.is_body]
    for column, ax in enumerate(axes):
        panels = [r.panels[column] for r in rows if column < len(r.panels)]
        handles = _handles(panels)
        if not handles:
            continue
        lift = ScaledTranslation(0, 0.23, ax.figure.dpi_scale_trans)
        _explain(
            ax,
            handles,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            bbox_transform=ax.transAxes + lift,
        )


def _line(label: str, role: str) -> Line2D:
    return Line2D([], [], label=label, **_STYLES[role])


def _explain(ax: Axes, handles: Sequence[Line2D | Patch], **place: Any) -> None:
    """Adds a legend above the axes, in a line."""
    style = {"borderaxespad": 0, **_LEGEND, **place}
    ax.legend(handles=handles, ncols=len(handles), **style)


def _handles(panels: list[Panel]) -> list[Line2D | Patch]:
    """Returns the legend's entries for all that the panels draw."""
    curves = {c.label: c.role for p in panels for c in p.curves[::-1]}
    handles: list[Line2D | Patch] = []
    handles += [_line(label, role) for label, role in curves.items()]
    if any(panel.soft_limits for panel in panels):
        handles.append(Line2D([], [], label="soft limit", **_SOFT_LIMIT))
    if any(panel.stops for panel in panels):
        handles.append(Patch(label="beyond stop", **_WALL))
    if any(panel.saturated is not None for panel in panels):
        handles.append(Patch(label="saturated", **_SATURATED))
    return handles
