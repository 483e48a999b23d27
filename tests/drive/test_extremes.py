"""Numbers and commands that nobody sane gives: finite, or stopped by our error.

The questions of `test_implicit_motors` to one drive, put to the others.
"""

import re

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from mechanisms import (
    Rig,
    chain,
    driven,
    velocity_driver,
)
from pydrake.multibody.plant import MultibodyPlant
from random_rover import RandomRover

from webmotor_drake.data import MODELS, SCENARIOS
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.runner import run

ROVER = MODELS / "rover.urdf"

pytestmark = pytest.mark.filterwarnings(
    "ignore::webmotor_drake.errors.MotorWarning"
)


# --- the kinematic drive, its modes switched at random ---


@pytest.mark.slow
def test_kinematic_joints_repeat_a_random_run_to_the_bit():
    rover = RandomRover.build("kinematic")
    first = rover.run(1, 1000)
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(rover.run(1, 300), first[:300])
    assert not np.array_equal(rover.run(2, 100), first[:100])


@pytest.mark.slow
def test_two_random_runs_of_kinematic_joints_do_not_disturb_each_other():
    rover = RandomRover.build("kinematic")
    simulators = [rover.simulator(seed) for seed in (1, 2)]
    together = [[], []]
    for k in range(300):
        for states, simulator in zip(together, simulators, strict=True):
            states.append(rover.step(simulator, k))
    for seed, states in zip((1, 2), together, strict=True):
        alone = RandomRover.build("kinematic").run(seed, 300)
        np.testing.assert_array_equal(states, alone)


# --- masses, inertias, torques and gains ---


def two_links(
    masses: tuple[float, float],
    inertias: tuple[float, float],
    drive: str,
    **motor,
) -> tuple[MultibodyPlant, WebotsMotorDriver]:
    """Returns a plant and driver: two links that turn to 0.5 and -0.5 rad."""
    plant = new_plant(motor.pop("time_step", 0.008))
    parent = None
    for i, (mass, inertia) in enumerate(zip(masses, inertias, strict=True)):
        body = add_body(
            plant,
            f"link{i}",
            mass=mass,
            com=(0, 0, -0.1),
            inertia=[inertia] * 3,
        )
        at = (0, 0, -0.2 if parent else 0)
        add_joint(plant, f"joint{i}", body, parent=parent, at=at)
        parent = body
    driver = WebotsMotorDriver(
        drive=drive,
        motors={f"m{i}": RotationalMotor(f"joint{i}", **motor) for i in (0, 1)},
        commands=[
            TimedCommand(motor="m0", set_position=0.5),
            TimedCommand(motor="m1", set_position=-0.5),
        ],
    )
    return plant, driver


LIGHT, HEAVY = (1e-6, 1e-9), (1e4, 100.0)  # mass, inertia
EXTREMES = {
    "much torque": ((1.0, 0.01), (1.0, 0.01), {"max_torque": 1e9}),
    "heavy tip": ((1.0, 0.01), HEAVY, {"max_torque": 1e9}),
    "heavy root": (HEAVY, (1.0, 0.01), {"max_torque": 1e9}),
    "light": (LIGHT, LIGHT, {"max_torque": 1e9}),
    "light, heavy tip": (LIGHT, HEAVY, {"max_torque": 1e9}),
    "weak": ((1.0, 0.01), HEAVY, {"max_torque": 1.0, "time_step": 0.032}),
}


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("gain", [10.0, 1e4])
@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_stay_finite_and_within_bounds(name, gain, drive):
    one, other, motor = EXTREMES[name]
    plant, driver = two_links(
        *zip(one, other, strict=True),
        drive=drive,
        control_pid=[gain, 0, 0],
        **motor,
    )
    signals = Rig(*driven(plant, driver)).signals(200)
    for i, target in enumerate((0.5, -0.5)):
        position, velocity, effort = (
            signals[f"{MODEL}/m{i}/{name}"]
            for name in ("position", "velocity", "effort")
        )
        assert np.isfinite(position).all()
        assert np.isfinite(velocity).all()
        assert (np.abs(effort) <= motor["max_torque"]).all()
        if motor["max_torque"] == 1e9:
            # P = 1e4 swings about the target by max_velocity a step.
            assert position[-1] == pytest.approx(target, abs=0.1)


# --- and with contact ---

# What masses and inertias of the rover are multiplied with: a chassis of 20 g, 2 kg
# and 20 t; wheels with 2e-9, 2e-4 and 2 kg m² about the axle.
CHASSIS = (1e-2, 1.0, 1e4)
WHEELS = (1e-5, 1.0, 1e4)


def rover(chassis: float, wheels: float) -> str:
    """Returns the rover's URDF, masses and inertias multiplied."""
    links = re.split(r"(?=<link )", ROVER.read_text())
    for i, link in enumerate(links):
        factor = chassis if 'name="chassis"' in link else wheels
        links[i] = re.sub(
            r'((?:mass value|i[xyz]{2})=")([^"]+)',
            lambda m, factor=factor: f"{m[1]}{factor * float(m[2])}",
            link,
        )
    return "".join(links)


@pytest.mark.parametrize(
    "max_torque", [pytest.param(1e-3, marks=pytest.mark.slow), 1e9]
)
@pytest.mark.parametrize("wheels", WHEELS)
@pytest.mark.parametrize("chassis", CHASSIS)
def test_a_rover_of_any_mass_stays_finite_or_is_stopped(
    tmp_path, chassis, wheels, max_torque
):
    (tmp_path / "rover.urdf").write_text(rover(chassis, wheels))
    scenario = load_scenario(SCENARIOS / "rover.scenario.yaml", name="Drive")
    scenario.simulation_duration = 0.4
    (model,) = (
        directive.add_model
        for directive in scenario.directives
        if directive.add_model and directive.add_model.name == "rover"
    )
    model.file = str(tmp_path / "rover.urdf")
    driver = scenario.model_drivers["rover"]
    for motor in driver.motors.values():
        motor.max_torque = max_torque
        motor.control_pid = [1e4, 0, 0]
        motor.acceleration = -1
    driver.commands = [
        TimedCommand(motor=name, set_position=10.0) for name in driver.motors
    ]
    try:
        results = run(scenario)
    except SimulationError as error:
        assert "motor rover/" in str(error)
        return
    assert results.time[-1] == pytest.approx(0.4)
    for motor in results.motors:
        for signal in ("position", "velocity", "effort"):
            assert np.isfinite(results[f"{motor}/{signal}"]).all()
        assert np.abs(results[f"{motor}/effort"]).max() <= max_torque


@pytest.mark.parametrize("damping", [1e12, 1e18, 1e25])
def test_a_damper_beyond_measure_holds_still_as_a_strong_one_does(damping):
    # The damper's effort is what the motion needs, not 1e18 times a rounding error.
    states = []
    for constant in (1e9, damping):
        plant = chain(0.008, 3, np.random.default_rng(1))
        driver = velocity_driver(
            plant,
            {"joint0": 0.5, "joint2": 0.3},
            bounds={"joint0": 50, "joint2": 50},
            drive="torque",
        )
        driver.joints["joint1"] = JointParameters(damping_constant=constant)
        driver.brakes["brake"] = Brake(joint="joint0")
        driver.commands.append(
            TimedCommand(time=0.5, brake="brake", set_damping_constant=constant)
        )
        rig = Rig(*driven(plant, driver))
        simulator = rig.simulator()
        simulator.AdvanceTo(1.0)
        states.append(rig.state(simulator))
    # 1e9 N m s/rad still gives way by 1e-7 rad/s under 50 N m.
    np.testing.assert_allclose(states[1], states[0], rtol=0, atol=1e-6)
