"""Metrics of a motor's motion; docs/metrics.md has the formulas.

A run is cut into segments, one for each target that a motor was given. Rise time,
settling time and overshoot are taken from the worst segment.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from webmotor_drake.results.run_record import RunRecord, Units

# A segment whose target is this near to its start is no step, rad or m (and
# rad/s or m/s).
_NO_STEP = 1e-6
_RISE = 0.1, 0.9
_BAND = 0.02
_END = 0.1  # last share of a segment, in which its steady state is measured


class Metric(NamedTuple):
    """The name of a metric and the way to show it; the least value is best."""

    title: str
    # "position", "velocity", "acceleration", "effort": in the motor's unit.
    unit: str
    # The way in which motors make a total: "max", "sum", "rms" or "same".
    total: str


METRICS = {
    "rise_time": Metric("rise time", "s", "max"),
    "settling_time": Metric("settling time (2 %)", "s", "max"),
    "overshoot": Metric("overshoot", "%", "max"),
    "steady_state_error": Metric("steady-state error", "position", "max"),
    "steady_state_velocity_error": Metric(
        "steady-state velocity error", "velocity", "max"
    ),
    "rms_position_error": Metric("RMS position error", "position", "rms"),
    "rms_velocity_error": Metric("RMS velocity error", "velocity", "rms"),
    "peak_effort": Metric("peak effort", "effort", "max"),
    "rms_effort": Metric("RMS effort", "effort", "rms"),
    "mechanical_energy": Metric("mechanical energy", "J", "sum"),
    "electrical_energy": Metric("electrical energy", "J", "sum"),
    "time_saturated": Metric("time saturated", "s", "max"),
    "velocity_violation": Metric("above velocity limit", "velocity", "max"),
    "acceleration_violation": Metric(
        "above acceleration limit", "acceleration", "max"
    ),
    "wall_time": Metric("wall time", "s", "same"),
    "microseconds_per_step": Metric("time of a step", "µs", "same"),
}


# Metrics that depend on the machine.
TIMES = "wall_time", "microseconds_per_step"


class Segment(NamedTuple):
    """A stretch of time in which a motor has one target."""

    # s; the step that ends at `start` still belongs to the segment before.
    start: float
    end: float
    # "position" or "velocity".
    quantity: str
    # rad, m, rad/s or m/s.
    target: float


def segments(results: RunRecord, motor: str) -> list[Segment]:
    """Returns the segments of ``<model>/<motor>`` in order.

    There is no segment without power or under direct effort, as there is no target.
    """
    mode = results[f"{motor}/mode"]
    powered = results[f"{motor}/effort_limit"] > 0
    position = results[f"{motor}/target_position"]
    velocity = results[f"{motor}/velocity_target"]
    sought = [powered & (mode == 0), powered & (mode == 1)]
    target = np.select(sought, [position, velocity], np.nan)
    # Row k belongs to the step that ends there; row 0 comes before all steps.
    ends = (target[2:] != target[1:-1]) | (mode[2:] != mode[1:-1])
    last = [*(np.flatnonzero(ends) + 1), len(target) - 1]
    first = [0, *last[:-1]]
    return [
        Segment(
            start=float(results.time[start]),
            end=float(results.time[end]),
            quantity="position" if mode[end] == 0 else "velocity",
            target=float(target[end]),
        )
        for start, end in zip(first, last, strict=True)
        if end > start and np.isfinite(target[end])
    ]


def motor_metrics(
    results: RunRecord, motor: str, targets: Sequence[Segment] | None = None
) -> dict[str, float]:
    """Returns the metrics of ``<model>/<motor>``, one for each of METRICS.

    NaN: no value, as no segment has a step, or the motor no limit.
    Infinite: never reached, never settled.

    Args:
        results: the run.
        motor: full name of the motor, "<model>/<motor>".
        targets: segments to judge it by; None: those of the run.
    """
    if targets is None:
        targets = segments(results, motor)
    responses = [_Response.of(results, motor, segment) for segment in targets]
    responses = [r for r in responses if len(r.time) > 1]
    steps = [r for r in responses if r.is_step]
    return {
        "rise_time": _worst(r.rise_time() for r in steps),
        "settling_time": _worst(r.settling_time() for r in steps),
        "overshoot": _worst(r.overshoot() for r in steps),
        **_errors(responses, "position", "steady_state_error"),
        **_errors(responses, "velocity", "steady_state_velocity_error"),
        **_effort_metrics(results, motor),
        **_violations(results, motor),
        **_costs(results),
    }


class _Response(NamedTuple):
    """The quantity of a segment over time: times and values, shape (K,)."""

    quantity: str
    time: np.ndarray
    value: np.ndarray
    target: float

    @classmethod
    def of(
        cls, results: RunRecord, motor: str, segment: Segment
    ) -> "_Response":
        half_step = 0.5 * np.diff(results.time[:2]).sum()
        within = (results.time >= segment.start - half_step) & (
            results.time <= segment.end + half_step
        )
        value = results[f"{motor}/{segment.quantity}"]
        return cls(
            segment.quantity,
            results.time[within],
            value[within],
            segment.target,
        )

    @property
    def span(self) -> float:
        return self.target - self.value[0]

    @property
    def is_step(self) -> bool:
        return abs(self.span) > _NO_STEP

    def rise_time(self) -> float:
        """Returns the time from 10 % to 90 % of the step, s."""
        way = (self.value - self.value[0]) / self.span
        low, high = (_first_above(self.time, way, share) for share in _RISE)
        return high - low if math.isfinite(high) else math.inf

    def settling_time(self) -> float:
        """Returns the time until the error stays within 2 % of the step, s."""
        beyond = np.abs(self.value - self.target) / abs(self.span) - _BAND
        outside = np.flatnonzero(~(beyond <= 0))
        if outside[-1] + 1 == len(beyond):
            return math.inf
        i = outside[-1]
        share = beyond[i] / (beyond[i] - beyond[i + 1])
        settled = self.time[i] + share * (self.time[i + 1] - self.time[i])
        return float(settled - self.time[0])

    def overshoot(self) -> float:
        """Returns the largest excess over the target, % of the step."""
        beyond = (self.value - self.target) / self.span
        return 100 * max(float(np.nanmax(beyond)), 0.0)

    def steady_state_error(self) -> float:
        """Returns the mean distance to the target over the last tenth, in its unit."""
        end = self.time[-1] - _END * (self.time[-1] - self.time[0])
        late = self.value[self.time >= end]
        return float(abs(np.mean(self.target - late)))


def _errors(
    responses: Iterable[_Response], quantity: str, steady: str
) -> dict[str, float]:
    """Returns the errors of a quantity; `steady`: name of the steady-state error."""
    chosen = [r for r in responses if r.quantity == quantity]
    squares = [(r.target - r.value[1:]) ** 2 for r in chosen]
    mean = np.mean(np.concatenate(squares)) if squares else math.nan
    return {
        steady: _worst(r.steady_state_error() for r in chosen),
        f"rms_{quantity}_error": math.sqrt(mean),
    }


def _effort_metrics(results: RunRecord, motor: str) -> dict[str, float]:
    effort = results[f"{motor}/effort"][1:]
    period = np.diff(results.time)
    work = effort * np.diff(results[f"{motor}/position"])
    return {
        "peak_effort": peak(effort),
        "rms_effort": math.sqrt(np.mean(effort**2))
        if effort.size
        else math.nan,
        "mechanical_energy": float(np.maximum(work, 0).sum()),
        "electrical_energy": float(results[f"{motor}/energy"][-1]),
        "time_saturated": float(
            period[results[f"{motor}/saturated"][1:] > 0.5].sum()
        ),
    }


def _violations(results: RunRecord, motor: str) -> dict[str, float]:
    about = results.motor_metadata(motor)
    velocity = results[f"{motor}/velocity"]
    acceleration = np.diff(velocity) / np.diff(results.time)

    def beyond(values: np.ndarray, limit: float | None) -> float:
        if limit is None or limit < 0:
            return math.nan
        return max(peak(values) - limit, 0.0)

    return {
        "velocity_violation": beyond(velocity, about.get("max_velocity")),
        "acceleration_violation": beyond(
            acceleration, about.get("acceleration")
        ),
    }


def _costs(results: RunRecord) -> dict[str, float]:
    wall_time = results.metadata.get("wall_time")
    wall_time = math.nan if wall_time is None else wall_time
    steps = len(results.time) - 1
    return {
        "wall_time": wall_time,
        "microseconds_per_step": 1e6 * wall_time / steps if steps else math.nan,
    }


def total_metrics(
    motors: Mapping[str, Mapping[str, float]], units: Mapping[str, Units]
) -> dict[str, float]:
    """Returns the metrics of all motors together.

    Args:
        motors: metrics by name of the motor.
        units: units by name of the motor. If they differ, totals in these units are
            NaN.
    """
    mixed = len(set(units.values())) > 1
    totals: dict[str, float] = {}
    for name, metric in METRICS.items():
        values = np.array([values[name] for values in motors.values()])
        values = values[~np.isnan(values)]
        if not values.size or (mixed and _in_motor_unit(metric)):
            totals[name] = math.nan
        elif metric.total == "sum":
            totals[name] = float(values.sum())
        elif metric.total == "rms":
            totals[name] = math.sqrt(np.mean(values**2))
        else:
            totals[name] = float(values.max())
    return totals


def _in_motor_unit(metric: Metric) -> bool:
    return metric.unit in ("position", "velocity", "acceleration", "effort")


def unit_of(metric: Metric, units: Units) -> str:
    """Returns the unit of a metric as text, for a motor whose signals have `units`."""
    if metric.unit == "acceleration":
        return f"{units.velocity}²"
    return (
        getattr(units, metric.unit) if _in_motor_unit(metric) else metric.unit
    )


def _first_above(time: np.ndarray, way: np.ndarray, share: float) -> float:
    """Returns the time when `way` first reaches `share`, interpolated; inf: never."""
    reached = np.flatnonzero(way >= share)
    if not reached.size:
        return math.inf
    i = reached[0]
    part = (share - way[i - 1]) / (way[i] - way[i - 1])
    return float(time[i - 1] + part * (time[i] - time[i - 1]))


def _worst(values: Iterable[float]) -> float:
    """Returns the largest of the numbers; NaN for none."""
    return float(
        max((v for v in values if not math.isnan(v)), default=math.nan)
    )


def peak(values: np.ndarray) -> float:
    """Returns the largest |value| of the numbers; NaN for none."""
    values = np.abs(values[~np.isnan(values)])
    return float(values.max()) if values.size else math.nan
