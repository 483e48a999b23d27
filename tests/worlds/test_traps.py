"""Traps of Webots' files, each by a world of its own: what goes wrong in silence."""

import numpy as np
import pytest
from read_world import read_world
from world_files import plant_of, world_file

import webmotor_drake as wm
from webmotor_drake.worlds.imported import write_world
from webmotor_drake.worlds.project import Options


@pytest.fixture
def world(tmp_path):
    def read(text, version="R2023b", **files):
        return read_world(tmp_path, text, version, files)

    return read


BODY = "boundingObject Box { size 1 1 1 } physics Physics { }"
PLAIN = f'Solid {{ name "end" {BODY} }}'


def masses(found):
    return {
        link.get("name"): float(link.findtext("inertial/mass"))
        for model in found.models.values()
        for link in model.iter("link")
    }


def test_a_solid_called_left_wheel_is_not_merged(world):
    inner = (
        f'Solid {{ name "part" {BODY} }} Solid {{ name "Left Wheel" {BODY} }}'
    )
    found = world(f'Solid {{ name "s" children [ {inner} ] {BODY} }}')
    assert masses(found) == {"s": 2000, "Left Wheel": 1000}
    assert found.said("falls off")


def test_a_whole_number_may_be_written_with_a_point(world):
    text = 'Robot { controller "<none>" children Camera { width 10.0 height 1e1 } }'
    camera = world(text).driver()["devices"]["camera"]
    assert (camera["width"], camera["height"]) == (10, 10)


OBJ = (
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
    "f 1//1 3//1 2//1\nf 1//1 2//1 4//1\nf 2//1 3//1 4//1\nf 1//1 4//1 3//1\n"
)


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
@pytest.mark.parametrize("folder", ["a b", "a+b", "é", "50%25", "<&>"])
def test_a_drawn_mesh_may_have_any_path(tmp_path, folder):
    place = tmp_path / folder
    (place / "worlds").mkdir(parents=True)
    (place / "worlds" / "a mesh&.obj").write_text(OBJ)
    world = world_file(
        place,
        'Robot { controller "<none>" children Shape {'
        f' geometry Mesh {{ url "a mesh&.obj" }} }} {BODY} }}',
    )
    assert plant_of(world)[0].num_bodies() == 2
    write_world(world, tmp_path / "out", Options())
    wm.build_diagram(tmp_path / "out" / "test.scenario.yaml")


def test_what_is_dropped_is_named(world):
    found = world(
        "Background { } Fog { } Robot { children [ Microphone { } Radio { }"
        " Camera { lens Lens { } } Skin { } ] }"
    )
    for name in ("Microphone", "Radio"):
        assert found.said(f"left out: {name}: no such device")
    assert found.said("left out: Skin: a device that is off")
    for name in ("Background", "Fog", "Lens"):
        assert found.said(f"info: {name}: ")


def test_a_url_belongs_to_the_file_that_its_value_stands_in(world):
    obj = (
        "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\n"
        "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    proto = """#VRML_SIM R2023b utf8
    PROTO P [ field MFString url "part.obj" field SFString name "p" ]
    { Solid { name IS name boundingObject Mesh { url IS url } physics Physics { } } }
    """
    found = world(
        'EXTERNPROTO "../protos/P.proto"\n'
        'P { name "default" } P { name "given" url "part.obj" }',
        **{
            "protos/P.proto": proto,
            "protos/part.obj": obj.format(1),
            "worlds/part.obj": obj.format(2),
        },
    )
    got = masses(found)
    assert got["default"] == pytest.approx(1000 / 6)
    assert got["given"] == pytest.approx(8000 / 6)


def test_devices_are_in_the_order_of_their_tags(world):
    def joint(name, children=""):
        return (
            f'HingeJoint {{ device RotationalMotor {{ name "{name}" }} endPoint'
            f' Solid {{ name "{name} body" {BODY} children [ {children} ] }} }}'
        )

    found = world(
        'Robot { controller "<none>" children [ GPS { name "a" }'
        + joint("m1", joint("m2") + 'Gyro { name "b" }')
        + joint("m3")
        + 'LED { name "c" } ] '
        + BODY
        + " }"
    ).driver()
    assert list(found["motors"]) == ["m1", "m2", "m3"]
    assert list(found["devices"]) == ["a", "b", "c"]


def test_of_several_motors_of_a_joint_the_first_moves_it(world):
    found = world(
        'Robot { controller "<none>" children HingeJoint { device ['
        ' RotationalMotor { name "first" } RotationalMotor { name "second" } ]'
        f" endPoint {PLAIN} }} {BODY} }}"
    )
    motors = found.driver()["motors"]
    assert motors["first"]["joint"] == "end hinge"
    assert motors["second"]["joint"] != "end hinge"
    assert found.said("another motor stands before it")


def test_a_reference_finds_the_first_solid_of_its_name(world):
    two = "".join(
        f'HingeJoint {{ endPoint Solid {{ translation {x} 0 0 name "twin" {BODY} }} }}'
        for x in (1, 2)
    )
    found = world(
        f'Solid {{ name "s" children [ {two} HingeJoint {{ endPoint'
        f' SolidReference {{ solidName "twin" }} }} ] {BODY} }}'
    )
    (loop,) = found.driver("s")["loops"].values()
    assert "twin" in (loop["parent"], loop["child"])
    assert "twin (1)" in masses(found)


def test_the_same_parameter_in_two_places_gives_two_solids(world):
    proto = f"""#VRML_SIM R2023b utf8
    PROTO P [ field SFNode end NULL ] {{ Solid {{ name "s" children [
      HingeJoint {{ endPoint IS end }} HingeJoint {{ endPoint IS end }} ] {BODY} }} }}
    """
    found = world(
        f'EXTERNPROTO "../protos/P.proto"\nP {{ end {PLAIN} }}',
        **{"protos/P.proto": proto},
    )
    assert {"end", "end (1)"} < set(masses(found))


def test_what_has_no_physics_below_what_has_does_not_weigh(world):
    inner = 'Solid { name "shell" boundingObject Box { size 9 9 9 } }'
    found = world(f'Solid {{ name "s" children {inner} {BODY} }}')
    assert masses(found) == {"s": 1000}


def test_without_an_entry_a_material_has_webots_own_friction(world):
    found = world(
        "WorldInfo { contactProperties ContactProperties { coulombFriction 0.2"
        ' material1 "a" material2 "b" } }'
        + f'Solid {{ name "s" contactMaterial "a" {BODY} }}'
        + 'Solid { contactMaterial "c" boundingObject Plane { } }'
    )
    (entry,) = found.scenario["contact_properties"]
    assert (entry["material1"], entry["material2"]) == ("a", "b")
    assert found.scenario["bodies"]["s"]["s"]["contact_material"] == "a"


def test_explicit_zero_damping_falls_back_to_the_worlds(world):
    found = world(
        "WorldInfo { defaultDamping Damping { linear 0.5 angular 0.5 } }"
        'Solid { name "s" boundingObject Box { } physics Physics {'
        " damping Damping { linear 0 angular 0 } } }"
    )
    own = found.scenario.get("bodies", {}).get("s", {}).get("s", {})
    assert "damping" not in own
    assert found.scenario["default_damping"]["linear"] == 0.5


def test_wheels_that_have_turned_far_start_there(world):
    found = world(
        'Robot { controller "<none>" children HingeJoint { jointParameters'
        " HingeJointParameters { position 700 } device RotationalMotor { }"
        f" endPoint {PLAIN} }} {BODY} }}"
    )
    assert found.scenario["initial_position"]["robot"]["end hinge"] == [700]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_mark_of_the_byte_order_and_a_missing_line_end_do_no_harm(
    tmp_path, end
):
    from webmotor_drake.worlds.imported import import_world

    file = tmp_path / "w.wbt"
    text = f'#VRML_SIM R2023b utf8\nSolid {{ name "s" {BODY} }}{end}'
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert "s.sdf" in import_world(file, Options())[1].models.files


def test_backslashes_and_blanks_in_names_of_files_are_found(world):
    proto = (
        f'#VRML_SIM R2023b utf8\nPROTO P [ ] {{ Solid {{ name "s" {BODY} }} }}'
    )
    found = world(
        'EXTERNPROTO "..\\\\my protos\\\\P.proto"\nP { }',
        **{"my protos/P.proto": proto},
    )
    assert found.link("s") is not None


def test_a_declared_proto_wins_over_a_node_of_other_times(world):
    proto = f'#VRML_SIM R2023b utf8\nPROTO Servo [ ] {{ Solid {{ name "s" {BODY} }} }}'
    found = world(
        'EXTERNPROTO "../protos/Servo.proto"\nServo { }',
        **{"protos/Servo.proto": proto},
    )
    assert found.link("s") is not None


def test_a_declared_proto_that_is_missing_matters_only_where_it_is_used(world):
    found = world(f'EXTERNPROTO "../protos/None.proto"\n{PLAIN}')
    assert not found.said("None")


def test_a_proto_without_a_header_has_the_age_of_its_user(world):
    proto = (
        'PROTO P [ ] { Solid { name "s" boundingObject Cylinder { }'
        " physics Physics { } } }"
    )
    for version, along in (("R2021b", "y"), ("R2023b", "z")):
        found = world(
            'EXTERNPROTO "../protos/P.proto"\nP { }',
            version,
            **{"protos/P.proto": proto},
        )
        inertia = found.link("s").find("inertial/inertia")
        own = np.array([float(inertia.findtext(f"i{a}{a}")) for a in "xyz"])
        # A cylinder of radius 1 and height 2: less about its own axis.
        assert "xyz"[int(np.argmin(own))] == along
