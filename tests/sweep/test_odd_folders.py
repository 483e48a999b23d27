"""Folders of sweeps that are damaged, or hold what a sweep never writes."""

import json
import os

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.sweep.run_table import RunTable, load_rows
from webmotor_drake.sweep.runs import SweepRuns
from webmotor_drake.sweep.study import Study
from webmotor_drake.sweep.study_run import StudyRun

COLUMNS = ("a", "status", "m", "run", "wall_time", "seed", "error")
ROW = ("1", "done", "2.0", "0000", "0.1", "0", "")


def folder_of(path, columns=COLUMNS, row=ROW):
    about = {"parameters": ["a"], "metrics": ["m"]}
    (path / "study.json").write_text(json.dumps(about))
    lines = [",".join(columns), ",".join(row), ""]
    (path / "runs.csv").write_text("\n".join(lines))
    return path


def test_the_lock_is_no_way_to_another_file(tmp_path):
    mine = tmp_path / "thesis.tex"
    mine.write_text("years of work")
    sweep = tmp_path / "sweep"
    sweep.mkdir()
    (sweep / ".lock").symlink_to(mine)
    with (
        pytest.raises(InputError, match=r"\.lock is a link; move it away"),
        RunTable(sweep, COLUMNS).opened(()),
    ):
        pass
    assert mine.read_text() == "years of work"


def test_a_lock_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / ".lock")
    with (
        pytest.raises(InputError, match=r"\.lock is a pipe or a device"),
        RunTable(tmp_path, COLUMNS).opened(()),
    ):
        pass


@pytest.mark.parametrize("name", ["study.json", "runs.csv", "runs.parquet"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, lift, name):
    os.mkfifo(tmp_path / name)
    told = f"{name} is a pipe or a device, not a file"
    with pytest.raises(InputError, match=told):
        StudyRun(lift, Study(), tmp_path)
    if name == "study.json":
        with pytest.raises(InputError, match=told):
            SweepRuns.load(tmp_path)


@pytest.mark.parametrize("missing", ["a", "m", "status", "run", "error"])
def test_a_column_that_is_missing_is_named(tmp_path, missing):
    columns = [name for name in COLUMNS if name != missing]
    folder_of(tmp_path, columns, ROW[:-1])
    told = (
        "not a table of a sweep"
        if missing == "run"
        else f"no column '{missing}'"
    )
    with pytest.raises(InputError, match=told):
        SweepRuns.load(tmp_path)


def test_a_field_beyond_what_a_table_takes_is_told_in_a_line(tmp_path):
    row = ("x" * 200_000, *ROW[1:])
    with pytest.raises(
        InputError, match=r"runs.csv: field larger than"
    ) as told:
        load_rows(folder_of(tmp_path, row=row) / "runs.csv")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"parameters": 5, "metrics": []}',
        '{"parameters": [[]], "metrics": []}',
        '{"parameters": "ab", "metrics": []}',
        "5",
    ],
    ids=["deep", "number", "lists", "text", "no mapping"],
)
def test_what_is_no_study_is_told_in_a_line(tmp_path, text):
    folder_of(tmp_path)
    (tmp_path / "study.json").write_text(text)
    with pytest.raises(InputError, match="damaged, or not of a sweep"):
        SweepRuns.load(tmp_path)


def test_a_study_without_a_table_has_no_runs(tmp_path):
    folder_of(tmp_path)
    (tmp_path / "runs.csv").unlink()
    runs = SweepRuns.load(tmp_path)
    assert len(runs) == 0
    assert runs.best(5) == "no run has a metric to rank it by"
