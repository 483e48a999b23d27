"""Robots that wait for controllers which connect."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.robot_controllers import EXTERN, make_extern


def test_robots_without_another_controller_wait():
    scenario = load_scenario("package:pendulum", name="Lift")
    make_extern(scenario)
    assert scenario.model_drivers["arm"].controller == EXTERN


@pytest.mark.parametrize("given", ["arm=mine.py", "mine.py"])
def test_a_robot_that_has_another_controller_keeps_it(given):
    scenario = load_scenario("package:pendulum", name="Lift")
    make_extern(scenario, besides=[given])
    assert scenario.model_drivers["arm"].controller == ""


def test_without_a_robot_nobody_can_wait():
    text = "{model_drivers: {arm: !ZeroForceDriver {}}}"
    scenario = load_scenario("package:pendulum", name="Lift", text=text)
    with pytest.raises(InputError, match="no model has Webots motors"):
        make_extern(scenario)
