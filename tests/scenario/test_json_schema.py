"""The schema allows what is loaded, and refuses what fields refuse."""

import re

import jsonschema
import pytest
import yaml
from folders import ROOT, TEST_SCENARIOS

from webmotor_drake.scenario.json_schema import scenario_schema

FILES = sorted((ROOT / "scenarios").glob("*.scenario.yaml")) + sorted(
    TEST_SCENARIOS.glob("*.scenario.yaml")
)


class Loader(yaml.SafeLoader):
    """Reads without tags, and 1e-3 as a number, as editors do."""


Loader.add_multi_constructor(
    "!", lambda loader, _, node: loader.construct_mapping(node, deep=True)
)
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9.]+e[-+]?[0-9]+$"), None
)


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(scenario_schema())
    return jsonschema.Draft202012Validator(scenario_schema())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_scenario_obeys(validator, file):
    validator.validate(yaml.load(file.read_text(), Loader))


def driver(text: str) -> dict:
    """Returns a scenario with a driver."""
    return {"A": {"model_drivers": {"arm": yaml.load(text, Loader)}}}


@pytest.mark.parametrize(
    "text",
    [
        "{motors: {m: {joint: hinge, control_pid: [10, 0]}}}",
        "{motors: {m: {joint: hinge, control_pid: [10, 0, -1]}}}",
        "{motors: {m: {joint: hinge, max_tork: 1}}}",
        "{joints: {hinge: {reflected_inertia: -1}}}",
        "{devices: {d: {number_of_rays: 0}}}",
        "{devices: {d: {type: sonic}}}",
        "{devices: {d: {lookup_table: [[0, 1]]}}}",
        "{lights: {sun: {color: [1, 2, 0]}}}",
        "{drive: torqe}",
    ],
)
def test_what_a_field_refuses_is_refused(validator, text):
    assert not validator.is_valid(driver(text))
    assert validator.is_valid(driver("{drive: torque}"))


def test_an_editor_is_told_what_a_field_means():
    motor = scenario_schema()["$defs"]["RotationalMotor"]["properties"]
    assert motor["max_torque"]["description"] == (
        "largest and initial available torque, N m."
    )
