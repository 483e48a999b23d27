"""The closing table: exact text, and numbers that mean what they say."""

import numpy as np

from webmotor_drake.results.results import Results
from webmotor_drake.results.summary import summary_table

SIGNALS = {
    "position": [0.0, 0.5, 1.1],
    "velocity": [0.0, 2.0, 2.5],
    "target_position": [0.0, 1.2, 1.2],
    "velocity_command": [0.0, 3.0, 3.0],
    "effort": [np.nan, -8.0, 2.0],
    "effort_limit": [10.0, 10.0, 10.0],
    "saturated": [0, 0, 0],
    "mode": [0, 0, 0],
}


def run_of(motors: dict[str, dict], **metadata) -> Results:
    """Returns a run; `motors` gives what differs from SIGNALS, and units."""
    signals, infos = {}, {}
    for motor, changes in motors.items():
        infos[motor] = {"unit": changes.pop("unit", "rad"), "drive": "torque"}
        for name, values in {**SIGNALS, **changes}.items():
            signals[f"{motor}/{name}"] = values
    metadata = {"motors": infos, **metadata}
    return Results([0.0, 0.1, 0.2], signals, metadata)


def words(run: Results) -> list[str]:
    """Returns the words of the first motor's row."""
    return summary_table(run).splitlines()[1].split()


def test_the_table_of_three_motors_reads_like_this():
    # The whole text: columns, units, alignment and the closing line.
    run = run_of(
        {
            "arm/hinge motor": {"saturated": [0, 1, 0]},
            "rover::left/wheel": {
                "target_position": [np.inf] * 3,
                "mode": [1, 1, 1],
            },
            "lift/column": {"unit": "m", "mode": [2, 2, 2]},
        },
        simulation_time=0.2,
        wall_time=0.0125,
        real_time_factor=16.0,
    )
    assert summary_table(run) == (
        "motor              mode      position  tracking error"
        "  peak effort  of limit  saturated\n"
        "arm/hinge motor    position   1.1 rad         0.1 rad"
        "        8 N·m      80 %       50 %\n"
        "rover::left/wheel  velocity   1.1 rad       0.5 rad/s"
        "        8 N·m      80 %        0 %\n"
        "lift/column        effort       1.1 m               -"
        "          8 N      80 %        0 %\n"
        "simulated 0.2 s in 0.0125 s (16 x real time); drive: torque"
    )


def test_the_table_fits_a_terminal_of_100_columns():
    # With the longest numbers and a name of ordinary length.
    long = {
        "position": [0, 0, -1.234e-105],
        "target_position": [0, 0, -1.234e105],
        "effort": [0, 1.234e-105, 0],
        "effort_limit": [1e-105] * 3,
        "saturated": [0, 1, 1],
    }
    table = summary_table(run_of({"arm/shoulder pitch": long}))
    assert max(map(len, table.splitlines())) <= 100


def test_row_zero_does_not_count_because_no_step_ended_there():
    # It is the state before the first step, saturated or not.
    run = run_of({"a/b": {"effort": [99.0, 1.0, 1.0], "saturated": [1, 0, 0]}})
    assert words(run)[-6:] == ["1", "N·m", "10", "%", "0", "%"]


def test_the_share_of_the_limit_is_that_of_the_moment():
    # set_available_torque lowers the bound midway: 2 of 2 is all there was.
    run = run_of({"a/b": {"effort_limit": [10.0, 10.0, 2.0]}})
    assert words(run)[-6:] == ["8", "N·m", "100", "%", "0", "%"]


def test_a_motor_without_a_bound_or_without_power_has_no_division():
    # Infinite and zero bounds are both legal.
    bounds = {"effort_limit": [np.inf] * 3}
    assert words(run_of({"a/b": bounds}))[-4:] == ["0", "%", "0", "%"]
    bounds = {"effort_limit": [0.0] * 3, "effort": [0.0] * 3}
    assert words(run_of({"a/b": bounds}))[-3:] == ["-", "0", "%"]


def test_an_infinite_target_in_position_mode_is_compared_by_velocity():
    # "inf rad" tells nobody anything.
    run = run_of({"a/b": {"target_position": [np.inf] * 3}})
    assert "0.5 rad/s" in summary_table(run)


def test_a_run_stopped_before_its_first_step_still_has_a_table():
    # Ctrl-C comes at any time.
    run = run_of({"a/b": {}})
    first = Results(
        run.time[:1],
        {name: values[:1] for name, values in run.signals.items()},
        run.metadata,
    )
    row = " ".join(words(first))
    assert row == "a/b position 0 rad 0 rad - - -"


def test_a_run_without_motors_is_summed_up_in_one_line():
    # A hardware_sim scenario without our driver runs, too.
    run = Results([0.0, 3.0], {}, {"real_time_factor": None})
    assert summary_table(run) == "simulated 3 s"


def test_a_body_went_a_way_that_is_longer_than_its_distance():
    signals = {
        "arm/box/position": [[0.0, 0, 0], [3, 0, 0], [3, 4, 0]],
        "arm/box/quaternion": [[1, 0, 0, 0]] * 3,
    }
    table = summary_table(Results([0.0, 0.1, 0.2], signals, {}))
    assert table.splitlines()[1].split()[:5] == ["arm/box", "5", "m", "7", "m"]


def test_a_notebook_shows_the_same_cells_escaped():
    run = run_of({"arm/<b>&": {}}, simulation_time=0.2)
    page = run._repr_html_()
    assert "<th" in page
    assert ">arm/&lt;b&gt;&amp;</td>" in page
    assert ">1.1 rad</td>" in page
    assert "<p>simulated 0.2 s; drive: torque</p>" in page
