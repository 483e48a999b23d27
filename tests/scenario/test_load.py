"""Scenarios load as Drake would load them, but without its loader."""

import pytest
import yaml
from folders import ROOT
from pydrake.common.yaml import yaml_load_typed

from webmotor_drake import InputError, load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.scenario_yaml import scenario_yaml
from webmotor_drake.scenario.yaml_document import (
    entries_of,
    load_document,
    parse_document,
)
from webmotor_drake.scenario.yaml_typed import read_typed

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


def test_commands_are_what_drake_makes_of_them(file):
    # The first command moves nothing and would be refused: it is for others.
    text = HEAD + COMMANDS.replace("- *first", "- {<<: *first, set_force: 2}")
    file.write_text(text)
    ours = load_scenario(file).model_drivers["arm"].commands
    theirs = yaml_load_typed(schema=Scenario, data=text, child_name="S")
    assert ours == theirs.model_drivers["arm"].commands
    # 1 == 1.0, but they are not the same to what divides or saves them.
    assert repr(ours) == repr(theirs.model_drivers["arm"].commands)


def test_a_command_that_cannot_be_given_is_named(file):
    file.write_text(HEAD + COMMANDS.replace("*first", "{time: 1, motor: n}"))
    with pytest.raises(InputError, match=r"s.yaml:13:19: S.*\[0\].*motor 'n'"):
        load_scenario(file)


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


@pytest.mark.parametrize(
    "file",
    sorted(SCENARIOS.glob("*.scenario.yaml")),
    ids=lambda file: file.name,
)
def test_our_scenarios_are_what_drake_makes_of_them(file):
    document = load_document(file)
    for name in document.names:
        ours = read_typed(Scenario, document, child_name=name)
        theirs = yaml_load_typed(
            schema=Scenario,
            data=document.text,
            child_name=name,
            defaults=Scenario(),
        )
        assert scenario_yaml(name, ours) == scenario_yaml(name, theirs)


def test_what_overrides_is_what_drake_makes_of_it():
    file = (
        ROOT / "tests" / "support" / "scenarios" / "every_field.scenario.yaml"
    )
    document = load_document(file)
    for name in document.names:
        ours = read_typed(Scenario, document, child_name=name)
        theirs = yaml_load_typed(
            schema=Scenario, data=document.text, child_name=name
        )
        for other in document.names:
            over = yaml.serialize(entries_of(document.root)[other][1])
            ours = read_typed(
                Scenario, parse_document(over, "text"), defaults=ours
            )
            theirs = yaml_load_typed(
                schema=Scenario, data=over, defaults=theirs
            )
            assert scenario_yaml(name, ours) == scenario_yaml(name, theirs)


@pytest.mark.parametrize("name", ["arm.urdf", "arm.SDF", "arm.xml"])
def test_a_robot_is_told_from_a_scenario(tmp_path, name):
    file = tmp_path / name
    file.write_text("<robot name='arm'/>")
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    assert str(caught.value) == (
        f"{file}: a robot, no scenario; `webmotor import` makes one of it"
    )
    with pytest.raises(InputError, match="no such file"):
        load_scenario(tmp_path / f"no_{name}")
