"""Timed commands load as Drake would load them, but without its loader."""

import pytest
from pydrake.common.yaml import yaml_load_typed

from webmotor_drake import InputError, load_scenario
from webmotor_drake.scenario import yaml_typed
from webmotor_drake.scenario.scenario import Scenario

HEAD = """
_first: &first {time: 0, motor: m}
_all: &all {motors: {m: !RotationalMotor {joint: hinge}}}
S:
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  model_drivers:
    arm: !WebotsMotorDriver
      <<: *all
      brakes: {b: {joint: hinge}}
      commands:
"""
COMMANDS = """\
      - *first
      - {<<: *first, time: 1, set_position: .inf}
      - {time: '1.5', motor: "m", set_velocity: 1e-3, set_torque: null}
      - time: 0x10
        motor: m
        set_control_pid: [10, 0.5, '1e-2']
      - {time: 1_000.5, brake: b, set_damping_constant: 3}
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "s.yaml"


@pytest.fixture
def shown_to_drake(monkeypatch):
    """The texts that Drake's loader is given."""
    texts = []
    real = yaml_typed.yaml_load_typed
    monkeypatch.setattr(
        yaml_typed,
        "yaml_load_typed",
        lambda **given: texts.append(given["data"]) or real(**given),
    )
    return texts


def test_commands_are_what_drake_makes_of_them(file, shown_to_drake):
    # The first command moves nothing and would be refused: it is for others.
    text = HEAD + COMMANDS.replace("- *first", "- {<<: *first, set_force: 2}")
    file.write_text(text)
    ours = load_scenario(file).model_drivers["arm"].commands
    assert not any("set_force" in text for text in shown_to_drake)
    theirs = yaml_load_typed(schema=Scenario, data=text, child_name="S")
    assert ours == theirs.model_drivers["arm"].commands
    # 1 == 1.0, but they are not the same to what divides or saves them.
    assert repr(ours) == repr(theirs.model_drivers["arm"].commands)


def test_a_command_that_cannot_be_given_is_named_before_drake_loads_any(
    file, shown_to_drake
):
    file.write_text(HEAD + COMMANDS.replace("*first", "{time: 1, motor: n}"))
    with pytest.raises(InputError, match=r"s.yaml:13:19: S.*\[0\].*motor 'n'"):
        load_scenario(file)
    assert not any("motor: n" in text for text in shown_to_drake)


def test_commands_of_the_text_replace_those_of_the_file(file):
    file.write_text(HEAD + COMMANDS.replace("*first", "{time: 1, motor: n}"))
    text = (
        "{model_drivers: {arm: !WebotsMotorDriver"
        " {commands: [{time: 2, motor: m, set_position: 1}]}}}"
    )
    driver = load_scenario(file, text=text).model_drivers["arm"]
    assert [command.time for command in driver.commands] == [2.0]
    assert list(driver.brakes) == ["b"]


def test_commands_behind_a_merge_load_as_well(file):
    driver = "&d\n      commands: [{time: 3, motor: m, set_position: 1}]\n"
    file.write_text(
        f"_d: {driver}{HEAD.split('      brakes')[0]}".replace(
            "<<: *all", "<<: [*all, *d]"
        )
    )
    (command,) = load_scenario(file).model_drivers["arm"].commands
    assert command.time == 3.0


@pytest.mark.parametrize(
    ("commands", "problem"),
    [
        ("      - 5\n", "expected a mapping, not the number 5"),
        ("        {}\n", "expected a list, not a mapping"),
    ],
)
def test_what_is_no_list_of_commands_is_refused(file, commands, problem):
    file.write_text(HEAD + commands)
    with pytest.raises(InputError, match=problem):
        load_scenario(file)
