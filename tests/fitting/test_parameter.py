"""Parameters: where they stand, alone or shared, and what is refused."""

import dataclasses as dc
import re

import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.parameter import (
    ParameterSpec,
    parameters_of,
    parse_option,
    unit_of,
)
from webmotor_drake.scenario.parameter_path import parse_path, value_at
from webmotor_drake.scenario.scenario import with_robots
from webmotor_drake.scenario.scenario_yaml import overlay_text

MOTORS = "model_drivers.arm.motors"


@pytest.fixture(scope="module")
def scenario():
    return wm.load_scenario("package:two_link_arm")


@pytest.fixture(scope="module")
def motors(scenario):
    return list(scenario.model_drivers["arm"].motors)


def found(scenario, text, model="webots", gains=None):
    return parameters_of([parse_option(text)], scenario, model, gains or {})


def test_a_star_is_a_parameter_for_each(scenario, motors):
    each = found(scenario, f"{MOTORS}.*.control_pid[0]=1:20")
    assert len(each) == len(motors)
    assert {p.paths[0][3] for p in each} == set(motors)
    assert {p.unit for p in each} == {"1/s"}
    start = value_at(scenario, each[0].paths[0])
    assert each[0].start == start


def test_braces_share_one_value(scenario, motors):
    (shared,) = found(scenario, f"{MOTORS}.{{*}}.max_velocity=1:20:3")
    assert len(shared.paths) == len(motors)
    assert shared.start == 3
    names = ", ".join(f'"{name}"' for name in motors)
    (named,) = found(scenario, f"{MOTORS}.{{{names}}}.max_velocity=1:20:3")
    assert set(named.paths) == set(shared.paths)


def test_joints_of_which_the_scenario_says_nothing_are_there(scenario):
    driver = scenario.model_drivers["arm"]
    driven = [motor.joint for motor in driver.motors.values()]
    bare = with_robots(scenario, lambda d: dc.replace(d, joints={}))
    each = found(bare, "model_drivers.arm.joints.*.static_friction=0:1")
    assert [p.paths[0][3] for p in each] == driven
    assert [p.start for p in each] == [0.0] * len(driven)
    (one,) = found(bare, "model_drivers.arm.joints.{s*}.static_friction=0:1")
    assert [path[3] for path in one.paths] == ["shoulder"]


def test_gains_are_for_drake_pd_alone(scenario, motors):
    gains = {f"arm/{motor}": (20.0, 1.5) for motor in motors}
    kp = found(scenario, "gains.*[0]=10:30", "drake_pd", gains)
    assert [p.start for p in kp] == [20] * len(motors)
    assert kp[0].unit == "N·m/rad"
    assert found(scenario, "gains.*[0]=10:30", "webots") == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("model_drivers.arm.cfm=2:1", "wrong way round"),
        ("model_drivers.arm.cfm=0:1:2", "start 2 is outside the bounds 0 to 1"),
        ("model_drivers.arm.cfm=0:inf", "two finite numbers"),
        ("model_drivers.arm.cfm=0:1:0.5:0.1", "is not a parameter"),
        ("model_drivers.arm.cfm", "is not a parameter"),
        ("model_drivers.arm.cmf=0:1", "did you mean cfm"),
        ("model_drivers.arm.drive=0:1", "is not a number"),
        (f"{MOTORS}.{{x*}}.max_velocity=1:2", "unknown name 'x\\*'"),
    ],
)
def test_what_cannot_be_fitted_is_refused(scenario, text, problem):
    with pytest.raises(InputError, match=problem):
        found(scenario, text)


def test_a_place_is_fitted_once(scenario):
    specs = [ParameterSpec("model_drivers.arm.cfm", [0, 1])] * 2
    with pytest.raises(InputError, match="fitted twice"):
        parameters_of(specs, scenario, "webots", {})


def test_what_has_no_value_needs_a_start(scenario):
    motor = next(iter(scenario.model_drivers["arm"].motors.values()))
    path = f"model_drivers.arm.joints.{motor.joint}.reflected_inertia"
    with pytest.raises(InputError, match="give a start"):
        found(scenario, f"{path}=0:1")
    (inertia,) = found(scenario, f"{path}=0:1:0.1")
    assert inertia.unit == "kg·m²"


def test_an_overlay_gives_the_values_back(scenario, motors, tmp_path):
    motor = motors[0]
    values = {
        parse_path("model_drivers.arm.delay"): 0.0123,
        (*parse_path(MOTORS), motor, "control_pid", 0): 7.5,
        (*parse_path(MOTORS), motor, "max_velocity"): 3.25,
        parse_path("plant_config.time_step"): 0.004,
    }
    file = tmp_path / "fitted.yaml"
    file.write_text(overlay_text(scenario, values), encoding="utf-8")
    again = wm.load_scenario("package:two_link_arm", overlay=file)
    for path, value in values.items():
        assert value_at(again, path) == value
    other = motors[1]
    before, after = (
        s.model_drivers["arm"].motors[other] for s in (scenario, again)
    )
    assert before == after


def test_the_text_overrides_the_overlay_and_errors_name_its_file(tmp_path):
    file = tmp_path / "over.yaml"
    file.write_text("simulation_duration: 2\n", encoding="utf-8")
    scenario = wm.load_scenario(
        "package:two_link_arm", overlay=file, text="{simulation_duration: 1}"
    )
    assert scenario.simulation_duration == 1
    file.write_text("simulation_duration: -2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"over\.yaml:1"):
        wm.load_scenario("package:two_link_arm", overlay=file)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (
            "model_drivers.arm.motors.{a b}.max velocity",
            "'model_drivers.arm.motors.{a b}.max velocity' is not a path",
        ),
        (
            "model_drivers.arm.motors.*.max velocity",
            "'model_drivers.arm.motors.*.max velocity' is not a path",
        ),
        (
            'model_drivers.arm.motors.{"a"b}.max_velocity',
            '"a"b is not a name in quotes',
        ),
        (
            'model_drivers.arm.motors."motor {left}".max_velocity',
            "unknown name 'motor {left}'",
        ),
        (
            'model_drivers.arm.motors."a.*.b".max_velocity',
            "unknown name 'a.*.b'",
        ),
        (
            'model_drivers.arm.motors.{"a,b"}.max_velocity',
            "unknown name 'a,b'",
        ),
        ("model_drivers.arm.motors.{}.max_velocity", "nothing there"),
        ("model_drivers.arm.motors.{", "is not a path: '{' is not"),
    ],
)
def test_an_error_shows_wildcards_as_they_are_written(scenario, path, told):
    with pytest.raises(InputError, match=re.escape(told)) as error:
        found(scenario, f"{path}=1:2")
    assert "__" not in str(error.value)


@pytest.mark.parametrize(
    ("node", "unit"),
    [
        (wm.RotationalMotor(), "N·m·s/rad"),
        (wm.Servo(), "N·m·s/rad"),
        (wm.LinearMotor(), "N·s/m"),
        (wm.Servo(type="linear"), "N·s/m"),
    ],
)
def test_units_are_those_of_the_motor_that_drives_the_joint(
    scenario, motors, node, unit
):
    joint = scenario.model_drivers["arm"].motors[motors[0]].joint
    of_node = {"m": dc.replace(node, joint=joint)}
    moved = with_robots(scenario, lambda d: dc.replace(d, motors=of_node))
    path = f"model_drivers.arm.joints.{joint}.damping_constant"
    assert unit_of(parse_path(path), moved) == unit


def test_units_are_those_that_nodes_declare(scenario):
    path = f'{MOTORS}."elbow motor".thermal.max_temperature'
    assert unit_of(parse_path(path), scenario) == "°C"
