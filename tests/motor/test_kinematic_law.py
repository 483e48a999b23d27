"""Joints that simply move, against hand calculations."""

import math

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

import webmotor_drake as wm
from webmotor_drake.loops import entry, kinematic
from webmotor_drake.loops.rows import (
    COMMANDS,
    DEMANDS,
    LAW_STATES,
    Command,
    Demand,
    LawState,
)

NO_LIMITS = (0.0, 0.0)


def kinematic_step(q, velocity, period, *, limits, **setting):
    """Returns a position and a speed after a step."""
    command, demand = np.zeros(COMMANDS), np.zeros(DEMANDS)
    command[Command.TARGET_POSITION] = setting["target"]
    command[Command.TARGET_VELOCITY] = setting["target_velocity"]
    command[Command.ACCELERATION] = setting["acceleration"]
    command[Command.AVAILABLE_EFFORT] = setting["available_effort"]
    law_state = np.zeros(LAW_STATES)
    law_state[LawState.VELOCITY_COMMAND] = velocity
    moved = np.array([[1.0, *limits]])
    move = entry(kinematic.move)
    move(np.array([q]), period, moved, command, law_state, demand)
    after = q + period * demand[Demand.VELOCITY_COMMAND]
    return after, law_state[LawState.VELOCITY_COMMAND]


def path(steps, period=0.1, q=0.0, limits=NO_LIMITS, **setting):
    """Returns positions and speeds after each step."""
    setting = {
        "target": math.inf,
        "target_velocity": 2.0,
        "acceleration": -1.0,
        "available_effort": 10.0,
        **setting,
    }
    velocity, rows = 0.0, []
    for _ in range(steps):
        q, velocity = kinematic_step(
            q, velocity, period, limits=limits, **setting
        )
        rows.append((q, velocity))
    return np.array(rows).T


def test_speed_ramps_at_the_available_effort():
    _, speed = path(4, available_effort=5.0)
    np.testing.assert_allclose(speed, [0.5, 1.0, 1.5, 2.0], rtol=1e-15)


def test_the_smaller_of_acceleration_and_effort_counts():
    assert path(1, acceleration=3.0)[1][0] == pytest.approx(0.3)
    assert path(1, acceleration=30.0)[1][0] == pytest.approx(1.0)


def test_it_snaps_onto_the_target_and_stops_a_step_later():
    q, speed = path(9, target=0.5)
    # But for the rounding of a way that is told as a velocity.
    there = np.isclose(q, 0.5, rtol=0, atol=1e-15)
    assert there[-1]
    reached = np.argmax(there)
    assert speed[reached] > 0
    assert speed[reached + 1] == 0


def test_minus_infinity_reverses_velocity_control():
    forward, _ = path(5)
    backward, _ = path(5, target=-math.inf)
    np.testing.assert_array_equal(backward, -forward)


def test_soft_limits_end_velocity_control_after_the_step_that_passes_them():
    q, speed = path(20, limits=(-1.0, 1.0))
    assert q[-1] == q[-2]
    assert 1.0 <= q[-1] <= 1.0 + 2.0 * 0.1
    assert speed[-1] == 0


@pytest.mark.parametrize("towards", [0.0, -1.0])
def test_a_joint_that_is_to_rest_at_its_lower_limit_stops_at_once(towards):
    setting = {"acceleration": 0.1, "available_effort": 10.0}
    stopped = kinematic_step(
        -1.0,
        -1.0,
        0.1,
        target=-math.inf,
        target_velocity=towards,
        limits=(-1.0, 1.0),
        **setting,
    )
    assert stopped == (-1.0, 0.0)


def test_a_negative_velocity_runs_away_from_a_target():
    q, _ = path(5, target=1.0, target_velocity=-2.0)
    assert (np.diff(q) < 0).all()


def test_without_effort_the_speed_freezes():
    _, velocity = kinematic_step(
        0.0,
        1.5,
        0.1,
        target=math.inf,
        target_velocity=2.0,
        acceleration=-1.0,
        available_effort=0.0,
        limits=NO_LIMITS,
    )
    assert velocity == 1.5


@given(
    target=st.floats(-3, 3),
    speed=st.floats(0.1, 10),
    effort=st.floats(0.5, 100),
    period=st.floats(0.001, 0.05),
)
@settings(derandomize=True, deadline=None, max_examples=draws(20, 60))
def test_it_never_passes_a_target(target, speed, effort, period):
    q, _ = path(
        200,
        period,
        target=target,
        target_velocity=speed,
        available_effort=effort,
    )
    # But for the rounding of ways up to 3 that are told as velocities.
    assert (np.abs(q) <= abs(target) + 1e-15).all()


SCENARIO = """
Moves:
  simulation_duration: 1.0
  plant_config: {time_step: 0.002}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      basic_time_step: 0.008
      drive: DRIVE
      motors:
        shoulder motor: !RotationalMotor {joint: shoulder, max_velocity: 2}
        elbow motor: !RotationalMotor {joint: elbow, max_velocity: 2}
      joints: JOINTS
      commands:
      - {motor: shoulder motor, set_position: 0.6}
      - {motor: elbow motor, set_position: -0.4}
"""


def moves(tmp_path, drive="auto", joints="{}"):
    file = tmp_path / "moves.scenario.yaml"
    file.write_text(SCENARIO.replace("DRIVE", drive).replace("JOINTS", joints))
    return wm.run(wm.load_scenario(file))


def test_a_kinematic_model_moves_by_the_law_whatever_its_mass(tmp_path):
    results = moves(tmp_path, drive="kinematic")
    expected, _ = path(125, 0.008, target=0.6)
    np.testing.assert_allclose(
        # The servo has no bound and no softness: what is left is rounding.
        results["arm/shoulder motor/position"][1:],
        expected,
        atol=1e-12,
    )
    assert not results["arm/shoulder motor/saturated"].any()
    assert not results["arm/shoulder motor/feedback"][1:].any()


def test_one_joint_may_be_kinematic(tmp_path):
    results = moves(tmp_path, joints="{elbow: {kinematic: true}}")
    motors = results.metadata["motors"]
    assert motors["arm/elbow motor"]["drive"] == "kinematic"
    assert motors["arm/shoulder motor"]["drive"] == "torque"
    assert results["arm/elbow motor/position"][-1] == pytest.approx(
        -0.4, abs=1e-12
    )


def test_there_is_no_effort_to_set(tmp_path):
    file = tmp_path / "moves.scenario.yaml"
    text = SCENARIO.replace("DRIVE", "kinematic").replace("JOINTS", "{}")
    file.write_text(text.replace("set_position: 0.6", "set_torque: 1"))
    with pytest.warns(wm.MotorWarning, match="kinematic; there is no effort"):
        wm.run(wm.load_scenario(file))
