"""Damped bodies lose Webots' share of their velocity."""

import warnings

import numpy as np
import pytest
from standing import write_models

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

TEXT = """
Float:
  plant_config: {{time_step: {step}}}
  simulation_duration: 0.96
  directives:
  - add_model: {{name: cube, file: cube.urdf}}
  - add_model: {{name: arm, file: package://webmotor_models/pendulum.urdf}}
  - add_weld: {{parent: world, child: arm::base, X_PC: {{translation: [0, 0, 9]}}}}
  model_drivers:
    arm: !WebotsMotorDriver
      basic_time_step: 0.032
      motors: {{m: !RotationalMotor {{joint: hinge}}}}
{rest}"""
STEPS = [0.001, 0.032]


@pytest.fixture
def made(tmp_path):
    write_models(tmp_path)

    def make(rest: str, step: float = 0.008) -> Simulation:
        file = tmp_path / "float.yaml"
        file.write_text(TEXT.format(step=step, rest=rest))
        return Simulation(load_scenario(file))

    return make


def after_a_second(simulation: Simulation) -> np.ndarray:
    """Returns what is left of velocity and spin of 1 after 0.96 s, shape (6,)."""
    plant = simulation.plant
    root = simulation.simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    cube = plant.GetBodyByName("body")
    plant.mutable_gravity_field()
    start = cube.floating_velocities_start_in_v()
    v = plant.GetVelocities(context)
    v[start : start + 6] = [1, 0, 0, 0, 1, 0]
    plant.SetVelocities(context, v)
    simulation.advance_to(0.96)
    return plant.GetVelocities(context)[start : start + 6]


@pytest.mark.parametrize("step", STEPS)
def test_the_decay_is_exact_at_any_step(made, step):
    made = made(
        "  default_damping: {linear: 0.3, angular: 0.6}\n"
        "  bodies: {cube: {body: {damping: {linear: 0.9, angular: 0.5}}}}\n",
        step,
    )
    left = after_a_second(made)
    # Rounding only: each step multiplies by the same factor.
    assert left[0] == pytest.approx(0.5**0.96, rel=1e-9)
    assert left[4] == pytest.approx(0.1**0.96, rel=1e-9)


def test_zero_does_not_switch_the_worlds_damping_off(made):
    simulation = made(
        "  default_damping: {linear: 0.3, angular: 0.6}\n"
        "  bodies: {cube: {body: {damping: {linear: 0, angular: 0}}}}\n"
    )
    left = after_a_second(simulation)
    assert left[[0, 4]] == pytest.approx([0.4**0.96, 0.7**0.96], rel=1e-9)


def test_all_velocity_may_be_lost_in_a_step(made):
    left = after_a_second(made("  default_damping: {linear: 1, angular: 1}\n"))
    assert left[0] == pytest.approx(0, abs=1e-12)


def test_a_falling_body_reaches_its_last_speed(made):
    # v = (v + g h)(1 - c) at rest of the sum: g h (1 - c) / c, ODE's.
    step, damping = 0.008, 0.9999
    simulation = made(f"  default_damping: {{linear: {damping}}}\n", step)
    speed = after_a_second(simulation)[5]
    c = 1 - (1 - damping) ** step
    # Forces act before gravity here, after it in ODE: one step of g more.
    assert speed == pytest.approx(-9.81 * step / c, rel=1e-3)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_motors_reach_their_velocity_against_damping(made, drive):
    simulation = made("  default_damping: {linear: 0.9, angular: 0.9}\n")
    scenario = simulation.scenario
    scenario.model_drivers["arm"].drive = drive
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = Simulation(scenario).run()
    # It holds its position under damping and gravity.
    assert abs(results["arm/m/position"]).max() < 1e-3


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        (
            "  default_damping: {linear: 1.1}\n",
            "Float.default_damping.linear: 1.1 1/s is not allowed; must be from 0 to 1",
        ),
        (
            "  bodies: {cube: {body: {damping: {angular: -0.1}}}}\n",
            "Float.bodies.cube.body.damping.angular: -0.1",
        ),
        ("  default_damping: {linear: .nan}\n", "default_damping.linear: nan"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(made, rest, problem):
    with pytest.raises(InputError) as raised:
        made(rest)
    assert problem in str(raised.value)


def test_a_continuous_plant_cannot_stop_at_once(made):
    with pytest.raises(InputError, match="a damping below 1 is allowed"):
        made("  default_damping: {linear: 1}\n", 0.0)
