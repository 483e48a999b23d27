"""The panels of a run's picture: a quantity of a motor or a body over time.

Lines are told apart by their dashes as well as by their colours, which follow
the colour-blind-safe set of Okabe and Ito.
"""

# Matplotlib's methods have types in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from webmotor_drake.results.run_record import RunRecord, roll_pitch_yaw

# The signals of motors and bodies that are shown by default.
OF_MOTORS = ("position", "velocity", "effort")
OF_BODIES = ("position", "orientation", "path")

_REACH = 0.5  # a bound is in view up to this many data ranges away
_STILL = 1e-6  # a range below this is rounding: the signal stands still
_LEAST_SPAN = 0.01  # least range in view of a pose, m or rad
_AT_REST = 5.0  # a bound is in view up to here if the signal stands still

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
_START: _Style = {
    "marker": "o",
    "mfc": "white",
    "mec": "#333333",
    "ms": 5,
    "zorder": 5,
}
FONT = 8.5  # points
_PIXELS = 1000  # more than a curve is wide


def draw_motor(
    ax: Axes, results: RunRecord, motor: str, signal: str, shown: np.ndarray
) -> None:
    """Draws a signal of a motor in some rows, from the bottom layer to the top."""
    time, unit = results.time[shown], _unit(results, motor, signal)
    if signal == "position":
        _draw_position(ax, results, motor, shown)
    elif signal == "velocity":
        command = _command(results, motor, "velocity_command")[shown]
        velocity = results[f"{motor}/velocity"][shown]
        _curve(ax, time, command, "commanded", "command", is_steps=True)
        _curve(ax, time, velocity, "measured", "velocity")
        ax.set_ylim(*_view([command, velocity]))
    elif signal == "effort":
        _draw_effort(ax, results, motor, shown)
    else:
        values = results[f"{motor}/{signal}"][shown]
        values = np.where(np.isfinite(values), values, np.nan)
        _curve(ax, time, values, "measured", signal.replace("_", " "))
        ax.set_ylim(*_view([values]))
    _name_axis(ax, signal.replace("_", " "), unit)
    _fit_time(ax, time)


def draw_body(
    ax: Axes, results: RunRecord, body: str, signal: str, shown: np.ndarray
) -> None:
    """Draws position, orientation or path of a body in some rows."""
    time, values = results.time[shown], results[f"{body}/position"][shown]
    if signal == "path":
        x, y, _ = values.T
        ax.plot(x, y, **_STYLES["measured"])
        ax.plot(x[:1], y[:1], **_START)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x (m), from above; ○ start", fontsize=FONT)
        _name_axis(ax, "y", "m")
        return
    labels, unit = ("x", "y", "z"), "m"
    if signal == "orientation":
        values = roll_pitch_yaw(results[f"{body}/quaternion"])[shown]
        labels, unit = ("roll", "pitch", "yaw"), "rad"
    for label, axis, column in zip(labels, "xyz", values.T, strict=True):
        _curve(ax, time, column, axis, label)
    low, high = _view(values.T)
    # A body that only trembles stands still.
    lack = max(0.0, _LEAST_SPAN - (high - low)) / 2
    ax.set_ylim(low - lack, high + lack)
    _name_axis(ax, signal, unit)
    _fit_time(ax, time)


def _name_axis(ax: Axes, title: str, unit: str) -> None:
    ax.set_ylabel(f"{title} ({unit})" if unit else title, fontsize=FONT)


def _fit_time(ax: Axes, time: np.ndarray) -> None:
    end = time[-1] if time[-1] > time[0] else time[0] + 1
    ax.set_xlim(time[0], end)


def _curve(
    ax: Axes,
    time: np.ndarray,
    values: np.ndarray,
    role: str,
    label: str,
    *,
    is_steps: bool = False,
) -> None:
    """Draws a line; with `is_steps`, row k holds for the step that ends there."""
    draw = ax.step if is_steps else ax.plot
    draw(*thinned(time, values, _PIXELS), label=label, **_STYLES[role])


def _unit(results: RunRecord, motor: str, signal: str) -> str:
    units = results.units(motor)
    known = {
        **units._asdict(),
        "energy": "J",
        "feedback": units.effort,
        "effort_limit": units.effort,
        "target_position": units.position,
        "velocity_target": units.velocity,
        "velocity_command": units.velocity,
    }
    for of_joint, unit in (("reaction_force", "N"), ("reaction_torque", "N·m")):
        if signal.startswith(of_joint):
            return unit
    return known.get(signal, "")


def _draw_position(
    ax: Axes, results: RunRecord, motor: str, shown: np.ndarray
) -> None:
    time, position = results.time[shown], results[f"{motor}/position"]
    target = _command(results, motor, "target_position")
    target = _drawable_target(target, position)[shown]
    position = position[shown]
    soft = results.limits(motor, "position")
    stops = results.limits(motor, "stop")
    low, high = _view([position, target], [*soft, *stops])
    for value in soft:
        ax.axhline(value, label="soft limit", **_SOFT_LIMIT)
    lower = results.motor_metadata(motor).get("min_stop")
    for stop in stops:
        ax.axhline(stop, **_STOP)
        beyond = stop + (high - low) * (-1 if stop == lower else 1)
        ax.axhspan(stop, beyond, label="beyond stop", **_WALL)
    _curve(ax, time, target, "commanded", "target", is_steps=True)
    _curve(ax, time, position, "measured", "position")
    ax.set_ylim(low, high)


def _draw_effort(
    ax: Axes, results: RunRecord, motor: str, shown: np.ndarray
) -> None:
    time, saturated = results.time[shown], results[f"{motor}/saturated"][shown]
    effort = _of_steps(results, motor, "effort")[shown]
    limit = _of_steps(results, motor, "effort_limit")[shown]
    ax.broken_barh(
        _intervals(*thinned(time, saturated, _PIXELS)),
        (0, 1),
        transform=ax.get_xaxis_transform(),
        label="saturated",
        **_SATURATED,
    )
    for bound in (limit, -limit):
        _curve(ax, time, bound, "bound", "bound", is_steps=True)
    _curve(ax, time, effort, "measured", "effort", is_steps=True)
    ax.set_ylim(*_view([effort], np.concatenate([limit, -limit])))


def _of_steps(results: RunRecord, motor: str, signal: str) -> np.ndarray:
    """Returns a signal of steps, without the row before the first step."""
    values = results[f"{motor}/{signal}"].copy()
    values[0] = np.nan
    return values


def _command(results: RunRecord, motor: str, signal: str) -> np.ndarray:
    """Returns a command; NaN where direct effort overrides it."""
    values = _of_steps(results, motor, signal)
    values[results[f"{motor}/mode"] == 2] = np.nan
    return values


def _drawable_target(target: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Returns `target`, NaN where it would flatten others: it means "turn forever"."""
    finite = position[np.isfinite(position)]
    span = np.ptp(finite) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(target - position) <= 100 * max(span, 1.0)
    return np.where(near, target, np.nan)


def _view(
    signals: Iterable[np.ndarray], bounds: npt.ArrayLike = ()
) -> tuple[float, float]:
    """Returns the y range of finite values and of the bounds near them."""
    values = np.concatenate([s[np.isfinite(s)] for s in signals])
    values = values if values.size else np.zeros(1)
    low, high = values.min(), values.max()
    still = high - low < _STILL
    reach = _AT_REST * max(1.0, high) if still else _REACH * (high - low)
    bounds = np.asarray(bounds, dtype=float)
    near = (low - reach <= bounds) & (bounds <= high + reach)
    values = np.concatenate([[low, high], bounds[near]])
    low, high = values.min(), values.max()
    margin = 0.08 * (high - low)
    # Ticks have six digits, of which at most four may be common to all.
    if high - low < max(_STILL, 1e-4 * abs(high)):
        margin = 0.1 * max(1.0, abs(high))
    return float(low - margin), float(high + margin)


def _intervals(time: np.ndarray, held: np.ndarray) -> list[tuple[float, float]]:
    """Returns (start, duration) of each run of steps where `held` is 1, s."""
    # Row k speaks for the step from time[k - 1] to time[k].
    steps = np.concatenate([[0], held[1:] > 0.5, [0]])
    edges = np.flatnonzero(np.diff(steps))
    starts, ends = time[edges[::2]], time[edges[1::2]]
    return list(zip(starts, ends - starts, strict=True))


def number_text(value: float, digits: int = 4) -> str:
    """Returns a short decimal with a true minus sign."""
    return f"{value + 0.0:.{digits}g}".replace("-", "−")


def thinned(
    time: np.ndarray, values: np.ndarray, buckets: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the visible rows of a long signal, as times and values.

    Each bucket of rows is narrower than a pixel; the rows of its least and greatest
    value are kept, so that peaks and ends stay. A signal with less than three rows per
    bucket is returned as it is.

    Args:
        time: shape (K,), s.
        values: shape (K,).
        buckets: number of parts, such as the width of the picture in pixels.
    """
    size = values.size // buckets
    if size <= 2:
        return time, values
    bucketed = values[: buckets * size].reshape(buckets, size)
    missing = np.isnan(bucketed)
    start = np.arange(0, buckets * size, size)
    least = start + np.where(missing, np.inf, bucketed).argmin(axis=1)
    greatest = start + np.where(missing, -np.inf, bucketed).argmax(axis=1)
    rest = np.arange(buckets * size, values.size)
    ends = [0, values.size - 1]
    rows = np.unique(np.concatenate([ends, least, greatest, rest]))
    return time[rows], values[rows]
