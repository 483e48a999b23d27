"""Chooses motors, bodies, signals and time of a run's picture."""

import fnmatch
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.panels import (
    Panel,
    body_panel,
    motor_panel,
    number_text,
)
from webmotor_drake.results.run_record import RunRecord

# The signals of motors and bodies that are shown by default.
OF_MOTORS = ("position", "velocity", "effort")
OF_BODIES = ("position", "orientation", "path")

_LARGEST = ("max_velocity", "max_effort")  # as Units has them


class Row(NamedTuple):
    """The row of a motor or a body.

    Attributes:
        name: "<model>/<motor>" or "<model>/<body>".
        is_body: True if it is a body, False if a motor.
        note: its limits, in words.
        panels: from left to right.
    """

    name: str
    is_body: bool
    note: str
    panels: list[Panel]


def rows_of(
    results: RunRecord,
    *,
    motors: Sequence[str] | None = None,
    signals: Sequence[str] | None = None,
    times: tuple[float, float] | None = None,
) -> tuple[np.ndarray, list[Row]]:
    """Returns the times, shape (K,), and a row of panels per motor and body.

    The arguments are those of `run_figure`.

    Raises:
        InputError: there is no such motor or signal, or nothing to show.
    """
    if not results.motors and not results.bodies:
        raise InputError(
            "nothing to plot: the run has no motors, and no bodies"
        )
    _check_signals(results, signals or ())
    shown = _rows_in(results, times)
    rows: list[Row] = []
    for name in _chosen(results, motors):
        is_body = name in results.bodies
        make = body_panel if is_body else motor_panel
        wanted = signals or (OF_BODIES if is_body else OF_MOTORS)
        panels = [make(results, name, signal, shown) for signal in wanted]
        panels = [panel for panel in panels if panel is not None]
        if panels:
            note = "" if is_body else limits_text(results, name)
            rows.append(Row(name, is_body, note, panels))
    if not rows:
        raise InputError(
            f"nothing to plot: no motor or body has {', '.join(signals or ())}"
        )
    return results.time[shown], rows


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
    if times is None:
        return np.arange(results.time.size)
    start, end = times
    rows = np.flatnonzero((start <= results.time) & (results.time <= end))
    if not rows.size:
        first, last = results.time[[0, -1]]
        raise InputError(
            f"nothing to plot from {start:g} s to {end:g} s; the run is from"
            f" {first:g} s to {last:g} s"
        )
    return rows


def limits_text(results: RunRecord, motor: str) -> str:
    """Returns the limits of a motor in words."""
    info = results.motor_metadata(motor)
    units = results.units(motor)
    parts: list[str] = []
    for name, kind in (("soft limit", "position"), ("stop", "stop")):
        values = results.limits(motor, kind)
        if values:
            name += "s" if len(values) > 1 else ""
            text = " to ".join(map(number_text, values))
            parts.append(f"{name} {text} {units.position}")
    for key, unit in zip(_LARGEST, units[1:], strict=True):
        value = info.get(key)
        if value is not None and np.isfinite(value):
            parts.append(f"at most {number_text(value)} {unit}")
    if info.get("drive"):
        parts.append(f"{info['drive']} drive")
    return "  ·  ".join(parts)
