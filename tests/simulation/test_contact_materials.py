"""Webots' ContactProperties in a scenario."""

import math
import warnings

import numpy as np
import pytest
from free_bodies import Free, InOde
from pydrake.geometry import Box
from standing import scenario_text, write_models

from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

STEP = 0.016
PAIR = """  contact_properties:
  - {{material1: rubber, material2: wood, {}}}
  bodies:
    floor: {{body: {{contact_material: wood}}}}
    cube: {{body: {{contact_material: rubber}}}}
"""


@pytest.fixture
def simulation(tmp_path):
    """Returns a function that makes a simulation of a text."""
    write_models(tmp_path)

    def made(text: str) -> Simulation:
        file = tmp_path / "stand.yaml"
        file.write_text(text)
        return Simulation(load_scenario(file))

    return made


def way(simulation: Simulation) -> float:
    """Returns how far the cube has come in 2 s, m."""
    plant = simulation.plant
    root = simulation.simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    cube = plant.GetBodyByName("body", plant.GetModelInstanceByName("cube"))
    start = plant.EvalBodyPoseInWorld(context, cube).translation()
    simulation.advance_to(2.0)
    end = plant.EvalBodyPoseInWorld(context, cube).translation()
    return float(np.linalg.norm(end - start))


@pytest.mark.parametrize("mu", [0.2, 0.5])
@pytest.mark.parametrize("share", [0.97, 1.03])
def test_the_pairs_friction_holds_up_to_coulombs_angle(simulation, mu, share):
    slope = math.atan(share * mu)
    text = scenario_text(
        STEP, PAIR.format(f"coulomb_friction: [{mu}]"), math.degrees(slope)
    )
    free = 9.81 * (math.sin(slope) - mu * math.cos(slope)) * 2.0**2 / 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        came = way(simulation(text))
    if share < 1:
        assert came < 3e-3  # Drake's creep
    else:
        assert came == pytest.approx(free, rel=0.2)


@pytest.mark.parametrize(("yaw", "holds"), [(0, 1.0), (90, 1.0), (45, 2**0.5)])
def test_odes_pyramid_holds_more_on_the_diagonal_and_the_cone_does_not(
    simulation, yaw, holds
):
    mu = 0.4
    pair = PAIR.format(f"coulomb_friction: [{mu}]")
    for share in (0.97, 1.03):
        slope = math.atan(share * holds * mu)
        # ODE's directions of friction are those of its plane: gravity turns.
        body = Free(Box(0.1, 0.1, 0.1), [0, 0, 0.05 - 2e-4], friction=mu)
        ode = InOde([body], STEP, slope=slope)
        down = (
            9.81
            * math.sin(slope)
            * np.array(
                [math.cos(math.radians(yaw)), math.sin(math.radians(yaw))]
            )
        )
        ode.ode.dWorldSetGravity(ode._world, *down, -9.81 * math.cos(slope))
        ode.advance(1.6)
        came = np.linalg.norm(ode.places()[0, :2])
        assert (came < 5e-3) == (share < 1)
    # At the share at which ODE still holds, the cone slides by what is over mu N.
    slope = math.atan(0.97 * holds * mu)
    free = 9.81 * (math.sin(slope) - mu * math.cos(slope)) * 2.0**2 / 2
    text = scenario_text(STEP, pair, math.degrees(slope))
    assert way(simulation(text)) == pytest.approx(
        max(free, 0), rel=0.2, abs=3e-3
    )


def test_materials_without_an_entry_have_webots_defaults(simulation):
    # mu 1, whatever the model says (Drake's default is 0.5).
    rest = "  contact_properties: [{material1: a, material2: b}]\n"
    assert way(simulation(scenario_text(STEP, rest, 30.0))) < 3e-3


def test_a_bodys_own_friction_stays(simulation):
    rest = """  contact_properties: [{material1: a, material2: b}]
  bodies: {cube: {body: {friction: 0.1}}, floor: {body: {friction: 0.1}}}
"""
    came = way(simulation(scenario_text(STEP, rest, 20.0)))
    assert came == pytest.approx(
        9.81 * (math.sin(0.349) - 0.1 * math.cos(0.349)) * 2, rel=0.1
    )


def test_a_shapes_material_comes_before_its_bodys(simulation):
    rest = """  contact_properties:
  - {material1: default, material2: ice, coulomb_friction: [0.0]}
  bodies: {cube: {body: {shape_materials: {skin: ice}}}}
"""
    came = way(simulation(scenario_text(STEP, rest, 10.0)))
    assert came == pytest.approx(
        2 * 9.81 * math.sin(math.radians(10)), rel=0.02
    )


def test_softness_that_is_given_is_odes(simulation):
    cfm = 0.01
    text = scenario_text(STEP, PAIR.format(f"soft_cfm: {cfm}"))
    made = simulation(text)
    made.advance_to(2.0)
    context = made.plant.GetMyContextFromRoot(made.simulator.get_context())
    cube = made.plant.GetBodyByName(
        "body", made.plant.GetModelInstanceByName("cube")
    )
    height = made.plant.EvalBodyPoseInWorld(context, cube).translation()[2]

    def soften(surface):
        surface.soft_cfm = cfm

    ode = InOde([Free(Box(0.1, 0.1, 0.1), [0, 0, 0.05])], STEP, contact=soften)
    ode.advance(2.0)
    expected = 0.05 - ode.places()[0, 2]
    assert 0.15 - height == pytest.approx(expected, rel=0.1)  # its edges
    assert expected == pytest.approx(9.81 * cfm * STEP / 0.2 / 4, rel=0.01)


@pytest.mark.parametrize("field", ["soft_cfm: 1.0e-300", "soft_erp: 0"])
def test_what_is_very_hard_or_has_no_spring_does_not_fall_through(
    simulation, field
):
    made = simulation(scenario_text(STEP, PAIR.format(field)))
    made.advance_to(1.0)
    cube = made.plant.GetBodyByName(
        "body", made.plant.GetModelInstanceByName("cube")
    )
    context = made.plant.GetMyContextFromRoot(made.simulator.get_context())
    # Without a spring ODE lets it sink by 2.5 mm/s.
    assert 0.1 < cube.EvalPoseInWorld(context).translation()[2] < 0.1503


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rolling_friction: [0.01, 0, 0]", "0.01 (0.01 N m per N)"),
    ],
)
def test_what_drake_cannot_do_is_told_once_with_its_size(
    simulation, field, text
):
    with pytest.warns(MotorWarning, match="of rubber and wood") as caught:
        simulation(scenario_text(STEP, PAIR.format(field)))
    assert [text in str(w.message) for w in caught] == [True]


def test_pairs_that_cannot_be_met_are_told(simulation):
    rest = """  contact_properties:
  - {material1: w, material2: w, coulomb_friction: [5.0]}
  - {material1: w, material2: default, coulomb_friction: [0.1]}
  - {material1: default, material2: default, coulomb_friction: [5.0]}
  bodies: {cube: {body: {contact_material: w}}}
"""
    with warnings.catch_warnings():  # the only pair that meets can be met
        warnings.simplefilter("error")
        simulation(scenario_text(STEP, rest))


@pytest.mark.parametrize(
    ("rest", "place", "problem"),
    [
        (
            "  contact_properties: [{}, {}]\n",
            "contact_properties[1]",
            "are entry 0 already",
        ),
        (
            "  contact_properties: [{bounce: 1.5}]\n",
            "contact_properties[0].bounce",
            "1.5 is not allowed; must be from 0 to 1",
        ),
        (
            "  contact_properties: [{soft_cfm: 0}]\n",
            "contact_properties[0].soft_cfm",
            "must be above 0",
        ),
        (
            "  contact_properties: [{coulomb_friction: [-2]}]\n",
            "contact_properties[0].coulomb_friction[0]",
            "must be -1 (infinite) or at least 0",
        ),
        (
            "  contact_properties: [{coulomb_friction: [.nan]}]\n",
            "contact_properties[0].coulomb_friction[0]",
            "nan",
        ),
        (
            "  contact_properties: [{coulomb_friction: []}]\n",
            "contact_properties[0].coulomb_friction",
            "0 numbers; 1 to 4 are allowed",
        ),
        (
            "  bodies: {cube: {body: {contact_material: rubbr}}}\n"
            "  contact_properties: [{material1: rubber}]\n",
            "bodies.cube.body.contact_material",
            "did you mean rubber?",
        ),
        (
            "  bodies: {cube: {body: {shape_materials: {skn: default}}}}\n",
            "bodies.cube.body.shape_materials.skn",
            "did you mean skin?",
        ),
        (
            "  bodies: {cube: {bdy: {contact_material: default}}}\n",
            "bodies.cube.bdy",
            "did you mean body?",
        ),
        (
            "  bodies: {cub: {body: {contact_material: default}}}\n",
            "bodies.cub",
            "did you mean cube?",
        ),
        (
            "  bodies:\n    cube: {body: {contact_material: default,"
            " friction: 1}}\n",
            "bodies.cube.body.contact_material",
            "cannot both be given",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_place(
    simulation, rest, place, problem
):
    with pytest.raises(InputError) as raised:
        simulation(scenario_text(STEP, rest))
    assert f"Stand.{place}: " in str(raised.value)
    assert problem in str(raised.value)


def test_what_lands_keeps_no_view_of_a_context(simulation):
    # Drake's views keep a Context beyond its end; a later one at its address would be
    # taken for it, and reading it ends the process.
    made = simulation(scenario_text(STEP))
    made.advance_to(5 * STEP)
    kept = vars(made._landing._known)
    arrays = [value for value in kept.values() if type(value) is np.ndarray]
    assert any(array is kept["v"] for array in arrays)
    for array in arrays:
        base = array
        while type(base) is np.ndarray and base.base is not None:
            base = base.base
        assert type(base) is np.ndarray
