"""The scenarios with controllers do what their first lines say."""

import numpy as np
import pytest

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.data import SCENARIOS
from webmotor_drake.host.senses.renderer import can_render
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.results import Results


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


def path_of(results: Results, model: str) -> np.ndarray:
    """Returns where a robot's chassis went, (samples, 2), m."""
    names = list(results.metadata["positions"])
    places = [names.index(f"{model}_chassis_{axis}") for axis in "xy"]
    return results.positions[:, places]


@pytest.mark.slow
def test_a_robot_turns_away_from_crates():
    path = path_of(run("controller_avoid"), "robot")
    for crate in ((0.8, 0.1), (1.3, -0.7), (-0.6, 0.5)):
        # Half a crate and half the robot, across.
        outside = abs(path - crate).max(axis=1) > 0.15 + 0.05
        assert outside.all(), crate
    assert np.linalg.norm(path[-1]) > 1


@pytest.mark.slow
def test_a_robot_follows_a_line_by_what_is_drawn():
    path = path_of(run("controller_line"), "robot")
    # The line's ends, and its widest bend in between (models/line_floor.urdf).
    assert path[-1] == pytest.approx([2.3, 0], abs=0.06)
    assert path[:, 1].max() == pytest.approx(0.25, abs=0.03)


@pytest.mark.slow
def test_a_robot_finds_its_corners_by_gps_and_compass(capsys):
    path = path_of(run("controller_gps"), "robot")
    assert capsys.readouterr().out.count(" at ") == 4
    for corner in ((0.5, 0), (0.5, 0.5), (0, 0.5), (0, 0)):
        # 3 cm and what the GPS is off.
        assert np.linalg.norm(path - corner, axis=1).min() < 0.05


@pytest.mark.slow
def test_a_follower_keeps_its_distance_by_radio():
    results = run("controller_radio")
    ahead = path_of(results, "leader") - path_of(results, "follower")
    assert abs(ahead[50:, 0] - 0.5).max() < 0.02
    assert path_of(results, "leader")[-1, 0] > 1.5


@pytest.mark.slow
def test_an_arm_stops_on_touch_and_pushes(capsys):
    run("controller_touch")
    touched, pushes = capsys.readouterr().out.splitlines()
    # From -0.5 rad to asin(0.17 / 0.5) at 0.5 rad/s.
    assert float(touched.split()[2]) == pytest.approx(1.69, abs=0.03)
    assert float(pushes.split()[2]) == pytest.approx(5, abs=0.05)


@pytest.mark.slow
@pytest.mark.skipif(not can_render(), reason="nothing to draw with")
def test_a_head_points_at_what_its_camera_sees():
    results = run("controller_camera")
    pan = results["head/pan motor/position"][-1]
    tilt = results["head/tilt motor/position"][-1]
    # A pixel is 1.2 rad / 64.
    assert pan == pytest.approx(np.arctan2(0.8, 2), abs=0.03)
    assert tilt == pytest.approx(-np.arctan2(0.3, np.hypot(2, 0.8)), abs=0.03)
