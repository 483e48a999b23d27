"""Errors of a scenario on a log that nothing is fitted to."""

import numpy as np
import pytest
from logged_pendulum import NOISE, TRUE, log_of, pendulum, write_log

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.logged_motors import speed_of


@pytest.fixture(scope="module")
def log():
    return log_of(pendulum(**TRUE))


@pytest.fixture(scope="module")
def own(log):
    return wm.evaluate(pendulum(**TRUE), log)


@pytest.fixture(scope="module")
def other(log):
    return wm.evaluate(pendulum(cfm=0.05), log)


def test_the_true_motor_leaves_the_noise_and_another_one_more(own, other):
    # The RMS of 160 samples of noise is known to 6 %.
    assert own.rms["hinge.position"] == pytest.approx(NOISE, rel=0.2)
    assert other.rms["hinge.position"] > 10 * NOISE
    assert own.all.mean == {"rad": own.rms["hinge.position"]}


def test_thirds_of_the_time_and_quarters_by_speed_make_up_the_whole(other):
    whole = other.rms["hinge.position"] ** 2
    thirds = [e.rms["hinge.position"] ** 2 for e in other.by_time]
    quarters = [e.rms["hinge.position"] ** 2 for e in other.by_speed]
    # 160 samples are no multiple of three.
    assert np.mean(thirds) == pytest.approx(whole, rel=0.03)
    assert np.mean(quarters) == pytest.approx(whole, rel=1e-9)
    speeds = [e.speed["rad/s"] for e in other.by_speed]
    assert speeds == sorted(speeds)


def test_a_speed_is_found_from_positions_and_holes_in_them(log):
    time = np.linspace(0, 2, 200)
    position = 3 * time
    position[50:60] = np.nan
    (motor,) = wm.evaluate(pendulum(), log).experiment.motors
    moving = wm.RobotLog(time, {("hinge", "position"): position})
    speed = speed_of(moving, motor)
    np.testing.assert_allclose(speed[np.isfinite(position)], 3.0)
    assert np.isnan(speed[50:60]).all()
    measured = {("hinge", "velocity"): np.full(200, -7.0)}
    assert (speed_of(wm.RobotLog(time, measured), motor) == 7).all()


def test_the_command_line_tells_the_errors_of_each_model(
    log, tmp_path, capsys, own
):
    file = tmp_path / "log.csv"
    write_log(log, file)
    text = (
        "{model_drivers: {arm: {commands: [], cfm: 0.02, delay: 0.013, motors:"
        " {hinge motor: {control_pid: [8, 0, 0], max_torque: 60}}}}}"
    )
    scenario = [
        *("fit", "package:pendulum", "--scenario_name", "Lift"),
        *("--scenario_text", text),
    ]
    assert (
        main([*scenario, "--evaluate", str(file), "--models", "webots,ideal"])
        == 0
    )
    out = capsys.readouterr().out
    assert f"{own.rms['hinge.position']:.4g}" in out
    assert "ideal" in out
    assert "fastest quarter" in out
    assert main(scenario) == 2
    assert "--log FILE" in capsys.readouterr().err


def test_bad_input_is_refused(log):
    with pytest.raises(InputError, match="unknown model 'web'"):
        wm.evaluate(pendulum(), log, model="web")
    with pytest.raises(InputError, match="unknown motor 'elbow'"):
        wm.evaluate(pendulum(), log, model="drake_pd", gains={"elbow": (1, 1)})


def test_a_log_that_no_model_can_be_tried_on_is_an_error(tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text("time,elbow.target,elbow.position\n0,0,0\n1,0,0\n")
    command = ["fit", "package:pendulum", "--scenario_name", "Lift"]
    assert main([*command, "--models", "all", "--evaluate", str(log)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "unknown joint 'elbow'" in line


def test_what_is_odd_about_another_log_is_told_once(tmp_path, capsys):
    rows = [f"{10 * i},0.3,{0.001 * i}" for i in range(40)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["time,hinge.target,hinge.position", *rows]))
    command = ["fit", "package:pendulum", "--scenario_name", "Lift"]
    assert (
        main([*command, "--models", "pd,webots", "--evaluate", str(log)]) == 0
    )
    assert capsys.readouterr().err.count("times are taken as ms") == 1
