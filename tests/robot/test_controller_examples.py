"""The scenarios with controllers do what their first lines say."""

import numpy as np
import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.results.results import Results
from webmotor_drake.robot.controllers.controller_run import run_with_controllers
from webmotor_drake.scenario.load import load_scenario


def run(name: str, text: str = "{}") -> Results:
    """Runs a scenario with the controllers that it names."""
    return run_with_controllers(
        load_scenario(SCENARIOS / f"{name}.scenario.yaml", text=text)
    )


def test_a_joint_moves_when_the_one_before_has_arrived(capsys):
    def times():
        return [
            float(line.split()[-2])
            for line in capsys.readouterr().out.splitlines()
        ]

    results = run("controller_waits")
    shoulder = results["arm/shoulder motor/position"]
    elbow = results["arm/elbow motor/target_position"]
    first = np.flatnonzero(elbow < -1)[0]
    assert shoulder[first - 1] == pytest.approx(1.0, abs=1e-3)
    fast = times()
    run(
        "controller_waits",
        "{model_drivers: {arm: {motors: {shoulder motor: {max_velocity: 1}}}}}",
    )
    slow = times()
    assert len(fast) == len(slow) == 3
    assert all(s > f + 0.3 for s, f in zip(slow, fast, strict=True))


def test_velocity_control_turns_round_past_the_limit():
    results = run("controller_velocity")
    pan = results["head/pan motor/position"]
    # Two steps until the answer is known and acts, then braking at 20 rad/s^2.
    beyond = 1.5 * 0.016 + 1.5**2 / (2 * 20)
    assert 1 < pan.max() < 1 + beyond + 1e-3
    assert -1 > pan.min() > -1 - beyond - 1e-3
    assert results["head/pan motor/velocity"].max() == pytest.approx(1.5, 1e-3)


def test_a_pid_of_the_controllers_own_carries_the_weight():
    results = run("controller_pid")
    assert results["arm/hinge motor/position"][-1] == pytest.approx(1.2, 1e-3)
    assert results["arm/hinge motor/mode"][-1] == 2
    weight = 9.81 * 0.25 * np.sin(1.2)  # N m
    assert results["arm/hinge motor/effort"][-1] == pytest.approx(weight, 1e-2)


def test_a_motor_can_be_a_spring():
    results = run("controller_spring")
    position = results["lift/mast motor/position"]
    assert position[-1] == pytest.approx(0.6 - 19.62 / 200, abs=1e-3)
    assert position.min() < 0.42  # it bounces
