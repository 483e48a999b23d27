"""Logs from files: CSV and parquet with named columns, bags, the run.npz of a run."""

import csv
import itertools
import math
import os
import re
import typing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from webmotor_drake.errors import (
    InputError,
    listed,
    needing,
    one_line,
    unknown_name,
)
from webmotor_drake.fitting.bag_log import bag_table, is_bag
from webmotor_drake.fitting.log_time import (
    UNITS as TIME_UNITS,
    in_order,
    seconds,
)
from webmotor_drake.fitting.robot_log import SIGNALS, RobotLog
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import check_regular

UNITS = {
    "rad": 1.0,
    "m": 1.0,
    **TIME_UNITS,
    "deg": math.pi / 180,
    "mm": 1e-3,
    "rpm": 2 * math.pi / 60,
    "rad/s": 1.0,
    "m/s": 1.0,
    "deg/s": math.pi / 180,
    "N·m": 1.0,
    "Nm": 1.0,
    "N": 1.0,
}
TIME = ("", "time")
# Columns that name the joint of a row.
_OF_NAMES = ("joint", "joint_name", "motor", "name")
# Signals of our own runs, by their names in logs.
_OF_RUNS = {"target_position": "target"}
_NAME = re.compile(r"(?P<name>.+)[./](?P<signal>\w+)")
# A column of times, which may say its unit, as time_ms or "t [us]" do.
_TIME = re.compile(
    r"(?:time|t|(?:time_?)?stamp)(?:[_ ]?[(\[]?(?P<unit>s|ms|us|ns)[)\]]?)?",
    re.I,
)


class _Column(typing.NamedTuple):
    """A column of a file as the log has it: name and signal, or `TIME`."""

    key: tuple[str, str]
    factor: float = 1.0  # from the file's unit to ours
    unit: str = ""  # unit in the file, if it is named


def _column_of(text: str) -> _Column | None:
    """Returns the meaning of a column by its name; None: it is not used."""
    text = text.strip()
    if time := _TIME.fullmatch(text):
        return _Column(TIME, unit=(time["unit"] or "").lower())
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    signal = _OF_RUNS.get(match["signal"], match["signal"])
    return _Column((match["name"], signal)) if signal in SIGNALS else None


def _columns_of(
    header: Iterable[str], given: Mapping[str, str], file: str
) -> dict[str, _Column]:
    """Returns the meaning of a file's columns, by `given` or by their names."""
    header = list(header)
    columns = {name: _column_of(name) for name in header}
    for name, text in given.items():
        if name not in header:
            raise InputError(unknown_name("column", name, header), where=file)
        columns[name] = _given(name, text)
    found = {name: c for name, c in columns.items() if c is not None}
    owners: dict[tuple[str, str], str] = {}
    for name, column in found.items():
        first = owners.setdefault(column.key, name)
        if first != name:
            raise InputError(
                f"columns {first!r} and {name!r} are both"
                f" {'.'.join(filter(None, column.key))}",
                where=file,
            )
    some = f"(columns: {listed(header, 8)})"
    if TIME not in owners:
        raise InputError(
            "no times; a column `time` (s) is needed, or one that is said to be"
            f" it {some}",
            where=file,
        )
    if len(found) < 2:
        raise InputError(
            "no column is named <joint>.<signal> or <model>/<motor>/<signal>, with"
            f" one of {', '.join(SIGNALS)} {some}",
            where=file,
        )
    return found


def _given(name: str, text: str) -> _Column:
    """Returns the column that "JOINT.SIGNAL UNIT" says."""
    what, _, unit = text.strip().rpartition(" ")
    if not what or (_column_of(what) is None and _column_of(text) is not None):
        what, unit = text.strip(), "s"
    column = _column_of(what)
    if column is None:
        raise InputError(
            f"{text!r} is not a signal; JOINT.SIGNAL or time is allowed, with one of"
            f" {', '.join(SIGNALS)}, and a unit after a space",
            path=("columns", name),
        )
    try:
        factor = UNITS.get(unit) or float(unit)
    except ValueError:
        factor = math.nan
    if not math.isfinite(factor) or factor == 0:
        problem = unknown_name("unit", unit, UNITS)
        raise InputError(
            f"{problem}; a factor to rad, m and s is allowed, too",
            path=("columns", name),
        )
    return column._replace(factor=factor, unit=unit)


_LARGEST = 1_000_000_000  # bytes of a CSV file
# A recording begins anew where time goes back by so many usual steps.
_AGAIN = 20

# Columns by name, numbers or texts; of a CSV file also the lines, by "".
Table = dict[str, np.ndarray | tuple[str, ...]]


def load_log(
    file: str | os.PathLike[str], columns: Mapping[str, str] | None = None
) -> RobotLog:
    """Reads a log.

    Args:
        file: a CSV or parquet file with a column per signal, or with a column `joint`;
            a ROS bag; a run's folder, or the run.npz in it.
        columns: meaning and units of columns whose names do not tell:
            {"enc_1": "FL_hip_joint.position deg"}; the unit is one of `UNITS`, or a
            factor to ours.

    Raises:
        InputError: the file is not a log.
    """
    path, given = Path(file), columns or {}
    if is_bag(path):
        table, remarks = bag_table(path)
        return _log_of(table, given, str(path), remarks)
    if path.is_dir() or path.suffix == ".npz":
        if columns:
            raise InputError("columns are for files of others", where=str(path))
        run = Results.load(path if path.is_dir() else path.parent)
        return log_of_run(run, str(file))
    table = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    return _log_of(table, given, str(path))


def _parquet(path: Path) -> Table:
    with needing("parquet files need pyarrow", "pyarrow"):
        from pyarrow import ArrowException, parquet
    try:
        table = parquet.read_table(path)
    except (OSError, ArrowException) as error:
        raise InputError(
            f"it cannot be read: {one_line(error)}", where=str(path)
        ) from None
    _check_names(table.column_names, str(path))
    return {name: table[name].to_numpy() for name in table.column_names}


def _check_names(names: Sequence[str], where: str) -> None:
    """Refuses two columns of one name: one would hide the other."""
    for name, number in Counter(filter(None, names)).items():
        if number > 1:
            problem = f"{number} columns are called {name!r}; names must differ"
            raise InputError(problem, where=where)


def _csv(path: Path) -> Table:
    check_regular(path)
    lines, cells = [], []
    try:
        if (size := path.stat().st_size) > _LARGEST:
            raise InputError(
                f"{size / 1e9:.3g} GB; at most {_LARGEST / 1e9:g} GB are allowed: a"
                " part of the log, or every tenth sample, is enough for a fit",
                where=str(path),
            )
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = file.readline()
            by = max(",;\t", key=first.count)
            rows = csv.reader(itertools.chain([first], file), delimiter=by)
            header = [name.strip() for name in next(rows, [])]
            _check_names(header, f"{path}:1")
            for row in filter(None, rows):
                if len(row) != len(header):
                    raise InputError(
                        f"{len(row)} values; the header has {len(header)}",
                        where=f"{path}:{rows.line_num}",
                    )
                lines.append(rows.line_num)
                cells.append(row)
        if by != ",":
            cells = [[cell.replace(",", ".") for cell in row] for row in cells]
        columns = zip(*cells, strict=True) if cells else [()] * len(header)
        return dict(
            zip([*header, ""], [*columns, np.array(lines)], strict=True)
        )
    except OSError as error:
        raise InputError(
            f"cannot read it: {error.strerror}", where=str(path)
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"it is not a CSV file: {error}", where=str(path)
        ) from None


def _log_of(
    table: Table,
    given: Mapping[str, str],
    file: str,
    told: Sequence[str] = (),
) -> RobotLog:
    """Returns the log of a table, which may have a row per time and joint."""
    table = _widened(table, file)
    columns = _columns_of(filter(None, table), given, file)
    signals: dict[tuple[str, str], np.ndarray] = {}
    remarks: list[str] = []
    for name, column in columns.items():
        key, values = column.key, _numbers(table, name, file)
        signals[key] = values * column.factor
        if key == TIME and (not column.unit or column.unit in TIME_UNITS):
            signals[key], remarks = seconds(values, column.unit, file)
    time, signals, more = in_order(signals.pop(TIME), signals)
    unread = tuple(name for name in table if name and name not in columns)
    return RobotLog(time, signals, file, unread, (*told, *remarks, *more))


def _numbers(table: Table, name: str, file: str) -> np.ndarray:
    """Returns a column as numbers; empty cells are NaN."""
    column = table[name]
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufM":
        return column.astype(float)
    numbers = np.full(len(column), math.nan)
    for row, cell in enumerate(column):
        text = str(cell).strip()
        try:
            numbers[row] = float(text or "nan")
        except ValueError:
            line = table[""][row] if "" in table else row + 1
            comma = "; decimals need a point" if "," in text else ""
            raise InputError(
                f"column {name}: {text[:40]!r} is not a number{comma}",
                where=f"{file}:{line}",
            ) from None
    return numbers


def _widened(table: Table, file: str) -> Table:
    """Turns a table with a row per time and joint into one with columns per joint."""
    named = [name for name in table if name.lower() in _OF_NAMES]
    signals = {n: s for n in table if (s := _OF_RUNS.get(n, n)) in SIGNALS}
    stamps = [name for name in table if _TIME.fullmatch(name)]
    if not (named and signals and stamps):
        return table
    stamp = _numbers(table, stamps[0], file)
    time, row = np.unique(stamp, return_inverse=True)
    wide: Table = {stamps[0]: time}
    joints = np.char.strip(np.array(table[named[0]], dtype=str))
    columns = {name: _numbers(table, name, file) for name in signals}
    for joint in dict.fromkeys(joints.tolist()):
        own = joints == joint
        _check_rows(joint, stamp[own], file)
        for name, signal in signals.items():
            column = np.full(len(time), np.nan)
            column[row[own]] = columns[name][own]
            wide[f"{joint}.{signal}"] = column
    return wide


def _check_rows(joint: str, stamps: np.ndarray, file: str) -> None:
    """Refuses rows of two recordings; those of one may be in any order."""
    steps = np.diff(stamps, prepend=stamps[:1])
    again = steps < -_AGAIN * np.median(np.abs(steps))
    _, first = np.unique(stamps, return_index=True)
    again[np.delete(np.arange(len(stamps)), first)] = True
    if again.any():
        raise InputError(
            f"joint {joint}: a second recording, or row, begins at the time"
            f" {stamps[np.argmax(again)]:.15g}; one is needed",
            where=file,
        )


def log_of_run(results: Results, file: str = "run.npz") -> RobotLog:
    """Returns a run of ours as a log.

    A row of a run has the command of the step that ends there, a row of a log the
    command that begins there. The last row commands nothing new.

    Args:
        results: the run.
        file: file name for messages.
    """
    signals = {}
    for motor in results.motors:
        target = _from_start(results[f"{motor}/target_position"])
        signals[motor, "target"] = target
        if np.isinf(target).any():
            velocity = _from_start(results[f"{motor}/velocity_target"])
            turning = np.where(np.isinf(target), velocity, np.nan)
            signals[motor, "target_velocity"] = turning
        for signal in ("position", "velocity", "effort"):
            signals[motor, signal] = results[f"{motor}/{signal}"]
    return RobotLog(results.time, signals, file)


def _from_start(values: np.ndarray) -> np.ndarray:
    return np.append(values[1:], values[-1])
