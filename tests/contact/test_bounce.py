"""Bounce of ContactProperties, against ODE's, from a scenario."""

import numpy as np
import pytest
from free_bodies import Free, InOde
from pydrake.geometry import Box, Sphere
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context
from standing import LINK, scenario_text, write_models

from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

RADIUS = 0.1
ENTRY = "  contact_properties: [{{bounce: {}}}]\n"


@pytest.fixture
def dropped(tmp_path):
    """Returns a function that makes a simulation of what falls by 1 m."""
    write_models(tmp_path)

    def made(
        step: float, rest: str, shape: str = "ball", tilt: float = 0.0
    ) -> Simulation:
        size = RADIUS if shape == "ball" else half_height(tilt)
        text = scenario_text(step, rest).replace("cube.urdf", f"{shape}.urdf")
        text = text.replace(
            "0.04995]",
            f"{1 + size}], rotation: !Rpy {{deg: [{tilt}, 0, 0]}}",
        )
        text = text.replace("duration: 2.0", "duration: 3.2")
        file = tmp_path / "drop.yaml"
        file.write_text(text)
        return Simulation(load_scenario(file))

    return made


def body_of(simulation: Simulation, model: str) -> RigidBody:
    plant = simulation.plant
    return plant.GetBodyByName("body", plant.GetModelInstanceByName(model))


def context_of(simulation: Simulation) -> Context:
    root = simulation.simulator.get_mutable_context()
    return simulation.plant.GetMyMutableContextFromRoot(root)


def half_height(tilt: float) -> float:
    """Returns how far the lowest point of a tilted cube is below its centre, m."""
    angle = np.deg2rad(tilt)
    return float(0.05 * (np.cos(angle) + np.sin(angle)))


def heights(simulation: Simulation, step: float, until: float = 1.0):
    """Returns how high the lowest point of the body is after each step, m."""
    body, context = body_of(simulation, "cube"), context_of(simulation)
    places = []
    for i in range(round(until / step)):
        simulation.advance_to((i + 1) * step)
        places.append(body.EvalPoseInWorld(context).translation()[2])
    # The floor's top is at 0.1 m.
    return np.array(places) - places[0] + 1.0


def odes(shape, size: float, step: float, bounce: float, tilt: float = 0.0):
    free = Free(shape, [0, 0, 1 + size], (np.deg2rad(tilt), 0, 0))
    ode = InOde([free], step, bounce=bounce)
    places = []
    for _ in range(round(1 / step)):
        ode.advance(step)
        places.append(ode.places()[0, 2])
    return np.array(places) - places[0] + 1.0


def rise(heights, step: float) -> float:
    """Returns how high it comes between the first touch and the second, m."""
    return float(heights[round(0.5 / step) :].max())


@pytest.mark.parametrize("bounce", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("step", [0.001, 0.004, 0.008, 0.032])
def test_a_ball_rises_as_high_as_in_ode(dropped, step, bounce):
    ours = heights(dropped(step, ENTRY.format(bounce)), step)
    expected = odes(Sphere(RADIUS), RADIUS, step, bounce)
    # Measured 2 mm at most; ODE's contact is softer while the ball leaves.
    assert rise(ours, step) == pytest.approx(
        rise(expected, step), abs=3e-3, rel=0.01
    )


def test_the_default_of_webots_lets_it_rise_by_odes_112_mm(dropped):
    ours = heights(dropped(0.008, ENTRY.format(0.5)), 0.008)
    assert rise(ours, 0.008) == pytest.approx(0.112, abs=2e-3)


@pytest.mark.parametrize("tilt", [0, 45])
@pytest.mark.parametrize("step", [0.001, 0.002, 0.004, 0.008, 0.016, 0.032])
def test_a_cube_on_a_face_or_an_edge_rises_as_high_as_in_ode(
    dropped, step, tilt
):
    ours = heights(dropped(step, ENTRY.format(0.5), "cube", tilt), step)
    cube = Box(0.1, 0.1, 0.1)
    expected = odes(cube, half_height(tilt), step, 0.5, tilt)
    # Measured 1 mm; its patch begins 1 mm above the floor. At 1 ms 4.5: ODE lifts
    # what the last step let in.
    near = 6e-3 if step == 0.001 else 3e-3
    assert rise(ours, step) == pytest.approx(rise(expected, step), abs=near)


@pytest.mark.parametrize("step", [0.008, 0.032])
def test_what_strikes_askew_keeps_what_friction_leaves(dropped, step):
    made = dropped(step, ENTRY.format(0.5))
    body, context = body_of(made, "cube"), context_of(made)
    v = made.plant.GetVelocities(context)
    v[-3] = 2.0
    made.plant.SetVelocities(context, v)
    made.advance_to(0.6)
    left = body.EvalSpatialVelocityInWorld(context)
    # It rolls on: v (1 - m r^2 / (I + m r^2)), to a thousandth for the creep.
    share = 1 - 0.01 / (0.01 + 0.00167)
    assert 2 - left.translational()[0] == pytest.approx(2 * share, rel=2e-3)
    assert left.rotational()[1] == pytest.approx(
        left.translational()[0] / RADIUS, rel=2e-3
    )


OTHER = """  - add_model:
      name: other
      file: cube.urdf
      default_free_body_pose:
        body: {base_frame: top, translation: [0, 0, 2.2]}
  recorded_bodies"""


@pytest.mark.parametrize("step", [0.008, 0.032])
def test_boxes_bounce_off_each_other_as_in_ode(tmp_path, step):
    write_models(tmp_path)
    text = scenario_text(step, "  default_bounce: 0.5\n")
    text = text.replace("0.04995", "2.0").replace("  recorded_bodies", OTHER)
    file = tmp_path / "two.yaml"
    file.write_text(text)
    made = Simulation(load_scenario(file))
    cubes = [body_of(made, name) for name in ("cube", "other")]
    context = context_of(made)
    v = made.plant.GetVelocities(context)
    v[-1] = -2.0  # of the one that was added last, along z
    made.plant.SetVelocities(context, v)
    made.advance_to(0.16)
    down = Free(Box(0.1, 0.1, 0.1), [0, 0, 2.2], velocity=(0, 0, -2))
    ode = InOde([Free(down.shape, [0, 0, 2]), down], step, bounce=0.5)
    ode.advance(0.16)
    ours = [
        c.EvalSpatialVelocityInWorld(context).translational() for c in cubes
    ]
    assert np.allclose(ours, ode.velocities(), atol=0.02)


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "  contact_properties: [{}]\n",
        "  default_bounce: 0\n",
        "  contact_properties: [{bounce: 0}]\n  default_bounce: 0.5\n",
    ],
)
def test_nothing_bounces_unless_the_scenario_says_so(dropped, rest):
    assert rise(heights(dropped(0.008, rest), 0.008), 0.008) < 1e-3


@pytest.mark.parametrize(
    "rest",
    [
        "  default_bounce: 0.5\n",
        "  contact_properties: [{}]\n  default_bounce: 0.5\n",
        "  contact_properties: [{material1: a}]\n  default_bounce: 0.5\n",
    ],
)
def test_what_says_nothing_has_the_default_bounce(dropped, rest):
    made = heights(dropped(0.008, rest), 0.008)
    assert rise(made, 0.008) == pytest.approx(0.112, abs=3e-3)


def test_a_plant_with_sampled_ports_bounces_alike(dropped):
    rest = ENTRY.format(0.5) + "  cameras: {eye: {}}\n"
    made = dropped(0.016, rest, "cube", 45)
    assert made.plant.has_sampled_output_ports()
    expected = rise(
        heights(dropped(0.016, ENTRY.format(0.5), "cube", 45), 0.016), 0.016
    )
    assert rise(heights(made, 0.016), 0.016) == pytest.approx(
        expected, rel=1e-3
    )


# Its sides meet at an angle of 0.06 or 0.2 degrees; Drake has no distances from an
# edge of less than 0.1 degrees.
WEDGE = """v -.3 -.3 0\nv .3 -.3 0\nv .3 .3 0\nv -.3 .3 0\nv -.3 -.3 {h}
v -.3 .3 {h}\nf 1 4 3 2\nf 1 2 5\nf 4 6 3\nf 1 5 6 4\nf 2 3 6 5\n"""
LIES_THERE = """
  - add_model:
      name: wedge
      file: wedge.urdf
      default_free_body_pose:
        body: {base_frame: top, translation: [-0.3, 0, 0.0005]}
  - add_model:
      name: cube"""


def test_an_edge_too_sharp_for_drakes_distances_ends_no_run(tmp_path):
    (tmp_path / "wedge.obj").write_text(WEDGE.format(h=2e-4))
    write_models(tmp_path)
    shape = '<mesh filename="wedge.obj"><drake:declare_convex/></mesh>'
    (tmp_path / "wedge.urdf").write_text(
        LINK.format(mass=1, i=0.1, shape=shape)
    )
    text = scenario_text(0.008, ENTRY.format(0.5)).replace("0.04995", "0.1")
    file = tmp_path / "drop.yaml"
    file.write_text(
        text.replace("\n  - add_model:\n      name: cube", LIES_THERE)
    )
    simulation = Simulation(load_scenario(file))
    simulation.run()
    assert simulation.time == pytest.approx(2.0)


@pytest.mark.parametrize("shape", ["ball", "cube"])
def test_what_bounces_comes_to_rest(dropped, shape):
    ours = heights(dropped(0.016, ENTRY.format(0.5), shape), 0.016, 3.0)
    # Where it lies at last, to a hundredth of a millimetre.
    assert np.ptp(ours[-20:]) < 1e-5


def test_a_slower_body_than_bounce_velocity_does_not_bounce(dropped):
    rest = "  contact_properties: [{bounce: 0.9, bounce_velocity: 10}]\n"
    assert rise(heights(dropped(0.008, rest), 0.008), 0.008) < 1e-3


def test_the_same_run_has_the_same_bits(dropped):
    one, two = (
        heights(dropped(0.008, ENTRY.format(0.8)), 0.008) for _ in range(2)
    )
    assert np.array_equal(one, two)


def test_a_continuous_plant_says_that_nothing_bounces(tmp_path):
    write_models(tmp_path)
    text = scenario_text(0.0, ENTRY.format(0.5)).partition("  model_drivers")
    file = tmp_path / "continuous.yaml"
    file.write_text(text[0] + ENTRY.format(0.5))
    with pytest.warns(MotorWarning, match="nothing bounces on a continuous"):
        Simulation(load_scenario(file))
