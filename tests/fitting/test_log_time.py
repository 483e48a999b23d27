"""Times of a log: in any unit, of any epoch, nearly in order."""

import numpy as np
import pytest
from logged_pendulum import pendulum

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.fitting.log_time import MOST, seconds
from webmotor_drake.fitting.robot_log import RobotLog

TIME = 0.005 * np.arange(100)
EPOCH = 1.7e9
SIZES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@pytest.mark.parametrize("unit", SIZES)
@pytest.mark.parametrize("start", [0.0, EPOCH])
def test_the_unit_of_times_is_recognised_and_said(unit, start):
    found, remarks = seconds((TIME + start) / SIZES[unit], "", "log.csv")
    # An epoch in doubles: 0.24 us.
    np.testing.assert_allclose(found, TIME, atol=3e-7)
    told = " ".join(remarks)
    assert (f"taken as {unit}" in told) == (unit != "s")
    assert ("counted from the first" in told) == (start > 0)


def test_the_unit_of_shuffled_times_is_that_of_sorted_ones():
    shuffled = np.random.default_rng(0).permutation(TIME)
    found, remarks = seconds(shuffled, "", "log.csv")
    np.testing.assert_array_equal(found, shuffled)
    assert remarks == []


def test_a_unit_that_is_given_is_not_guessed():
    found, remarks = seconds(1e3 * TIME, "s", "log.csv")
    np.testing.assert_array_equal(found, 1e3 * TIME)
    assert remarks == []


@pytest.mark.parametrize(
    ("name", "given", "size"),
    [
        ("time_ms", {}, 1e-3),
        ("t [us]", {}, 1e-6),
        ("timestamp_ns", {}, 1e-9),
        ("time", {"time": "time us"}, 1e-6),
        ("time", {"time": "time s"}, 1.0),
    ],
)
def test_the_unit_is_said_by_the_column_or_given(tmp_path, name, given, size):
    rows = [f"{5 * i},0" for i in range(30)]
    file = tmp_path / "log.csv"
    file.write_text("\n".join([f"{name},j.position", *rows]))
    log = load_log(file, given)
    np.testing.assert_allclose(log.time, size * 5 * np.arange(30))
    assert log.remarks() == []


def test_rows_nearly_in_order_are_sorted_and_twins_joined(tmp_path):
    rows = [f"{0.005 * i:.3f},{i},{-i}" for i in range(30)]
    rows[10], rows[11] = rows[11], rows[10]
    rows[20] = "0.100,7,"
    rows.insert(21, "0.100,,8")
    file = tmp_path / "log.csv"
    file.write_text("\n".join(["time,j.target,j.position", *rows]))
    log = load_log(file)
    np.testing.assert_allclose(log.time, 0.005 * np.arange(30))
    assert log.get("j", "target")[[10, 11, 20]].tolist() == [10, 11, 7]
    assert log.get("j", "position")[20] == 8
    sorted_rows, joined = log.reading
    assert sorted_rows.startswith("1 rows are out of order in time, by up to")
    assert joined.startswith("1 rows have the time of another one")


def test_a_log_of_too_many_samples_or_steps_is_refused():
    with pytest.raises(InputError, match="or one sample in 3,"):
        seconds(np.zeros(2 * MOST + 1), "s", "log.csv")
    log = RobotLog(
        1e6 * np.arange(4.0),
        {("hinge", "target"): np.zeros(4), ("hinge", "position"): np.zeros(4)},
    )
    with pytest.raises(InputError, match="is the unit of its times another"):
        Experiment(pendulum(), log, [])
