"""Our own PROTOs that stand for Webots' load, drive, and say what differs."""

import re
from pathlib import Path

import pytest
from world_files import world_file

from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.robot import RobotSession
from webmotor_drake.worlds import stand_ins
from webmotor_drake.worlds.project import Options, Project

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

FILES = sorted((Path(stand_ins.__file__).parent / "protos").glob("*.proto"))
# Their motors and the radius of their wheels, m.
ROBOT_WHEELS = {
    "Create": ("left wheel motor", "right wheel motor", 0.031),
    "E-puck": ("left wheel motor", "right wheel motor", 0.0205),
    "Khepera4": ("left wheel motor", "right wheel motor", 0.021),
    "Pioneer3dx": ("left wheel", "right wheel", 0.0975),
    "Thymio2": ("motor.left", "motor.right", 0.022),
    "TurtleBot3Burger": ("left wheel motor", "right wheel motor", 0.033),
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_stand_in_is_a_proto_that_says_its_licence_and_what_differs(file):
    text = file.read_text()
    assert "# license: BSD-3-Clause\n# differs" in text
    project = Project(Path("w.wbt"), Options())
    proto = project.load_proto(file, (2023, 1, 0))
    assert proto.proto == file.stem
    used = set(re.findall(r"\bIS (\S+)", text))
    assert used <= proto.parameters.keys()


HEADS = {
    "today": "#VRML_SIM R2023b utf8\n",
    "old": '#VRML_SIM R2021b utf8\nWorldInfo { coordinateSystem "NUE" }\n',
}


@pytest.mark.parametrize(
    ("name", "age"),
    [*((name, "today") for name in ROBOT_WHEELS), ("Create", "old")],
)
def test_a_robot_drives_ahead_as_its_wheels_roll(tmp_path, name, age):
    *motors, radius = ROBOT_WHEELS[name]
    text = (
        f'RectangleArena {{ floorSize 5 5 }} {name} {{ controller "<none>"'
        " supervisor TRUE }"
    )
    scenario = load_scenario(world_file(tmp_path, text, HEADS[age]))
    (model,) = scenario.model_drivers
    with RobotSession(scenario) as session:
        robot = session.supervisor(model)
        for motor in motors:
            device = robot.getDevice(motor)
            device.setPosition(float("inf"))
            device.setVelocity(3.0)
        for _ in range(15):
            robot.step(32)
        place = robot.getSelf().getPosition()
        assert robot.getSelf().getTypeName() == name
    ahead, aside = (
        (place[0], place[1]) if age == "today" else (-place[2], place[0])
    )
    # It starts from rest, and casters slide: a twentieth and 2 cm.
    assert ahead == pytest.approx(3 * radius * 0.48, rel=0.05)
    assert abs(aside) < 0.02
    assert any(e.name == name for e in report_of(scenario).of_kind("replaced"))


def test_the_motors_of_a_turtlebots_lidar_turn(tmp_path):
    text = (
        "RectangleArena { } TurtleBot3Burger { supervisor TRUE"
        ' extensionSlot RobotisLds01 { translation 0 0 0.18 } controller "<none>" }'
    )
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("TurtleBot3Burger")
        motor = robot.getDevice("LDS-01_main_motor")
        motor.setPosition(float("inf"))
        motor.setVelocity(30.0)
        lidar = robot.getDevice("LDS-01")
        lidar.enable(32)
        robot.step(64)
        assert len(lidar.getRangeImage()) == 360


def test_a_robot_has_webots_parameters_and_not_ours(tmp_path):
    text = 'E-puck { supervisor TRUE version "2" controller "<none>" }'
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        me = session.supervisor("e-puck").getSelf()
        names = [
            me.getFieldByIndex(i).getName()
            for i in range(me.getNumberOfFields())
        ]
        assert me.getTypeName() == "E-puck"
        assert me.getField("camera_width").value == 52
        assert {"turretSlot", "emitter_channel", "version"} <= set(names)
        assert not [name for name in names if name.startswith("our_")]
