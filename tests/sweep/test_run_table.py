"""The table of runs, which grows as they end."""

import errno

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.sweep.run_table import TABLE, RunTable, load_rows

COLUMNS = ("a", "status", "run", "error")


def row(a, run):
    return (str(a), "done", run, "")


def test_rows_are_there_as_soon_as_they_are_added(tmp_path):
    table = RunTable(tmp_path, COLUMNS)
    with table.opened({"x", "y"}) as found:
        assert found == {}
        table.append(row(1, "x"))
        assert load_rows(tmp_path / TABLE) == (COLUMNS, [row(1, "x")])
        table.append(("2,5", 'say "no"', "y", "…"))
    with RunTable(tmp_path, COLUMNS).opened({"x", "y"}) as found:
        assert found == {"x": row(1, "x"), "y": ("2,5", 'say "no"', "y", "…")}


def test_a_row_that_was_cut_short_is_dropped(tmp_path):
    table = RunTable(tmp_path, COLUMNS)
    with table.opened({"x", "y"}):
        table.append(row(1, "x"))
        table.append(("2", "done", "y", "…"))
    path = tmp_path / TABLE
    path.write_bytes(path.read_bytes()[:-2])  # in the middle of a character
    with RunTable(tmp_path, COLUMNS).opened({"x", "y"}) as found:
        assert list(found) == ["x"]
    assert path.read_bytes().endswith(b"\n")


def test_rows_of_another_study_are_kept_apart_and_come_back(tmp_path):
    table = RunTable(tmp_path, COLUMNS)
    with table.opened({"x", "y"}):
        table.append(row(1, "x"))
        table.append(row(2, "y"))
    # The same columns, another value; then other columns.
    with RunTable(tmp_path, COLUMNS).opened({"y", "z"}) as found:
        assert list(found) == ["y"]
    others = ("b", *COLUMNS)
    other = RunTable(tmp_path, others)
    with other.opened({"x"}) as found:
        assert found == {}
        other.append(("0", *row(1, "x")))
    assert load_rows(tmp_path / TABLE) == (others, [("0", *row(1, "x"))])
    with RunTable(tmp_path, COLUMNS).opened({"x", "y"}) as found:
        assert found == {"x": row(1, "x"), "y": row(2, "y")}
    with RunTable(tmp_path, others).opened({"x"}) as found:
        assert list(found) == ["x"]


class Full:
    """A file on a disk with room for a few bytes more."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = data[: self._room]
        self._room -= len(part)
        return self._file.write(part)

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_a_full_disk_leaves_whole_rows(tmp_path):
    table = RunTable(tmp_path, COLUMNS)
    with table.opened({"x", "y"}):
        table.append(row(1, "x"))
        table._file = Full(table._file, room=5)
        with pytest.raises(
            InputError, match=r"runs.csv: No space left on device"
        ):
            table.append(row(2, "y"))
    assert load_rows(tmp_path / TABLE) == (COLUMNS, [row(1, "x")])
    assert (tmp_path / TABLE).read_bytes().endswith(b"\n")


def test_two_sweeps_do_not_write_to_one_folder(tmp_path):
    with (
        RunTable(tmp_path, COLUMNS).opened(()),
        pytest.raises(InputError, match="another sweep writes to"),
        RunTable(tmp_path, COLUMNS).opened(()),
    ):
        pass
    with RunTable(tmp_path, COLUMNS).opened(()):
        pass


def test_a_table_of_something_else_is_left_alone(tmp_path):
    (tmp_path / TABLE).write_text("name,age\nEve,3\n")
    with (
        pytest.raises(InputError, match="is not a table of a sweep"),
        RunTable(tmp_path, COLUMNS).opened(()),
    ):
        pass
    assert (tmp_path / TABLE).read_text() == "name,age\nEve,3\n"
