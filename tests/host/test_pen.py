"""Pens leave ink that cameras and infra-red sensors see, as Webots stamps it."""

import warnings

import numpy as np
import pytest
from pen_desk import PLATE, pen_desk

from webmotor_drake.errors import MotorWarning
from webmotor_drake.host.senses import pen, renderer
from webmotor_drake.robot import RobotSession

pytest.importorskip("PIL.Image")
pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)

# What the hand holds besides, above the middle of the plate. The sensor reads the
# distance, 1 m, where all is white.
DEVICES = """
        eye: !DistanceSensor
          type: infra-red
          lookup_table: [[0, 0, 0], [9, 9, 0]]
          pose: {rotation: [0, 1, 0, 1.5707963267948966]}
        camera: !Camera
          width: 64
          height: 64
          pose: {rotation: [0, 1, 0, 1.5707963267948966]}
"""
INK = "write: false, ink_density: 1, lead_size: 0.2"


@pytest.fixture
def desk(tmp_path):
    """Returns a function that gives a session, its supervisor and its pen."""
    sessions = []

    def made(fields=INK, shape=PLATE):
        scenario = pen_desk(
            tmp_path, fields, height=1, shape=shape, devices=DEVICES
        )
        session = RobotSession(scenario)
        sessions.append(session.__enter__())
        boss = session.supervisor("hand")
        return session, boss, boss.getDevice("pen")

    yield made
    for session in sessions:
        session.__exit__(None, None, None)


def seen_white(session, boss):
    """Returns the infra-red sensor, and its value where nothing is written."""
    eye = boss.getDevice("eye")
    eye.enable(8)
    session.step(8)
    return eye, eye.getValue()


def test_infra_red_rays_see_ink_where_it_is(desk):
    session, boss, ink = desk()
    eye, white = seen_white(session, boss)
    hand = boss.getFromDef("hand")
    ink.write(True)
    session.step(8)
    ink.write(False)
    session.step(8)
    session.step(8)
    # Black takes away four fifths of what comes back (WbDistanceSensor.cpp).
    assert eye.getValue() == pytest.approx(white / 0.2, rel=1e-9)
    # The disc of 0.2 m on a plate of 1.42 m about, 128 pixels wide: 18 pixels.
    radius = (int(0.2 * 128 / np.linalg.norm([1, 1, 0.05])) // 2) / 64
    for x, black in ((radius - 0.02, True), (radius + 0.03, False)):
        hand.getField("translation").setSFVec3f([x, 0, 1])
        session.step(8)
        session.step(8)
        assert (eye.getValue() > 2 * white) == black


def test_ink_adds_up_by_its_density_and_goes_with_a_reset(desk):
    session, boss, ink = desk(INK.replace("ink_density: 1", "ink_density: 0.5"))
    eye, white = seen_white(session, boss)
    ink.setInkColor(0xFF0000, 0.25)
    ink.write(True)
    session.step(8)
    ink.setInkColor(0x000000, 0.25)
    session.step(8)
    ink.write(False)
    session.step(8)
    session.step(8)
    # A quarter of red, then one of black: half of it covers, and half of that is red.
    red = 0.5 * 0.5 + 0.5
    assert eye.getValue() == pytest.approx(white / (0.2 + 0.8 * red), rel=1e-9)
    boss.simulationReset()
    session.step(8)
    session.step(8)
    assert eye.getValue() == pytest.approx(white, rel=1e-9)


def test_ink_fades_by_its_evaporation(desk):
    session, boss, ink = desk(INK + ", ink_evaporation: 2")
    eye, white = seen_white(session, boss)
    ink.write(True)
    session.step(8)
    ink.write(False)
    for seconds in (0.096, 0.8):
        session.step(8)
        before = session.supervisor("hand").getTime()
        cover = 0.8 * np.exp(-2 * (before - 0.016))
        assert eye.getValue() == pytest.approx(white / (1 - cover), rel=1e-9)
        session.step(round(1000 * seconds))


@drawn
def test_cameras_see_ink_in_its_colour_until_a_reset(desk):
    session, boss, ink = desk()
    camera = boss.getDevice("camera")
    camera.enable(8)
    ink.setInkColor(0x0000FF, 1.0)

    def middle():
        session.step(8)
        session.step(8)
        image = np.frombuffer(camera.getImage(), np.uint8).reshape(64, 64, 4)
        return image[32, 32, :3].tolist(), image[32, 2, :3].tolist()

    white, _ = middle()
    assert white[0] == white[1] == white[2] > 150
    ink.write(True)
    (blue, green, red), aside = middle()
    assert (blue, green, red) == (white[0], 0, 0)
    assert aside == white
    ink.write(False)
    boss.simulationReset()
    assert middle()[0] == white


@drawn
def test_cameras_see_ink_where_it_is(desk):
    session, boss, ink = desk()
    place = boss.getFromDef("hand").getField("translation")
    camera = boss.getDevice("camera")
    place.setSFVec3f([0.3, 0.2, 1])
    session.step(8)
    ink.write(True)
    session.step(8)
    ink.write(False)
    place.setSFVec3f([0, 0, 1])
    camera.enable(8)
    session.step(8)
    session.step(8)
    image = np.frombuffer(camera.getImage(), np.uint8).reshape(64, 64, 4)
    # It looks down from 1 m; up is +x, left is +y, and 32 pixels are 0.414 m.
    row, column = 32 - round(0.3 / 0.414 * 32), 32 - round(0.2 / 0.414 * 32)
    assert image[row, column, :3].max() == 0
    for other in ((63 - row, column), (row, 63 - column), (column, row)):
        assert image[*other, :3].min() > 150


@pytest.mark.parametrize(
    ("fields", "shape", "told"),
    [
        (INK + ", max_distance: 0.5", PLATE, False),
        (INK, '<sphere radius="0.05"/>', True),
    ],
)
def test_a_pen_that_leaves_no_ink(desk, fields, shape, told):
    session, boss, ink = desk(fields, shape)
    eye = boss.getDevice("eye")
    eye.enable(8)
    session.step(8)
    before = eye.getValue()
    ink.write(True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotorWarning)
        session.step(8)
        session.step(8)
    said = "the Pen 'pen' writes only on flat surfaces"
    assert [str(one.message) for one in caught] == [said] * told
    assert eye.getValue() == before


def test_wrong_ink_is_refused(desk, capfd):
    _, _, ink = desk()
    ink.setInkColor(0x1000000, 0.5)
    ink.setInkColor(0, 1.5)
    assert capfd.readouterr().err.count("are allowed") == 2


@pytest.mark.parametrize(
    ("radius", "side"), [(0.01, 32), (1.0, 128), (5.0, 512), (50.0, 1024)]
)
def test_textures_have_webots_sizes(radius, side):
    # 32 + 992 r / 10, at most 1024, to the nearest power of two.
    assert pen._side(radius) == side
