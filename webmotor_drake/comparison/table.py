"""The table that closes a comparison, as plain text."""

import html
import math

from webmotor_drake.comparison.compared_runs import ComparedRuns
from webmotor_drake.errors import one_line
from webmotor_drake.results.text import aligned, html_table, number

# Metric, heading and unit of the motor's kind, if it has one.
_COLUMNS = (
    ("rise_time", "rise", "s"),
    ("settling_time", "settling", "s"),
    ("overshoot", "overshoot", "%"),
    ("rms_position_error", "RMS error", ""),
    ("peak_effort", "peak effort", ""),
    ("time_saturated", "saturated", "s"),
    ("mechanical_energy", "energy", "J"),
    ("microseconds_per_step", "step", "µs"),
    ("position_difference", "difference", ""),
)
_LEFT_ALIGNED = 2
# Columns left out first in a narrow window, after metrics of one's own.
_FIRST_OUT = (
    "step",
    "energy",
    "saturated",
    "settling",
    "peak effort",
    "overshoot",
    "rise",
    "RMS error",
    "difference",
    "model",
)
_MODEL_WIDTH = 24  # characters of a model's name that are shown


def comparison_table(comparison: ComparedRuns) -> str:
    """Returns one row per motor and model, and the models that failed.

    The error is in position, rad or m; under velocity control in velocity, rad/s or
    m/s. The difference is the largest difference in position from the reference.

    Returns:
        Lines without a line break at the end.
    """
    rows = _rows(comparison)
    lines: list[str] = []
    if len(rows) > 1:
        lines = aligned(rows, left=_LEFT_ALIGNED, first_out=_FIRST_OUT)
    return "\n".join([*lines, *_remarks(comparison)])


def comparison_html(comparison: ComparedRuns) -> str:
    """Returns the table as HTML, for a notebook."""
    rows = _rows(comparison)
    table = [html_table(rows, left=_LEFT_ALIGNED)] if len(rows) > 1 else []
    remarks = [f"<p>{html.escape(text)}</p>" for text in _remarks(comparison)]
    return "\n".join([*table, *remarks])


def _rows(comparison: ComparedRuns) -> list[tuple[str, ...]]:
    headings = [heading for _, heading, _ in _COLUMNS]
    rows = [("motor", "model", *headings, *comparison.own_metrics)]
    for motor in comparison.motors:
        rows += [
            (
                one_line(motor),
                _shown(contender),
                *_cells(comparison, contender, motor),
            )
            for contender in comparison.results
        ]
    return rows


def _remarks(comparison: ComparedRuns) -> list[str]:
    """Returns lines that name the models that failed, and the reference."""
    return [
        *(
            f"{contender} failed: {error}"
            for contender, error in comparison.errors.items()
        ),
        f"differences are to {comparison.reference}",
    ]


def _cells(comparison: ComparedRuns, contender: str, motor: str) -> list[str]:
    row = comparison.row(contender, motor)
    units = comparison.results[contender].units(motor)
    unit_of = {
        "rms_position_error": units.position,
        "peak_effort": units.effort,
        "position_difference": units.position,
    }
    cells = []
    for name, _, unit in _COLUMNS:
        unit, value = unit_of.get(name, unit), row[name]
        if name == "rms_position_error" and math.isnan(value):
            unit, value = units.velocity, row["rms_velocity_error"]
        cells.append(shown_value(value, unit))
    own = comparison.own_values(contender).values()
    return [*cells, *(shown_value(value, "") for value in own)]


def shown_value(value: float, unit: str) -> str:
    """Returns a number and its unit as people read them; see `shown_number`."""
    text = shown_number(value, unit)
    return f"{text} {unit}" if math.isfinite(value) and unit else text


def shown_number(value: float, unit: str) -> str:
    """Returns three digits; a dash for NaN, "never" for infinity."""
    if math.isinf(value):
        return "never"
    # Digits below a thousandth of a per cent are left out.
    return number(round(value, 3) if unit == "%" else value)


def _shown(contender: str) -> str:
    if len(contender) <= _MODEL_WIDTH:
        return contender
    return f"{contender[: _MODEL_WIDTH - 1]}…"
