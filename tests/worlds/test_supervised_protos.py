"""Supervisors see instances of PROTOs as Webots shows them: by their parameters."""

import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.loading import as_scenario, load_scenario
from webmotor_drake.robot import RobotSession
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.worlds.imported import write_world
from webmotor_drake.worlds.project import Options

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

HEAD = "#VRML_SIM R2023b utf8\n"
ROVER = """EXTERNPROTO "Wheel.proto"
PROTO Rover [
  field SFVec3f translation 0 0 0.1
  field SFRotation rotation 0 0 1 0
  field SFString customData "a \\"b\\""
  field SFFloat strength 3
  field SFFloat wheelRadius 0.05
  field MFVec3f path [ 0 0 1, 2 3 4 ]
  field MFNode extra []
  unconnectedField SFBool unused TRUE
]
{
  Robot {
    translation IS translation
    rotation IS rotation
    customData IS customData
    controller "<none>"
    children [
      DEF LEFT Wheel {
        anchor 0 0.1 0 name "left" radius IS wheelRadius strength IS strength
      }
      Wheel {
        anchor 0 -0.1 0 name "right" radius IS wheelRadius strength IS strength
      }
      Group { children IS extra }
    ]
    boundingObject Box { size 0.2 0.1 0.05 }
    physics Physics {}
  }
}
"""
WHEEL = """PROTO Wheel [
  field SFVec3f anchor 0 0 0
  field SFString name "wheel"
  field SFFloat radius 0.1
  field SFFloat strength 10
]
{
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 anchor IS anchor }
    device [
      PositionSensor {}
      DEF MOTOR RotationalMotor { name IS name maxTorque IS strength }
    ]
    endPoint Solid {
      translation IS anchor
      name IS name
      boundingObject Sphere { radius IS radius }
      physics Physics {}
    }
  }
}
"""
DERIVED = """EXTERNPROTO "Rover.proto"
PROTO Derived [ field SFVec3f translation 0 0 0.2 ]
{ Rover { translation IS translation wheelRadius 0.03 } }
"""
WORLD = """EXTERNPROTO "../protos/Rover.proto"
EXTERNPROTO "../protos/Derived.proto"
EXTERNPROTO "webots://projects/objects/factory/containers/protos/WoodenBox.proto"
WorldInfo { basicTimeStep 8 }
DEF R Rover { translation 1 2 3 strength 2 hidden translation_0 1 2 4 }
DEF D Derived { translation -1 0 3 }
DEF BOX WoodenBox { translation 0 2 3 size 0.4 0.5 0.6 mass 3 locked TRUE }
Robot { name "boss" supervisor TRUE controller "<none>" }
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name, text in {
        "protos/Rover.proto": ROVER,
        "protos/Wheel.proto": WHEEL,
        "protos/Derived.proto": DERIVED,
        "worlds/w.wbt": WORLD,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(HEAD + text)
    return folder / "worlds" / "w.wbt"


@pytest.fixture(scope="module")
def scenario(file):
    return as_scenario(str(file))


@pytest.fixture(scope="module")
def boss(scenario):
    """A supervisor that only looks."""
    with RobotSession(scenario) as session:
        yield session.supervisor("boss")


@pytest.fixture(params=["implicit", "torque"])
def changer(scenario, request):
    """A supervisor that changes what it sees."""
    with RobotSession(with_drive(scenario, request.param)) as session:
        yield session.supervisor("boss")


def test_an_instance_has_the_parameters_of_its_proto_for_fields(boss, capfd):
    rover = boss.getFromDef("R")
    assert rover.isProto()
    assert (rover.getTypeName(), rover.getBaseTypeName()) == ("Rover", "Robot")
    count = rover.getNumberOfFields()
    fields = [rover.getFieldByIndex(i) for i in range(count)]
    assert [f"{f.getTypeName()} {f.getName()}" for f in fields] == [
        "SFVec3f translation",
        "SFRotation rotation",
        "SFString customData",
        "SFFloat strength",
        "SFFloat wheelRadius",
        "MFVec3f path",
        "MFNode extra",
        "SFBool unused",
    ]
    assert rover.getField("translation").getSFVec3f() == [1, 2, 4]  # hidden
    assert rover.getField("customData").getSFString() == 'a "b"'
    assert rover.getField("strength").getSFFloat() == 2
    assert rover.getField("wheelRadius").getSFFloat() == 0.05
    assert rover.getField("path").getMFVec3f(1) == [2, 3, 4]
    assert rover.getField("extra").getCount() == 0
    assert rover.getField("children") is None
    assert (
        "unknown field 'children' (known: translation" in capfd.readouterr().err
    )
    for get in (rover.getBaseNodeField, rover.getProtoField):
        assert get("children").getCount() == 3
    assert rover.getNumberOfBaseNodeFields() > count
    assert rover.getBaseNodeFieldByIndex(0).getName() == "translation"


def test_what_is_set_reaches_all_fields_that_are_connected(changer, capfd):
    boss = changer
    rover = boss.getFromDef("R")
    rover.getField("translation").setSFVec3f([3, 3, 5])
    rover.getField("customData").setSFString("new")
    rover.getField("strength").setSFFloat(1.5)
    rover.getField("wheelRadius").setSFFloat(0.06)
    rover.getField("unused").setSFBool(False)
    assert "not connected (IS)" in capfd.readouterr().err
    box = boss.getFromDef("BOX")
    box.getField("translation").setSFVec3f([7, 0, 3])
    boss.step(8)
    assert rover.getPosition()[:2] == [3, 3]
    assert box.getPosition()[0] == 7
    assert rover.getBaseNodeField("customData").getSFString() == "new"
    motor = rover.getFromProtoDef("LEFT").getFromProtoDef("MOTOR")
    assert motor.getField("maxTorque").getSFFloat() == 1.5
    assert motor.getBaseTypeName() == "RotationalMotor"
    wheel = rover.getFromProtoDef("LEFT")
    assert (wheel.getTypeName(), wheel.getBaseTypeName()) == (
        "Wheel",
        "HingeJoint",
    )
    assert wheel.getField("strength").getSFFloat() == 1.5
    assert wheel.getField("radius").getSFFloat() == 0.06
    boss.simulationReset()
    boss.step(8)
    boss.step(8)
    assert rover.getField("strength").getSFFloat() == 2
    assert rover.getPosition()[:2] == [1, 2]


def test_a_proto_that_derives_from_another_shows_both(boss):
    node = boss.getFromDef("D")
    proto = node.getProto()
    assert node.getNumberOfFields() == proto.getNumberOfFields() == 1
    assert (proto.getTypeName(), proto.isDerived()) == ("Derived", True)
    base = proto.getProtoParent()
    assert (base.getTypeName(), base.isDerived()) == ("Rover", False)
    assert base.getProtoParent() is None
    assert base.getField("wheelRadius").getSFFloat() == 0.03
    assert base.getField("translation").getSFVec3f() == [-1, 0, 3]
    assert base.getField("nothing") is None
    assert base.getFieldByIndex(0).getName() == "translation"
    assert base.getFieldByIndex(9) is None


def test_a_replaced_proto_has_its_parameters_and_what_its_instance_gives(boss):
    box = boss.getFromDef("BOX")
    assert (box.getTypeName(), box.getBaseTypeName()) == ("WoodenBox", "Solid")
    assert box.getField("size").getSFVec3f() == [0.4, 0.5, 0.6]
    assert box.getField("mass").getSFFloat() == 3
    assert box.getField("contactMaterial").getSFString() == "default"
    assert box.getField("locked").getSFBool()
    assert box.getField("physics") is None  # no parameter, as in Webots
    assert box.getBaseNodeField("physics").getSFNode() is not None


def test_nodes_that_only_a_template_reads_are_there(tmp_path):
    (tmp_path / "T.proto").write_text(
        f"{HEAD}# template language: javascript\n"
        "PROTO T [ field MFNode parts [ ] field SFNode none NULL ]"
        ' { Solid { name "%<= fields.parts.value.length >%" } }'
    )
    file = tmp_path / "t.wbt"
    file.write_text(
        f'{HEAD}EXTERNPROTO "T.proto"\nDEF T T {{ parts [ Sphere {{ radius 2 }}'
        " Shape { geometry Box { } } ] }"
        ' Robot { supervisor TRUE controller "<none>" }'
    )
    with RobotSession(str(file)) as session:
        node = session.supervisor("robot").getFromDef("T")
        parts = node.getField("parts")
        assert (parts.getTypeName(), parts.getCount()) == ("MFNode", 2)
        assert parts.getMFNode(0).getField("radius").value == 2
        inner = parts.getMFNode(1).getField("geometry").getSFNode()
        assert inner.getField("size").value == [2, 2, 2]
        assert parts.getMFNode(1).getParentNode() == node
        assert node.getField("none").getSFNode() is None


def test_an_instance_is_exported_by_its_parameters(boss):
    text = boss.getFromDef("R").exportString()
    assert text.startswith("DEF R Rover {\n  translation 1 2 4\n")
    assert '  customData "a \\"b\\""' in text
    assert "  path [ 0 0 1, 2 3 4 ]" in text
    assert "boundingObject" not in text
    # USE in a text that is imported takes the node itself.
    root = boss.getRoot().getField("children")
    assert boss.getSelf().getProto() is None
    assert not boss.getSelf().isProto()
    assert root.getCount() > 3


def text_of(scenario) -> list[str]:
    """Returns the texts of all nodes that stand at the top."""
    with RobotSession(scenario) as session:
        children = session.supervisor("boss").getRoot().getField("children")
        return [
            children.getMFNode(i).exportString()
            for i in range(children.getCount())
        ]


def test_an_imported_world_shows_the_same(file, tmp_path):
    write_world(file, tmp_path, Options())
    again = load_scenario(tmp_path / "w.scenario.yaml")
    assert text_of(again) == text_of(as_scenario(str(file)))


def test_the_world_of_an_imported_one_has_to_be_there(file, tmp_path):
    write_world(file, tmp_path, Options())
    written = tmp_path / "w.scenario.yaml"
    text = "{world: {file: none.wbt}}"
    with pytest.raises(InputError, match="world.file: none.wbt: no such"):
        wm.build_diagram(load_scenario(written, text=text))


CRATE = """PROTO Crate [
  field SFVec3f translation 0 0 0
  field SFFloat side 0.1
  field SFString name "crate"
]
{
  Solid {
    translation IS translation
    name IS name
    children DEF BOX Shape { geometry Box { size 0.2 0.2 0.2 } }
    boundingObject Box { size 0.2 0.2 0.2 }
    physics Physics { density -1 mass 2 }
  }
}
"""
SUPERVISED = """EXTERNPROTO "../protos/Crate.proto"
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "boss" supervisor TRUE controller "<none>" }
"""


def test_what_is_imported_may_be_an_instance_of_a_proto(
    tmp_path, capfd, monkeypatch
):
    for name, text in {
        "protos/Crate.proto": CRATE,
        "worlds/w.wbt": SUPERVISED,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HEAD + text)
    monkeypatch.chdir(tmp_path)
    scenario = as_scenario("worlds/w.wbt")
    monkeypatch.chdir("worlds")  # as controllers are in a folder of their own
    scenario.stock = 4
    with RobotSession(scenario) as session:
        boss = session.supervisor("boss")
        children = boss.getRoot().getField("children")
        children.importMFNodeFromString(
            -1, 'DEF C Crate { translation 1 0 2 name "one" }'
        )
        children.importMFNodeFromString(
            -1, "DEF B WoodenBox { translation 3 0 2 mass 4 size 1 1 1 }"
        )
        crate, box = boss.getFromDef("C"), boss.getFromDef("B")
        assert crate.getTypeName() == "Crate"
        assert crate.getField("translation").getSFVec3f() == [1, 0, 2]
        assert crate.getField("name").getSFString() == "one"
        assert crate.getField("side").getSFFloat() == 0.1
        assert crate.getField("children") is None
        assert box.getField("mass").getSFFloat() == 4
        crate.getField("translation").setSFVec3f([1, 1, 1])
        crate.setVelocity([1, 0, 0, 0, 0, 0])
        session.step(80)
        assert crate.getPosition() == pytest.approx([1.08, 1, 1], abs=1e-9)
        # What it says of itself makes another one.
        text = crate.exportString().replace("DEF C", "DEF D")
        children.importMFNodeFromString(-1, text)
        assert boss.getFromDef("D").getTypeName() == "Crate"
        capfd.readouterr()
        for text, problem in {
            "E-puck { }": "a Robot that comes into a world that runs has to be",
            "Nothing { }": "unknown kind of spares 'Nothing'",
            "Crate { translation 1 2 }": "2 numbers; 3 are needed",
        }.items():
            children.importMFNodeFromString(-1, text)
            assert problem in capfd.readouterr().err
