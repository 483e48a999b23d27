"""Closed chains: they stay closed and follow ODE, on both drives."""

import dataclasses as dc
import math
import warnings

import numpy as np
import pytest
from linkage import Bar, OdeLinkage
from pydrake.math import RigidTransform

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes import Loop
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

UPPER, LOWER = 0.12, 0.16
Q0 = (2.2116905, -1.5056461, 0.9299021, 1.5056461)


def five_bar(text: str = "{}") -> Scenario:
    return load_scenario(SCENARIOS / "five_bar.scenario.yaml", text=text)


def gap(simulation: Simulation) -> float:
    """Returns how far the loop is open, m."""
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    tips = [
        plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name))
        @ np.array([LOWER, 0, 0])
        for name in ("left_lower", "right_lower")
    ]
    return float(np.linalg.norm(tips[0] - tips[1]))


def ode_five_bar(step: float, motors: list[int]) -> OdeLinkage:
    """Returns the five-bar in ODE; motors are on the left, then the right."""
    bars = []
    for x, shoulder, elbow in ((-0.05, *Q0[:2]), (0.05, *Q0[2:])):
        upper = Bar([x, 0], shoulder, 0.06, 0.12, 1.5e-4)
        lower = Bar(upper.at(UPPER), shoulder + elbow, 0.08, 0.16, 3.5e-4)
        bars += [upper, lower]
    hinges = [
        (None, 0, bars[0].start),
        (None, 2, bars[2].start),
        (0, 1, bars[1].start),
        (2, 3, bars[3].start),
        (1, 3, bars[1].at(LOWER)),
    ]
    return OdeLinkage(bars, hinges, [(m, 5.0) for m in motors], step)


def rates(count: int, steps: int, step: float) -> np.ndarray:
    """Returns smooth velocities for each motor and step, rad/s."""
    time = np.arange(steps) * step
    waves = [np.sin(4 * time), np.sin(3 * time) * 0.8]
    return np.array(waves[:count]).round(6)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("step", [0.008, 0.016])
def test_the_five_bar_follows_ode(drive, step):
    steps = round(0.96 / step)
    wanted = rates(2, steps, step)
    scenario = five_bar(
        f"{{plant_config: {{time_step: {step}}}, simulation_duration: 0.96}}"
    )
    driver = scenario.model_drivers["five_bar"]
    driver.drive = drive
    for motor in driver.motors.values():
        motor.acceleration = -1
    driver.commands = [
        TimedCommand(
            time=k * step,
            motor=name,
            set_position=math.inf,
            set_velocity=float(wanted[i, k]),
        )
        for k in range(steps)
        for i, name in enumerate(driver.motors)
    ]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulation = Simulation(scenario)
        results = simulation.run()
    # The torque drive does not see constraints, and says so.
    assert bool(told) == (drive == "torque"), [str(w.message) for w in told]
    ode = ode_five_bar(step, [0, 1])
    angles = []
    for k in range(steps):
        ode.step(wanted[:, k])
        angles.append(ode.angles())
    ours = np.transpose(
        [results[f"five_bar/{m}/position"] for m in driver.motors]
    )
    ours = ours[1 : steps + 1] - ours[0]
    signs = np.sign((ours * np.array(angles)).sum(axis=0))
    off = abs(ours - signs * angles).max()
    # The motors turn by 0.5 rad. Measured 2e-6 and 7e-6; without seeing the loop 2e-3
    # and 4e-3.
    assert off < (2e-5 if drive == "implicit" else 1e-2)
    assert gap(simulation) < 1e-4


def test_the_scenario_draws_its_rectangle():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = Simulation(five_bar())
    assert simulation.motors["five_bar"].drive == "implicit"
    plant = simulation.plant
    tip = plant.GetBodyByName("left_lower")
    for time, expected in (
        (0.4, (0, 0.2)),
        (1.45, (0.05, 0.2)),
        (2.45, (0.05, 0.16)),
        (3.45, (-0.05, 0.16)),
        (4.9, (-0.05, 0.2)),
    ):
        simulation.advance_to(time)
        context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
        X_WB = plant.EvalBodyPoseInWorld(context, tip)
        place = X_WB @ np.array([LOWER, 0, 0])
        # A motor's P of 10 leaves exp(-9) of a way after a second.
        np.testing.assert_allclose(place[:2], expected, atol=5e-4)
        assert gap(simulation) < 1e-5


@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_a_four_bar_with_one_motor_stays_closed(kind):
    # The right shoulder is fixed at its start: the rest is a four-bar linkage.
    scenario = five_bar()
    scenario.model_drivers["five_bar"].loops["tip"].type = kind
    driver = scenario.model_drivers["five_bar"]
    driver.commands = [TimedCommand(time=0.1, motor="left", set_position=1.9)]
    simulation = Simulation(scenario)
    # Two points stay together of a hinge, one of a ball joint.
    points = {"hinge": 2, "ball": 1}[kind]
    assert simulation.plant.num_constraints() == points
    results = simulation.run()
    left = results["five_bar/left/position"][-1]
    assert left == pytest.approx(1.9, abs=1e-3)
    assert results["five_bar/right/position"][-1] == pytest.approx(
        Q0[2], abs=1e-3
    )
    assert gap(simulation) < 1e-5


@pytest.mark.parametrize(
    ("kind", "number"), [("hinge", 2), ("ball", 1), ("fixed", 1)]
)
def test_a_hinge_holds_two_points_and_a_ball_joint_one(kind, number):
    scenario = five_bar()
    driver = scenario.model_drivers["five_bar"]
    [loop] = driver.loops.values()
    driver.loops = {"loop": dc.replace(loop, type=kind)}
    assert Simulation(scenario).plant.num_constraints() == number


@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize(
    "ends", [("world", "left_lower"), ("left_lower", "world")]
)
def test_a_loop_to_the_world_holds_what_would_fall(kind, ends):
    # Drake's own constraint to the world ends the process in its first step.
    tip = five_bar_tip()
    scenario = five_bar("{gravity: [0, -9.81, 0], simulation_duration: 0.2}")
    driver = scenario.model_drivers["five_bar"]
    points = {"world": list(tip.translation()), "left_lower": [LOWER, 0, 0]}
    driver.loops = {
        "hold": Loop(
            type=kind,
            parent=ends[0],
            child=ends[1],
            anchor=points[ends[0]],
            child_anchor=points[ends[1]],
        )
    }
    driver.commands = [
        TimedCommand(time=0.0, motor=motor, set_available_torque=0.0)
        for motor in ("left", "right")
    ]
    results = Simulation(scenario).run()
    left, right = (results[f"five_bar/{m}/position"] for m in ("left", "right"))
    assert abs(left - left[0]).max() < 1e-4
    assert abs(right - right[0]).max() > 0.05


def five_bar_tip():
    """Returns where the left tip of the five-bar is at the start."""
    simulation = Simulation(five_bar())
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("left_lower"))
    return X_WB @ RigidTransform([LOWER, 0, 0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "{initial_position: {five_bar: {left_elbow: [-1.0]}}}",
            "loops.tip: the loop is open by 0.0",
        ),
        (
            "{model_drivers: {five_bar: {loops: {tip: {child: right_lowr}}}}}",
            "loops.tip.child: unknown body 'right_lowr'; did you mean right_lower?",
        ),
        (
            "{model_drivers: {five_bar: {loops: {tip: {child: left_lower}}}}}",
            "loops.tip.child: parent and child are both of body left_lower",
        ),
        (
            "{model_drivers: {five_bar: {loops: {tip: {type: slider}}}}}",
            "loops.tip.type: unknown type 'slider'",
        ),
        (
            "{model_drivers: {five_bar: {loops: {tip: {axis: [0, 0, 0]}}}}}",
            "loops.tip.axis: x, y and z are all 0",
        ),
        (
            "{plant_config: {time_step: 0}, model_drivers: {five_bar:"
            " {basic_time_step: 0.008}}}",
            "a continuous plant (time_step 0) cannot hold a closed loop",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_place(text, problem):
    with pytest.raises(InputError) as raised:
        Simulation(five_bar(text))
    assert problem in str(raised.value)
