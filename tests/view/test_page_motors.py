"""The rows of motors in a page of ours."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.runner import ready
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.page_motors import NUMBERS, DrivenMotor, PageMotors


def test_rows_have_what_results_have_and_windings_of_motor_models():
    text = "{simulation_duration: 0.2}"
    scenario = wm.load_scenario("package:motor_models", text=text)
    motor = scenario.model_drivers["arm"].motors["shoulder motor"]
    motor.dc_motor.supply_voltage = 8.0  # its torque falls as it turns
    simulation = ready(scenario)
    results = simulation.run()
    root = simulation.simulator.get_mutable_context()
    motors = PageMotors(simulation.motors, root)
    plant = simulation.plant
    state = plant.get_state_output_port().Eval(plant.GetMyContextFromRoot(root))
    shoulder, elbow = (
        dict(zip(NUMBERS, row, strict=True)) for row in motors.rows(state)
    )
    assert [
        [quantity["label"] for quantity in about["winding"]]
        for about in motors.about
    ] == [["current", "temperature"], []]
    assert np.isnan([elbow["current"], elbow["temperature"]]).all()
    for name in NUMBERS[:4] + NUMBERS[6:]:
        # The page looks a plant step earlier than the last row.
        last = results[f"arm/shoulder motor/{name}"][-2:]
        change = abs(last[1] - last[0])
        assert shoulder[name] == pytest.approx(last[1], abs=change + 1e-9), name
    # Less than the drive's 20 N m at its speed; its winding got warm.
    assert 0 < shoulder["effort_limit"] < 19
    assert shoulder["temperature"] > 25.5


def test_offers_are_in_commands_before_the_multiplier():
    scenario = wm.load_scenario("package:pendulum", name="Lift")
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
