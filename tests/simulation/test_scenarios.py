"""The scenarios that come with the project run, and show what they say."""

import re
from functools import cache
from importlib import metadata

import numpy as np
import pytest
from scenarios_here import scenario_files

from webmotor_drake.cli.check_command import describe
from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import run_with_controllers
from webmotor_drake.runner import ready, run
from webmotor_drake.scenario.yaml_document import load_document

README = (SCENARIOS.parent / "README.md").read_text()
FILES = scenario_files()
NAMES = [(file, name) for file in FILES for name in load_document(file).names]


@cache
def results(file, name=None, text="{}"):
    """Returns the results of a scenario, whole."""
    scenario = load_scenario(
        SCENARIOS / f"{file}.scenario.yaml", name=name, text=text
    )
    return run(scenario)


def row(results, time):
    """Returns the row of the time, s."""
    return int(np.argmin(np.abs(results.time - time)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_opens_with_three_lines_on_what_to_look_at(file):
    lines = file.read_text().splitlines()
    assert all(line.startswith("# ") for line in lines[:3])
    assert not lines[3].startswith("#")


def test_the_readmes_controller_moves_a_motor(tmp_path):
    (controller,) = re.findall(r"```py\n(.*?)```", README, re.DOTALL)
    file = tmp_path / "controller.py"
    file.write_text(controller)
    scenario = load_scenario(
        SCENARIOS / "pendulum.scenario.yaml",
        name="Lift",
        text="{model_drivers: {arm: {commands: []}}}",
    )
    done = run_with_controllers(scenario, {"arm": file})
    assert done["arm/hinge motor/position"][-1] == pytest.approx(1.2, abs=1e-4)


@pytest.mark.parametrize(
    ("file", "name"), NAMES, ids=lambda part: getattr(part, "name", part)
)
def test_a_scenario_is_described_and_runs(file, name, recwarn):
    # Cut short: the lessons below run to the end.
    robots = "example-robot-data"
    try:
        if f"package://{robots}/" in file.read_text():
            metadata.distribution(robots)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{robots} is an extra")
    scenario = load_scenario(file, name=name, text="{simulation_duration: 0.1}")
    simulation = ready(scenario)
    assert describe(simulation).startswith("0.1 s; plant: ")
    done = simulation.run()
    assert done.motors
    for motor in done.motors:
        assert np.isfinite(done[f"{motor}/position"]).all()


def test_pendulum_lift_is_cut_off_at_10_newton_metres():
    lift = results("pendulum", "Lift")
    effort = np.abs(lift["arm/hinge motor/effort"])
    saturated = lift["arm/hinge motor/saturated"] == 1
    assert effort[saturated] == pytest.approx(10)
    assert 0.05 < lift.time[saturated][-1] < 0.1
    assert lift["arm/hinge motor/position"][-1] == pytest.approx(1.2, abs=1e-4)


def test_pendulum_lift_does_not_care_for_a_velocity_under_position_control():
    without = "{model_drivers: {arm: {commands: [{time: 0, motor: hinge motor,"
    without += " set_position: 1.2}]}}}"
    lift, alone = (results("pendulum", "Lift", t) for t in ("{}", without))
    position = "arm/hinge motor/position"
    assert lift[position].tobytes() == alone[position].tobytes()


def test_pendulum_turn_follows_its_velocity():
    turn = results("pendulum", "Turn")
    velocity = turn["arm/hinge motor/velocity"]
    # 2 rad/s are reached after 1 s, at 2 rad/s^2; cfm lets 1e-4 slip.
    steady = slice(row(turn, 1.1), row(turn, 3.5))
    assert velocity[steady] == pytest.approx(2, abs=1e-3)
    assert velocity[-1] == pytest.approx(0, abs=1e-3)


def test_the_lift_sinks_while_it_has_too_little_force():
    lift = results("vertical_lift")
    position, effort = (
        lift[f"lift/mast motor/{signal}"] for signal in ("position", "effort")
    )
    short = slice(row(lift, 2.0) + 1, row(lift, 2.4) + 1)
    assert effort[row(lift, 2.0)] == pytest.approx(2 * 9.81, rel=1e-3)
    assert effort[short] == pytest.approx(15)
    assert (np.diff(position[short]) < 0).all()
    assert position[-1] == pytest.approx(0.8, abs=1e-3)


def test_the_shoulder_overshoots_and_the_elbow_does_not():
    arm = results("two_link_arm")
    shoulder = arm["arm/shoulder motor/position"]
    elbow = arm["arm/elbow motor/position"]
    assert shoulder.max() > 1.25
    assert shoulder[-1] == pytest.approx(1.2, abs=1e-3)
    # 1e-4: the slip that cfm lets a joint have.
    assert elbow.min() > -1.2 - 1e-4
    assert elbow.max() < 0.8 + 1e-4


def test_of_six_axes_only_the_second_is_cut_off():
    arm = results("six_axis")
    share = {m: arm[f"{m}/saturated"].mean() for m in arm.motors}
    assert share.pop("arm/motor 2") > 0.02
    assert set(share.values()) == {0}
    effort = np.abs(arm["arm/motor 2/effort"])
    assert effort.max() == pytest.approx(80)


def test_coupled_motors_move_by_their_multipliers():
    pair = results("coupled_pair")
    left, right = (
        pair[f"gripper/grip::{side}/position"] for side in ("left", "right")
    )
    before = row(pair, 1.5)
    assert left[before] == pytest.approx(0.05, abs=1e-4)
    assert right[before] == pytest.approx(-0.1, abs=1e-4)
    assert left[-1] == pytest.approx(0.02, abs=1e-4)
    assert right[-1] == pytest.approx(-0.04, abs=1e-4)


def test_a_hinge_ends_at_its_stop_and_springs_back_without_torque():
    hinge = results("hinge_with_stops")
    position = hinge["arm/hinge motor/position"]
    held = row(hinge, 1.99)
    # Drake's stops give a little: 1e-2 rad under 10 N m.
    assert position[held] == pytest.approx(1, abs=1e-2)
    assert hinge["arm/hinge motor/effort"][held] == pytest.approx(10)
    assert abs(position[-1]) < 0.05


def test_axes_through_one_point_keep_to_their_own_commands():
    head = results("pan_tilt")
    for motor in head.motors:
        command = head[f"{motor}/velocity_command"]
        # cfm times some newton metres, rad/s.
        assert head[f"{motor}/velocity"] == pytest.approx(command, abs=1e-4)
    level = row(head, 0.4)
    assert abs(head["head/tilt motor/effort"][level]) == pytest.approx(
        0.39, abs=0.01
    )


def test_a_motor_stands_still_while_its_load_swings_on_a_spring():
    slide = results("serial_spring")
    still = slice(row(slide, 1.0), None)
    assert np.ptp(slide["slide/slide motor/position"][still]) < 1e-3
    effort = slide["slide/slide motor/effort"][still]
    swing = effort - effort[-1]
    crossings = np.flatnonzero(np.diff(np.sign(swing)) != 0)
    # A frequency of sqrt(40 N/m / 1 kg) / 2 pi = 1.007 Hz, two crossings each.
    period = 2 * np.diff(slide.time[still][crossings[:4]]).mean()
    assert period == pytest.approx(1.0, rel=0.05)


def test_joints_that_a_scenario_adds_turn_about_their_axes():
    robot = results("torso")
    ends = [robot[f"{motor}/position"][-1] for motor in robot.motors]
    # A damper and gravity leave what the servo's softness does: 1e-5 / 10 a N m.
    wanted = [-0.8, 0.5, -0.6, np.pi / 2, 1.0]
    assert ends == pytest.approx(wanted, abs=1e-5)
