"""The table of a study's runs, which grows as they end.

A row is written at once and as a whole; one that was cut short, by a crash or a full
disk, is dropped when the table is opened again.
"""

import contextlib
import csv
import fcntl
import hashlib
import io
import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.results.text import csv_text
from webmotor_drake.results.whole_file import (
    check_regular,
    explained,
    reason,
    write_whole,
)

TABLE, STUDY, PARQUET = "runs.csv", "study.json", "runs.parquet"
# The folder of the runs' signals, with a folder per run, named after it.
TRACES = "traces"
# The column with a run's digest.
RUN = "run"
# Rows reach the disk within this time, s; a crash of the machine loses later ones.
_SYNCED = 1.0

# Opening truncates no file that the name links to, and waits for no pipe.
_LOCK_FLAGS = (
    os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
)

Row = tuple[str, ...]


class RunTable:
    """The table ``runs.csv`` in a folder, with the runs of one study.

    Rows of other studies move to other files, one per set of columns, and come back
    when their study is run again.

    Args:
        folder: folder of the study.
        columns: names of the columns; `RUN` is one of them.

    Raises:
        InputError: the folder cannot be written, or another sweep writes there.
    """

    def __init__(self, folder: Path, columns: Sequence[str]):
        self._folder = folder
        self._columns = tuple(columns)
        self._file: io.FileIO | None = None
        self._synced = 0.0

    @contextlib.contextmanager
    def opened(
        self,
        wanted: Collection[str],
        unfinished: Callable[[Row], bool] = lambda row: False,
    ) -> Iterator[dict[str, Row]]:
        """Opens the table to append to; gives the rows that are there.

        Args:
            wanted: the runs of the study; rows of other runs are moved away.
            unfinished: function that is True for rows to drop, whose runs are repeated.
        """
        with _lock(self._folder):
            found = self._sort_out(wanted, unfinished)
            path = self._folder / TABLE
            with explained(path):
                self._file = path.open("ab", buffering=0)
            with self._file:
                yield found
                with explained(path):
                    os.fsync(self._file.fileno())

    def append(self, row: Row) -> None:
        """Adds a row.

        Raises:
            InputError: the row cannot be written; the rows before stay whole.
        """
        line = csv_text([row]).encode()
        with explained(self._folder / TABLE):
            before = os.fstat(self._file.fileno()).st_size
            try:
                written = self._file.write(line)
                if written < len(line):  # a disk that is nearly full
                    self._file.write(line[written:])
                if time.monotonic() > self._synced + _SYNCED:
                    os.fsync(self._file.fileno())
                    self._synced = time.monotonic()
            except BaseException:
                self._file.truncate(before)
                raise

    def _sort_out(
        self, wanted: Collection[str], unfinished: Callable[[Row], bool]
    ) -> dict[str, Row]:
        """Returns the rows of wanted runs, and removes all others from the table."""
        path = self._folder / TABLE
        columns, rows = load_rows(path)
        if rows and columns != self._columns:
            self._write_others(
                columns, self._others(columns) | _by_run(columns, rows)
            )
            rows = []
        others = self._others(self._columns) | _by_run(self._columns, rows)
        found = {run: others.pop(run) for run in [*others] if run in wanted}
        found = {run: row for run, row in found.items() if not unfinished(row)}
        if others:
            self._write_others(self._columns, others)
        table = csv_text([self._columns, *found.values()])
        write_whole(path, table.encode())
        return found

    def _others(self, columns: Row) -> dict[str, Row]:
        """Returns the rows of other studies with these columns, by run."""
        known, rows = load_rows(_others_file(self._folder, columns))
        return _by_run(columns, rows) if known == columns else {}

    def _write_others(self, columns: Row, rows: dict[str, Row]) -> None:
        path = _others_file(self._folder, columns)
        write_whole(path, csv_text([columns, *rows.values()]).encode())


def load_rows(path: Path) -> tuple[Row, list[Row]]:
    """Returns the columns and the whole rows of a table; empty without a table.

    Raises:
        InputError: the file is not a table of runs.
    """
    check_regular(path)
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        text = whole.decode()
    except FileNotFoundError:
        return (), []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None
    try:
        rows = [tuple(row) for row in csv.reader(io.StringIO(text))]
    except csv.Error as error:  # such as a field of more than 128 kB
        raise InputError(f"cannot read {path}: {error}; move it away") from None
    if not rows:
        return (), []
    if RUN not in rows[0]:
        raise InputError(f"{path} is not a table of a sweep; move it away")
    return rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]


def _by_run(columns: Row, rows: list[Row]) -> dict[str, Row]:
    return {row[columns.index(RUN)]: row for row in rows}


def _others_file(folder: Path, columns: Row) -> Path:
    """Returns the file with the rows of other studies that have these columns."""
    name = hashlib.sha256("\n".join(columns).encode()).hexdigest()[:8]
    return folder / f"other_runs_{name}.csv"


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    path = folder / ".lock"
    if path.is_symlink():
        raise InputError(f"{path} is a link; move it away")
    with explained(path):
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(path, _LOCK_FLAGS, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise InputError(f"{path} is a pipe or a device, not a file")
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another sweep writes to {folder}") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(number)
