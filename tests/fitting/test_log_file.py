"""Logs: what is read, and what is refused in one line."""

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.fitting import log_file
from webmotor_drake.fitting.log_file import load_log, log_of_run
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.results.results import Results

HEAD = "time,hinge.target,hinge.position\n"


@pytest.fixture
def csv(tmp_path):
    def write(text: str):
        file = tmp_path / "log.csv"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_columns_are_known_by_their_names(csv):
    log = load_log(csv(HEAD + "0,1,2\n0.5,1.5,\n"))
    assert log.names == ["hinge"]
    np.testing.assert_array_equal(log.time, [0, 0.5])
    np.testing.assert_array_equal(log.get("hinge", "target"), [1, 1.5])
    np.testing.assert_array_equal(log.get("hinge", "position"), [2, np.nan])


def test_other_columns_are_mapped_with_their_units(csv):
    file = csv("stamp,cmd,enc,volts\n0,90,1024,3\n100,180,2048,3\n")
    log = load_log(
        file,
        {
            "stamp": "time ms",
            "cmd": "hinge.target deg",
            "enc": f"hinge.position {2 * np.pi / 4096}",
        },
    )
    np.testing.assert_allclose(log.time, [0, 0.1])
    np.testing.assert_allclose(log.get("hinge", "target"), [np.pi / 2, np.pi])
    np.testing.assert_allclose(log.get("hinge", "position"), [np.pi / 2, np.pi])
    assert log.names == ["hinge"]


def test_names_of_models_and_motors_are_taken_too(csv):
    log = load_log(csv("t,arm/m 1/target,arm/m 1/position\n0,1,2\n1,2,3\n"))
    assert log.names == ["arm/m 1"]


def test_a_run_of_ours_is_a_log_of_what_is_commanded_next(tmp_path):
    signals = {
        f"arm/m/{name}": np.array(values, dtype=float)
        for name, values in {
            "target_position": [1, 1, 2],
            "position": [0, 0.1, 0.2],
            "velocity": [0, 1, 1],
            "effort": [0, 3, 4],
        }.items()
    }
    results = Results(np.array([0, 0.1, 0.2]), signals)
    results.save(tmp_path)
    for log in (log_of_run(results), load_log(tmp_path / "run.npz")):
        # Row 1 tells of the step from 0 to 0.1.
        np.testing.assert_array_equal(log.get("arm/m", "target"), [1, 2, 2])
        np.testing.assert_array_equal(log.get("arm/m", "effort"), [0, 3, 4])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n0,1\n", "no times; a column `time`"),
        ("time,b\n0,1\n1,1\n", "no column is named <joint>.<signal>"),
        (HEAD + "0,1,1\n", "1 sample; two or more"),
        (HEAD, "0 samples; two or more"),
        ("", "no times"),
        (HEAD + "0,1,1\n1,1,1\n0.5,1,1\n", "sample 3: time goes from 1 s to"),
        (HEAD + "0,1,1\n,1,1\n", "sample 2: the time is nan"),
        (HEAD + "0,1,1\n1,x,1\n", "log.csv:3: column hinge.target: 'x' is no"),
        (HEAD + "0,1\n", "log.csv:2: 2 values; the header has 3"),
        ("time,a.target,a/target\n0,1,1\n", "are both a.target"),
        (
            HEAD[:-1] + ",x,x\n0,1,1,1,1\n",
            "log.csv:1: 2 columns are called 'x'",
        ),
        (HEAD[:-1] + ",\n0,1,1,\n1,z,1,\n", "log.csv:3: column hinge.target"),
    ],
)
def test_what_is_no_log_is_refused_in_a_line(csv, text, problem):
    with pytest.raises(InputError) as caught:
        load_log(csv(text))
    assert problem in str(caught.value)
    assert "log.csv" in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path, csv):
    with pytest.raises(InputError, match="cannot read it"):
        load_log(tmp_path / "none.csv")
    binary = tmp_path / "log.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="not a CSV file"):
        load_log(binary)


def test_a_file_that_no_memory_holds_is_refused(csv, monkeypatch):
    monkeypatch.setattr(log_file, "_LARGEST", 40)
    with pytest.raises(InputError, match="at most 4e-08 GB are allowed"):
        load_log(csv(HEAD + "0,1,1\n1,1,1\n"))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"tim": "time"}, "did you mean time"),
        ({"hinge.target": "hinge.target degrees"}, "unknown unit 'degrees'"),
        ({"hinge.target": "nothing"}, "is not a signal"),
        ({"hinge.target": "hinge.position"}, "are both hinge.position"),
    ],
)
def test_wrong_columns_are_refused(csv, columns, problem):
    with pytest.raises(InputError, match=problem):
        load_log(csv(HEAD + "0,1,1\n1,1,1\n"), columns)


def test_columns_that_are_not_read_are_told(csv):
    head = "time,hinge.target,q1,hinge.position\n"
    file = csv(head + "0,1,7,1\n1,1,7,1\n")
    (remark,) = load_log(file).remarks()
    assert remark.startswith("q1: no joint and signal by their names, not read")
    assert load_log(file, {"q1": "elbow.position"}).remarks() == []


def test_gaps_holes_and_degrees_are_told():
    time = np.array([0, 0.1, 0.2, 1.0, 1.1])
    position = np.array([0, np.nan, 90, 45, np.nan])
    remarks = RobotLog(time, {("hinge", "position"): position}).remarks()
    assert remarks[0].startswith("1 gap in time, the longest 0.8 s")
    assert "2 values are missing in 1 column" in remarks[1]
    assert "hinge: degrees by the look of it" in remarks[2]


def test_a_long_table_has_a_row_per_time_and_joint(csv):
    text = "t,joint,target,position,note\n"
    text += "0.1,b,5,7,x\n0,a,1,2,\n0,b,3,4,\n0.1,a,,6,\n"
    log = load_log(csv(text))
    assert log.names == ["b", "a"]
    np.testing.assert_array_equal(log.time, [0, 0.1])
    np.testing.assert_array_equal(log.get("a", "target"), [1, np.nan])
    np.testing.assert_array_equal(log.get("b", "position"), [4, 7])


def long_table(times):
    head = "t,joint,target,position\n"
    return head + "".join(f"{t:.3f},{j},0,{t}\n" for t in times for j in "ab")


def test_the_rows_of_a_long_table_may_be_in_any_order(csv):
    times = 0.01 * np.random.default_rng(0).permutation(99)
    log = load_log(csv(long_table(times)))
    np.testing.assert_allclose(log.get("b", "position"), log.time)


@pytest.mark.parametrize(
    ("times", "problem"),
    [
        (
            [0, 0.01, 0.01, 0.02],
            "joint a: a second recording, or row, begins at the time 0.01",
        ),
        # A second recording, between whose times are those of the first.
        (
            [*0.01 * np.arange(60), *(0.01 * np.arange(60) + 0.005)],
            "joint a: a second recording, or row, begins at the time 0.005",
        ),
    ],
)
def test_a_long_table_of_two_recordings_is_refused(csv, times, problem):
    with pytest.raises(InputError, match=problem):
        load_log(csv(long_table(times)))


def test_infinite_targets_without_a_velocity_are_told(csv):
    text = HEAD + "0,0,0\n1,inf,0\n2,1,0\n"
    (remark,) = load_log(csv(text)).remarks()
    assert "hinge: infinite targets without target_velocity" in remark
    more = text.replace("\n", ",1\n").replace(
        "position,1", "position,hinge.target_velocity"
    )
    assert load_log(csv(more)).remarks() == []


def test_what_separates_most_of_the_header_separates_columns(csv):
    log = load_log(csv("time;a.target;a.position;x, y\n0;1;2;3\n1;1;2;3\n"))
    assert log.unread == ("x, y",)


def test_decimals_with_commas_are_read_between_semicolons_and_else_refused(csv):
    log = load_log(csv("time;a.target;a.position\n0;0,5;1\n0,5;1;1,25\n"))
    np.testing.assert_array_equal(log.time, [0, 0.5])
    np.testing.assert_array_equal(log.get("a", "position"), [1, 1.25])
    with pytest.raises(
        InputError, match="'0,5' is not a number; decimals need"
    ):
        load_log(csv('time,a.target,a.position\n0,"0,5",1\n1,1,1\n'))


@pytest.mark.parametrize("is_long", [False, True])
def test_parquet_files_are_read_as_tables(tmp_path, is_long):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"time": [0.0, 0.1], "a.target": [1, 2], "a.position": [3.0, 4.0]}
    if is_long:
        columns = {
            "time": [0.0, 0.1],
            "joint": ["a", "a"],
            "target": [1, 2],
            "position": [3.0, 4.0],
        }
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    log = load_log(tmp_path / "log.parquet")
    np.testing.assert_array_equal(log.get("a", "target"), [1, 2])
    np.testing.assert_array_equal(log.get("a", "position"), [3, 4])
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match="bad.parquet: it cannot be read"):
        load_log(tmp_path / "bad.parquet")
