"""A supervisor finds the world's file: every node where it stands, with its fields."""

import dataclasses as dc
import typing

import pytest
from world_files import HEAD, world_file

from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.nodes.webots_fields import fields_of_type
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# What stands where: nodes with children in Webots' fields.
IN_ROOT = (
    "WorldInfo Viewpoint Background Fog DirectionalLight PointLight SpotLight Group"
    " Pose Transform"
).split()
DEVICES = (
    "Accelerometer Altimeter Camera Compass Connector Display DistanceSensor Emitter"
    " GPS Gyro InertialUnit LED Lidar LightSensor Pen Radar RangeFinder Receiver"
    " Speaker TouchSensor"
).split()
GEOMETRIES = (
    "Box Sphere Cylinder Capsule Cone Plane Mesh IndexedFaceSet".split()
)
# Values that the rule of a field does not allow to be 1 more than the default, that
# name a file, or that others depend on.
VALUES: dict[str, typing.Any] = {
    "WorldInfo.basicTimeStep": 16.0,
    "WorldInfo.coordinateSystem": "ENU",
    "WorldInfo.gpsCoordinateSystem": "WGS84",
    "WorldInfo.physics": "",
    "WorldInfo.northDirection": [1.0, 0.0, 0.0],
    "PositionSensor.name": "ps",
    "Brake.name": "b",
    "Robot.controller": "<none>",
    "Robot.battery": [1.0, 2.0, 3.0],
    "Robot.supervisor": True,
    "Camera.recognition": None,
    "Camera.far": 9.0,
    "Connector.type": "active",
    "Connector.isLocked": False,
    "Connector.numberOfRotations": 3,
    "DistanceSensor.type": "sonar",
    "Emitter.type": "infra-red",
    "Emitter.byteSize": 8,
    "Emitter.range": 2.0,
    "Emitter.maxRange": 3.0,
    "Emitter.aperture": 1.0,
    "Receiver.type": "infra-red",
    "Receiver.byteSize": 8,
    "Receiver.aperture": 1.0,
    "TouchSensor.type": "force",
    "Lidar.type": "rotating",
    "Lidar.verticalFieldOfView": 0.3,
    "Lidar.maxRange": 5.0,
    "Lidar.minRange": 0.5,
    "Lidar.defaultFrequency": 12.0,
    "RangeFinder.maxRange": 5.0,
    "GPS.type": "laser",
    "LightSensor.colorFilter": [0.5, 0.5, 0.5],
    "Mesh.url": ["part.obj"],
    "IndexedFaceSet.coordIndex": [0, 1, 2, -1],
    "HingeJointParameters.minStop": -1.0,
    "HingeJointParameters.maxStop": 2.0,
    "HingeJointParameters.axis": [0.0, 1.0, 0.0],
    "HingeJointParameters.position": 0.25,
    "RotationalMotor.minPosition": -0.5,
    "RotationalMotor.maxPosition": 0.5,
    "Solid.physics": None,
}


@dc.dataclass
class Written:
    """A node of a world: its text, and the values that it has to read back."""

    text: str
    values: dict[str, typing.Any]


def other(key: str, kind: str, default: typing.Any) -> typing.Any:
    """Returns a value of a type that is not the default."""
    if key in VALUES:
        return VALUES[key]
    single = kind[2:]
    if single in ("Vec2f", "Vec3f", "Rotation", "Color"):
        width = {"Vec2f": 2, "Rotation": 4}.get(single, 3)
        value = {"Rotation": [0.0, 1.0, 0.0, 0.5]}.get(single, [0.25] * width)
        return value if kind[0] == "S" else [value, [0.5] * width]
    value = {"Bool": default is False, "String": "other"}.get(single)
    if value is None:
        value = (max(default, 0) if isinstance(default, int | float) else 0) + 1
        value = int(value) if single == "Int32" else value / 2
    return value if kind[0] == "S" else [value, value]


def text_of(value: typing.Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        inside = " ".join(map(text_of, value))
        return (
            f"[ {inside} ]"
            if value and value[0].__class__ in (str, list)
            else inside
        )
    return repr(value)


def written(kind: str, inside: str = "") -> Written:
    """Returns a node with another value of each field than the default."""
    texts, values = [], {}
    for name, field in fields_of_type(kind).items():
        if field.kind.endswith("Node") or f" {name} " in f" {inside} ":
            continue
        value = other(f"{kind}.{name}", field.kind, field.default)
        values[name] = value
        many = field.kind[0] == "M" and not isinstance(value[0], list | str)
        text = f"[ {text_of(value)} ]" if many else text_of(value)
        texts.append(f"{name} {text}")
    return Written(
        f"DEF {kind}_ {kind} {{ {' '.join(texts)} {inside} }}", values
    )


def nodes_of_a_world() -> dict[str, Written]:
    found = {kind: written(kind) for kind in (*IN_ROOT, *DEVICES)}
    texture = written("ImageTexture")
    old = written("Appearance", f"material {(m := written('Material')).text}")
    new = written("PBRAppearance", f"baseColorMap {texture.text}")
    found |= {"ImageTexture": texture, "Material": m}
    found |= {"Appearance": old, "PBRAppearance": new}
    shapes = []
    for kind in GEOMETRIES:
        rest = ""
        if kind == "IndexedFaceSet":
            rest = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }"
        found[kind] = written(kind, rest)
        shapes.append(f"Shape {{ geometry {found[kind].text} }}")
    for look, geometry in ((old, "Box { }"), (new, "Sphere { }")):
        shapes.append(f"Shape {{ appearance {look.text} geometry {geometry} }}")
    found["Shape"] = written("Shape", "geometry Box { }")
    found["Physics"] = written("Physics")
    found["Solid"] = written(
        "Solid",
        f"children [ {' '.join(shapes)} {found['Shape'].text} ]"
        f" boundingObject Box {{ }} physics {found['Physics'].text}",
    )
    joint = written("HingeJointParameters")
    motor, sensor = written("RotationalMotor"), written("PositionSensor")
    found |= {
        "HingeJointParameters": joint,
        "RotationalMotor": motor,
        "PositionSensor": sensor,
    }
    hinge = (
        f"HingeJoint {{ jointParameters {joint.text} device [ {motor.text}"
        f" {sensor.text} ] endPoint Solid {{ name 'end'"
        " boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }"
    ).replace("'", '"')
    devices = " ".join(found[kind].text for kind in DEVICES)
    found["Robot"] = written(
        "Robot",
        f"children [ {devices} {hinge} ] boundingObject Box {{ }}"
        " physics Physics { }",
    )
    return found


def value_of(field: typing.Any) -> typing.Any:
    """Returns the value, or the values, of a supervisor's field."""
    if field.getCount() == -1:
        return field.value
    get = getattr(field, f"get{field.getTypeName()}")
    return [get(i) for i in range(field.getCount())]


def close(a: typing.Any, b: typing.Any) -> bool:
    if isinstance(b, list):
        return (
            isinstance(a, list) and len(a) == len(b) and all(map(close, a, b))
        )
    if isinstance(b, float | int) and not isinstance(b, bool):
        return abs(a - b) <= 1e-9 * max(1, abs(b))
    return a == b


@pytest.fixture(scope="module")
def read_back(tmp_path_factory):
    """Returns the nodes of a world as they were written, and as a supervisor sees."""
    folder = tmp_path_factory.mktemp("project")
    found = nodes_of_a_world()
    (folder / "worlds").mkdir()
    (folder / "worlds" / "part.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    )
    tops = (*IN_ROOT, "Solid", "Robot")
    world = world_file(folder, "\n".join(found[kind].text for kind in tops))
    scenario = load_scenario(world)
    with RobotSession(scenario) as session:
        boss = session.supervisor(next(iter(scenario.model_drivers)))
        read = {}
        for kind, node in found.items():
            seen = boss.getFromDef(f"{kind}_")
            assert seen is not None, kind
            read[kind] = {n: value_of(seen.getField(n)) for n in node.values}
        yield found, read, report_of(scenario)


def test_every_field_of_every_node_reads_back(read_back):
    found, read, _ = read_back
    wrong = [
        f"{kind}.{name}: {value} is read as {read[kind][name]}"
        for kind, node in found.items()
        for name, value in node.values.items()
        if not close(read[kind][name], value)
    ]
    assert wrong == [], "\n".join(wrong)
    assert sum(len(node.values) for node in found.values()) > 236


TREE = """
WorldInfo { title "t" }
Viewpoint { }
DEF SKY TexturedBackground { }
RectangleArena { floorSize 3 2 }
DEF W1 Wall { translation 1 0 0 size 0.1 1 0.5 }
Wall { translation -1 0 0 name "wall(1)" size 0.1 1 0.5 }
DEF CONE TrafficCone { translation 0.5 0.5 0 }
DEF EMPTY Group { }
DEF GRP Group { children [
  PointLight { }
  DEF S2 Solid { translation 0 1 0.1 name "s2" boundingObject Box { } }
] }
DEF P Pose { translation 1 0 0 children [
  DEF IN Solid { translation 0 0 2 name "in" boundingObject Box { }
    physics Physics { } }
  Shape { geometry DEF G Box { } }
  Shape { geometry USE G }
] }
Robot { name "boss" supervisor TRUE controller "<none>" }
"""


@pytest.fixture
def boss(tmp_path):
    with RobotSession(load_scenario(world_file(tmp_path, TREE))) as session:
        yield session.supervisor("boss")


def test_the_root_has_the_children_of_the_file(boss):
    children = boss.getRoot().getField("children")
    nodes = [children.getMFNode(i) for i in range(children.getCount())]
    assert [f"{n.getDef()} {n.getTypeName()}".strip() for n in nodes] == [
        "WorldInfo",
        "Viewpoint",
        "SKY TexturedBackground",
        "RectangleArena",
        "W1 Wall",
        "Wall",
        "CONE TrafficCone",
        "EMPTY Group",
        "GRP Group",
        "P Pose",
        "Robot",
    ]
    assert nodes[2].getBaseTypeName() == "Background"
    assert nodes[3].getField("floorSize").value == [3, 2]
    assert nodes[6].getField("translation").value == [0.5, 0.5, 0]
    group = nodes[8].getField("children")
    assert [group.getMFNode(i).getTypeName() for i in range(2)] == [
        "PointLight",
        "Solid",
    ]
    assert group.getMFNode(1).getParentNode() == nodes[8]
    assert boss.getFromDef("GRP.S2") == group.getMFNode(1)


def test_a_pose_takes_along_what_stands_in_it(boss):
    pose, solid = boss.getFromDef("P"), boss.getFromDef("IN")
    assert solid.getPosition() == pytest.approx([1, 0, 2])
    pose.getField("translation").setSFVec3f([0, 3, 0])
    boss.step(32)
    assert pose.getPosition() == pytest.approx([0, 3, 0])
    # It fell for one step.
    assert solid.getPosition() == pytest.approx([0, 3, 2], abs=0.02)


STILL = """
WorldInfo { basicTimeStep 8 }
Floor { }
Solid { translation -1 0 0.25 name "block" children [
    Shape { geometry DEF B Box { size 0.5 0.5 0.5 } }
    Solid { translation 0 0 1 name "on top" boundingObject Box { size 1 1 0.1 } }
  ]
  boundingObject USE B }
Solid { translation 0 9 0 name "pyramid" boundingObject IndexedFaceSet {
  coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1, 9 0 0, 8 0 0, 9 1 0, 9 0 1 ] }
  coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 4 6 5 -1 4 5 7 -1 4 7 6 -1 5 6 7 ]
} }
DEF BALL Solid { translation 3 0 1.5 boundingObject Sphere { radius 0.1 }
  physics Physics { } }
Robot { name "boss" supervisor TRUE controller "<none>" }
"""


def test_a_static_solid_without_a_def_moves_with_what_stands_in_it(
    tmp_path, capfd
):
    with RobotSession(load_scenario(world_file(tmp_path, STILL))) as session:
        boss = session.supervisor("boss")
        children = boss.getRoot().getField("children")
        # After WorldInfo, the Viewpoint that each world has, and the floor.
        block, pyramid = children.getMFNode(3), children.getMFNode(4)
        # On the floor, which it touches: Drake forgets that both stand still.
        block.getField("translation").setSFVec3f([3, 0, 0.25])
        pyramid.getField("translation").setSFVec3f([0, 0, 0])
        boss.step(600)
        inner = block.getField("children").getMFNode(1)
        assert inner.getPosition() == pytest.approx([3, 0, 1.25])
        # The ball lies on it, which gives by micrometres.
        ball = boss.getFromDef("BALL")
        assert ball.getPosition()[2] == pytest.approx(1.4, abs=2e-4)
        told = "a IndexedFaceSet in pyramid collides in several parts"
        assert told in capfd.readouterr().err
        assert pyramid.getPosition() == [0, 9, 0]
        boss.simulationReset()
        boss.step(2000)
        assert block.getPosition() == [-1, 0, 0.25]
        assert ball.getPosition()[2] == pytest.approx(0.1, abs=2e-4)


def test_a_motor_may_have_the_name_of_a_body(tmp_path):
    text = """Robot { supervisor TRUE children HingeJoint {
      jointParameters DEF Q HingeJointParameters { }
      device DEF M RotationalMotor { name "arm" }
      endPoint DEF E Solid { name "arm" boundingObject Box { } physics Physics { } }
    } }"""
    with RobotSession(load_scenario(world_file(tmp_path, text))) as session:
        robot = session.supervisor("robot")
        assert robot.getFromDevice(robot.getDevice("arm")) == robot.getFromDef(
            "M"
        )
        assert robot.getFromDef("M").getTypeName() == "RotationalMotor"
        assert robot.getFromDef("E").getTypeName() == "Solid"
        robot.getFromDef("Q").getField("position").setSFFloat(0.5)
        robot.step(32)
        # It falls for one step.
        position = robot.getFromDef("Q").getField("position").value
        assert position == pytest.approx(0.5, abs=0.02)


def test_what_is_set_is_kept_and_told_until_a_reset(boss, capfd):
    field = boss.getFromDef("SKY").getBaseNodeField("luminosity")
    for _ in range(2):
        field.setSFFloat(0.5)
        boss.step(32)
    assert field.value == 0.5
    told = "Background.luminosity: kept, and without effect here"
    assert capfd.readouterr().err.count(told) == 1
    boss.simulationReset()
    boss.step(32)
    assert field.value == 1


def test_a_text_of_a_node_has_what_differs_from_the_defaults(boss):
    text = boss.getFromDef("P").exportString()
    assert text.startswith("DEF P Pose {\n  translation 1 0 0\n  children [")
    assert "rotation" not in text and "locked" not in text


def test_fields_that_do_nothing_here_are_in_the_report(tmp_path):
    world = world_file(
        tmp_path, "WorldInfo { ERP 0.3 } Fog { visibilityRange 0 }", HEAD
    )
    entries = report_of(load_scenario(world)).of_kind("info")
    names = [entry.name for entry in entries if "without effect" in entry.text]
    assert names == ["WorldInfo.ERP"]
