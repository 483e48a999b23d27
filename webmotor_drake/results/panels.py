"""The panels of a picture of a run, whatever draws them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webmotor_drake.results.poses import roll_pitch_yaw
from webmotor_drake.results.run_record import RunRecord, Units

_REACH = 0.5  # a bound is in view up to this many data ranges away
_STILL = 1e-6  # a range below this is rounding: the signal stands still
_LEAST_SPAN = 0.01  # of what is in view of a pose, m or rad
_AT_REST = 5.0  # how far a bound of a signal that stands still is in view


class Curve(NamedTuple):
    """A line of a panel.

    Attributes:
        label: name in the legend.
        role: "measured", "commanded", "bound", or of bodies "x", "y", "z".
        values: shape (K,); NaN where there is nothing to draw.
        is_steps: True if row k holds for the step that ends there.
    """

    label: str
    role: str
    values: np.ndarray
    is_steps: bool = False


class Panel(NamedTuple):
    """A quantity of a motor or body over time.

    Attributes:
        title: name of the motor or body.
        unit: of its values.
        curves: those beneath come first.
        view: the least and greatest value in view.
        soft_limits: in the unit of the panel.
        stops: each a value and whether it is the lower one.
        saturated: shape (K,), 1 where the motor was held back; None: not shown.
        x: values on the horizontal axis; None: the time.
    """

    title: str
    unit: str
    curves: list[Curve]
    view: tuple[float, float]
    soft_limits: Sequence[float] = ()
    stops: Sequence[tuple[float, bool]] = ()
    saturated: np.ndarray | None = None
    x: np.ndarray | None = None

    @property
    def label(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def motor_panel(
    results: RunRecord, motor: str, signal: str, shown: np.ndarray
) -> Panel | None:
    """Returns a motor's panel; None: it has no such signal."""
    if f"{motor}/{signal}" not in results:
        return None
    units = results.units(motor)
    if signal == "position":
        return _position(results, motor, shown)
    if signal == "velocity":
        command = _command(results, motor, "velocity_command")[shown]
        velocity = results[f"{motor}/velocity"][shown]
        curves = [
            Curve("command", "commanded", command, is_steps=True),
            Curve("velocity", "measured", velocity),
        ]
        view = _view([command, velocity], [])
        return Panel(signal, units.velocity, curves, view)
    if signal == "effort":
        return _effort(results, motor, shown)
    values = results[f"{motor}/{signal}"][shown]
    title = signal.replace("_", " ")
    finite = np.where(np.isfinite(values), values, np.nan)
    curve = Curve(title, "measured", finite)
    unit = _unit(signal, units)
    return Panel(title, unit, [curve], _view([curve.values], []))


def _unit(signal: str, units: Units) -> str:
    """Returns the unit of a signal that has a panel of its own."""
    known = {
        "energy": "J",
        "feedback": units.effort,
        "effort_limit": units.effort,
        "target_position": units.position,
        "velocity_target": units.velocity,
        "velocity_command": units.velocity,
    }
    if signal.startswith("reaction_force"):
        return "N"
    if signal.startswith("reaction_torque"):
        return "N·m"
    return known.get(signal, "")


def _position(results: RunRecord, motor: str, shown: np.ndarray) -> Panel:
    """Returns the position, its target, soft limits and stops."""
    position = results[f"{motor}/position"]
    target = _command(results, motor, "target_position")
    target = _drawable_target(target, position)[shown]
    position = position[shown]
    soft = results.limits(motor, "position")
    lower = results.motor_metadata(motor).get("min_stop")
    stops = [(stop, stop == lower) for stop in results.limits(motor, "stop")]
    curves = [
        Curve("target", "commanded", target, is_steps=True),
        Curve("position", "measured", position),
    ]
    view = _view([position, target], [*soft, *(stop for stop, _ in stops)])
    unit = results.units(motor).position
    return Panel("position", unit, curves, view, soft, stops)


def _effort(results: RunRecord, motor: str, shown: np.ndarray) -> Panel:
    """Returns the effort between its bounds, and where it was saturated."""
    effort = _of_steps(results, motor, "effort")[shown]
    limit = _of_steps(results, motor, "effort_limit")[shown]
    curves = [
        Curve("bound", "bound", limit, is_steps=True),
        Curve("bound", "bound", -limit, is_steps=True),
        Curve("effort", "measured", effort, is_steps=True),
    ]
    return Panel(
        "effort",
        results.units(motor).effort,
        curves,
        _view([effort], np.concatenate([limit, -limit])),
        saturated=results[f"{motor}/saturated"][shown],
    )


def body_panel(
    results: RunRecord, body: str, signal: str, shown: np.ndarray
) -> Panel | None:
    """Returns a body's panel; None: bodies have no such signal."""
    position = results[f"{body}/position"][shown]
    if signal == "path":
        x, y, _ = position.T
        curve = Curve("path", "measured", y)
        return Panel("y", "m", [curve], _view([y], []), x=x)
    if signal == "orientation":
        angles = roll_pitch_yaw(results[f"{body}/quaternion"])[shown]
        return _of_axes(signal, "rad", ("roll", "pitch", "yaw"), angles)
    if signal == "position":
        return _of_axes(signal, "m", ("x", "y", "z"), position)
    return None


def _of_axes(
    title: str, unit: str, labels: Sequence[str], values: np.ndarray
) -> Panel:
    """Returns a panel with a curve per axis; `values` of shape (K, 3)."""
    curves = [
        Curve(*names) for names in zip(labels, "xyz", values.T, strict=True)
    ]
    return Panel(title, unit, curves, _widened(_view(values.T, [])))


def _widened(view: tuple[float, float]) -> tuple[float, float]:
    """Returns a view in which a body that only trembles stands still."""
    low, high = view
    lack = max(0.0, _LEAST_SPAN - (high - low)) / 2
    return low - lack, high + lack


def _of_steps(results: RunRecord, motor: str, signal: str) -> np.ndarray:
    """Returns a signal that tells of steps, without the row before them."""
    values = results[f"{motor}/{signal}"].copy()
    values[0] = np.nan
    return values


def _command(results: RunRecord, motor: str, signal: str) -> np.ndarray:
    """Returns a command, NaN where direct effort puts it out of force."""
    values = _of_steps(results, motor, signal)
    values[results[f"{motor}/mode"] == 2] = np.nan
    return values


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


def _view(
    signals: Iterable[np.ndarray], bounds: npt.ArrayLike
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
    # Ticks have six digits: more than four must not be the same.
    if high - low < max(_STILL, 1e-4 * abs(high)):
        margin = 0.1 * max(1.0, abs(high))
    return float(low - margin), float(high + margin)


def intervals(time: np.ndarray, held: np.ndarray) -> list[tuple[float, float]]:
    """Returns (start, duration) of each run of steps where `held` is 1, s.

    Row k of `held` speaks for the step from ``time[k-1]`` to ``time[k]``.
    """
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

    Of each bucket of rows narrower than a pixel, the rows of the least and the
    greatest value; peaks stay, and so do the ends. Signals of less than three rows
    per bucket are returned as they are.

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
