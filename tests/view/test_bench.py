"""The bench: parameters act while motors run, and are saved where they stood."""

import os

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.runner import ready
from webmotor_drake.view import bench as bench_room
from webmotor_drake.view.bench import Bench
from webmotor_drake.view.page_motors import PageMotors
from webmotor_drake.view.page_server import number_of

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

TEXT = """\
# Two motors.
Arm:
  simulation_duration: 0.6
  directives:
  - add_model:
      name: arm
      file: package://webmotor_models/two_link_arm.urdf
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: torque
      motors:
        shoulder: !RotationalMotor  # the first
          joint: shoulder
          max_velocity: 4  # rad/s
          max_torque: 100
        elbow: !RotationalMotor
          {joint: elbow, max_torque: 50, motor_model: pd, pd: {kp: 80, kd: 8}}
      commands:
      - {time: 0, motor: shoulder, set_position: 1.5}
      - {time: 0, motor: elbow, set_position: 0.5}
"""


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(TEXT)
    return file


def attach(bench, simulation):
    root = simulation.simulator.get_mutable_context()
    bench.attach(simulation.scenario, PageMotors(simulation.motors, root))


def bench_of(file, **options):
    simulation = ready(wm.load_scenario(file, **options))
    bench = Bench()
    attach(bench, simulation)
    return bench, simulation


def place(bench, motor, name):
    names = [about["name"] for about in bench.motors[motor].about]
    return motor, names.index(name)


def told(bench):
    return bench.state()["told"].get("text", "")


def test_a_parameter_acts_from_the_start_as_if_the_file_said_it(file):
    bench, simulation = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    bench.change(*place(bench, 0, "control_pid[0]"), 6.0)
    bench.change(*place(bench, 1, "pd.kp"), 40.0)
    changed = simulation.run()
    bench.save()
    assert told(bench) == f"saved in {file}"
    said = wm.run(wm.load_scenario(file))
    for name, values in said.signals.items():
        np.testing.assert_array_equal(changed[name], values, err_msg=name)


@pytest.mark.parametrize(
    ("motor", "name", "value", "signal", "most"),
    [
        (0, "max_velocity", 1.5, "velocity_command", 1.5),
        (0, "max_torque", 3.0, "effort", 3.0),
        (0, "max_position", 0.9, "target_position", 0.9),
        (1, "max_torque", 3.0, "effort", 3.0),
    ],
)
def test_a_limit_acts_in_the_middle_of_a_run(
    file, motor, name, value, signal, most
):
    bench, simulation = bench_of(file)
    simulation.advance_to_step(20)
    bench.change(*place(bench, motor, name), value)
    simulation.advance_to_step(60)
    results = simulation.results()
    values = results[f"arm/{('shoulder', 'elbow')[motor]}/{signal}"]
    assert np.abs(values[:20]).max() > most
    assert np.abs(values[22:]).max() == pytest.approx(most)


def test_only_what_is_changed_changes_in_the_file(file):
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    bench.change(*place(bench, 0, "control_pid[2]"), 0.25)
    bench.change(*place(bench, 1, "pd.kp"), 41.5)
    assert [value for *_, value in bench.state()["file"]] == [4, 0, 80]
    bench.save()
    gone = set(TEXT.splitlines()) - set(file.read_text().splitlines())
    assert gone == {
        "          max_velocity: 4  # rad/s",
        "          {joint: elbow, max_torque: 50, motor_model: pd,"
        " pd: {kp: 80, kd: 8}}",
    }
    text = file.read_text()
    assert "max_velocity: 1.5  # rad/s" in text
    assert "          control_pid: [10, 0, 0.25]" in text
    assert "pd: {kp: 41.5, kd: 8}}" in text
    assert bench.state()["file"] == []
    # It goes on from there: what is changed now differs from what is saved.
    bench.change(*place(bench, 0, "max_velocity"), 2.0)
    assert [value for *_, value in bench.state()["file"]] == [1.5]
    bench.save()
    assert "max_velocity: 2  # rad/s" in file.read_text()


def test_undo_takes_back_one_change_after_the_other(file):
    bench, simulation = bench_of(file)
    at = place(bench, 0, "max_velocity")
    for value in (2.0, 3.0):
        bench.change(*at, value)
    for before in (2.0, 4.0):
        assert bench.undo() == at
        assert bench.motors[0].value(at[1]) == before
    assert bench.undo() is None
    assert bench.state()["file"] == []
    assert bench.state()["yaml"] == ""
    unchanged = wm.run(wm.load_scenario(file))
    found = simulation.run()["arm/shoulder/position"]
    np.testing.assert_array_equal(found, unchanged["arm/shoulder/position"])


def test_the_yaml_that_is_copied_is_an_overlay(file, tmp_path):
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "control_pid[0]"), 3.0)
    bench.change(*place(bench, 1, "pd.kd"), 5.0)
    overlay = tmp_path / "tuned.yaml"
    overlay.write_text(bench.state()["yaml"])
    driver = wm.load_scenario(file, overlay=overlay).model_drivers["arm"]
    assert driver.motors["shoulder"].control_pid == [3, 0, 0]
    assert driver.motors["elbow"].pd.kd == 5
    assert driver.motors["elbow"].pd.kp == 80


def test_what_is_changed_outlives_a_reset(file):
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    again = ready(wm.load_scenario(file))
    attach(bench, again)
    results = again.run()
    assert results["arm/shoulder/velocity_command"].max() == 1.5


@pytest.mark.parametrize(
    ("motor", "name", "value", "problem"),
    [
        (0, "control_pid[0]", -1.0, "-1 is not allowed; must be at least 0"),
        (0, "control_pid[0]", None, "a number is needed"),
        (0, "max_torque", None, "a number is needed"),
        (1, "friction.viscous", 1.0, "it acts from the start of a run only"),
        (1, "friction.motor_load", 0.1, "it acts from the start of a run only"),
        (1, "thermal.time_constant", 0.0, "must be above 0"),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_its_row(
    file, motor, name, value, problem
):
    bench, _ = bench_of(file)
    at = place(bench, motor, name)
    before = bench.state()["values"]
    assert bench.change(*at, value) is None
    state = bench.state()
    assert state["values"] == before
    assert (state["told"]["motor"], state["told"]["at"]) == at
    assert problem in state["told"]["text"]


def test_webots_fallbacks_and_the_joints_position_bound_what_is_typed(file):
    bench, _ = bench_of(file)
    assert bench.change(*place(bench, 0, "acceleration"), -7.0) is None  # is -1
    motor, at = bench.change(*place(bench, 0, "max_velocity"), -3.0)
    assert bench.motors[motor].value(at) == 3
    change = bench.change(*place(bench, 0, "min_position"), 1.0)
    assert change is None  # the joint is at 0, as the limit


def test_an_implicit_drive_takes_no_more_effort_than_it_was_built_for(file):
    file.write_text(TEXT.replace("drive: torque", "drive: implicit"))
    bench, _ = bench_of(file)
    at = place(bench, 0, "max_torque")
    assert bench.change(*at, 200.0) is None
    assert "it can only sink" in told(bench)
    assert bench.change(*at, 20.0) == at
    assert bench.motors[0].value(at[1]) == 20


def test_a_servo_has_the_fields_of_its_own(file):
    text = TEXT.replace(
        "!RotationalMotor  # the first\n", "!Servo\n          control_p: 8\n"
    )
    file.write_text(text.replace("max_torque: 100", "max_force: 100"))
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "control_p"), 4.0)
    bench.save()
    assert "control_p: 4\n" in file.read_text()


@pytest.mark.parametrize("index", [-1, 2, 10**9, "0"])
def test_a_motor_that_is_not_there_is_no_message_of_a_page(file, index):
    bench, _ = bench_of(file)
    with pytest.raises((ValueError, TypeError)):
        number_of(index, bench.motors)


def test_a_read_only_file_is_told_and_stays(file, monkeypatch):
    # A rename would replace it; who runs this test may write anything.
    monkeypatch.setattr(os, "access", lambda *_: False)
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    bench.save()
    assert told(bench) == f"{file}: it is read-only; copy the YAML"
    assert file.read_text() == TEXT


def test_a_file_that_has_changed_since_is_left_as_it_is(file):
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    file.write_text(TEXT.replace("# Two", "# My two"))
    bench.save()
    assert "has changed since the run read it" in told(bench)
    assert file.read_text().startswith("# My two")
    file.unlink()
    bench.save()
    assert "no such file any more" in told(bench)


def test_a_file_that_cannot_be_written_is_told(file, without_rights):
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    file.parent.chmod(0o500)
    try:
        bench.save()
    finally:
        file.parent.chmod(0o700)
    assert "cannot write" in told(bench)


def test_what_another_text_says_is_told_with_its_place(file):
    text = "{model_drivers: {arm: !WebotsMotorDriver {motors: {shoulder:"
    text += " !RotationalMotor {max_velocity: 2}}}}}"
    bench, _ = bench_of(file, text=text)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    bench.save()
    assert told(bench).startswith("--scenario_text:1:")
    assert "overrides the file" in told(bench)
    assert file.read_text() == TEXT


def test_scenarios_of_the_package_are_not_written(tmp_path):
    file = SCENARIOS / "two_link_arm.scenario.yaml"
    before = file.read_bytes()
    bench, _ = bench_of(file)
    bench.change(*place(bench, 0, "max_velocity"), 1.5)
    bench.save()
    assert "it comes with the package" in told(bench)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("path", "name", "unit", "about"),
    [
        (("max_velocity",), "max_velocity", "rad/s", "largest and initial"),
        (("control_pid", 1), "control_pid[1]", "1/s²", "gains P"),
        (("pd", "kp"), "pd.kp", "N·m/rad", "position gain"),
    ],
)
def test_a_number_has_the_unit_and_the_meaning_of_its_own_field(
    path, name, unit, about
):
    said = bench_room._about(RotationalMotor("hinge"), path, False)
    assert (said["name"], said["unit"]) == (name, unit)
    assert said["about"].startswith(about)
