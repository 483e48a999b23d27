"""A box of 100 kg on a plate: its corners, its balance and its weight."""

import math

import numpy as np
import pytest

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.loading import load_scenario

LINK = """<link name="{name}"><inertial><mass value="{mass}"/>
<inertia ixx="4" iyy="4" izz="4" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="c"><geometry><box size="{size}"/></geometry>
<drake:proximity_properties><drake:mu_static value="1"/><drake:mu_dynamic value="1"/>
</drake:proximity_properties></collision></link>"""
ROBOT = '<robot name="r" xmlns:drake="http://drake.mit.edu">{}</robot>'

SCENARIO = """
Stand:
  plant_config: {{time_step: {step}}}
  directives:
  - add_model: {{name: scale, file: scale.urdf}}
  - add_weld:
      parent: world
      child: scale::base
      X_PC: {{rotation: !Rpy {{deg: [0, {tilt}, 0]}}}}
  - add_model:
      name: box
      file: box.urdf
      default_free_body_pose:
        box:
          translation: [{x}, 0, {z}]
          rotation: !Rpy {{deg: [0, {tilt}, 0]}}
  defs: {{BOX: box}}
  model_drivers:
    scale: !WebotsMotorDriver
      supervisor: true
      devices:
        bumper: !TouchSensor {{frame: plate}}
        # Its x axis points up, at what presses on it.
        force: !TouchSensor
          frame: plate
          type: force
          pose: {{rotation: [0, 1, 0, {quarter}]}}
          lookup_table: []
        force 3d: !TouchSensor {{frame: plate, type: force-3d, lookup_table: []}}
"""
WEIGHT = 981.0


@pytest.fixture
def standing(tmp_path):
    """Returns a function that opens the session of a box on a tilted plate."""
    base = LINK.format(name="base", mass=1, size="0.01 0.01 0.01")
    plate = LINK.format(name="plate", mass=2, size="1 1 0.1")
    weld = (
        '<joint name="weld" type="fixed"><parent link="base"/>'
        '<child link="plate"/></joint>'
    )
    box = LINK.format(name="box", mass=100, size="0.5 0.5 0.5")
    for name, text in (("scale", base + plate + weld), ("box", box)):
        (tmp_path / f"{name}.urdf").write_text(ROBOT.format(text))

    def session(step, tilt=0.0, shift=0.0):
        angle = math.radians(tilt)
        text = SCENARIO.format(
            step=step,
            tilt=tilt,
            x=shift + 0.3001 * math.sin(angle),
            z=0.3001 * math.cos(angle),
            quarter=-math.pi / 2,
        )
        (tmp_path / "stand.yaml").write_text(text)
        return RobotSession(load_scenario(tmp_path / "stand.yaml"))

    return session


@pytest.mark.parametrize("step", [0.008, 0.032])
def test_sensors_feel_the_weight_and_the_box_is_in_balance(standing, step):
    with standing(step) as session:
        robot = session.supervisor()
        sensors = [robot.getDevice(n) for n in ("bumper", "force", "force 3d")]
        for sensor in sensors:
            sensor.enable(round(1000 * step))
        robot.step(64 * 16)
        bumper, force, force_3d = sensors
        assert bumper.getValue() == 1
        # The plate weighs 2 kg: that is what the weld carries besides.
        assert force.getValue() == pytest.approx(WEIGHT + 2 * 9.81, rel=1e-3)
        values = np.array(force_3d.getValues())
        np.testing.assert_allclose(
            values, [0, 0, -WEIGHT - 2 * 9.81], atol=0.02
        )
        box = robot.getFromDef("BOX")
        points = np.array([p.point for p in box.getContactPoints()])
        corners = [(x, y) for x in (-0.25, 0.25) for y in (-0.25, 0.25)]
        # The patch ends where the pressure is 0: 1 mm within the edge.
        np.testing.assert_allclose(
            sorted(points[:, :2].round(3).tolist()), corners, atol=2e-3
        )
        assert box.getStaticBalance()


def test_on_a_slope_the_sensor_feels_the_push_along_it(standing):
    with standing(0.008, tilt=20.0) as session:
        robot = session.supervisor()
        force = robot.getDevice("force 3d")
        force.enable(8)
        robot.step(1024)
        angle = math.radians(20)
        total = WEIGHT + 2 * 9.81
        expected = [total * math.sin(angle), 0, -total * math.cos(angle)]
        np.testing.assert_allclose(force.getValues(), expected, atol=1.0)


@pytest.mark.parametrize(("shift", "balanced"), [(0.45, True), (0.55, False)])
def test_a_box_over_the_edge_is_out_of_balance(standing, shift, balanced):
    with standing(0.008, shift=shift) as session:
        robot = session.supervisor()
        robot.step(48)
        assert robot.getFromDef("BOX").getStaticBalance() is balanced


@pytest.mark.parametrize("step", [0.008, 0.032])
def test_a_box_that_is_put_on_a_plate_and_kicked_slides_as_far_as_it_should(
    standing, step
):
    with standing(step) as session:
        robot = session.supervisor()
        robot.step(64)
        box = robot.getFromDef("BOX")
        box.getField("translation").setSFVec3f([-0.1, 0, 0.3])  # they touch
        box.setVelocity([0.5, 0, 0, 0, 0, 0])
        robot.step(512)
        # At a friction of 1; implicit steps brake in the first one, too.
        speeds = 0.5 - 9.81 * step * np.arange(1, 10)
        way = step * speeds[speeds > 0].sum()
        # At that friction cubes begin to rock. Put 0.4 mm deeper than it rests it went
        # at most a quarter of that.
        assert box.getPosition()[0] == pytest.approx(way - 0.1, abs=1e-3)


def test_a_floor_with_a_half_space_stays_where_it_is(
    standing, tmp_path, capsys
):
    (tmp_path / "plane.sdf").write_text(
        '<sdf version="1.9"><model name="plane"><link name="ground">'
        '<collision name="c"><geometry><plane><normal>0 0 1</normal>'
        "<size>1 1</size></plane></geometry></collision></link></model></sdf>"
    )
    with standing(0.008):
        pass
    text = (tmp_path / "stand.yaml").read_text()
    text = text.replace(
        "  directives:\n",
        "  directives:\n  - add_model: {name: plane, file: plane.sdf}\n"
        "  - add_weld: {parent: world, child: plane::ground,"
        " X_PC: {translation: [0, 0, -3]}}\n",
    )
    (tmp_path / "stand.yaml").write_text(text)
    with RobotSession(load_scenario(tmp_path / "stand.yaml")) as session:
        robot = session.supervisor()
        robot.getFromDef("plane").getField("translation").setSFVec3f([0, 0, 5])
        robot.step(8)
    assert (
        "a half space, which is fixed to the world" in capsys.readouterr().err
    )
