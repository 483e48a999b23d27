"""A supervisor finds the world's file: every node where it stands, with its fields."""

import typing

import pytest
from world_files import HEAD, world_file
from written_fields import every_field, wrong_in

from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")


def value_of(field: typing.Any) -> typing.Any:
    """Returns the value, or the values, of a supervisor's field."""
    if field.getCount() == -1:
        return field.value
    get = getattr(field, f"get{field.getTypeName()}")
    return [get(i) for i in range(field.getCount())]


def test_every_field_of_every_node_reads_back(tmp_path):
    world, found = every_field(tmp_path)
    scenario = load_scenario(world)
    with RobotSession(scenario) as session:
        boss = session.supervisor(next(iter(scenario.model_drivers)))
        read = {}
        for kind, node in found.items():
            seen = boss.getFromDef(f"{kind}_")
            assert seen is not None, kind
            read[kind] = {n: value_of(seen.getField(n)) for n in node.values}
    assert wrong_in(found, read) == []


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
