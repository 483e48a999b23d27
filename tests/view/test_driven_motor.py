"""A motor that is driven by hand offers what its limits allow, in commands."""

import pytest

from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.driven_motor import DrivenMotor


def test_offers_are_in_commands_before_the_multiplier():
    scenario = load_scenario("package:pendulum", name="Lift")
    scenario.model_drivers["arm"].commands.clear()
    motor = scenario.model_drivers["arm"].motors["hinge motor"]
    motor.multiplier, motor.max_velocity, motor.max_torque = -2.0, 10.0, 8.0
    motor.min_position, motor.max_position = -1.0, 3.0
    simulation = Simulation(scenario)
    system = simulation.motors["arm"]
    root = simulation.simulator.get_mutable_context()
    driven = DrivenMotor(system, 0, system.GetMyMutableContextFromRoot(root))
    position, velocity, effort = driven.offers
    assert (position.low, position.high) == (-1.5, 0.5)
    assert (velocity.high, effort.high) == (5.0, 4.0)
    assert driven.command(9.0) == ("set_position", 0.5)
    simulation.advance_to(1.0)
    q = simulation.results()["arm/hinge motor/position"][-1]
    # The joint turns the other way; it hangs behind its target by gravity alone.
    assert q == pytest.approx(-1.0, abs=0.05)
