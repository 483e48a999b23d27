"""The table that closes a run, as plain text."""

import html

import numpy as np

from webmotor_drake.errors import one_line
from webmotor_drake.results.metrics import peak
from webmotor_drake.results.run_record import RunRecord, roll_pitch_yaw
from webmotor_drake.results.text import NONE, aligned, html_table, quantity

_MODES = {0: "position", 1: "velocity", 2: "effort"}
_HEADER = (
    "motor",
    "mode",
    "position",
    "tracking error",
    "peak effort",
    "of limit",
    "saturated",
)
# Columns left out first in a narrow window; bodies lose theirs from the right.
_FIRST_OUT = (
    "mode",
    "of limit",
    "peak effort",
    "position",
    "saturated",
    "tracking error",
)
_LEFT_ALIGNED = 2  # motor and mode; numbers stand right
_BODY_HEADER = (
    "body",
    "distance",
    "path",
    "x",
    "y",
    "z",
    "roll",
    "pitch",
    "yaw",
)
# Digits of shares, and of all else.
_SHARE, _DIGITS = 3, 4
# Poses closer to 0 than this are rounding, m or rad.
_ROUNDING = 1e-6


def summary_table(results: RunRecord) -> str:
    """Returns a table of the motors' motion, and the speed of the run.

    One row per motor: its mode, position and tracking error at the end; its
    largest effort, also as a share of the bound at that moment; and the share of
    time in which the bound limited its effort. The tracking error is the distance
    to the target position (rad, m), or in velocity control the velocity command
    minus the joint's velocity (rad/s, m/s); a motor under direct effort has no
    target.

    One row per body: its distance from the start, the length of its path, and its
    position and orientation in the world at the end.

    Args:
        results: a run; its metadata gives the units.

    Returns:
        Lines without a line break at the end.
    """
    lines: list[str] = []
    for rows, left in _tables(results):
        lines += aligned(rows, left=left, first_out=_FIRST_OUT)
    return "\n".join([*lines, _closing_line(results)])


def summary_html(results: RunRecord) -> str:
    """Returns the tables of `summary_table` as HTML, for a notebook."""
    tables = [html_table(rows, left=left) for rows, left in _tables(results)]
    closing = html.escape(_closing_line(results))
    return "\n".join([*tables, f"<p>{closing}</p>"])


def _tables(results: RunRecord) -> list[tuple[list[tuple[str, ...]], int]]:
    """Returns the rows of each table, and the number of its left-aligned columns."""
    tables: list[tuple[list[tuple[str, ...]], int]] = []
    if results.motors:
        rows = [_HEADER, *(_row(results, motor) for motor in results.motors)]
        tables.append((rows, _LEFT_ALIGNED))
    if results.bodies:
        rows = [_BODY_HEADER, *(_pose_row(results, b) for b in results.bodies)]
        tables.append((rows, 1))
    return tables


def _row(results: RunRecord, motor: str) -> tuple[str, ...]:
    units = results.units(motor)
    effort = np.abs(results[f"{motor}/effort"][1:])
    limit = results[f"{motor}/effort_limit"][1:]
    of_limit = effort[limit > 0] / limit[limit > 0]
    mode = results[f"{motor}/mode"][-1]
    return (
        one_line(motor),
        _MODES.get(mode, NONE),
        quantity(results[f"{motor}/position"][-1], units.position, _DIGITS),
        _tracking_error(results, motor),
        quantity(peak(effort), units.effort, _DIGITS),
        quantity(100 * peak(of_limit), "%", _SHARE),
        quantity(100 * _saturated_share(results, motor), "%", _SHARE),
    )


def _pose_row(results: RunRecord, body: str) -> tuple[str, ...]:
    positions = results[f"{body}/position"]
    away = float(np.linalg.norm(positions[-1] - positions[0]))
    way = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
    lengths = (away, way, *positions[-1])
    angles = roll_pitch_yaw(results[f"{body}/quaternion"])[-1]
    return (
        one_line(body),
        *(quantity(_settled(value), "m", _DIGITS) for value in lengths),
        *(quantity(_settled(value), "rad", _DIGITS) for value in angles),
    )


def _settled(value: float) -> float:
    """Returns the value, or 0 if it is only rounding (below a micrometre)."""
    return 0.0 if abs(value) < _ROUNDING else value


def _tracking_error(results: RunRecord, motor: str) -> str:

    def end(signal: str) -> float:
        return results[f"{motor}/{signal}"][-1]

    units = results.units(motor)
    if end("mode") == 0 and np.isfinite(end("target_position")):
        error = abs(end("target_position") - end("position"))
        return quantity(error, units.position, _DIGITS)
    if end("mode") in (0, 1):
        error = abs(end("velocity_command") - end("velocity"))
        return quantity(error, units.velocity, _DIGITS)
    return NONE


def _saturated_share(results: RunRecord, motor: str) -> float:
    """Returns the share of time in saturation, 0 to 1; NaN for no time."""
    steps = np.diff(results.time)  # row k is of the step before it
    saturated = results[f"{motor}/saturated"][1:] > 0.5
    total = steps.sum()
    return float(steps[saturated].sum() / total) if total > 0 else np.nan


def _closing_line(results: RunRecord) -> str:
    metadata = results.metadata
    simulated = metadata.get("simulation_time")
    if simulated is None:
        simulated = results.time[-1]
    line = f"simulated {simulated:.4g} s"
    if metadata.get("wall_time") is not None:
        line += f" in {metadata['wall_time']:.3g} s"
    if metadata.get("real_time_factor") is not None:
        line += f" ({metadata['real_time_factor']:.3g} x real time)"
    drives = sorted(
        {results.motor_metadata(m).get("drive") or "" for m in results.motors}
        - {""}
    )
    return f"{line}; drive: {', '.join(drives)}" if drives else line
