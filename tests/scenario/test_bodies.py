"""Masses and friction that differ from what a model's file says."""

import dataclasses as dc

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.simulation.diagram import assemble


def plant_and_scene_graph(scenario, bodies):
    assembly = assemble(dc.replace(scenario, bodies=bodies))
    return assembly.plant, assembly.scene_graph


def inertia(plant, name):
    context = plant.CreateDefaultContext()
    body = plant.GetBodyByName(name)
    return body.CalcSpatialInertiaInBodyFrame(context).CopyToFullMatrix6()


@pytest.mark.parametrize(
    ("file", "name", "model", "body"),
    [
        ("package:pendulum", "Lift", "arm", "link"),  # SDF
        ("package:rover", "Drive", "rover", "chassis"),  # URDF
    ],
)
def test_a_mass_is_what_drakes_own_set_mass_makes(file, name, model, body):
    scenario = load_scenario(file, name=name)
    plant, _ = plant_and_scene_graph(scenario, {})
    context = plant.CreateDefaultContext()
    link = plant.GetBodyByName(body)
    link.SetMass(context, 3.25)
    wanted = link.CalcSpatialInertiaInBodyFrame(context).CopyToFullMatrix6()
    changed, _ = plant_and_scene_graph(
        scenario, {model: {body: BodyParameters(mass=3.25)}}
    )
    # Two roundings: one quotient, one product.
    np.testing.assert_allclose(inertia(changed, body), wanted, rtol=1e-15)


def test_friction_is_that_of_all_shapes_of_the_body_alone():
    scenario = load_scenario("package:rover", name="Drive")
    plant, scene_graph = plant_and_scene_graph(
        scenario, {"rover": {"front_left_wheel": BodyParameters(friction=0.3)}}
    )
    inspector = scene_graph.model_inspector()

    def frictions(name):
        body = plant.GetBodyByName(name)
        return {
            (pair.static_friction(), pair.dynamic_friction())
            for shape in plant.GetCollisionGeometriesForBody(body)
            if (
                pair := inspector.GetProximityProperties(shape).GetProperty(
                    "material", "coulomb_friction"
                )
            )
        }

    assert frictions("front_left_wheel") == {(0.3, 0.3)}
    assert frictions("front_right_wheel") == {(1.0, 1.0)}


def test_meshes_beside_the_model_are_found(tmp_path):
    (tmp_path / "box.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    (tmp_path / "a.urdf").write_text(
        '<robot name="a"><link name="b"><inertial><mass value="1"/><inertia'
        ' ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision>'
        '<geometry><mesh filename="box.obj"/></geometry></collision></link></robot>'
    )
    file = tmp_path / "a.scenario.yaml"
    file.write_text(
        "A:\n  directives:\n  - add_model: {name: a, file: a.urdf}\n"
        "  bodies: {a: {b: {mass: 2}}}\n"
    )
    assert inertia(assemble(load_scenario(file)).plant, "b")[3, 3] == 2.0


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        (
            "{amr: {link: {mass: 1}}}",
            "bodies.amr: unknown model 'amr'; did you",
        ),
        ("{arm: {lnk: {mass: 1}}}", "bodies.arm.lnk: unknown body 'lnk'; did"),
        (
            "{arm: {link: {mass: 0}}}",
            "mass: 0 kg is not allowed; must be above 0",
        ),
        ("{arm: {link: {friction: -1}}}", "must be at least 0"),
        ("{arm: {link: {friction: 1}}}", "it has no collision shapes"),
    ],
)
def test_what_no_body_can_have_is_refused_with_its_place(bodies, message):
    with pytest.raises(InputError) as caught:
        assemble(
            load_scenario(
                "package:pendulum", name="Lift", text=f"{{bodies: {bodies}}}"
            )
        )
    assert message in str(caught.value)
    assert str(caught.value).startswith("--scenario_text:1:")


def test_a_body_without_mass_in_the_file_cannot_get_one(tmp_path):
    (tmp_path / "a.urdf").write_text('<robot name="a"><link name="b"/></robot>')
    file = tmp_path / "a.scenario.yaml"
    file.write_text(
        "A:\n  directives:\n  - add_model: {name: a, file: a.urdf}\n"
        "  bodies: {a: {b: {mass: 2}}}\n"
    )
    with pytest.raises(InputError, match="gives it no inertial"):
        assemble(load_scenario(file))
