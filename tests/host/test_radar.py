"""Radars, against the radar equation and closed forms of motion."""

import math

import numpy as np
import pytest
from test_connector import BOX

import webmotor_drake as wm
from webmotor_drake import nodes
from webmotor_drake.host.senses.radar import _visible_part, received_power
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

SCENARIO = """
Air:
  plant_config: {{time_step: 0.008}}
  gravity: [0, 0, 0]
  directives:
  - add_model: {{name: eye, file: {folder}/box.urdf}}
  - add_weld: {{parent: world, child: 'eye::box'}}
{targets}
  bodies:
{sections}
  model_drivers:
    eye: !WebotsMotorDriver
      supervisor: true
      devices:
        radar: !Radar {{{fields}}}
"""
TARGET = """  - add_model:
      name: t{i}
      file: {folder}/box.urdf
      default_free_body_pose: {{box: {{translation: {place}}}}}"""


@pytest.fixture
def air(tmp_path):
    """Returns a function that gives a session, its radar and its supervisor."""
    (tmp_path / "box.urdf").write_text(BOX.format(mass=1))
    sessions = []

    def made(places, fields="min_range: 1", sections=()):
        sections = sections or [2.0] * len(places)
        file = tmp_path / "air.scenario.yaml"
        file.write_text(
            SCENARIO.format(
                folder=tmp_path,
                fields=fields,
                targets="\n".join(
                    TARGET.format(i=i, folder=tmp_path, place=place)
                    for i, place in enumerate(places)
                ),
                sections="\n".join(
                    f"    t{i}: {{box: {{radar_cross_section: {section}}}}}"
                    for i, section in enumerate(sections)
                ),
            )
        )
        session = RobotSession(wm.load_scenario(file))
        sessions.append(session.__enter__())
        boss = session.supervisor("eye")
        radar = boss.getDevice("radar")
        radar.enable(8)
        return session, radar, boss

    yield made
    for session in sessions:
        session.__exit__(None, None, None)


@pytest.mark.closed_form("Radar")
def test_a_target_has_the_power_of_the_radar_equation(air):
    fields = "transmitted_power: 30, antenna_gain: 10, frequency: 77"
    session, radar, _ = air([[20, 0, 0]], fields, [0.5])
    session.step(8)
    (target,) = radar.getTargets()
    # 1 W, ten times each way, waves of 3.9 mm.
    wavelength = 299792458 / 77e9
    watts = 1 * 10**2 * wavelength**2 * 0.5 / ((4 * math.pi) ** 3 * 20**4)
    assert target.distance == pytest.approx(20, rel=1e-12)
    assert target.received_power == pytest.approx(
        10 * math.log10(watts / 1e-3), abs=1e-9
    )
    assert target.receiver_power == target.received_power
    assert (radar.getMinRange(), radar.getMaxRange()) == (1, 50)
    assert (radar.horizontal_fov, radar.vertical_fov) == (0.78, 0.1)


def test_speed_and_azimuth_are_those_of_the_moment(air):
    session, radar, boss = air([[12, -4, 0]])
    boss.getFromDef("t0").setVelocity([1, 2, 0, 0, 0, 0])
    session.step(80)
    (target,) = radar.getTargets()
    place = np.array([12.08, -3.84])
    # The box of 0.2 m, turned towards nobody, has its middle at its origin.
    assert target.distance == pytest.approx(np.linalg.norm(place), rel=1e-9)
    assert target.speed == pytest.approx(
        place @ [1, 2] / np.linalg.norm(place), rel=1e-9
    )
    assert target.azimuth == pytest.approx(math.atan2(3.84, 12.08), rel=1e-9)


@pytest.mark.parametrize(
    ("place", "fields", "seen"),
    [
        ([20, 0, 0], "min_range: 1", True),
        ([-20, 0, 0], "min_range: 1", False),
        ([20, 9, 0], "min_range: 1", False),  # .42 of .39 rad
        ([20, 8.2, 0], "min_range: 1", True),  # a corner is in it
        ([20, 0, 1.2], "min_range: 1", False),  # .06 of .05 rad
        ([55, 0, 0], "min_range: 1", False),
        ([0.5, 0, 0], "min_range: 1", False),
        ([0.95, 0, 0], "min_range: 1", True),  # half of it is beyond
        ([20, 0, 0], "min_detectable_signal: -59", False),  # it gets -60
        ([20, 0, 0], "min_absolute_radial_speed: 0.1", False),
        ([20, 0, 0], "min_radial_speed: 0.1, max_radial_speed: 9", False),
        ([20, 0, 0], "min_radial_speed: -1, max_radial_speed: 9", True),
        ([-20, 0.5, 0], "horizontal_field_of_view: 6.27", True),
    ],
)
def test_its_view_is_what_its_fields_say(air, place, fields, seen):
    session, radar, _ = air([place], fields)
    session.step(8)
    assert radar.getNumberOfTargets() == seen


def test_bodies_hide_others_only_with_occlusion(air):
    places = [[10, 0, 0], [20, 0, 0]]
    for occlusion, count in (("false", 2), ("true", 1)):
        session, radar, _ = air(places, f"occlusion: {occlusion}")
        session.step(8)
        assert radar.getNumberOfTargets() == count


def test_targets_of_a_cell_are_one_by_their_powers(air):
    places = [[10, 1, 0], [10, -1, 0], [20, 0, 0]]
    session, radar, _ = air(places, "cell_distance: 0.5", [1.0, 3.0, 1.0])
    session.step(8)
    near, far = radar.getTargets()
    assert near.distance == pytest.approx(math.sqrt(101), rel=1e-9)
    angle = math.atan2(1, 10)
    assert near.azimuth == pytest.approx((3 - 1) / 4 * angle, rel=1e-9)
    together = received_power(nodes.Radar(), 4.0, near.distance)
    assert near.received_power == pytest.approx(
        10 * math.log10(together / 1e-3), abs=1e-9
    )
    assert far.distance == pytest.approx(20, rel=1e-9)


def test_noise_has_its_deviation_and_is_drawn_again_after_a_reset(air):
    session, radar, _ = air([[20, 0, 0]], "range_noise: 0.5")
    runs = []
    for _ in range(2):
        found = []
        for _ in range(200):
            session.step(8)
            found.append(radar.getTargets()[0].distance)
        runs.append(found)
        session.reset()
    assert runs[0] == runs[1]
    # Of 200 draws the deviation is within four of its own, 5 %.
    assert np.std(runs[0]) == pytest.approx(0.5, rel=0.2)


def test_a_supervisor_gives_and_takes_cross_sections(air):
    session, radar, boss = air([[20, 0, 0]])
    field = boss.getFromDef("t0").getField("radarCrossSection")
    assert field.getSFFloat() == 2.0
    field.setSFFloat(0.0)
    session.step(8)
    assert radar.getTargets() == []
    boss.simulationReset()
    session.step(8)
    session.step(8)
    assert radar.getNumberOfTargets() == 1


def test_what_is_partly_in_view_is_where_that_part_is():
    radar = nodes.Radar(
        horizontal_field_of_view=math.pi / 2, vertical_field_of_view=1.0
    )
    # A square across the left edge of the view: half of it is cut off.
    points = np.array([[10, 10 + y, z] for y in (-4, 4) for z in (-1, 1)])
    centre, size = _visible_part(points, radar)
    assert centre[1] < 10
    assert size[1] < 8
