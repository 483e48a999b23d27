"""A battery that feeds motors, against the sum of what they draw."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.motor.battery import battery_of
from webmotor_drake.simulation.simulation import Simulation

LIFT = "scenarios/vertical_lift.scenario.yaml"


def lift(rootpath, battery, cpu=10.0, more=""):
    return wm.load_scenario(
        rootpath / LIFT,
        text="{simulation_duration: 1.6, model_drivers: {lift: !WebotsMotorDriver"
        f" {{battery: {battery}, cpu_consumption: {cpu}{more}}}}}}}",
    )


def level(simulation) -> np.ndarray:
    motors = simulation.motors["lift"]
    context = motors.GetMyContextFromRoot(simulation.simulator.get_context())
    return motors.GetOutputPort("battery").Eval(context)


def test_what_is_drawn_is_the_feedback_and_the_computer(request):
    scenario = lift(request.config.rootpath, [5000, 6000, 0])
    simulation = Simulation(scenario)
    results = simulation.run()
    feedback = np.abs(results["lift/mast motor/feedback"][1:])
    spent = (10.0 + 10.0 * feedback).sum() * 0.008
    # A sum of 200 steps, in another order: rounding only.
    assert 5000 - level(simulation)[0] == pytest.approx(spent, rel=1e-9)
    assert results["lift/mast motor/energy"][-1] == pytest.approx(
        spent - 10.0 * results.time[-1], rel=1e-9
    )


def test_an_empty_battery_leaves_the_motors_without_power(request):
    # 10 W and 196 W of gravity's 19.62 N empty 100 J in half a second.
    scenario = lift(request.config.rootpath, [100, 6000, 0])
    simulation = Simulation(scenario)
    results = simulation.run()
    assert level(simulation).tolist() == [0.0, 0.0]
    dead = results["lift/mast motor/effort_limit"] == 0
    assert 0 < np.argmax(dead) < 100
    assert dead[np.argmax(dead) :].all()
    assert not results["lift/mast motor/effort"][dead].any()


def test_a_battery_that_is_empty_at_the_start_never_turns_off(request):
    results = wm.run(lift(request.config.rootpath, [0, 100, 0]))
    assert (results["lift/mast motor/effort_limit"] > 0).all()


def test_a_charge_brings_the_largest_effort_back():
    battery = battery_of([1.0, 2.0, 5.0], 10.0)
    level, available = np.array([0.05, 1.0]), np.array([3.0, 4.0])
    battery.use(level, 0.0, 0.0, 0.01, available, np.array([7.0, 8.0]))
    assert level.tolist() == [0.0, 0.0]
    assert available.tolist() == [0.0, 0.0]
    battery.use(level, 0.0, 100.0, 0.01, available, np.array([7.0, 8.0]))
    assert level == pytest.approx([5.0 * 0.01, 1.0])  # recharge is the most
    assert available.tolist() == [7.0, 8.0]


def test_a_charge_ends_at_the_capacity():
    battery = battery_of([1.0, 2.0, 500.0], 0.0)
    level = np.array([1.9, 1.0])
    battery.use(level, 0.0, 500.0, 1.0, np.ones(1), np.ones(1))
    assert level.tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    "fields", [[1.0], [1.0, 2.0, -1.0], [float("nan"), 1.0, 1.0]]
)
def test_a_battery_has_three_numbers_from_0_on(fields):
    with pytest.raises(InputError, match="three numbers from 0 on"):
        battery_of(fields, 10.0)


def test_no_field_no_battery():
    assert battery_of([], 10.0) is None


def test_the_last_half_joule_is_drawn_and_then_the_motors_are_off():
    battery, available = battery_of([0.5, 10.0, 0.0], 1.0), np.ones(1)
    level, largest = np.array([0.5, 1.0]), np.ones(1)
    battery.use(level, 1.0, 0.0, 0.125, available, largest)
    assert level.tolist() == [0.25, 1.0]
    battery.use(level, 1.0, 0.0, 0.125, available, largest)
    assert level.tolist() == [0.0, 0.0]
    assert available.tolist() == [0.0]
