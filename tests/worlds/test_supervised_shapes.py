"""Supervisors find Shapes, their looks, groups and Solids in Solids by DEF names."""

import pytest

from webmotor_drake.loading import as_scenario, load_scenario
from webmotor_drake.robot import RobotSession
from webmotor_drake.worlds.imported import write_world
from webmotor_drake.worlds.project import Options

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

HEAD = "#VRML_SIM R2023b utf8\n"
LAMP = """PROTO Lamp [ field SFColor color 0 0 1  field SFFloat size 0.1 ]
{
  Solid {
    name "lamp"
    children [
      DEF GLASS Shape {
        appearance PBRAppearance { baseColor IS color }
        geometry Sphere { radius IS size }
      }
    ]
  }
}
"""
WORLD = """EXTERNPROTO "../protos/Lamp.proto"
WorldInfo { basicTimeStep 8 gravity 0 }
DEF BALL Solid {
  translation 1 0 0
  children [
    DEF BALL_SHAPE Shape {
      appearance DEF RED PBRAppearance { baseColor 1 0 0 }
      geometry DEF ROUND Sphere { radius 0.1 }
    }
    Pose {
      translation 0 0 1
      children [
        Shape { appearance USE RED geometry DEF BOX Box { size 0.1 0.2 0.3 } }
      ]
    }
  ]
  boundingObject USE ROUND
  physics DEF WEIGHT Physics { mass 2 }
}
DEF THINGS Group {
  children [
    DEF A Solid { translation 0 2 0 name "a" boundingObject Box {} }
    DEF MORE Group {
      children [ Solid { translation 0 6 0 name "b" boundingObject Box {} } ]
    }
  ]
}
DEF AROUND Pose {
  translation 0 0 3
  rotation 0 0 1 1.5707963267948966
  children [
    DEF IN Solid {
      translation 0.5 0 0 name "in" boundingObject Sphere { radius 0.1 }
    }
  ]
}
DEF OLD Solid {
  translation 0 0 -5
  children Shape {
    appearance Appearance { material DEF PAINT Material { diffuseColor 0 1 0 } }
    geometry Box {}
  }
}
Solid {
  translation 0 0 -9
  children Shape {
    appearance DEF SCENERY PBRAppearance { baseColor 0.5 0.5 0 }
    geometry Box {}
  }
}
DEF LIGHT Lamp {}
DEF ARM Robot {
  translation 9 0 0
  rotation 0 0 1 1.5707963267948966
  name "arm" controller "<none>" supervisor TRUE
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      endPoint Solid {
        translation 1 0 0
        children [ DEF TIP Solid { translation 0.5 0 0 name "tip" } ]
        physics Physics {}
      }
      device RotationalMotor {}
    }
  ]
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name, text in {
        "protos/Lamp.proto": LAMP,
        "worlds/w.wbt": WORLD,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(HEAD + text)
    return folder / "worlds" / "w.wbt"


@pytest.fixture
def boss(file):
    with RobotSession(as_scenario(str(file))) as session:
        yield session.supervisor("arm")


def test_looks_and_geometries_have_webots_types(boss):
    types = {
        "BALL_SHAPE": "Shape",
        "RED": "PBRAppearance",
        "ROUND": "Sphere",
        "BOX": "Box",
        "WEIGHT": "Physics",
        "PAINT": "Material",
        "SCENERY": "PBRAppearance",
        "BALL.BOX": "Box",
        "THINGS": "Group",
        "AROUND": "Pose",
        "TIP": "Solid",
    }
    found = {name: boss.getFromDef(name) for name in types}
    assert {name: n.getTypeName() for name, n in found.items()} == types
    assert found["BOX"].getField("size").getSFVec3f() == [0.1, 0.2, 0.3]
    assert found["WEIGHT"].getField("mass").getSFFloat() == 2
    look = found["BALL_SHAPE"].getField("appearance").getSFNode()
    assert look.getId() == found["RED"].getId()
    assert look.getDef() == "RED"


def test_a_colour_that_is_used_twice_changes_twice(boss):
    boss.getFromDef("RED").getField("baseColor").setSFColor([0, 0, 1])
    boss.getFromDef("PAINT").getField("diffuseColor").setSFColor([1, 0, 1])
    boss.step(8)
    ball = boss.getFromDef("BALL").getField("children")
    shape = ball.getMFNode(0)
    pose = ball.getMFNode(1)
    other = pose.getField("children").getMFNode(0)
    for one in (shape, other):
        look = one.getField("appearance").getSFNode()
        assert look.getField("baseColor").getSFColor() == [0, 0, 1]
    old = boss.getFromDef("OLD").getField("children").getMFNode(0)
    look = old.getField("appearance").getSFNode()
    assert look.getTypeName() == "Appearance"
    paint = look.getField("material").getSFNode()
    assert paint.getField("diffuseColor").getSFColor() == [1, 0, 1]
    boss.simulationReset()
    boss.step(8)
    boss.step(8)
    look = other.getField("appearance").getSFNode()
    assert look.getField("baseColor").getSFColor() == [1, 0, 0]


def test_a_geometry_that_is_drawn_and_collides_changes_both(boss):
    boss.getFromDef("ROUND").getField("radius").setSFFloat(0.3)
    boss.step(8)
    ball = boss.getFromDef("BALL")
    drawn = ball.getField("children").getMFNode(0).getField("geometry")
    bounds = ball.getField("boundingObject")
    for geometry in (drawn, bounds):
        assert geometry.getSFNode().getField("radius").getSFFloat() == 0.3


def test_a_group_has_its_solids_for_children(boss, capfd):
    things = boss.getFromDef("THINGS").getField("children")
    assert things.getCount() == 2
    assert things.getMFNode(0).getDef() == "A"
    assert things.getMFNode(1).getDef() == "MORE"
    inner = boss.getFromDef("THINGS.MORE").getField("children")
    solid = inner.getMFNode(-1)
    assert solid.getField("name").getSFString() == "b"
    assert boss.getFromDef("THINGS.A").getPosition() == [0, 2, 0]
    assert boss.getFromDef("MORE.A") is None
    solid.getField("translation").setSFVec3f([0, 8, 0])
    boss.getFromDef("A").remove()
    boss.step(8)
    assert solid.getPosition() == [0, 8, 0]
    assert things.getCount() == 1
    assert boss.getFromDef("A") is None
    root = boss.getRoot().getField("children")
    tops = [root.getMFNode(i).getDef() for i in range(root.getCount())]
    assert "THINGS" in tops and "A" not in tops and "MORE" not in tops


def test_solids_in_a_pose_stand_in_it_and_move_with_it(boss):
    pose, solid = boss.getFromDef("AROUND"), boss.getFromDef("AROUND.IN")
    translation = solid.getField("translation")
    # A quarter turn has a cosine of 6e-17.
    assert translation.getSFVec3f() == pytest.approx([0.5, 0, 0], abs=1e-15)
    assert solid.getPosition() == pytest.approx([0, 0.5, 3], abs=1e-15)
    translation.setSFVec3f([1, 0, 0])
    boss.step(8)
    assert solid.getPosition() == pytest.approx([0, 1, 3], abs=1e-15)
    pose.getField("translation").setSFVec3f([5, 0, 0])
    pose.getField("rotation").setSFRotation([0, 0, 1, 0])
    boss.step(8)
    assert solid.getPosition() == pytest.approx([6, 0, 0], abs=1e-15)
    assert translation.getSFVec3f() == pytest.approx([1, 0, 0], abs=1e-15)
    boss.simulationReset()
    boss.step(8)
    boss.step(8)
    assert pose.getPosition() == [0, 0, 3]
    assert solid.getPosition() == pytest.approx([0, 0.5, 3], abs=1e-15)


def test_a_solid_in_a_solid_is_found_where_it_is(boss, capfd):
    tip = boss.getFromDef("TIP")
    assert tip.getPosition() == pytest.approx([9, 1.5, 0], abs=1e-15)
    assert tip.getField("translation").getSFVec3f() == pytest.approx(
        [0.5, 0, 0], abs=1e-15
    )
    motor = boss.getDevice("rotational motor")
    motor.setPosition(1.0)
    boss.step(8 * 50)
    assert tip.getPosition()[0] < 8.9
    assert any(tip.getVelocity())
    tip.getField("translation").setSFVec3f([0, 0, 0])
    boss.step(8)
    assert "tip has no body of its own to move" in capfd.readouterr().err


def test_parameters_that_are_colours_and_sizes_change_what_they_say(boss):
    lamp = boss.getFromDef("LIGHT")
    lamp.getField("color").setSFColor([1, 1, 0])
    lamp.getField("size").setSFFloat(0.4)
    boss.step(8)
    glass = lamp.getFromProtoDef("GLASS")
    look = glass.getField("appearance").getSFNode()
    assert look.getField("baseColor").getSFColor() == [1, 1, 0]
    ball = glass.getField("geometry").getSFNode()
    assert ball.getField("radius").getSFFloat() == 0.4
    assert lamp.getField("color").getSFColor() == [1, 1, 0]


def test_an_imported_world_knows_the_same_nodes(file, tmp_path):
    write_world(file, tmp_path, Options())
    again = load_scenario(tmp_path / "w.scenario.yaml")
    with RobotSession(again) as session:
        boss = session.supervisor("arm")
        assert boss.getFromDef("TIP").getPosition() == pytest.approx(
            [9, 1.5, 0], abs=1e-15
        )
        pose = boss.getFromDef("AROUND")
        assert pose.getTypeName() == "Pose" and pose.getPosition() == [0, 0, 3]


def test_without_a_supervisor_nothing_is_kept_for_one(tmp_path):
    path = tmp_path / "w.wbt"
    path.write_text(HEAD + WORLD.replace("supervisor TRUE", ""))
    path.write_text(path.read_text().replace("DEF LIGHT Lamp {}", ""))
    write_world(path, tmp_path, Options())
    again = load_scenario(tmp_path / "w.scenario.yaml")
    assert again.world is None and not again.defs
