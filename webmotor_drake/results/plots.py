"""Pictures of a run: one row a motor; position, velocity and effort.

Lines are told apart by their dashes as well as by their colours, which follow
the colour-blind-safe set of Okabe and Ito.
"""

import io
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

_MEASURED = {"color": "#0072B2", "lw": 1.6, "zorder": 3}
_COMMANDED = {"color": "#D55E00", "lw": 1.3, "ls": (0, (4, 2)), "zorder": 4}
_SOFT_LIMIT = {"color": "#007A5A", "lw": 1.1, "ls": (0, (6, 2, 1, 2))}
_STOP = {"color": "#333333", "lw": 1.4}
_WALL = {"fc": "#F2F2F2", "ec": "#AAAAAA", "hatch": "////", "lw": 0}
_BOUND = {"color": "#333333", "lw": 1.1, "ls": (0, (1, 1.2))}
_SATURATED = {"fc": "#F7DC9B", "ec": "#F7DC9B", "lw": 0.6, "zorder": 1}
_QUIET = "#555555"
_FONT = 8.5  # points

# Lengths in inches.
_WIDTH = 12.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.72, 0.15, 0.5, 0.42
_BETWEEN_COLUMNS = 0.72
_BETWEEN_ROWS = 0.5  # tick labels of one row, title of the next
_DPI = 120
_MAX_PIXELS = 60_000  # Agg draws up to 2^16

_REACH = 2.0  # a bound is in view up to this many data ranges away
_STILL = 1e-6  # a range below this is rounding: the signal stands still
_LONGEST_TITLE = 48  # characters
_LARGEST = ("max_velocity", "max_effort")  # as Units has them
_PIXELS = 1000  # more than a curve is wide


def plot_run(results: Results, file: str | os.PathLike[str]) -> None:
    """Draws a run into the PNG `file`, written whole or not at all.

    Args:
        results: the run; its metadata gives units, limits and stops.
        file: where the picture goes; its folder is made if needed.

    Raises:
        InputError: the run has no motors, or `file` cannot be written.
    """
    figure = run_figure(results)
    picture = io.BytesIO()
    dpi = min(_DPI, _MAX_PIXELS / figure.get_figheight())
    figure.savefig(picture, format="png", dpi=dpi)
    write_whole(file, picture.getvalue())


def run_figure(results: Results) -> "Figure":
    """Returns the figure of a run, tied to no window and no global state.

    One row a motor, three columns: position with its target, soft limits and
    mechanical stops; velocity with its command; effort with its bound, shaded
    where it was saturated. A limit far away from the motion would flatten it,
    so it is not drawn; the title of the row names it nevertheless.

    Raises:
        InputError: the run has no motors.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not results.motors:
        raise InputError("nothing to plot: the run has no motors")
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = _grid(figure, len(results.motors))
    for row, motor in zip(axes, results.motors, strict=True):
        for ax in row:
            _prepare(ax, results.time)
        _draw_title(row, results, motor)
        _draw_position(row[0], results, motor)
        _draw_velocity(row[1], results, motor)
        _draw_effort(row[2], results, motor)
    figure.align_ylabels()
    for ax in axes[-1]:
        ax.set_xlabel("time (s)", fontsize=_FONT)
    _draw_legends(axes[0], results)
    return figure


def _grid(figure: "Figure", rows: int) -> np.ndarray:
    """Sizes the figure and returns its axes, shape (rows, 3)."""
    height = float(np.clip(10.5 / rows, 1.15, 2.6))
    total = _TOP + rows * (height + _BETWEEN_ROWS) - _BETWEEN_ROWS + _BOTTOM
    width = (_WIDTH - _LEFT - _RIGHT - 2 * _BETWEEN_COLUMNS) / 3
    figure.set_size_inches(_WIDTH, total)
    return figure.subplots(
        rows,
        3,
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


def _prepare(ax: "Axes", time: np.ndarray) -> None:
    """Sets what all axes share: the span of time, ticks, grid, frame."""
    ax.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=_FONT - 1, length=3, pad=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: _number(value, 6))
    ax.yaxis.get_major_locator().set_params(nbins=5)


def _draw_title(row: "Iterable[Axes]", results: Results, motor: str) -> None:
    """Writes the motor's name and its limits above its three axes."""
    first, _, last = row
    name = one_line(motor)
    if len(name) > _LONGEST_TITLE:
        half = _LONGEST_TITLE // 2
        name = f"{name[:half]}…{name[-half:]}"
    above = {
        "xycoords": "axes fraction",
        "textcoords": "offset points",
        "parse_math": False,  # a name may hold dollar signs
    }
    first.annotate(
        name, (0, 1), (0, 5), fontsize=_FONT + 1, fontweight="bold", **above
    )
    last.annotate(
        _limits_text(results, motor),
        (1, 1),
        (0, 5),
        fontsize=_FONT - 1,
        color=_QUIET,
        horizontalalignment="right",
        **above,
    )


def _limits_text(results: Results, motor: str) -> str:
    """Returns the limits of a motor in words."""
    info = results.motor_metadata(motor)
    units = results.units(motor)
    parts = []
    for name, kind in (("soft limit", "position"), ("stop", "stop")):
        values = results.limits(motor, kind)
        if values:
            name += "s" if len(values) > 1 else ""
            text = " to ".join(map(_number, values))
            parts.append(f"{name} {text} {units.position}")
    for key, unit in zip(_LARGEST, units[1:], strict=True):
        value = info.get(key)
        if value is not None and np.isfinite(value):
            parts.append(f"at most {_number(value)} {unit}")
    if info.get("drive"):
        parts.append(f"{info['drive']} drive")
    return "  ·  ".join(parts)


def _draw_position(ax: "Axes", results: Results, motor: str) -> None:
    """Draws the position, its target, soft limits and stops."""
    position = results[f"{motor}/position"]
    target = _command(results, motor, "target_position")
    target = _drawable_target(target, position)
    soft = results.limits(motor, "position")
    stops = results.limits(motor, "stop")
    ax.step(*_thinned(results.time, target), **_COMMANDED)
    ax.plot(*_thinned(results.time, position), **_MEASURED)
    low, high = _view([position, target], [*soft, *stops])
    ax.set_ylim(low, high)
    for value in soft:
        ax.axhline(value, **_SOFT_LIMIT)
    for value in stops:
        ax.axhline(value, **_STOP)
        if low < value < high:
            is_lower = value == results.motor_metadata(motor).get("min_stop")
            ax.axhspan(value, low if is_lower else high, **_WALL)
    ax.set_ylabel(f"position ({results.units(motor).position})", fontsize=_FONT)


def _draw_velocity(ax: "Axes", results: Results, motor: str) -> None:
    """Draws the velocity and the command that the drive was given."""
    command = _command(results, motor, "velocity_command")
    velocity = results[f"{motor}/velocity"]
    ax.step(*_thinned(results.time, command), **_COMMANDED)
    ax.plot(*_thinned(results.time, velocity), **_MEASURED)
    ax.set_ylim(_view([command, velocity], []))
    ax.set_ylabel(f"velocity ({results.units(motor).velocity})", fontsize=_FONT)


def _draw_effort(ax: "Axes", results: Results, motor: str) -> None:
    """Draws the effort between its bounds, shaded where it was saturated."""
    effort = _of_steps(results, motor, "effort")
    limit = _of_steps(results, motor, "effort_limit")
    ax.broken_barh(
        _intervals(*_thinned(results.time, results[f"{motor}/saturated"])),
        (0, 1),
        transform=ax.get_xaxis_transform(),
        **_SATURATED,
    )
    for bound in (limit, -limit):
        ax.step(*_thinned(results.time, bound), **_BOUND)
    ax.step(*_thinned(results.time, effort), **_MEASURED)
    ax.set_ylim(_view([effort], np.concatenate([limit, -limit])))
    ax.set_ylabel(f"effort ({results.units(motor).effort})", fontsize=_FONT)


def _draw_legends(row: "Iterable[Axes]", results: Results) -> None:
    """Explains each column once, above the title of the first row."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    position = [
        Line2D([], [], label="position", **_MEASURED),
        Line2D([], [], label="target", **_COMMANDED),
    ]
    if any(results.limits(motor, "position") for motor in results.motors):
        position.append(Line2D([], [], label="soft limit", **_SOFT_LIMIT))
    if any(results.limits(motor, "stop") for motor in results.motors):
        position.append(Patch(label="beyond stop", **_WALL))
    velocity = [
        Line2D([], [], label="velocity", **_MEASURED),
        Line2D([], [], label="command", **_COMMANDED),
    ]
    effort = [
        Line2D([], [], label="effort", **_MEASURED),
        Line2D([], [], label="bound", **_BOUND),
        Patch(label="saturated", **_SATURATED),
    ]
    for ax, handles in zip(row, (position, velocity, effort), strict=True):
        lift = ScaledTranslation(0, 0.23, ax.figure.dpi_scale_trans)
        ax.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            bbox_transform=ax.transAxes + lift,
            ncols=len(handles),
            fontsize=_FONT - 0.5,
            frameon=False,
            borderaxespad=0,
            handlelength=2.4,
            columnspacing=1.0,
        )


def _of_steps(results: Results, motor: str, signal: str) -> np.ndarray:
    """Returns a signal that tells of steps, without the row before them.

    Drawn by ``Axes.step``, row k holds for the step that ends there.
    """
    values = results[f"{motor}/{signal}"].copy()
    values[0] = np.nan
    return values


def _command(results: Results, motor: str, signal: str) -> np.ndarray:
    """Returns a command, NaN where direct effort puts it out of force."""
    values = _of_steps(results, motor, signal)
    values[results[f"{motor}/mode"] == 2] = np.nan
    return values


def _view(
    signals: Iterable[np.ndarray], bounds: "ArrayLike"
) -> tuple[float, float]:
    """Returns the y range of finite values and of the bounds near them."""
    values = np.concatenate([s[np.isfinite(s)] for s in signals])
    values = values if values.size else np.zeros(1)
    low, high = values.min(), values.max()
    still = high - low < _STILL
    reach = sys.float_info.max if still else _REACH * (high - low)
    bounds = np.asarray(bounds, dtype=float)
    near = (low - reach <= bounds) & (bounds <= high + reach)
    values = np.concatenate([[low, high], bounds[near]])
    low, high = values.min(), values.max()
    margin = 0.08 * (high - low)
    # Ticks have six digits: more than four must not be the same.
    if high - low < max(_STILL, 1e-4 * abs(high)):
        margin = 0.1 * max(1.0, abs(high))
    return float(low - margin), float(high + margin)


def _drawable_target(target: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Returns `target`, NaN where a curve of it would only flatten others.

    That is where it is infinite (velocity control), or so distant that it
    can only mean "turn forever".
    """
    finite = position[np.isfinite(position)]
    span = np.ptp(finite) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(target - position) <= 100 * max(span, 1.0)
    return np.where(near, target, np.nan)


def _thinned(
    time: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns what an eye can see of a long signal.

    Of each bucket of rows narrower than a pixel, the rows of the least and
    the greatest value; peaks stay. Short signals are returned as they are.
    """
    size = values.size // _PIXELS
    if size <= 2:
        return time, values
    buckets = values[: _PIXELS * size].reshape(_PIXELS, size)
    missing = np.isnan(buckets)
    start = np.arange(0, _PIXELS * size, size)
    least = start + np.where(missing, np.inf, buckets).argmin(axis=1)
    greatest = start + np.where(missing, -np.inf, buckets).argmax(axis=1)
    rest = np.arange(_PIXELS * size, values.size)
    ends = [0, values.size - 1]
    rows = np.unique(np.concatenate([ends, least, greatest, rest]))
    return time[rows], values[rows]


def _intervals(time: np.ndarray, held: np.ndarray) -> list[tuple]:
    """Returns (start, duration) of each run of steps where `held` is 1, s.

    Row k of `held` speaks for the step from ``time[k-1]`` to ``time[k]``.
    """
    steps = np.concatenate([[0], held[1:] > 0.5, [0]])
    edges = np.flatnonzero(np.diff(steps))
    starts, ends = time[edges[::2]], time[edges[1::2]]
    return list(zip(starts, ends - starts, strict=True))


def _number(value: float, digits: int = 4) -> str:
    """Returns a short decimal with a true minus sign."""
    return f"{value + 0.0:.{digits}g}".replace("-", "−")
