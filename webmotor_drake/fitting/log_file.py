"""Logs from files: CSV, or the run.npz of a run of ours."""

import csv
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.log import Log
from webmotor_drake.fitting.log_columns import TIME, columns_of
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import check_regular

# What a number takes in memory while a file is read, bytes.
_PER_VALUE = 100


def load_log(
    file: str | os.PathLike[str], columns: Mapping[str, str] | None = None
) -> Log:
    """Reads a log.

    Args:
        file: a CSV file with a header; or a run's folder, or the run.npz in it.
        columns: what columns of a CSV file are that don't say it by their names, and
            their units: {"enc_1": "FL_hip_joint.position deg"}, see `columns_of`.

    Raises:
        InputError: it is not a log.
    """
    path = Path(file)
    if path.is_dir() or path.suffix == ".npz":
        if columns:
            raise InputError("columns are for CSV files", where=str(path))
        run = Results.load(path if path.is_dir() else path.parent)
        return log_of_run(run, str(file))
    return _read_csv(path, columns or {})


def log_of_run(results: Results, file: str = "run.npz") -> Log:
    """Returns a run of ours as a log.

    A row tells what was commanded in the step that ends there; a log tells what is
    commanded from a time on. After the last row nothing new comes.

    Args:
        results: the run.
        file: where it is from, for messages.
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
    return Log(results.time, signals, file)


def _from_start(values: np.ndarray) -> np.ndarray:
    return np.append(values[1:], values[-1])


def _read_csv(path: Path, given: Mapping[str, str]) -> Log:
    check_regular(path)
    try:
        _check_size(path)
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            header = [name.strip() for name in next(rows, [])]
            columns = columns_of(header, given, str(path))
            table = _numbers(path, header, list(columns), rows)
    except OSError as error:
        raise InputError(
            f"cannot read it: {error.strerror}", where=str(path)
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"it is no CSV file: {error}", where=str(path)
        ) from None
    except MemoryError:
        raise _too_long(path) from None
    signals = {
        (column.name, column.signal): table[:, i] * column.factor
        for i, column in enumerate(columns.values())
    }
    time = signals.pop(TIME)
    return Log(time, signals, str(path))


def _numbers(
    path: Path, header: list[str], wanted: list[str], rows: "csv.Reader"
) -> np.ndarray:
    """Returns the wanted columns, shape (rows, columns); empty cells are NaN."""
    places = [header.index(name) for name in wanted]
    table = []
    for row in rows:
        if not row:
            continue
        if len(row) != len(header):
            raise InputError(
                f"{len(row)} values; the header has {len(header)}",
                where=f"{path}:{rows.line_num}",
            )
        table.append([_number(row[i], path, rows, header[i]) for i in places])
    return np.array(table, dtype=float).reshape(-1, len(places))


def _number(cell: str, path: Path, rows: "csv.Reader", column: str) -> float:
    cell = cell.strip()
    if not cell:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        raise InputError(
            f"column {column}: {cell[:40]!r} is not a number",
            where=f"{path}:{rows.line_num}",
        ) from None


def _check_size(path: Path) -> None:
    """Refuses a file that the memory cannot hold."""
    size = path.stat().st_size
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    # Some ten characters make a value.
    if size / 10 * _PER_VALUE > pages:
        raise _too_long(path)


def _too_long(path: Path) -> InputError:
    return InputError(
        f"{path.stat().st_size / 1e9:.3g} GB are longer than the memory; a part of"
        " the log, or every tenth sample, is enough for a fit",
        where=str(path),
    )
