"""Experiments that are written for a robot: within its limits, and of use."""

import dataclasses as dc

import numpy as np
import pytest
from modelled_pendulum import pendulum

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.fitting.excitation import excitations
from webmotor_drake.fitting.log_file import load_log

LOW, HIGH, SPEED = -0.9, 1.1, 2.5


def limited(**changes) -> wm.Scenario:
    """Returns a pendulum with soft limits, as fast as `pendulum` has it."""
    scenario = pendulum()
    driver = scenario.model_drivers["arm"]
    motor = dc.replace(
        driver.motors["hinge motor"],
        min_position=LOW,
        max_position=HIGH,
        **changes,
    )
    scenario.model_drivers = {
        "arm": dc.replace(driver, motors={"hinge motor": motor})
    }
    return scenario


@pytest.fixture(scope="module")
def made():
    found, remarks = excitations(limited(motor_model="pd"))
    assert remarks == []
    return {name: log for name, (log, _) in found.items()}


def test_targets_stay_within_the_limits_and_begin_and_end_at_the_start(made):
    assert list(made) == ["chirp", "steps", "triangles", "drop"]
    for log in made.values():
        target = log.get("hinge", "target")
        known = target[np.isfinite(target)]
        assert known.min() > LOW
        assert known.max() < HIGH
        assert target[0] == target[-1] == 0
        np.testing.assert_allclose(np.diff(log.time), 0.005)


def test_ways_are_half_as_fast_as_the_motor(made):
    for name in ("chirp", "triangles"):
        speed = np.abs(np.diff(made[name].get("hinge", "target"))) / 0.005
        # Samples cut the corners of a sine by less than 1 %.
        assert speed.max() < 1.01 * SPEED / 2
    sweep = made["chirp"].get("hinge", "target")
    turns = np.diff(np.flatnonzero(np.diff(np.sign(np.diff(sweep)))))
    # Half a period of 5 Hz has 20 samples, of 0.2 Hz 500.
    assert turns.min() < 25
    assert turns.max() > 200


def test_a_drop_has_its_torque_off(made):
    target, effort = (
        made["drop"].get("hinge", signal)
        for signal in ("target", "target_effort")
    )
    off = np.isnan(target)
    assert off.sum() == 4 / 0.005
    np.testing.assert_array_equal(effort[off], 0)
    assert np.isnan(effort[~off]).all()
    assert target[np.flatnonzero(off)[0] - 1] > 0.4


def test_what_would_go_beyond_the_limits_is_left_out_with_a_word():
    scenario = limited(motor_model="pd")
    driver = scenario.model_drivers["arm"]
    # Hanging at 0 it drops through its lower limit, from any height.
    motor = dc.replace(
        driver.motors["hinge motor"], min_position=0.02, max_position=1.1
    )
    scenario.model_drivers = {
        "arm": dc.replace(driver, motors={"hinge motor": motor})
    }
    scenario.initial_position = {"arm": {"hinge": np.array([0.5])}}
    found, remarks = excitations(scenario)
    assert "drop" not in found
    (remark,) = [r for r in remarks if r.startswith("no drop: hinge would go")]
    assert "beyond its limits 0.02 to 1.1" in remark


@pytest.mark.slow
def test_what_is_written_determines_the_loop_and_its_friction(tmp_path, capsys):
    """The command writes; a robot of other values answers; the fit finds them."""
    scenario = limited(motor_model="pd")
    command = ["fit", "package:pendulum", "--scenario_name", "Lift"]
    assert main([*command, "--excite", str(tmp_path)]) == 0
    assert "chirp.csv: " in capsys.readouterr().out
    assert len(load_log(tmp_path / "drop.csv").time) > 800
    true = {
        "pd.kp": 30.0,
        "pd.kd": 2.0,
        "friction.coulomb": 0.5,
        "friction.viscous": 0.2,
    }
    place = 'model_drivers.arm.motors."hinge motor".'
    values = {place + name: value for name, value in true.items()}
    robot = wm.ExperimentSpec(values=values).scenario_of(scenario)
    random = np.random.default_rng(0)
    logs = {}
    for name, (log, _) in excitations(scenario)[0].items():
        if name not in ("chirp", "drop"):  # the others take long
            continue
        moved = wm.evaluate(robot, log).predicted[0]
        noise = 1e-3 * random.standard_normal(len(moved))
        signals = {**log.signals, ("hinge", "position"): moved + noise}
        log = wm.RobotLog(log.time, signals)
        logs[name] = wm.ExperimentSpec(log=log, end=5.0)  # is enough
    bounds = {
        place + name: (value / 3, 3 * value, 1.1 * value)
        for name, value in true.items()
    }
    found = wm.fit(scenario, logs, bounds, validate=0.0)
    for name, value in true.items():
        estimate = found.estimates[f"hinge motor.{name}"]
        low, high = estimate.interval
        assert estimate.is_determined
        assert low - value / 50 < value < high + value / 50
        assert estimate.value == pytest.approx(value, rel=0.1)
