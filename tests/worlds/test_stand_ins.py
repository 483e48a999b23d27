"""Our own PROTOs that stand for Webots' load, drive, and say what differs."""

import math
import re
from pathlib import Path

import pytest
from pydrake.math import RigidTransform, RotationMatrix
from world_files import plant_of, world_file

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
    used = set(re.findall(r"\bIS (\w+)", text))
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


def dh(angle, d, a, twist):
    """Returns the frame of a link in the one before (Denavit and Hartenberg)."""
    turned = RigidTransform(RotationMatrix.MakeZRotation(angle), [0, 0, d])
    bent = RigidTransform(RotationMatrix.MakeXRotation(twist), [a, 0, 0])
    return turned @ bent


HALF = math.pi / 2
UR_ANGLES = [0.3, -1.2, 1.3, -0.4, 0.6, 0.2]
PANDA_ANGLES = [0.2, -0.3, 0.4, -1.8, 0.3, 1.6, 0.5]


def ur_tip(d1, a2, a3, d4, d5, d6):
    """Returns the flange of a UR arm by its maker's table; its x points backwards."""
    table = [
        (d1, 0, HALF),
        (0, -a2, 0),
        (0, -a3, 0),
        (d4, 0, HALF),
        (d5, 0, -HALF),
        (d6, 0, 0),
    ]
    X = RigidTransform(RotationMatrix.MakeZRotation(math.pi), [0, 0, 0])
    for angle, row in zip(UR_ANGLES, table, strict=True):
        X = X @ dh(angle, *row)
    return X.translation()


def panda_tip():
    """Returns the flange of a Panda by its maker's table, which is Craig's."""
    table = [
        (0, 0, 0.333),
        (0, -HALF, 0),
        (0, HALF, 0.316),
        (0.0825, HALF, 0),
        (-0.0825, -HALF, 0.384),
        (0, HALF, 0),
        (0.088, HALF, 0),
        (0, 0, 0.107),
    ]
    X = RigidTransform()
    for angle, (a, twist, d) in zip([*PANDA_ANGLES, 0], table, strict=True):
        X = X @ RigidTransform(RotationMatrix.MakeXRotation(twist), [a, 0, 0])
        X = X @ RigidTransform(RotationMatrix.MakeZRotation(angle), [0, 0, 0])
        X = X @ RigidTransform([0, 0, d])
    return X.translation()


@pytest.mark.parametrize(
    ("name", "slot", "angles", "tip"),
    [
        (
            "UR3e",
            "toolSlot",
            UR_ANGLES,
            ur_tip(0.15185, 0.24355, 0.2132, 0.13105, 0.08535, 0.0921),
        ),
        (
            "UR5e",
            "toolSlot",
            UR_ANGLES,
            ur_tip(0.1625, 0.425, 0.3922, 0.1333, 0.0997, 0.0996),
        ),
        (
            "UR10e",
            "toolSlot",
            UR_ANGLES,
            ur_tip(0.1807, 0.6127, 0.57155, 0.17415, 0.11985, 0.11655),
        ),
        ("Panda", "endEffectorSlot", PANDA_ANGLES, panda_tip()),
    ],
)
def test_an_arm_ends_where_its_makers_table_says(
    tmp_path, name, slot, angles, tip
):
    text = (
        f'WorldInfo {{ gravity 0 }} {name} {{ name "arm" supervisor TRUE {slot}'
        ' GPS { name "tip" } }'
    )
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("arm")
        motors = [
            device
            for i in range(robot.getNumberOfDevices())
            if hasattr(device := robot.getDeviceByIndex(i), "getMaxTorque")
        ]
        gps = robot.getDevice("tip")
        gps.enable(32)
        for motor, angle in zip(motors, angles, strict=True):
            motor.setPosition(angle)
            assert motor.getPositionSensor().getName().endswith("_sensor")
        robot.step(2400)
        # The motors' own law ends within a tenth of a millimetre.
        assert gps.getValues() == pytest.approx(tip, abs=1e-4)


@pytest.mark.parametrize(
    ("mix", "turned"),
    [
        ((0, 0, 0, 0), (0, 0, 0)),
        ((-1, -1, 1, 1), (1, 0, 0)),
        ((1, -1, -1, 1), (0, -1, 0)),
        ((1, -1, 1, -1), (0, 0, 1)),
    ],
)
def test_a_crazyflie_hovers_and_turns_as_public_controllers_mix(
    tmp_path, mix, turned
):
    text = "Crazyflie { translation 0 0 20 supervisor TRUE }"
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("Crazyflie")
        gyro = robot.getDevice("gyro")
        gyro.enable(32)
        for i, (way, more) in enumerate(zip((-1, 1, -1, 1), mix, strict=True)):
            motor = robot.getDevice(f"m{i + 1}_motor")
            motor.setPosition(float("inf"))
            motor.setVelocity(way * (55.36 + 0.2 * more))
        robot.step(608)  # its motors take 0.56 s
        before = robot.getSelf().getVelocity()[2]
        robot.step(64)
        assert robot.getSelf().getVelocity()[2] == pytest.approx(
            before, abs=5e-3
        )
        rates = gyro.getValues()
    for rate, way in zip(rates, turned, strict=True):
        assert rate * way > 0 if way else abs(rate) < 1e-6


def test_a_bb8_rolls_ahead_as_its_body_turns(tmp_path):
    text = 'Floor { } BB-8 { bodySlot GPS { name "gps" } }'
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.robot("BB-8")
        gps = robot.getDevice("gps")
        gps.enable(32)
        motor = robot.getDevice("body pitch motor")
        motor.setPosition(float("inf"))
        motor.setVelocity(2.0)
        robot.step(2016)
        x, y, z = gps.getValues()
    # A radius of 0.25 m; the weight swings by a third of a turn and more.
    assert x == pytest.approx(2.0 * 0.25 * 2.016, abs=0.25)
    assert (y, z) == pytest.approx((0, 0.25), abs=2e-3)


def test_fingers_of_a_panda_go_together(tmp_path):
    text = "Panda { endEffectorSlot PandaHand { } }"
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.robot("panda")
        sides = [
            robot.getDevice(f"panda_finger::{side}_sensor")
            for side in ("right", "left")
        ]
        for sensor in sides:
            sensor.enable(32)
        robot.getDevice("panda_finger::right").setPosition(0.02)
        robot.step(1600)
        assert [s.getValue() for s in sides] == pytest.approx([0.02] * 2)


@pytest.mark.parametrize(
    ("mix", "turned"),
    [
        ((0, 0, 0, 0), (0, 0, 0)),
        ((-1, 1, -1, 1), (-1, 0, 0)),
        ((1, 1, -1, -1), (0, -1, 0)),
        ((-1, 1, 1, -1), (0, 0, 1)),
    ],
)
def test_a_mavic_hovers_and_turns_as_public_controllers_mix(
    tmp_path, mix, turned
):
    text = "Mavic2Pro { translation 0 0 20 supervisor TRUE }"
    sides = ("front left", "front right", "rear left", "rear right")
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("Mavic 2 PRO")
        gyro = robot.getDevice("gyro")
        gyro.enable(32)
        for side, way, more in zip(sides, (1, -1, -1, 1), mix, strict=True):
            motor = robot.getDevice(f"{side} propeller")
            motor.setPosition(float("inf"))
            motor.setVelocity(way * (68.5 + 0.2 * more))
        robot.step(32)
        before = robot.getSelf().getVelocity()[2]
        robot.step(64)
        assert robot.getSelf().getVelocity()[2] == pytest.approx(
            before, abs=5e-3
        )
        rates = gyro.getValues()
    # The weight of the camera is balanced to a tenth of a millimetre.
    for rate, way in zip(rates, turned, strict=True):
        assert rate * way > 0 if way else abs(rate) < 2e-3


@pytest.mark.parametrize("given", ["", 'controller "<none>"'])
def test_a_robot_that_is_given_no_controller_is_told_to_hold(tmp_path, given):
    file = world_file(tmp_path, f"RectangleArena {{ }} E-puck {{ {given} }}")
    told = [(e.kind, e.name) for e in report_of(load_scenario(file)).entries]
    assert (("idle", "E-puck") in told) is (not given)


def test_a_pedestrian_stands_on_the_ground_in_worlds_of_any_age(tmp_path):
    for head, place in (("today", "3 0 1.27"), ("old", "3 1.27 0")):
        text = f"Pedestrian {{ translation {place} }}"
        plant, context, _ = plant_of(world_file(tmp_path, text, HEADS[head]))
        body = plant.GetBodyByName("pedestrian")
        (shape,) = plant.GetCollisionGeometriesForBody(body)
        inspector = plant.EvalSceneGraphInspector(context)
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        X_WS = X_WB @ inspector.GetPoseInFrame(shape)
        up = 2 if head == "today" else 1
        # A cylinder of 1.8 m, its axis upright.
        assert abs(X_WS.rotation().matrix()[up, 2]) == pytest.approx(1)
        assert X_WS.translation()[up] == pytest.approx(0.9)


def test_a_burger_has_its_lidar_unless_the_world_says_otherwise(tmp_path):
    # Hidden fields of saved worlds count its three Solids, before those of wheels.
    devices = []
    for slot in ("", "extensionSlot [ ]", "extensionSlot [ GPS { } ]"):
        file = world_file(tmp_path, f"TurtleBot3Burger {{ {slot} }}")
        (robot,) = load_scenario(file).model_drivers.values()
        devices.append([*robot.devices][-1])
        lidar = robot.devices.get("LDS-01")
        assert lidar is None or lidar.pose.translation == [-0.032, 0, 0.182]
    assert devices == ["LDS-01", "inertial unit", "gps"]
