"""A battery that feeds motors, against the sum of what they draw."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.battery import battery_of
from webmotor_drake.motor.step import MotorStep
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


def fed(battery, period, delay=0.0):
    """Returns two motors on a battery, and their tables' vector."""
    motors = {
        name: wm.RotationalMotor(joint=name, max_torque=most)
        for name, most in (("a", 7.0), ("b", 8.0))
    }
    step = MotorStep(
        motors,
        kinematic=[False] * 2,
        friction=[0.0] * 2,
        braked=[],
        period=period,
        drive_state=0,
        delay=delay,
        battery=battery,
    )
    return step, step.initial_values()


@pytest.mark.parametrize("delay", [0.0, 0.025])
def test_a_charge_brings_the_largest_effort_back(delay):
    step, values = fed(battery_of([1.0, 2.0, 5.0], 10.0), 0.01, delay)
    tables = step.tables
    given = tables.command_table(values), *tables.line_tables(values)
    level, nothing = np.array([0.05, 1.0]), np.zeros(2)
    for table in given:
        table[Command.AVAILABLE_EFFORT] = 3.0, 4.0
    step.use_battery(values, level, nothing, 0.0)
    assert level.tolist() == [0.0, 0.0]
    for table in given:
        assert table[Command.AVAILABLE_EFFORT].tolist() == [0.0, 0.0]
    step.use_battery(values, level, nothing, 100.0)
    assert level == pytest.approx([5.0 * 0.01, 1.0])  # recharge is the most
    for table in given:
        assert table[Command.AVAILABLE_EFFORT].tolist() == [7.0, 8.0]


def test_motors_draw_by_their_efforts_and_factors():
    step, values = fed(battery_of([100.0, 200.0, 5.0], 1.0), 0.5)
    level = np.array([100.0, 1.0])
    # 1 W always, and 10 W per N m of each, the factor of Webots.
    step.use_battery(values, level, np.array([2.0, -3.0]), 0.0)
    assert level.tolist() == [100.0 - 0.5 * (1.0 + 50.0), 1.0]


def test_a_charge_ends_at_the_capacity():
    step, values = fed(battery_of([1.0, 2.0, 500.0], 0.0), 1.0)
    level = np.array([1.9, 1.0])
    step.use_battery(values, level, np.zeros(2), 500.0)
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
    step, values = fed(battery_of([0.5, 10.0, 0.0], 1.0), 0.125)
    level, feedback = np.array([0.5, 1.0]), np.array([0.1, 0.0])
    step.use_battery(values, level, feedback, 0.0)
    assert level.tolist() == [0.25, 1.0]
    step.use_battery(values, level, feedback, 0.0)
    assert level.tolist() == [0.0, 0.0]
    available = step.tables.command_table(values)[Command.AVAILABLE_EFFORT]
    assert available.tolist() == [0.0, 0.0]
