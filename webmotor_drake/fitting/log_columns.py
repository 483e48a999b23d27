"""Which column of a log is what, and in which unit."""

import dataclasses as dc
import math
import re
from collections.abc import Iterable, Mapping

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.fitting.log import SIGNALS

UNITS = {
    "rad": 1.0,
    "m": 1.0,
    "s": 1.0,
    "deg": math.pi / 180,
    "mm": 1e-3,
    "ms": 1e-3,
    "us": 1e-6,
    "rpm": 2 * math.pi / 60,
    "rad/s": 1.0,
    "m/s": 1.0,
    "deg/s": math.pi / 180,
    "N·m": 1.0,
    "Nm": 1.0,
    "N": 1.0,
}
TIME = ("", "time")
# Signals of our own runs, by their names in logs.
_OF_RUNS = {"target_position": "target"}
_NAME = re.compile(r"(?P<name>.+)[./](?P<signal>\w+)")


@dc.dataclass(frozen=True)
class Column:
    """A column of a file as the log has it.

    Attributes:
        name: of the joint or motor; empty for the time.
        signal: one of `log.SIGNALS`, or "time".
        factor: from the file's unit to ours.
    """

    name: str
    signal: str
    factor: float = 1.0


def column_of(text: str) -> Column | None:
    """Returns what a column is by its name; None if it is nothing that counts."""
    text = text.strip()
    if text in ("time", "t", "time_s"):
        return Column(*TIME)
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    signal = _OF_RUNS.get(match["signal"], match["signal"])
    return Column(match["name"], signal) if signal in SIGNALS else None


def columns_of(
    header: Iterable[str], given: Mapping[str, str], file: str
) -> dict[str, Column]:
    """Returns what the columns of a file are.

    Args:
        header: the columns' names.
        given: by column what it is, `JOINT.SIGNAL` or `time`, and after a space its
            unit: one of `UNITS`, or a factor to ours.
        file: for messages.

    Raises:
        InputError: a column that is not there, two that are the same, no time.
    """
    header = list(header)
    columns = {name: column_of(name) for name in header}
    for name, text in given.items():
        if name not in header:
            raise InputError(unknown_name("column", name, header), where=file)
        columns[name] = _given(name, text)
    found = {name: c for name, c in columns.items() if c is not None}
    owners: dict[tuple[str, str], str] = {}
    for name, column in found.items():
        key = column.name, column.signal
        if key in owners:
            raise InputError(
                f"columns {owners[key]!r} and {name!r} are both"
                f" {'.'.join(filter(None, key))}",
                where=file,
            )
        owners[key] = name
    if TIME not in owners:
        raise InputError(
            "no times; a column `time` (s) is needed, or one that is said to be"
            f" it (columns: {_some(header)})",
            where=file,
        )
    if len(found) < 2:
        raise InputError(
            "no column is named <joint>.<signal> or <model>/<motor>/<signal>, with"
            f" one of {', '.join(SIGNALS)} (columns: {_some(header)})",
            where=file,
        )
    return found


def _given(name: str, text: str) -> Column:
    """Returns the column that "JOINT.SIGNAL UNIT" says."""
    what, _, unit = text.strip().rpartition(" ")
    if not what or (column_of(what) is None and column_of(text) is not None):
        what, unit = text.strip(), "s"
    column = column_of(what)
    if column is None:
        raise InputError(
            f"{text!r} is not a signal; JOINT.SIGNAL or time is allowed, with one of"
            f" {', '.join(SIGNALS)}, and a unit after a space",
            path=("columns", name),
        )
    return dc.replace(column, factor=_factor(unit, name))


def _factor(unit: str, name: str) -> float:
    if unit in UNITS:
        return UNITS[unit]
    try:
        factor = float(unit)
    except ValueError:
        factor = math.nan
    if not math.isfinite(factor) or factor == 0:
        problem = unknown_name("unit", unit, UNITS)
        raise InputError(
            f"{problem}; a factor to rad, m and s is allowed, too",
            path=("columns", name),
        )
    return factor


def _some(header: list[str]) -> str:
    shown = ", ".join(header[:8])
    return shown + (" and more" if len(header) > 8 else "")
