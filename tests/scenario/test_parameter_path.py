"""Values of a scenario by their path."""

from fractions import Fraction

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.parameter_path import (
    parse_path,
    path_text,
    typed_value,
    value_at,
    with_values,
)

MOTOR = 'model_drivers.arm.motors."hinge motor"'


@pytest.fixture(scope="module")
def lift():
    text = "{initial_position: {arm: {hinge: [0.0]}}}"
    return load_scenario("package:pendulum", name="Lift", text=text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("plant_config.time_step", ("plant_config", "time_step")),
        (
            f"{MOTOR}.control_pid[0]",
            ("model_drivers", "arm", "motors", "hinge motor", "control_pid", 0),
        ),
        ("a.left::front[12].b-c", ("a", "left::front", 12, "b-c")),
        ('"a.b"."quote\\" and ["', ("a.b", 'quote" and [')),
    ],
)
def test_a_path_is_read_and_written(text, path):
    assert parse_path(text) == path
    assert path_text(path) == text


@pytest.mark.parametrize(
    "text", ["", "a..b", "a b", "a[1", "a[-1]", 'a."b', "a[x]", ".a", "a."]
)
def test_what_is_no_path_is_refused(text):
    with pytest.raises(InputError, match="is not a path"):
        parse_path(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a.hinge motor.b[0]", 'a."hinge motor".b[0]'),
        ("a b", '"a b"'),
        ('a."b c".d e', 'a."b c"."d e"'),
    ],
)
def test_a_path_without_its_quotes_is_told_with_them(text, meant):
    with pytest.raises(InputError, match="is not a path") as error:
        parse_path(text)
    assert str(error.value).endswith(f"stand in quotes: {meant}")
    assert path_text(parse_path(meant)) == meant


@pytest.mark.parametrize("text", ["a.*.b", "a.hip*.b", "a.{hip, knee}.b"])
def test_an_error_says_where_wildcards_are_allowed(text):
    with pytest.raises(InputError, match=r"in fits alone \.\*\. for each name"):
        parse_path(text)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("plant_config.time_step", 0.008, 0.002),
        (f"{MOTOR}.control_pid[0]", 10.0, 3.5),
        (f"{MOTOR}.max_torque", 10.0, 2.0),
        ("model_drivers.arm.commands[1].set_velocity", 2.0, 1.0),
        ("model_drivers.arm.drive", "auto", "implicit"),
        ("model_drivers.arm.basic_time_step", None, 0.016),
        ("model_drivers.arm.joints.hinge.damping_constant", 0.0, 0.5),
        ("initial_position.arm.hinge[0]", 0.0, 0.3),
        ("directives[0].add_model.name", "arm", "other"),
        ("simulator_config.accuracy", 1e-2, 1e-4),
        ("random_seed", 0, 7),
    ],
)
def test_a_value_is_found_and_replaced(lift, text, old, new):
    path = parse_path(text)
    assert value_at(lift, path) == old
    changed = with_values(lift, {path: new})
    assert value_at(changed, path) == new
    assert value_at(lift, path) == old  # the scenario itself stays as it is


def test_values_get_the_type_of_their_field(lift):
    path = parse_path(f"{MOTOR}.max_torque")
    changed = with_values(
        lift, {path: 3, (*path[:-1], "control_pid"): [1, 2, 3]}
    )
    motor = changed.model_drivers["arm"].motors["hinge motor"]
    assert type(motor.max_torque) is float
    assert motor.control_pid == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (3.0, "3"), (2.5, "2.5"), ("3.0", "3.0")]
)
def test_a_number_in_the_place_of_a_text_is_its_text(lift, value, text):
    path = parse_path("directives[0].add_model.name")
    assert typed_value(lift, path, value) == text


def test_a_value_of_no_type_of_a_file_is_told(lift):
    path = parse_path(f"{MOTOR}.max_torque")
    with pytest.raises(InputError, match="max_torque: Fraction.* unknown here"):
        typed_value(lift, path, Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plant_confg.time_step", "did you mean plant_config?"),
        ("plant_config.timestep", "did you mean time_step?"),
        ("model_drivers.amr.drive", "did you mean arm?"),
        (
            "model_drivers.arm.motors.hinge_motor.drive",
            "did you mean hinge motor?",
        ),
        (f"{MOTOR}.max_torqe", "did you mean max_torque?"),
        (f"{MOTOR}.control_pid[3]", "it has 3, counted from [0]"),
        (f"{MOTOR}.max_torque.x", "nothing is in it"),
        ("model_drivers.arm.commands[9].set_velocity", "unknown item 9"),
    ],
)
def test_a_path_to_nothing_names_the_nearest_and_the_line(lift, text, message):
    with pytest.raises(InputError) as caught:
        value_at(lift, parse_path(text))
    assert message in str(caught.value)
    assert "pendulum.scenario.yaml:" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        (f"{MOTOR}.max_torque", "strong", "expected a number"),
        ("random_seed", 1.5, "whole number"),
        ("plant_config.time_step", -1.0, "-1.0 is not allowed"),
        (f"{MOTOR}.control_pid[0]", -1.0, "control_pid"),
    ],
)
def test_a_value_that_is_not_allowed_is_told_with_its_line(
    lift, text, value, message
):
    with pytest.raises(InputError) as caught:
        with_values(lift, {parse_path(text): value})
    assert message in str(caught.value)
    assert "pendulum.scenario.yaml:" in str(caught.value)
