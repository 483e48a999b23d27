"""Rolling friction of ContactProperties, against ODE's, from a scenario."""

import numpy as np
import pytest
from free_bodies import Free, InOde
from pydrake.geometry import Sphere
from standing import BALL, LINK, scenario_text, write_models

from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

RADIUS, INERTIA = 0.1, 0.004
ENTRY = "  contact_properties: [{{rolling_friction: {}}}]\n"


@pytest.fixture
def ball(tmp_path):
    """Returns a function that makes a ball on a floor, with its velocities."""
    write_models(tmp_path)
    text = LINK.format(mass=1, i=INERTIA, shape=BALL)
    (tmp_path / "ball.urdf").write_text(text)

    def made(step: float, rolling: list[float], v: list[float]) -> Simulation:
        text = scenario_text(step, ENTRY.format(rolling))
        text = text.replace("cube.urdf", "ball.urdf").replace("0.04995", "0.1")
        file = tmp_path / "roll.yaml"
        file.write_text(text)
        simulation = Simulation(load_scenario(file))
        root = simulation.simulator.get_mutable_context()
        context = simulation.plant.GetMyMutableContextFromRoot(root)
        simulation.plant.SetVelocities(context, v)
        return simulation

    return made


def state(simulation: Simulation) -> tuple[np.ndarray, np.ndarray]:
    context = simulation.plant.GetMyContextFromRoot(
        simulation.simulator.get_context()
    )
    plant = simulation.plant
    return plant.GetPositions(context), plant.GetVelocities(context)


@pytest.mark.parametrize("step", [0.004, 0.032])
def test_a_ball_rolls_as_far_as_in_ode(ball, step):
    rho = 0.01

    def resist(surface):
        surface.mode |= ode.ode.dContactRolling
        surface.rho = rho

    made = ball(step, [rho, 0, 0], [0, 10, 0, 1, 0, 0])
    rolling = Free(
        Sphere(RADIUS), [0, 0, RADIUS], velocity=(1, 0, 0), spin=(0, 10, 0)
    )
    ode = InOde([rolling], step, contact=resist)
    places = []
    for time in (0.64, 1.92):
        made.advance_to(time)
        ode.advance(time - (0.64 if places else 0))
        q, v = state(made)
        places.append(q[-3])
        # The first step is without contact: one step's way more, and its speed.
        assert q[-3] == pytest.approx(ode.places()[0, 0], abs=2 * step)
        slower = 1.5 * rho * 9.81 * step / 0.14
        assert v[3] == pytest.approx(ode.velocities()[0, 0], abs=slower)
    # v^2 / 2 a with a = rho g / (r (1 + 2/5)), and it stays there.
    assert places[1] == pytest.approx(1 / (2 * rho * 9.81 / 0.14), rel=0.05)
    # It creeps to rest: 0.7 of its speed is left after each step.
    assert abs(v).max() < 5e-3


def test_a_ball_that_spins_is_braked_by_the_third_number(ball):
    made = ball(0.008, [0, 0, 0.001], [0, 0, 5, 0, 0, 0])
    made.advance_to(0.8)
    expected = 5 - 0.001 * 9.81 / INERTIA * 0.8
    # One step of 100 is without contact.
    assert state(made)[1][2] == pytest.approx(expected, rel=0.02)


def test_a_ball_whose_rolling_friction_is_infinite_does_not_roll(ball):
    made = ball(0.008, [-1, 0, 0], [0, 0, 0, 0.2, 0, 0])
    made.advance_to(0.4)
    # In Webots -1 is without a bound; a bound of -1 N m per N would drive the ball.
    assert abs(state(made)[1][:3]).max() < 1e-6


def test_wheels_need_the_torque_that_rolling_takes():
    scenario = load_scenario(
        "package:rover",
        name="Drive",
        text="{simulation_duration: 1.5, plant_config: {time_step: 0.004},"
        " contact_properties: [{}]}",
    )
    efforts = []
    for rho in (0.0, 0.01):
        scenario.contact_properties[0].rolling_friction = [rho, 0, 0]
        made = Simulation(scenario)
        made.advance_to(1.5)
        rover = made.plant.GetModelInstanceByName("rover")
        signals = made.results().signals
        efforts.append(
            sum(v[-1] for k, v in signals.items() if k.endswith("/effort"))
        )
    context = made.plant.CreateDefaultContext()
    mass = made.plant.CalcTotalMass(context, [rover])
    # rho of the weight, at steady speed.
    assert efforts == pytest.approx([0, 0.01 * mass * 9.81], abs=1e-5)


def test_patches_do_not_resist_and_say_so(tmp_path):
    write_models(tmp_path)
    file = tmp_path / "box.yaml"
    file.write_text(scenario_text(0.016, ENTRY.format([0.01, 0, 0])))
    with pytest.warns(MotorWarning, match="rolling_friction 0.01 .0.01 N m"):
        Simulation(load_scenario(file))
