"""The report of a world: complete, with motors, and refused by --strict."""

import pytest
from world_files import HEAD, world_file

from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.worlds.project import Options

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

TEXT = """
Robot {
  children [
    HingeJoint {
      device RotationalMotor { name "shoulder" }
      endPoint Solid {
        name "arm"
        children [
          Shape { geometry Mesh { url "missing.stl" } }
          HingeJoint {
            device [ RotationalMotor { name "elbow" } ]
            endPoint Solid {
              children Shape { geometry Mesh { url "missing.stl" } }
              name "hand"
            }
          }
        ]
        physics Physics { }
        boundingObject Cone { }
      }
    }
    Fluid { }
  ]
}
SolidBox { }
Oak { }
"""


@pytest.fixture
def file(tmp_path):
    return world_file(tmp_path, TEXT)


def test_entries_say_which_motors_they_touch(file):
    report = report_of(load_scenario(file))
    motors = {(e.kind, e.name): e.motors for e in report.entries}
    assert motors["left out", "Mesh of arm"] == ["shoulder"]
    assert motors["left out", "Mesh of hand"] == ["elbow"]
    assert motors["left out", "Cone"] == ["shoulder"]
    assert motors["kinematic", "hand hinge"] == ["elbow"]
    assert motors["left out", "Fluid"] == []
    (mesh,) = [e for e in report.entries if e.name == "Mesh of hand"]
    assert str(mesh).endswith("; touches the motors elbow")


def test_check_lists_all_of_them(file, capsys):
    assert main(["check", str(file)]) == 0
    told = capsys.readouterr().out
    listed = told[told.index("of the world:") :]
    for name in (
        "Mesh of arm",
        "Fluid",
        "Cone",
        "SolidBox",
        "Oak",
        "hand hinge",
    ):
        assert f": {name}: " in listed
    assert "touches the motors shoulder" in listed


def test_strict_refuses_a_world_with_all_that_differs_in_one_line(file, capsys):
    with pytest.raises(InputError) as raised:
        load_scenario(file, options=Options(strict=True))
    told = str(raised.value)
    for name in (
        "Mesh of arm",
        "Fluid",
        "Cone",
        "SolidBox",
        "Oak",
        "hand hinge",
    ):
        assert f": {name}: " in told
    assert main(["check", str(file), "--strict"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Fluid" in line


def test_strict_lets_a_world_pass_that_is_as_in_webots(tmp_path):
    file = world_file(tmp_path, "Solid { boundingObject Plane { } }")
    load_scenario(file, options=Options(strict=True))


CART = """
PROTO Cart [
  field SFString controller "<none>"
  field SFNode paint NULL
  field SFFloat mass 1
]
{
  Robot {
    controller IS controller
    children HingeJoint {
      device RotationalMotor { name "wheel motor" }
      endPoint Solid {
        children Shape { appearance IS paint geometry Sphere { } }
        boundingObject Sphere { }
        physics Physics { density -1 mass IS mass }
      }
    }
    boundingObject Box { size 1 1 1 }
    physics Physics { }
  }
}
"""


def test_what_an_instance_says_of_a_robot_touches_no_motor(tmp_path):
    # Of the joint in the PROTO parts stand in the world: paint and mass.
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Cart.proto").write_text(f"{HEAD}{CART}")
    file = world_file(
        tmp_path,
        'EXTERNPROTO "../protos/Cart.proto"'
        ' Cart { paint Appearance { } controller "nobody" mass 2 }',
    )
    told = report_of(load_scenario(file)).entries
    (entry,) = [e for e in told if e.name == "robot" and e.kind == "idle"]
    assert entry.motors == []


@pytest.mark.parametrize("floor", [False, True], ids=["lost", "carried"])
def test_robots_without_a_floor_are_told_to_fall(tmp_path, floor):
    text = 'Robot { name "lost" boundingObject Sphere { } physics Physics { } }'
    if floor:
        text += " Solid { boundingObject Plane { } }"
    told = report_of(load_scenario(world_file(tmp_path, text))).entries
    falls = [e.name for e in told if e.text.startswith("falls")]
    assert falls == ([] if floor else ["lost"])


def test_a_node_that_is_not_for_its_place_is_told_so(tmp_path):
    file = world_file(tmp_path, "ContactProperties { bounce 0 }")
    (entry,) = report_of(load_scenario(file)).of_kind("left out")
    assert entry.text == "not for this place, as in Webots; left out"


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ("Fog { visibilityRange FALSE }", "expected numbers, not FALSE"),
        ("Viewpoint { fieldOfView [ ] }", "0 values; one SFFloat is needed"),
        ("Solid { description TRUE }", "expected texts, not TRUE"),
        ("Group { children 1 }", "a node is needed, not the number 1"),
        ("Solid { physics 1 }", "a node is needed, not the number 1"),
        (
            "Robot { children GPS { accuracy TRUE } }",
            "expected numbers, not TRUE",
        ),
    ],
)
def test_a_value_of_a_wrong_type_is_told_once_whether_it_acts_or_not(
    tmp_path, node, told
):
    report = report_of(load_scenario(world_file(tmp_path, node)))
    (entry,) = report.of_kind("changed")
    assert entry.text.endswith(f"{told}; its default is taken")
    assert len(entry.places) == 1


@pytest.mark.parametrize(
    ("device", "told"),
    [
        (
            "Emitter { allowedChannels [ 2 ] }",
            "allowedChannels: 0 is not one of",
        ),
        ("Lidar { maxFrequency 3 minFrequency 2 }", "maxFrequency: 10 Hz"),
        ("Emitter { channel -7 }", "channel: -7 is not allowed"),
    ],
)
def test_fields_that_contradict_each_other_take_a_default(
    tmp_path, device, told
):
    world = world_file(tmp_path, f"Robot {{ children {device} }}")
    (entry,) = report_of(load_scenario(world)).of_kind("changed")
    assert entry.text.startswith(told)
