"""Wheels, grippers, legs: the contact scenarios do what their comments say.

With the drive that nobody asked for: `auto`.
"""

import math
import warnings

import numpy as np
import pytest
from ode_here import ode_or_skip
from pydrake.multibody.plant import DiscreteContactApproximation
from pydrake.systems.framework import Context

from webmotor_drake.comparison.known_models import prepare
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

NAMES = [
    ("rover", "Drive"),
    ("rover", "Parked"),
    ("differential", "Slope"),
    ("differential", "Ice"),
    ("gripper", "Lift"),
    ("gripper", "Blocked"),
    ("piston", "Piston"),
    ("quadruped", "StandUp"),
]
WEIGHT = 9.81


def load(file: str, name: str, **fields) -> Scenario:
    scenario = load_scenario(SCENARIOS / f"{file}.scenario.yaml", name=name)
    for field, value in fields.items():
        setattr(scenario.plant_config, field, value)
    return scenario


def at(results: Results, signal: str, time: float) -> float:
    row = np.searchsorted(results.time, time - 1e-9)
    return results[signal][row]


def between(results: Results, signal: str, start: float, end: float):
    return results[signal][(results.time > start) & (results.time <= end)]


@pytest.mark.parametrize(("file", "name"), NAMES)
def test_the_default_is_the_implicit_drive_and_there_is_no_warning(file, name):
    scenario = load(file, name)
    assert {d.drive for d in scenario.model_drivers.values()} == {"auto"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = Simulation(scenario)
    for motors in simulation.motors.values():
        assert motors.drive == "implicit"
        assert " can touch " in motors.drive_reason


# --- a wheel on the ground, against ODE's ---

SPEED = 10.0
# ODE's front and rear wheels after each step: the rover at rest, all wheels told
# 10 rad/s. At 1 ms the torque of 1 N m does not suffice at first.
ODE_SPEEDS = {
    0.001: [
        (5.01496, 9.99999, 10.0, 10.0, 10.0),
        (2.04827, 3.72394, 6.32863, 8.92996, 9.99999),
    ],
    0.008: [(10.0,) * 5, (9.99999, 10.0, 10.0, 10.0, 10.0)],
    0.032: [(10.0,) * 5, (10.0,) * 5],
}


def rover(time_step: float, **fields) -> Scenario:
    """Returns the rover of which all wheels are told a speed, without a ramp."""
    scenario = load("rover", "Drive", time_step=time_step, **fields)
    scenario.simulation_duration = 40 * time_step
    driver = scenario.model_drivers["rover"]
    for motor in driver.motors.values():
        motor.acceleration = -1
    driver.commands = [
        TimedCommand(motor=name, set_position=math.inf, set_velocity=SPEED)
        for name in driver.motors
    ]
    return scenario


def wheels(results: Results) -> np.ndarray:
    """Returns the speeds of all wheels after each step, shape (steps, 4)."""
    return np.transpose([results[f"{m}/velocity"][1:] for m in results.motors])


def steps_to(speed: np.ndarray) -> int:
    """Returns after how many steps a speed stays within 0.2 % of the command."""
    off = np.flatnonzero(np.abs(speed - SPEED) > 0.002 * SPEED)
    return int(off[-1]) + 2 if off.size else 1


@pytest.mark.parametrize("time_step", ODE_SPEEDS)
def test_a_wheel_reaches_its_speed_when_odes_does(time_step):
    results = Simulation(rover(time_step)).run()
    for i, speed in enumerate(wheels(results).T):
        expected = steps_to(np.array(ODE_SPEEDS[time_step][i % 2]))
        assert abs(steps_to(speed) - expected) <= 1
    for motor in results.motors:
        assert np.abs(results[f"{motor}/effort"]).max() <= 1.0


@pytest.mark.parametrize("time_step", ODE_SPEEDS)
def test_odes_wheel_still_does_what_is_noted_here(time_step):
    ode_or_skip()
    results = prepare("ode", rover(time_step), None)(None)
    expected = np.transpose(ODE_SPEEDS[time_step] * 2)
    np.testing.assert_allclose(wheels(results)[:5], expected, rtol=0, atol=2e-5)


def test_the_torque_drive_is_not_for_wheels():
    # Why auto does not take it: it is blind to the rover's mass.
    scenario = rover(0.008)
    scenario.model_drivers["rover"].drive = "torque"
    speeds = wheels(Simulation(scenario).run())
    assert np.abs(speeds[1] - SPEED).min() > 5


@pytest.mark.parametrize(
    "contact",
    [
        name[1:].lower()
        for name in DiscreteContactApproximation.__members__
        if name != "kTamsi"
    ],
)
def test_every_contact_approximation_works(contact):
    # sap and similar let contacts glide, which takes the rear wheels longer.
    scenario = rover(0.008, discrete_contact_approximation=contact)
    for speed in wheels(Simulation(scenario).run()).T:
        assert steps_to(speed) <= (1 if contact == "lagged" else 10)


def test_on_tamsi_auto_takes_the_torque_drive():
    if not hasattr(DiscreteContactApproximation, "kTamsi"):
        pytest.skip("this Drake has no tamsi any more")
    scenario = rover(0.001, discrete_contact_approximation="tamsi")
    motors = Simulation(scenario).motors["rover"]
    assert motors.drive == "torque"
    assert motors.drive_reason.endswith(
        "but implicit does not work with the contact approximation tamsi"
    )
    scenario.model_drivers["rover"].drive = "implicit"
    with pytest.raises(InputError) as caught:
        Simulation(scenario)
    assert "Drive.model_drivers.rover.drive: implicit" in str(caught.value)


@pytest.mark.slow
def test_the_rover_goes_where_its_wheels_roll():
    simulation = Simulation(load("rover", "Drive"))
    body = simulation.plant.GetBodyByName("chassis")

    def plant_context() -> Context:
        root = simulation.simulator.get_context()
        return simulation.plant.GetMyContextFromRoot(root)

    simulation.simulator.AdvanceTo(2.4)
    X_WB = body.EvalPoseInWorld(plant_context())
    # 8 rad/s for 0.9 s and two ramps of 0.4 s, on wheels of 5 cm; contact slips
    # by less than a millimetre.
    assert X_WB.translation()[0] == pytest.approx(0.05 * 8 * 1.3, abs=1e-3)
    assert X_WB.translation()[1] == pytest.approx(0, abs=1e-6)
    simulation.simulator.AdvanceTo(5.0)
    R_WB = body.EvalPoseInWorld(plant_context()).rotation()
    assert abs(R_WB.ToQuaternion().z()) > 0.1  # it has turned
    velocity = body.EvalSpatialVelocityInWorld(plant_context())
    np.testing.assert_allclose(velocity.get_coeffs(), 0, atol=1e-4)


# --- creep ---


def creep(file: str, name: str, moved: str, frame: str, until: float) -> float:
    """Returns how far a body moves in 60 s, m: 15 times what it does in 4 s."""
    scenario = load(file, name)
    for driver in scenario.model_drivers.values():
        driver.commands = [c for c in driver.commands if c.time < until]
    simulation = Simulation(scenario)
    plant, simulator = simulation.plant, simulation.simulator

    def place() -> np.ndarray:
        return plant.CalcRelativeTransform(
            plant.GetMyContextFromRoot(simulator.get_context()),
            plant.GetBodyByName(frame).body_frame(),
            plant.GetBodyByName(moved).body_frame(),
        ).translation()

    simulator.AdvanceTo(until)
    start = place()
    simulator.AdvanceTo(until + 4.0)
    return 15 * float(np.linalg.norm(place() - start))


@pytest.mark.slow
def test_a_parked_rover_creeps_less_than_a_tenth_of_a_millimetre():
    # 0.079 mm over a full minute too: benchmarks/contact.py creep.
    assert creep("rover", "Parked", "chassis", "world", 1.0) < 1e-4


@pytest.mark.slow
def test_a_held_box_creeps_less_than_a_tenth_of_a_millimetre():
    # 0.060 mm over a full minute too: benchmarks/contact.py creep.
    assert creep("gripper", "Lift", "box", "palm", 2.5) < 1e-4


# --- the differential ---


@pytest.mark.slow
def test_the_differential_splits_a_torque_40_to_60():
    results = Simulation(load("differential", "Slope")).run()
    efforts = [at(results, f"{m}/effort", 2.0) for m in results.motors]
    np.testing.assert_array_equal(
        efforts, [0.2 * 0.4, 0.2 * 0.4, 0.3 * 0.4, 0.3 * 0.4]
    )
    # What is left over after the slope's share goes into the dampers, all
    # wheels as fast: 0.4 N m - 2.64 kg * g * sin 10° * 5 cm = 0.02 w.
    w = (0.4 - 2.64 * WEIGHT * math.sin(math.radians(10)) * 0.05) / 0.02
    speeds = [at(results, f"{m}/velocity", 4.0) for m in results.motors]
    # It comes near with a time constant of half a second.
    np.testing.assert_allclose(speeds, w, rtol=0.02)


@pytest.mark.slow
def test_a_wheel_on_ice_spins_up_alone():
    results = Simulation(load("differential", "Ice")).run()
    left, right = "rover/axle::front left", "rover/axle::front right"
    # Its damper takes all but friction's 0.02 * 2 / 1.02 of the load's share.
    on_ice = at(results, f"{left}/velocity", 1.2)
    assert 0.08 / 0.005 * 0.8 < on_ice < 0.08 / 0.005
    assert at(results, f"{right}/velocity", 1.2) < 6
    # Later both front wheels have grip again.
    assert at(results, f"{left}/velocity", 2.5) == pytest.approx(
        at(results, f"{right}/velocity", 2.5), abs=0.05
    )


# --- the gripper ---


@pytest.mark.slow
def test_the_gripper_lifts_the_box_with_its_whole_force():
    simulation = Simulation(load("gripper", "Lift"))
    plant, simulator = simulation.plant, simulation.simulator
    simulator.AdvanceTo(2.9)
    results = simulation.results()
    for finger, force in (("left", 10.0), ("right", 5.0)):
        motor = f"hand/grip::{finger}"
        held = between(results, f"{motor}/effort", 1.0, 2.9)
        np.testing.assert_array_equal(held, force)
        assert between(results, f"{motor}/saturated", 1.0, 2.9).all()
    # Hand and box hang on the lift, 0.9 kg.
    assert at(results, "hand/lift motor/effort", 2.8) == pytest.approx(
        0.9 * WEIGHT, abs=1e-3
    )
    context = plant.GetMyContextFromRoot(simulator.get_context())
    box = plant.GetBodyByName("box").EvalPoseInWorld(context).translation()
    assert box[2] == pytest.approx(0.0255 + 0.15, abs=1e-3)


@pytest.mark.slow
def test_a_blocked_finger_pushes_while_its_sibling_goes_on():
    results = Simulation(load("gripper", "Blocked")).run()
    left, right = "hand/grip::left", "hand/grip::right"
    for motor in (left, right):
        assert at(results, f"{motor}/target_position", 1.5) == 0.02
    # The post is in the way at 1 cm.
    blocked = between(results, f"{right}/position", 0.5, 2.0)
    np.testing.assert_allclose(blocked, 0.01, atol=1e-5)
    for signal in ("effort", "feedback", "effort_limit"):
        np.testing.assert_array_equal(
            between(results, f"{right}/{signal}", 0.5, 2.0), 5.0
        )
    assert at(results, f"{left}/position", 1.9) == pytest.approx(0.02, abs=1e-6)
    assert np.abs(between(results, f"{left}/effort", 0.5, 2.0)).max() < 0.1
    assert not between(results, f"{left}/saturated", 0.5, 2.0).any()
    # Both open when told: 10 per second of what is left of the way.
    for motor in (left, right):
        assert at(results, f"{motor}/position", 4.0) < 1e-6


# --- the piston ---


@pytest.mark.slow
def test_the_piston_pushes_and_saturates():
    results = Simulation(load("piston", "Piston")).run()
    effort, velocity = "piston/rod motor/effort", "piston/rod motor/velocity"
    assert between(results, effort, 0.1, 0.4).max() < 1e-6
    # Speeding up 21 kg against friction takes all there is: 1.5 m/s^2.
    np.testing.assert_array_equal(between(results, effort, 0.52, 0.6), 130.0)
    rates = between(results, velocity, 0.55, 0.6)
    acceleration = np.diff(rates) / 0.008
    friction = 20 * WEIGHT / 2
    np.testing.assert_allclose(acceleration, (130 - friction) / 21, rtol=0.02)
    # Then friction is left, and the servo's softness.
    assert at(results, effort, 1.9) == pytest.approx(friction, abs=0.1)
    assert at(results, velocity, 1.9) == pytest.approx(
        0.2 - 1e-5 * friction, abs=1e-5
    )
    np.testing.assert_array_equal(between(results, effort, 2.01, 2.7), 90.0)
    # 90 N don't move the crate; what moves are its feet, 1e-4 m/s each
    # (stiction_tolerance) and not all the same way.
    assert abs(at(results, velocity, 2.69)) < 4e-4


# --- legs ---


@pytest.mark.slow
def test_the_quadruped_stands_up():
    simulation = Simulation(load("quadruped", "StandUp"))
    plant, simulator = simulation.plant, simulation.simulator

    def height() -> float:
        context = plant.GetMyContextFromRoot(simulator.get_context())
        X_WB = plant.GetBodyByName("trunk").EvalPoseInWorld(context)
        np.testing.assert_allclose(
            X_WB.rotation().matrix(), np.eye(3), atol=5e-3
        )
        return X_WB.translation()[2]

    simulator.AdvanceTo(0.4)
    assert height() == pytest.approx(0.06, abs=1e-3)
    simulator.AdvanceTo(2.9)
    # Thighs and shanks of 15 cm, 0.4 rad off the vertical, on feet of 2 cm.
    assert height() == pytest.approx(0.3 * math.cos(0.4) + 0.02, abs=2e-3)
    results = simulation.results()
    knees = [motor for motor in results.motors if motor.endswith("knee")]
    lying, standing = (
        np.mean([at(results, f"{knee}/effort", time) for knee in knees])
        for time in (0.4, 2.88)
    )
    # The shanks' weight, 0.2 kg 7.5 cm off the knee.
    shank = 0.2 * WEIGHT * 0.075 * math.sin(1.44)
    assert lying == pytest.approx(-shank, abs=0.01)
    # The trunk's 5 kg, half the thighs', on four knees 15 cm * sin 0.4 ahead.
    assert standing == pytest.approx(1.0, abs=0.2)
