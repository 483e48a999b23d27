"""LightSensor and lights, in closed form; a crate stands in the way of one."""

import math

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError

FILE = TEST_SCENARIOS / "devices.scenario.yaml"


def read(lights: str = "", devices: str = "", name: str = "light") -> float:
    """Returns what a sensor at x = 0.16 m that looks along x reads."""
    text = (
        f"{{model_drivers: {{rover: {{lights: {{{lights}}},"
        f" devices: {{{devices}}}}}}}}}"
    )
    with RobotSession(loaded(FILE, "Look", text)) as session:
        robot = session.robot("rover")
        sensor = robot.getDevice(name)
        sensor.enable(8)
        robot.step(8)
        return sensor.getValue()


# 3 m away, by the square of the distance, red and half of green: 0.5 of 3.
FACTOR = (1 + 0.5) / 3 / 9


@pytest.mark.closed_form("LightSensor")
def test_light_falls_off_adds_up_and_is_filtered():
    # The table gives 1000 per W/m^2, up to 1.
    assert read() == pytest.approx(1000 * FACTOR * (9 + 0.9))
    half = "light: !LightSensor {frame: chassis, color_filter: [0, 1, 1],"
    half += " pose: {translation: [0.16, 0, 0]}}"
    assert read(devices=half) == pytest.approx(1000 * 0.5 / 27 * 9.9)


def test_what_stands_in_the_way_leaves_ambient_light():
    assert read(name="shaded") == pytest.approx(1000 / 3 / 9 * 0.9)


def test_light_from_the_side_counts_by_its_cosine():
    turned = "light: !LightSensor {frame: chassis, pose: {translation:"
    turned += " [0.16, 0, 0], rotation: [0, 0, 1, 1.0]}}"
    assert read(devices=turned) == pytest.approx(
        1000 * FACTOR * (9 * math.cos(1) + 0.9)
    )
    away = turned.replace("1.0]", "3.0]")
    assert read(devices=away) == pytest.approx(1000 * FACTOR * 0.9)


def test_lights_that_are_off_or_too_far_do_not_shine():
    lamp = "lamp: !PointLight {frame: world, location: [3.16, 0, 0], "
    # YAML takes a bare on for a truth value.
    assert read(lamp + '"on": false}') == 0
    assert read(lamp + "radius: 2.9}") == 0
    assert read(lamp + "radius: 3.1}") == pytest.approx(550)


def test_a_directional_light_does_not_fall_off():
    sun = "lamp: !DirectionalLight {direction: [-1, 0, -1], intensity: 0.5}"
    assert read(sun) == pytest.approx(500 * math.sqrt(0.5))


@pytest.mark.parametrize(
    ("angle", "part"), [(0, 1), (0.2, 1), (0.4, 0.5), (0.7, 0)]
)
def test_a_spot_light_fades_between_beam_width_and_cut_off(angle, part):
    x, y = -math.cos(angle), math.sin(angle)
    spot = "lamp: !SpotLight {frame: world, location: [3.16, 0, 0],"
    spot += f" direction: [{x}, {y}, 0], beam_width: 0.3, cut_off_angle: 0.5}}"
    assert read(spot) == pytest.approx(1000 * part)


@pytest.mark.parametrize(
    ("light", "place", "problem"),
    [
        ("!PointLight {color: [1]}", "color", "red, green, blue"),
        (
            "!PointLight {attenuation: [-1, 0, 0]}",
            "attenuation[0]",
            "at least 0",
        ),
        ("!PointLight {intensity: -1}", "intensity", "at least 0"),
        ("!SpotLight {direction: [0, 0, 0]}", "direction", "all 0"),
        ("!PointLight {frame: nose}", "frame", "unknown body or frame"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(light, place, problem):
    with pytest.raises(InputError) as raised:
        read(f"lamp: {light}")
    assert f"lights.lamp.{place}: " in str(raised.value)
    assert problem in str(raised.value)
