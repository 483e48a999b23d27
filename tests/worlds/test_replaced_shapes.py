"""Our own stand-ins for Webots' extrusions, terrains and the Pioneer."""

import numpy as np
import pytest
from world_files import HEAD, OLD, plant_of, world_file

from webmotor_drake.loading import report_of
from webmotor_drake.worlds.meshes import textured_faces
from webmotor_drake.worlds.reader import read_nodes
from webmotor_drake.worlds.shapes import mass_of_mesh
from webmotor_drake.worlds.stand_ins import load_stand_in
from webmotor_drake.worlds.template_process import Spent
from webmotor_drake.worlds.templates import expanded_body

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")


def body_of(text):
    (node,) = read_nodes(text)
    proto, _ = load_stand_in(node)
    kinds = {name: kind for name, (kind, _) in proto.parameters.items()}
    given = {name: (kinds[name], field) for name, field in node.fields.items()}
    return expanded_body(proto, proto.parameters | given, node.place, Spent())


def mass_of(fields):
    faces = body_of(f"Extrusion {{ {fields} }}")
    del faces.fields["ccw"]  # IS, TRUE
    return mass_of_mesh(textured_faces(faces)[0])


@pytest.mark.parametrize(
    ("fields", "mass", "com"),
    [
        ("", 4, [0, 0.5, 0]),
        ("spine [ 0 0 0, 0 0 3 ]", 12, [0, 0, 1.5]),
        ("spine [ 0 1 0, 2 1 0 ] crossSection [ 0 0, 0 1, 1 1, 0 0 ]", 1, None),
        # The same section the other way round, and not closed.
        ("crossSection [ 0 0, 1 1, 0 1, 0 0 ] spine [ 0 0 0, 0 2 0 ]", 1, None),
        ("scale [ 1 1, 2 2 ]", (4 + 16 + 8) / 3, None),
        # Bent by a right angle, its corner mitred.
        ("spine [ 0 0 0, 0 4 0, 4 4 0 ] splineSubdivision 1", 32, None),
    ],
)
def test_an_extrusion_has_the_volume_of_its_section_along_its_spine(
    fields, mass, com
):
    found = mass_of(fields)
    assert found is not None  # its faces look outwards
    expected = 1000 * mass
    tolerance = 0.3 if "4 4 0" in fields else 1e-9
    assert found.mass == pytest.approx(expected, rel=tolerance)
    if com is not None:
        np.testing.assert_allclose(found.com, com, atol=1e-12)


def test_a_terrain_has_its_size_and_its_seed():
    def heights(fields):
        solid = body_of(f"UnevenTerrain {{ {fields} }}")
        (grid,) = [n for n in solid.subtree() if n.type == "ElevationGrid"][:1]
        return np.array(grid.fields["height"].numbers()), grid

    z, grid = heights("size 10 20 2 xDimension 11 yDimension 21 randomSeed 5")
    assert grid.number("xSpacing", 0) == 1
    assert grid.number("ySpacing", 0) == 1
    assert z.min() == 0
    assert z.max() == 2
    again, _ = heights("size 10 20 2 xDimension 11 yDimension 21 randomSeed 5")
    other, _ = heights("size 10 20 2 xDimension 11 yDimension 21 randomSeed 6")
    np.testing.assert_array_equal(z, again)
    assert (z != other).any()
    flat, _ = heights(
        "flatBounds TRUE flatCenter TRUE xDimension 21 yDimension 21"
    )
    flat = flat.reshape(21, 21)
    assert (flat[0] == 0).all()
    assert flat[10, 10] == 0


def drive(tmp_path, head, text):
    from webmotor_drake.controllers.session import RobotSession

    with RobotSession(world_file(tmp_path, text, head)) as session:
        robot = session.robot("Pioneer 3-DX")
        for side in ("left", "right"):
            motor = robot.getDevice(f"{side} wheel")
            motor.setPosition(float("inf"))
            motor.setVelocity(3)
            robot.getDevice(f"{side} wheel sensor").enable(16)
        sonars = [robot.getDevice(f"so{i}") for i in range(16)]
        for sonar in sonars:
            sonar.enable(16)
        gps = robot.getDevice("gps")
        gps.enable(16)
        robot.step(2016)
        return np.array(gps.getValues()), [s.getValue() for s in sonars]


def test_a_pioneer_drives_forward_and_its_sonars_see_a_wall(tmp_path):
    text = """
    WorldInfo { basicTimeStep 16 }
    Solid { boundingObject Plane { } }
    Solid { translation 2 0 0.5 boundingObject Box { size 0.1 9 1 } name "wall" }
    Pioneer3dx { extensionSlot GPS { } }
    """
    place, sonars = drive(tmp_path, HEAD, text)
    # 2 s at 3 rad/s and a radius of 97.5 mm, less the start.
    assert place[0] == pytest.approx(0.585, abs=1e-3)
    assert abs(place[1]) < 1e-3
    assert place[2] == pytest.approx(0.0975, abs=1e-3)
    for i in (3, 4):
        distance = (1.95 - place[0] - 0.166) / np.cos(np.radians(10))
        assert sonars[i] == pytest.approx(1024 * (1 - distance / 5), rel=0.05)
    assert sonars[11] == sonars[12] == 0


def test_in_an_old_world_it_drives_along_minus_z(tmp_path):
    text = """
    WorldInfo { basicTimeStep 16 coordinateSystem "NUE" }
    Solid { boundingObject Plane { } }
    Pioneer3dx { extensionSlot GPS { } }
    """
    place, _ = drive(tmp_path, OLD, text)
    np.testing.assert_allclose(place, [0, 0.0975, -0.585], atol=1e-3)


def test_the_replacements_are_told(tmp_path):
    text = """
    Solid { children Shape { geometry Extrusion { } }
      boundingObject Extrusion { } }
    Solid { translation 5 0 0 boundingObject TexturedBox { size 1 2 3 }
      physics Physics { } name "crate" }
    """
    plant, _, scenario = plant_of(world_file(tmp_path, text))
    names = [e.name for e in report_of(scenario).of_kind("replaced")]
    assert names == ["Extrusion", "TexturedBox"]
    crate = plant.GetBodyByName("crate")
    assert crate.default_mass() == pytest.approx(6000)


def test_balls_have_the_guides_sizes_and_masses(tmp_path):
    text = """
        Ball { }
        SoccerBall { translation 1 0 0 }
        SoccerBall { translation 2 0 0 name "small" radius 0.05 mass 0.1 }
        PingPongBall { translation 3 0 0 }
    """
    plant, context, _ = plant_of(world_file(tmp_path, text))
    balls = {
        name: (body.get_mass(context), shapes)
        for name in ("ball", "soccer ball", "small", "ping pong ball")
        for body in [plant.GetBodyByName(name)]
        for shapes in [len(plant.GetCollisionGeometriesForBody(body))]
    }
    assert balls == {
        "ball": (0.055, 1),
        "soccer ball": (0.6, 1),
        "small": (0.1, 1),
        "ping pong ball": (0.0027, 1),
    }
