"""DistanceSensor: its rays, types and lookup table, before a wall at 0.84 m."""

import math
import sys

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.devices.sight import DistanceSensor
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError
from webmotor_drake.host.senses.distance_sensor import ray_places, rays_of
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.distance import DistanceSensor as Fields

FILE = TEST_SCENARIOS / "devices.scenario.yaml"
# From x = 0.16 m to the crate's face at 1.15 - 0.15 m.
AWAY = 0.84


def look(text: str = ""):
    text = text and f"{{model_drivers: {{rover: {{devices: {{{text}}}}}}}}}"
    return RobotSession(loaded(FILE, "Look", text or "{}"))


@pytest.fixture(scope="module")
def rover():
    with look() as session:
        robot = session.robot("rover")
        for device in robot.devices.values():
            if isinstance(device, DistanceSensor):
                device.enable(8)
        robot.step(8)
        yield robot


def value(rover, name: str) -> float:
    return rover.getDevice(name).getValue()


def test_one_ray_goes_ahead_to_the_first_shape(rover):
    assert value(rover, "ahead") == pytest.approx(AWAY, abs=1e-12)
    assert value(rover, "laser") == pytest.approx(AWAY, abs=1e-12)


def test_a_ray_that_meets_nothing_goes_as_far_as_the_table(rover):
    assert value(rover, "left") == 2


def test_the_own_robot_is_not_seen(rover):
    # Through its own chassis and wheel, where the ray starts.
    assert value(rover, "wheel") == 2


def test_with_self_collision_the_other_bodies_are_seen():
    scenario = load_scenario(
        FILE,
        name="Look",
        text="{model_drivers: {rover: {self_collision: true}}}",
    )
    with RobotSession(scenario) as session:
        robot = session.robot("rover")
        sensor = robot.getDevice("wheel")
        sensor.enable(8)
        robot.step(8)
        # The wheel's first sphere of 5 cm is at y = 0.115 m, 5 mm more inside.
        assert sensor.getValue() == pytest.approx(0.015, abs=1e-3)


@pytest.mark.closed_form("DistanceSensor")
def test_generic_is_the_weighted_mean_of_the_cone(rover):
    # One ray ahead and three 0.15 rad off it, weighted by a Gaussian.
    w = math.exp(-(0.5**2))
    mean = (AWAY + 3 * w * AWAY / math.cos(0.15)) / (1 + 3 * w)
    assert value(rover, "cone") == pytest.approx(mean, abs=1e-12)


def test_a_sonar_hears_what_it_meets_square_on(rover):
    assert value(rover, "sonar") == pytest.approx(AWAY, abs=1e-12)
    slanted = AWAY / math.cos(0.1)
    assert value(rover, "slanted sonar") == pytest.approx(slanted, abs=1e-12)
    # 45 degrees off the crate's faces: no echo.
    assert value(rover, "deaf sonar") == 2


def test_infra_red_is_off_by_what_is_not_red(rover):
    # The crate is drawn in a red of 0.7: 0.2 + 0.8 * 0.7 = 0.76 comes back.
    assert value(rover, "red") == pytest.approx(AWAY / 0.76, abs=1e-9)
    assert value(rover, "blind to red") == pytest.approx(AWAY, abs=1e-12)


def test_tables_and_resolutions(rover):
    assert value(rover, "default") == 1000  # beyond its 0.1 m
    assert value(rover, "empty") == 0
    assert value(rover, "coarse") == 0.75
    default = rover.getDevice("default")
    assert default.getMinValue() == 0 and default.getMaxValue() == 1000
    assert default.getLookupTable() == [0, 0, 0, 0.1, 1000, 0]
    assert default.getAperture() == pytest.approx(1.5708)
    types = [
        rover.getDevice(name).getType()
        for name in ("ahead", "red", "sonar", "laser")
    ]
    assert types == [0, 1, 2, 3]


def test_each_measures_at_its_own_period():
    with look() as session:
        robot = session.robot("rover")
        fast, slow = robot.getDevice("ahead"), robot.getDevice("laser")
        fast.enable(8)
        slow.enable(24)
        seen = []
        for _ in range(3):
            robot.step(8)
            seen.append(math.isnan(slow.getValue()))
            assert fast.getValue() == pytest.approx(AWAY)
        assert seen == [True, True, False]


@pytest.mark.parametrize("rays", [*range(1, 25), 100])
def test_rays_fill_the_cone_and_weigh_one(rays):
    directions, weights = rays_of(Fields(number_of_rays=rays, aperture=1.0))
    assert len(directions) == len(ray_places(rays)) == rays
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(rays))
    angles = np.arccos(np.clip(directions[:, 0], -1, 1))
    assert angles.max() == pytest.approx(0.5 if rays > 1 else 0)
    assert weights.sum() == pytest.approx(1)


def test_two_rays_are_above_and_below_or_left_and_right_as_webots_has_it():
    # beta = alpha + pi/2 of alpha = +-90 degrees: left and right.
    directions, _ = rays_of(Fields(number_of_rays=2, aperture=math.pi / 2))
    side = math.sqrt(0.5)
    assert directions == pytest.approx(
        np.array([[side, side, 0], [side, -side, 0]]), abs=1e-12
    )


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("type: infrared", "type", "did you mean infra-red?"),
        ("number_of_rays: 0", "number_of_rays", "from 1 to 10000"),
        ("type: laser, number_of_rays: 2", "number_of_rays", "a laser has one"),
        ("aperture: 7", "aperture", "0 to 6.28"),
        ("gaussian_width: 0", "gaussian_width", "above 0"),
        ("red_color_sensitivity: 2", "red_color_sensitivity", "0 to 1"),
        ("lookup_table: [[1, 1, 0], [0, 1, 0]]", "lookup_table[1]", "increase"),
        ("frame: nose", "frame", "unknown body or frame 'nose'"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(text, place, problem):
    with pytest.raises(InputError) as raised:
        look(f"ahead: !DistanceSensor {{{text}}}")
    assert f"devices.ahead.{place}: " in str(raised.value)
    assert problem in str(raised.value)


def calls_in_a_step(robot) -> int:
    """Returns how many functions a step calls.

    The fewest of some steps: Python may collect others' garbage in one.
    """
    robot.step(8)
    return min(_calls_in_one_step(robot) for _ in range(3))


def _calls_in_one_step(robot) -> int:
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        # As text the loops call, too; compiled they do not.
        counts = "/webmotor_drake/loops/" not in frame.f_code.co_filename
        calls += counts and event in ("call", "c_call")

    sys.setprofile(count)
    try:
        robot.step(8)
    finally:
        sys.setprofile(None)
    return calls


def test_sensors_that_are_off_cost_nothing_and_those_on_share_one_cast():
    def eyes(number):
        named = (f"eye {i}: !DistanceSensor {{}}" for i in range(number))
        return look(", ".join(named))

    with eyes(1) as one, eyes(9) as nine:
        one, nine = one.robot("rover"), nine.robot("rover")
        assert calls_in_a_step(one) == calls_in_a_step(nine)
        one.getDevice("eye 0").enable(8)
        nine.getDevice("eye 0").enable(8)
        assert calls_in_a_step(one) == calls_in_a_step(nine)
        for i in range(9):
            nine.getDevice(f"eye {i}").enable(8)
        each = (calls_in_a_step(nine) - calls_in_a_step(one)) / 8
    # Its own part is to look a distance up in its table.
    assert 0 < each <= 5


def test_a_wall_that_a_supervisor_moves_is_seen_where_it_is():
    text = "{model_drivers: {rover: {supervisor: true}}}"
    scenario = load_scenario(FILE, name="Look", text=text)
    with RobotSession(scenario) as session:
        robot = session.supervisor("rover")
        sensor = robot.getDevice("ahead")
        sensor.enable(8)
        robot.step(8)
        before = sensor.getValue()
        place = robot.getFromDef("crate").getField("translation")
        x, y, z = place.getSFVec3f()
        place.setSFVec3f([x + 0.25, y, z])
        robot.step(16)
        assert sensor.getValue() == pytest.approx(before + 0.25, abs=1e-9)


def test_a_sensor_on_the_world_sees_all_but_its_robot():
    # From 0.3 m beside the wall to its side, and through the rover to nothing.
    fixed = "frame: world, lookup_table: [[0, 0, 0], [2, 2, 0]]"
    rays = (
        f"across: !DistanceSensor {{{fixed}, pose: {{translation: [1.15, -0.5, 0],"
        " rotation: [0, 0, 1, 1.5707963267948966]}},"
        f" along: !DistanceSensor {{{fixed}, pose: {{translation: [-0.5, 0, 0]}}}}"
    )
    with look(rays) as session:
        robot = session.robot("rover")
        for name in "across", "along":
            robot.getDevice(name).enable(8)
        robot.step(8)
        # The crate is a cube of 0.3 m at x = 1.15 m.
        assert value(robot, "across") == pytest.approx(0.35, abs=1e-12)
        assert value(robot, "along") == pytest.approx(1.5, abs=1e-12)
