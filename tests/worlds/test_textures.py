"""Textures of worlds: what infra-red sensors and cameras see of them."""

import numpy as np
import pytest
from PIL import Image
from world_files import HEAD, OLD, world_file

from webmotor_drake.cli.main import main
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.loading import load_scenario, report_of

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# Left half black, right half white; the upper right quarter green.
PIXELS = np.zeros((8, 8, 3), np.uint8)
PIXELS[:, 4:] = 255
PIXELS[:4, 4:] = 0, 255, 0

# Looks straight down from 0.1 m, and reads 0.1 m / (0.2 + 0.8 red).
EYE = """
    DistanceSensor {{
      translation {place} rotation {turned} name "eye{i}" type "infra-red"
      lookupTable [ 0 0 0, 9 9 0 ]
    }}
"""
PNG = 'ImageTexture { url "halves.png" }'


def seen(folder, text, places, head=HEAD, name="halves.png"):
    """Returns the redness below places: 1 for white."""
    world_file(folder, "")
    Image.fromarray(PIXELS).save(folder / "worlds" / name, quality=95)
    turned = "0 1 0 1.5707963267948966" if head == HEAD else "0 0 1 -1.5708"
    eyes = "".join(
        EYE.format(place=" ".join(map(str, p)), turned=turned, i=i)
        for i, p in enumerate(places)
    )
    robot = f'Robot {{ name "robot" children [ {eyes} ] }}'
    with RobotSession(world_file(folder, text + robot, head)) as session:
        robot = session.robot("robot")
        found = [robot.getDevice(f"eye{i}") for i in range(len(places))]
        for eye in found:
            eye.enable(32)
        robot.step(64)
        values = np.array([eye.getValue() for eye in found])
    return (0.1 / values - 0.2) / 0.8


LEFT, RIGHT, BACK_RIGHT = (-0.2, -0.2, 0.1), (0.2, -0.2, 0.1), (0.2, 0.2, 0.1)
PBR = f"appearance PBRAppearance {{ baseColorMap {PNG} }}"
PLAIN = f"appearance Appearance {{ texture {PNG} }}"
FACES = """
    IndexedFaceSet {
      coord Coordinate { point [ -.4 -.4 0, .4 -.4 0, .4 .4 0, -.4 .4 0 ] }
      texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1, 0 1 ] }
      coordIndex [ 0 1 2 3 -1 ]
    }
"""


@pytest.mark.parametrize(
    "text",
    [
        f"Solid {{ children Shape {{ {PBR} geometry Plane {{ }} }} }}",
        f"Solid {{ children Shape {{ {PLAIN} geometry Plane {{ }} }} }}",
        f"""Solid {{ translation 0 0 -0.2 children Shape {{
            {PBR} geometry Box {{ size 1 1 0.4 }} }} }}""",
        f"Solid {{ children Shape {{ {PLAIN} geometry {FACES} }} }}",
        f"Pose {{ children Shape {{ {PLAIN} geometry {FACES} }} }}",
        f"RectangleArena {{ floorTileSize 1 1 floorAppearance {PBR[11:]} }}",
        f"Floor {{ size 1 1 tileSize 1 1 {PBR} }}",
    ],
    ids=["plane", "old looks", "box", "faces", "no solid", "arena", "floor"],
)
def test_infra_red_sensors_see_them_from_left_to_right_and_up(tmp_path, text):
    red = seen(tmp_path, text, [LEFT, RIGHT, BACK_RIGHT])
    np.testing.assert_allclose(red, [0, 1, 0], atol=1e-9)


def test_in_older_files_up_in_the_picture_is_along_minus_z(tmp_path):
    places = [(-0.2, 0.1, 0.2), (0.2, 0.1, 0.2), (0.2, 0.1, -0.2)]
    for text in (
        f"Solid {{ children Shape {{ {PBR} geometry Plane {{ }} }} }}",
        f"""Solid {{ translation 0 -0.2 0 children Shape {{
            {PBR} geometry Box {{ size 1 0.4 1 }} }} }}""",
        f"Floor {{ size 1 1 tileSize 1 1 {PBR} }}",
    ):
        nue = f'WorldInfo {{ coordinateSystem "NUE" }} {text}'
        red = seen(tmp_path, nue, places, OLD)
        np.testing.assert_allclose(red, [0, 1, 0], atol=1e-9)


def test_tiles_repeat_and_transforms_move(tmp_path):
    floor = f"Floor {{ size 2 2 tileSize 0.5 0.5 {PBR} }}"
    places = [(x, -0.9, 0.1) for x in (-0.9, -0.6, -0.4, -0.1)]
    red = seen(tmp_path, floor, places)
    np.testing.assert_allclose(red, [0, 1, 0, 1], atol=1e-9)
    moved = f"""Solid {{ children Shape {{ appearance PBRAppearance {{
        baseColorMap {PNG}
        textureTransform TextureTransform {{ scale 2 1 translation 0.25 0 }}
        }} geometry Plane {{ }} }} }}"""
    # u = 2 (x + 0.5 + 0.25)
    places = [(x, -0.3, 0.1) for x in (-0.45, -0.3, -0.1, 0.1)]
    red = seen(tmp_path, moved, places)
    np.testing.assert_allclose(red, [1, 1, 0, 1], atol=1e-9)


def test_jpegs_are_seen_and_imports_take_them_along(tmp_path):
    text = f"Floor {{ size 1 1 tileSize 1 1 {PBR} }}".replace("png", "jpg")
    red = seen(tmp_path, text, [LEFT, RIGHT], name="halves.jpg")
    np.testing.assert_allclose(red, [0, 1], atol=0.01)
    out = tmp_path / "out"
    world = tmp_path / "worlds" / "test.wbt"
    assert main(["import", str(world), "--out", str(out)]) == 0
    (material,) = (out / "models").glob("*.mtl")
    image = material.read_text().split("map_Kd ")[1].strip()
    assert (out / "models" / image).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("url", "geometry", "told"),
    [
        ("gone.png", "Plane { }", "not drawn: gone.png: no such file"),
        ("https://a.b/c.png", "Box { }", "nothing is downloaded"),
        ("halves.png", "Sphere { }", "not drawn on a Sphere"),
    ],
)
def test_what_is_not_drawn_is_listed(tmp_path, url, geometry, told):
    file = world_file(
        tmp_path,
        "Solid { children Shape { appearance PBRAppearance { baseColorMap"
        f' ImageTexture {{ url "{url}" }} }} geometry {geometry} }} }}',
    )
    Image.fromarray(PIXELS).save(tmp_path / "worlds" / "halves.png")
    entries = report_of(load_scenario(file)).entries
    (entry,) = [e for e in entries if e.name == "ImageTexture"]
    assert told in entry.text
    assert entry.kind == "info"


def test_a_picture_that_cannot_be_read_leaves_a_plain_colour(tmp_path):
    file = world_file(tmp_path, f"Floor {{ {PBR} }}".replace("png", "jpg"))
    (file.parent / "halves.jpg").write_text("no picture")
    with pytest.warns(UserWarning, match="its colour is drawn instead"):
        load_scenario(file)


def test_cameras_see_them(tmp_path):
    camera = """
        Robot { name "robot" children Camera {
          translation 0 0 1 rotation 0 1 0 1.5707963267948966
          width 64 height 64 fieldOfView 0.6
        } }"""
    world_file(tmp_path, "")
    Image.fromarray(PIXELS).save(tmp_path / "worlds" / "halves.png")
    text = f"Floor {{ size 1 1 tileSize 1 1 {PBR} }} {camera}"
    with RobotSession(world_file(tmp_path, text)) as session:
        robot = session.robot("robot")
        eye = robot.getDevice("camera")
        eye.enable(32)
        robot.step(64)
        image = eye.getImage()
    picture = np.frombuffer(image, np.uint8).reshape(64, 64, 4)  # blue first
    # Its top shows +x, its left +y.
    green, white, black = picture[12, 12], picture[12, 52], picture[52, 12]
    assert black[:3].max() < 40
    assert white[:3].min() > 80
    assert green[1] > 80
    assert green[2] < 40
