"""Pictures of a run: one row per motor; position, velocity and effort."""

# Matplotlib's methods have types in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import fnmatch
import io
import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from webmotor_drake.errors import InputError, one_line, unknown_name
from webmotor_drake.results.panels import (
    FONT,
    OF_BODIES,
    OF_MOTORS,
    draw_body,
    draw_motor,
    number_text,
)
from webmotor_drake.results.run_record import RunRecord
from webmotor_drake.results.whole_file import write_whole

_QUIET = "#555555"
_LEGEND: dict[str, Any] = {
    "fontsize": FONT - 0.5,
    "frameon": False,
    "handlelength": 2.4,
    "columnspacing": 1.0,
    "borderaxespad": 0,
}

# Lengths in inches.
_WIDTH = 12.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.72, 0.15, 0.5, 0.42
_BETWEEN_COLUMNS = 0.72
_BETWEEN_ROWS = 0.5  # tick labels of one row, title of the next
_DPI = 120
_MAX_PIXELS = 60_000  # Agg draws up to 2^16

_LONGEST_TITLE = 48  # characters


class RunFigure(Figure):
    """A figure tied to no window and no global state; notebooks show it."""

    def __init__(self, **options: Any):
        super().__init__(**options)
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
            "position", "orientation" and "path". None: the six named here.
        times: start and end of the part to show, s; None: all of it.

    Raises:
        InputError: there is no such motor or signal, or nothing to show.
    """
    if not results.motors and not results.bodies:
        raise InputError(
            "nothing to plot: the run has no motors, and no bodies"
        )
    _check_signals(results, signals or ())
    shown = _rows_in(results, times)
    rows = {
        name: own
        for name in _chosen(results, motors)
        if (own := _signals_of(results, name, signals))
    }
    if not rows:
        raise InputError(
            f"nothing to plot: no motor or body has {', '.join(signals or ())}"
        )
    figure = RunFigure()
    grid = _grid(figure, len(rows), max(map(len, rows.values())))
    for axes, (name, own) in zip(grid, rows.items(), strict=True):
        is_body = name in results.bodies
        draw = draw_body if is_body else draw_motor
        for ax, signal in zip(axes, own, strict=False):
            _prepare(ax)
            draw(ax, results, name, signal, shown)
            if is_body and len(ax.get_legend_handles_labels()[0]) > 1:
                _explain(ax, loc="lower right", bbox_to_anchor=(1, 1))
        for ax in axes[len(own) :]:
            ax.set_axis_off()
        _draw_title(axes, name, "" if is_body else _limits(results, name))
    figure.align_ylabels()
    for column in grid.T:
        _label_time(column)
        of_motors = (name not in results.bodies for name in rows)
        _draw_legend(column, itertools.compress(column, of_motors))
    return figure


def _signals_of(
    results: RunRecord, name: str, signals: Sequence[str] | None
) -> list[str]:
    """Returns the signals to show of a motor or body, without those that it lacks."""
    if name in results.bodies:
        return [s for s in signals or OF_BODIES if s in OF_BODIES]
    return [s for s in signals or OF_MOTORS if f"{name}/{s}" in results]


def _chosen(results: RunRecord, patterns: Sequence[str] | None) -> list[str]:
    """Returns the motors and bodies that are meant, in the run's order."""
    known = [*results.motors, *results.bodies]
    if patterns is None:
        return known
    chosen: set[str] = set()
    for pattern in patterns:
        found = {pattern} & set(known) or fnmatch.filter(known, pattern)
        if not found:
            raise InputError(unknown_name("motor or body", pattern, known))
        chosen.update(found)
    return [name for name in known if name in chosen]


def _check_signals(results: RunRecord, signals: Iterable[str]) -> None:
    known = list(results.signal_names)
    if results.bodies:
        known += [signal for signal in OF_BODIES if signal not in known]
    for signal in signals:
        if signal not in known:
            raise InputError(unknown_name("signal", signal, known))


def _rows_in(
    results: RunRecord, times: tuple[float, float] | None
) -> np.ndarray:
    start, end = times or (-np.inf, np.inf)
    rows = np.flatnonzero((start <= results.time) & (results.time <= end))
    if not rows.size:
        first, last = results.time[[0, -1]]
        raise InputError(
            f"nothing to plot from {start:g} s to {end:g} s; the run is from"
            f" {first:g} s to {last:g} s"
        )
    return rows


def _limits(results: RunRecord, motor: str) -> str:
    info = results.motor_metadata(motor)
    units = results.units(motor)
    parts: list[str] = []
    for name, kind in (("soft limit", "position"), ("stop", "stop")):
        values = results.limits(motor, kind)
        if values:
            name += "s" if len(values) > 1 else ""
            text = " to ".join(map(number_text, values))
            parts.append(f"{name} {text} {units.position}")
    for key, unit in zip(
        ("max_velocity", "max_effort"), units[1:], strict=True
    ):
        value = info.get(key)
        if value is not None and np.isfinite(value):
            parts.append(f"at most {number_text(value)} {unit}")
    if info.get("drive"):
        parts.append(f"{info['drive']} drive")
    return "  ·  ".join(parts)


def _grid(figure: Figure, rows: int, columns: int) -> np.ndarray:
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
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=FONT - 1, length=3, pad=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: number_text(value, 6))
    ax.locator_params(axis="y", nbins=5)


def _draw_title(axes: Sequence[Axes], name: str, note: str) -> None:
    name = one_line(name)
    if len(name) > _LONGEST_TITLE:
        half = _LONGEST_TITLE // 2
        name = f"{name[:half]}…{name[-half:]}"
    above: dict[str, Any] = {
        "xycoords": "axes fraction",
        "textcoords": "offset points",
        "parse_math": False,  # a name may hold dollar signs
    }
    axes[0].annotate(
        name, (0, 1), (0, 5), fontsize=FONT + 1, fontweight="bold", **above
    )
    if len(axes) == 1:  # no room beside the name
        return
    axes[-1].annotate(
        note,
        (1, 1),
        (0, 5),
        fontsize=FONT - 1,
        color=_QUIET,
        horizontalalignment="right",
        **above,
    )


def _label_time(column: Sequence[Axes]) -> None:
    """Labels the time axis of the last panel in a column that has one."""
    for ax in column[::-1]:
        if ax.axison and not ax.get_xlabel():
            ax.set_xlabel("time (s)", fontsize=FONT)
            return


def _draw_legend(column: Sequence[Axes], of_motors: Iterable[Axes]) -> None:
    """Explains a column of motors once, above the title of the first row."""
    known: dict[str, Any] = {}
    for ax in of_motors:
        for handle in (*ax.lines[::-1], *ax.patches, *ax.collections):
            label = str(handle.get_label())
            if not label.startswith("_"):
                known[label] = handle
    if not known:
        return
    ax = column[0]
    lift = ScaledTranslation(0, 0.23, ax.figure.dpi_scale_trans)
    place = {"bbox_to_anchor": (0, 1), "bbox_transform": ax.transAxes + lift}
    _explain(ax, handles=[*known.values()], loc="lower left", **place)


def _explain(ax: Axes, **place: Any) -> None:
    number = len(place.get("handles", ax.lines))
    ax.legend(ncols=number, **_LEGEND, **place)
