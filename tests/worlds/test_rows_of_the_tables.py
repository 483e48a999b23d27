"""Each row of Webots' tables of nodes and versions, by a world of its own.

Only the text that becomes of it is looked at: nothing is built.
"""

import math

import numpy as np
import pytest
from pydrake.common.eigen_geometry import AngleAxis, Quaternion
from read_world import numbers, read_world

from webmotor_drake.errors import InputError


@pytest.fixture
def world(tmp_path):
    def read(text, version="R2023b", **files):
        return read_world(tmp_path, text, version, files)

    return read


ROBOT = 'Robot { controller "<none>" children [ %s ] %s }'
MOTOR = "RotationalMotor { }"


def hinge(parameters="", device=MOTOR, joint="HingeJoint", extra=""):
    end = 'Solid { name "end" boundingObject Box { size 1 1 1 } physics Physics { } }'
    kind = {"SliderJoint": "JointParameters"}.get(joint, "HingeJointParameters")
    return ROBOT % (
        f"{joint} {{ jointParameters {kind} {{ {parameters} }} {extra}"
        f" device [ {device} ] endPoint {end} }}",
        "physics Physics { } boundingObject Box { size 1 1 1 }",
    )


def solid(fields, shape="Box { size 1 2 3 }"):
    return f'Solid {{ name "s" boundingObject {shape} {fields} }}'


# WorldInfo

MOVING = solid("physics Physics { }")


@pytest.mark.parametrize(
    ("info", "path", "value"),
    [
        ("basicTimeStep 8", ("plant_config", "time_step"), 0.008),
        ("basicTimeStep 32", ("plant_config", "time_step"), 0.008),
        ("basicTimeStep 20", ("plant_config", "time_step"), 0.02 / 3),
        ("gravity 3", ("gravity",), [0, 0, -3]),
        ('coordinateSystem "NUE"', ("gravity",), [0, -9.81, 0]),
        ('coordinateSystem "EUN"', ("gravity",), [0, -9.81, 0]),
        ("randomSeed 5", ("random_seed",), 5),
        (
            "defaultDamping Damping { linear 0.3 }",
            ("default_damping", "linear"),
            0.3,
        ),
    ],
)
def test_world_info_becomes_the_scenarios(world, info, path, value):
    found = world(f"WorldInfo {{ {info} }} {MOVING}").scenario
    for name in path:
        found = found[name]
    assert found == pytest.approx(value)


@pytest.mark.parametrize(
    "info",
    [
        'title "a" info [ "b" "c" ]',
        'window "<none>" FPS 30 optimalThreadCount 2 inkEvaporation 1',
        "physicsDisableTime 2 physicsDisableLinearThreshold 0.1",
        "physicsDisableAngularThreshold 0.1 lineScale 1",
        "dragForceScale 3 dragTorqueScale 2 ERP 0.2",
        "northDirection 0 0 1",
    ],
)
def test_what_changes_no_motion_is_not_reported(world, info):
    floor = "Solid { boundingObject Plane { } }"
    report = world(f"WorldInfo {{ {info} }} {MOVING} {floor}").report
    assert {line.partition(":")[0] for line in report} <= {"info"}
    plain = world(f"WorldInfo {{ }} {MOVING} {floor}").report
    assert report == plain


def test_cfm_evaporation_and_the_place_of_gps_go_to_the_robots(world):
    found = world(
        'WorldInfo { CFM 0.001 gpsCoordinateSystem "WGS84" gpsReference 46 6 400'
        " inkEvaporation 3 }"
        + ROBOT
        % ('GPS { name "g" } Pen { name "p" }', "")
    )
    assert found.driver()["devices"]["p"]["ink_evaporation"] == 3
    assert found.driver()["cfm"] == 0.001
    assert found.driver()["devices"]["g"]["coordinate_system"] == "WGS84"
    assert found.driver()["devices"]["g"]["reference"] == [46, 6, 400]


def test_a_physics_plugin_is_told(world):
    assert world(f'WorldInfo {{ physics "mine" }} {MOVING}').said("mine")


def test_contact_properties_have_their_fields(world):
    found = world(
        """WorldInfo { contactProperties ContactProperties {
        material1 "a" material2 "b" coulombFriction [ 0.5, 0.4 ] bounce 0.2
        bounceVelocity 0.1 softERP 0.4 softCFM 0.002 forceDependentSlip [ 0.1 ]
        rollingFriction 0.1 0 0 frictionRotation 0.1 0 maxContactJoints 4 } }"""
        + solid('contactMaterial "a" physics Physics { }')
        + solid('contactMaterial "b"')
    )
    (entry,) = found.scenario["contact_properties"]
    assert (entry["material1"], entry["material2"]) == ("a", "b")
    assert entry["coulomb_friction"] == [0.5, 0.4]
    assert (entry["bounce"], entry["bounce_velocity"]) == (0.2, 0.1)
    assert (entry["soft_erp"], entry["soft_cfm"]) == (0.4, 0.002)


# Physics (section 4.1), of a box of 6000 kg.

INERTIA = np.array([13 / 12, 10 / 12, 5 / 12])


@pytest.mark.parametrize(
    ("physics", "mass", "center", "moments"),
    [
        ("", 6000, [0, 0, 0], 6000 * INERTIA),
        ("density 500", 3000, [0, 0, 0], 3000 * INERTIA),
        ("density -1 mass 2", 2, [0, 0, 0], 2 * INERTIA),
        ("mass 2", 2, [0, 0, 0], 2 * INERTIA),  # it beats density
        ("density -1 mass -1", 6000, [0, 0, 0], 6000 * INERTIA),
        ("density 0", 6000, [0, 0, 0], 6000 * INERTIA),
        ("density -3 mass -2", 6000, [0, 0, 0], 6000 * INERTIA),
        ("mass 2 centerOfMass [ 1 2 3 ]", 2, [1, 2, 3], 2 * INERTIA),
        (
            "mass 2 centerOfMass 1 2 3 inertiaMatrix [ 3 4 5, 0.1 0.2 0.3 ]",
            2,
            [1, 2, 3],
            [3, 4, 5],
        ),
        # Without a centre, or without a mass, or impossible: not used.
        ("mass 2 inertiaMatrix [ 3 4 5, 0 0 0 ]", 2, [0, 0, 0], 2 * INERTIA),
        (
            "mass 2 centerOfMass 1 2 3 inertiaMatrix [ 1 1 -1, 0 0 0 ]",
            2,
            None,
            2 * INERTIA,
        ),
        (
            "centerOfMass 1 2 3 inertiaMatrix [ 3 4 5, 0 0 0 ]",
            6000,
            None,
            6000 * INERTIA,
        ),
        # One row has zeros for a second, and centres beyond the first do not count.
        (
            "mass 2 centerOfMass [ 1 2 3, 4 5 6 ] inertiaMatrix [ 3 4 5 ]",
            2,
            [1, 2, 3],
            [3, 4, 5],
        ),
    ],
)
def test_masses_follow_the_table(world, physics, mass, center, moments):
    found = world(solid(f"physics Physics {{ {physics} }}")).link("s")
    inertial = found.find("inertial")
    assert float(inertial.findtext("mass")) == pytest.approx(mass)
    pose = [0.0] * 3
    if inertial.find("pose") is not None:
        pose = numbers(inertial, "pose")[:3]
    if center is not None:
        np.testing.assert_allclose(pose, center, atol=1e-12)
    told = [
        float(inertial.findtext(f"inertia/{n}")) for n in ("ixx", "iyy", "izz")
    ]
    np.testing.assert_allclose(told, moments, rtol=1e-9)


@pytest.mark.parametrize(
    ("physics", "mass", "moment"),
    [("", 1, 1), ("mass 5", 5, 1), ("density 2000", 2, 2)],
)
def test_without_a_bounding_object_inertia_is_one(world, physics, mass, moment):
    text = f'Solid {{ name "s" physics Physics {{ {physics} }} }}'
    inertial = world(text).link("s").find("inertial")
    assert float(inertial.findtext("mass")) == mass
    assert float(inertial.findtext("inertia/ixx")) == moment


def test_damping_is_that_of_the_body(world):
    found = world(solid("physics Physics { damping Damping { angular 0.5 } }"))
    assert found.scenario["bodies"]["s"]["s"]["damping"] == {
        "linear": pytest.approx(0.2),
        "angular": 0.5,
    }


# Shapes that collide (section 5.1) and weigh (4.2).

TETRAHEDRON = (
    "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }"
    " coordIndex [ 0 2 1 -1 0 1 3 -1 1 2 3 -1 0 3 2 -1 ] }"
)


@pytest.mark.parametrize(
    ("shape", "tag", "mass"),
    [
        ("Box { }", "box", 8000),
        ("Sphere { radius 2 }", "sphere", 4 / 3 * math.pi * 8 * 1000),
        ("Cylinder { radius 1 height 3 }", "cylinder", 3 * math.pi * 1000),
        ("Capsule { radius 1 height 3 }", "capsule", (3 + 4 / 3) * math.pi * 1000),
        ("Shape { geometry Box { size 1 1 1 } }", "box", 1000),
        ("Pose { translation 1 0 0 children [ Box { } Sphere { } ] }", "box", 8000),
        ("Group { children [ Box { } Pose { children Sphere { } } ] }", "box",
         8000 + 4000 / 3 * math.pi),
        (TETRAHEDRON, "mesh", 1000 / 6),
    ],
)  # fmt: skip
def test_shapes_of_bounding_objects_collide_and_weigh(world, shape, tag, mass):
    link = world(
        f'Solid {{ name "s" boundingObject {shape} physics Physics {{ }} }}'
    ).link("s")
    assert float(link.findtext("inertial/mass")) == pytest.approx(mass)
    kinds = [
        part.tag.rpartition("}")[2]
        for collision in link.iter("collision")
        for part in collision.find("geometry")
    ]
    assert tag in kinds


@pytest.mark.parametrize(
    "shape",
    [
        "Cone { }",
        "Group { children Group { children Box { } } }",  # weighs all the same
        "Pose { children [ PointLight { } Box { } ] }",
    ],
)
def test_some_things_in_a_bounding_object_do_not_collide(world, shape):
    text = f'Solid {{ name "s" boundingObject {shape} physics Physics {{ }} }}'
    assert world(text).link("s").find("collision") is None


def test_a_plane_collides_in_what_stands_still_only(world):
    # In "scenery", as all that stands still.
    still = world('Solid { name "s" boundingObject Plane { } }')
    (model,) = still.models.values()
    assert model.find(".//collision/geometry/plane") is not None
    moving = world(
        'Solid { name "s" boundingObject Plane { } physics Physics { } }'
    )
    assert moving.link("s").find("collision") is None
    assert moving.said("Plane")


# What is drawn (section 6).


@pytest.mark.parametrize(
    ("look", "color"),
    [
        ("NULL", [1, 1, 1, 1]),
        ("Appearance { }", [1, 1, 1, 1]),
        ("Appearance { material Material { } }", [0.8, 0.8, 0.8, 1]),
        (
            "Appearance { material Material { diffuseColor 1 0 0 transparency 0.25 } }",
            [1, 0, 0, 0.75],
        ),
        ("PBRAppearance { baseColor 0 1 0 transparency 0.5 }", [0, 1, 0, 0.5]),
    ],
)
def test_colours_are_those_of_the_appearance(world, look, color):
    found = world(
        f'Solid {{ name "s" physics Physics {{ }} children Shape {{ appearance'
        f" {look} geometry Box {{ }} }} }}"
    ).link("s")
    diffuse = numbers(found, "visual/material/diffuse")
    np.testing.assert_allclose(diffuse, color)


# Joints (section 3.2)


@pytest.mark.parametrize(
    ("parameters", "joint", "axis"),
    [
        ("", "HingeJoint", [1, 0, 0]),
        ("axis 0 2 0", "HingeJoint", [0, 1, 0]),
        ("", "SliderJoint", [0, 0, 1]),
        ("axis 0 3 0", "SliderJoint", [0, 1, 0]),
    ],
)
def test_joints_have_their_axes(world, parameters, joint, axis):
    motor = "LinearMotor { }" if joint == "SliderJoint" else MOTOR
    found = world(hinge(parameters, motor, joint))
    word = "slider" if joint == "SliderJoint" else "hinge"
    got = numbers(found.joint(f"end {word}"), "axis/xyz")
    np.testing.assert_allclose(got / np.linalg.norm(got), axis, atol=1e-12)


BALL = "jointParameters BallJointParameters { anchor 0 0 1 }"
SECOND = "jointParameters2 JointParameters { axis 0 1 0 }"
THIRD = "jointParameters3 JointParameters { axis 1 1 0 }"


@pytest.mark.parametrize(
    ("joint", "parameters", "axes"),
    [
        (
            "Hinge2Joint",
            "jointParameters HingeJointParameters { axis 0 2 0 }"
            " jointParameters2 JointParameters { }",
            {"axis": [0, 1, 0], "axis2": [0, 0, 1]},
        ),
        ("Hinge2Joint", "", {"axis": [1, 0, 0], "axis2": [0, 0, 1]}),
        ("BallJoint", BALL, {"axis": [1, 0, 0], "axis3": [0, 0, 1]}),
        # One is given: the other is its cross product with z, or with x.
        ("BallJoint", BALL + SECOND, {"axis": [0, 1, 0], "axis3": [1, 0, 0]}),
        (
            "BallJoint",
            BALL + THIRD,
            {"axis": [0, 0, -1], "axis3": [0.5**0.5, 0.5**0.5, 0]},
        ),
        (
            "BallJoint",
            BALL + SECOND + THIRD,
            {"axis": [0, 1, 0], "axis3": [0.5**0.5, 0.5**0.5, 0]},
        ),
    ],
)
def test_joints_of_several_axes_have_them(world, joint, parameters, axes):
    end = 'Solid { name "end" boundingObject Box { } physics Physics { } }'
    found = world(
        ROBOT
        % (
            f"{joint} {{ {parameters} endPoint {end} }}",
            "boundingObject Box { } physics Physics { }",
        )
    )
    (made,) = found.driver()["multi_axis_joints"].values()
    defaults = {"axis": [1, 0, 0], "axis2": [0, 0, 1], "axis3": [0, 0, 1]}
    for name, axis in axes.items():
        got = made.get(name, defaults[name])
        np.testing.assert_allclose(got, axis, atol=1e-9)


def test_the_first_axis_of_a_hinge2_has_a_suspension(world):
    found = world(
        ROBOT
        % (
            """Pose { rotation 0 0 1 1.5707963267948966 children Hinge2Joint {
            jointParameters HingeJointParameters { axis 0 0 1 suspensionAxis 1 0 0
              suspensionSpringConstant 500 suspensionDampingConstant 20 }
            jointParameters2 JointParameters { axis 0 1 0 }
            endPoint Solid { name "wheel" boundingObject Sphere { }
              physics Physics { } } } }""",
            "boundingObject Box { } physics Physics { }",
        )
    )
    assert not found.said("suspension")
    given = found.driver()["joints"]["wheel hinge_1"]
    assert given["suspension_spring_constant"] == 500
    assert given["suspension_damping_constant"] == 20
    np.testing.assert_allclose(given["suspension_axis"], [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("joint", "axis"), [("BallJoint", "1 0 0"), ("SliderJoint", "1 0 0")]
)
def test_a_suspension_that_cannot_be_is_told(world, joint, axis):
    parameters = f"suspensionSpringConstant 5 suspensionAxis {axis}"
    text = hinge(parameters, joint=joint)
    assert world(text).said("left out: suspension")


def test_joint_parameters_have_their_fields(world):
    found = world(
        hinge(
            "position 0.3 axis 0 0 1 minStop -1 maxStop 2 springConstant 3"
            " dampingConstant 4 staticFriction 0.5 stopCFM 0.001 stopERP 0.3"
        )
    )
    joint = found.driver()["joints"]["end hinge"]
    assert joint["min_stop"] == -1
    assert joint["max_stop"] == 2
    assert joint["spring_constant"] == 3
    assert joint["damping_constant"] == 4
    assert joint["static_friction"] == 0.5
    start = found.scenario["initial_position"]["robot"]
    assert start == {"end hinge": [0.3]}


def test_motors_sensors_and_brakes_have_their_fields(world):
    found = world(
        hinge(
            "",
            'RotationalMotor { name "m" acceleration 3 consumptionFactor 5'
            " controlPID 1 2 3 minPosition -1 maxPosition 1 maxVelocity 4"
            ' maxTorque 6 multiplier 2 sound "" }'
            ' PositionSensor { name "p" noise 0.1 resolution 0.2 }'
            ' Brake { name "b" }',
        )
    )
    driver = found.driver()
    motor = driver["motors"]["m"]
    assert motor == {
        "joint": "end hinge",
        "acceleration": 3,
        "consumption_factor": 5,
        "control_pid": [1, 2, 3],
        "min_position": -1,
        "max_position": 1,
        "max_velocity": 4,
        "max_torque": 6,
        "multiplier": 2,
    } | ({"sound": ""} if "sound" in motor else {})
    sensor = driver["position_sensors"]["p"]
    assert (sensor["noise"], sensor["resolution"]) == (0.1, 0.2)
    assert driver["brakes"]["b"]["joint"] == "end hinge"


# Robot (section 8)


def test_a_robots_fields_go_to_its_driver(world):
    found = world(
        """Robot { name "r" controller "<none>" customData "data" supervisor TRUE
        synchronization FALSE battery [ 1, 2, 3 ] cpuConsumption 7
        selfCollision TRUE model "M" window "w" remoteControl "c" }"""
    ).driver("r")
    assert found["custom_data"] == "data"
    assert found["supervisor"] is True
    assert found["synchronization"] is False
    assert found["battery"] == [1, 2, 3]
    assert found["cpu_consumption"] == 7
    assert found["self_collision"] is True
    assert found["model"] == "M"


@pytest.mark.parametrize(
    ("version", "given", "arguments"),
    [
        ("R2020b", '[ "a b" "c" ]', ["a b", "c"]),
        ("R2020a", "\"a 'b c' d\"", ["a", "b c", "d"]),
    ],
)
def test_controller_arguments_were_one_text_before_r2020b(
    world, version, given, arguments
):
    text = f'Robot {{ controller "c" controllerArgs {given} }}'
    found = world(text, version, **{"controllers/c/c.py": "pass\n"})
    assert found.driver()["controller_args"] == arguments


# Versions (section 1.5)


@pytest.mark.parametrize(
    ("version", "info", "gravity"),
    [
        ("R2020a", "gravity 0 -5 0", [0, -5, 0]),
        ("R2020a", "gravity 3 0 -4", [0, -5, 0]),  # its length counts
        ("R2020a", "", [0, -9.81, 0]),  # y was up
        ("R2020b", "", [0, 0, -9.81]),
        ("V8.6.0", "", [0, -9.81, 0]),
        ("R2025a", 'coordinateSystem "EUN"', [0, -9.81, 0]),
    ],
)
def test_the_version_says_what_is_up(world, version, info, gravity):
    found = world(f"WorldInfo {{ {info} }} {MOVING}", version).scenario
    assert found.get("gravity", [0, 0, -9.81]) == pytest.approx(gravity)


@pytest.mark.parametrize("shape", ["Cylinder { }", "Capsule { }"])
@pytest.mark.parametrize(
    ("version", "axis"), [("R2021b", [0, 1, 0]), ("R2022a", [0, 0, 1])]
)
def test_round_shapes_stood_along_y_before_r2022a(world, shape, version, axis):
    text = f'Solid {{ name "s" boundingObject {shape} physics Physics {{ }} }}'
    collision = world(text, version).link("s").find("collision")
    turn = numbers(collision, "pose")[3:]  # a quaternion, or no turn
    along = np.array([0.0, 0.0, 1.0])
    if len(turn) == 4:
        along = Quaternion(*turn[[3, 0, 1, 2]]).rotation() @ along
    np.testing.assert_allclose(abs(along), axis, atol=1e-9)


DEVICES = {
    # The device's x axis as the file has it before R2022a, in the Solid's.
    "Camera": [0, 0, -1],
    "Lidar": [0, 0, -1],
    "Emitter": [0, 0, 1],
    "Receiver": [0, 0, 1],
    "Connector": [0, 0, 1],
    "TouchSensor": [0, 0, 1],
    "DistanceSensor": [1, 0, 0],
    "GPS": [1, 0, 0],
    "Gyro": [1, 0, 0],
}


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("version", ["R2021b", "R2022a"])
def test_devices_looked_another_way_before_r2022a(world, kind, version):
    text = ROBOT % (f'{kind} {{ name "d" translation 1 2 3 }}', "")
    device = world(text, version).driver()["devices"]["d"]
    pose = device.get("pose", {})
    *axis, angle = pose.get("rotation", [0, 0, 1, 0])
    if kind != "TouchSensor":  # a body of its own
        assert pose["translation"] == [1, 2, 3]
    unit = np.array(axis) / (np.linalg.norm(axis) or 1)
    R = AngleAxis(angle, unit).rotation()
    expected = DEVICES[kind] if version < "R2022a" else [1, 0, 0]
    np.testing.assert_allclose(R[:, 0], expected, atol=1e-9)


@pytest.mark.parametrize("version", ["R2023a", "R2025a"])
def test_a_transform_without_scale_is_a_pose(world, version):
    found = world(
        "Transform { translation 0 0 1 children " + MOVING + " }", version
    )
    add = found.scenario["directives"][0]["add_model"]
    assert add["default_free_body_pose"]["s"]["translation"] == [0, 0, 1]


def test_protos_were_found_by_their_folder_until_r2022b(world):
    proto = "#VRML_SIM R2022a utf8\nPROTO P [ ] { " + MOVING + " }"
    files = {"protos/deep/P.proto": proto}
    assert world("P { }", "R2022a", **files).link("s") is not None


def test_an_old_proto_in_a_new_world_keeps_its_axes(world):
    proto = (
        '#VRML_SIM R2021b utf8\nPROTO P [ ] { Solid { name "s" boundingObject'
        " Cylinder { } physics Physics { } } }"
    )
    text = 'EXTERNPROTO "../protos/P.proto"\nP { }'
    found = world(text, **{"protos/P.proto": proto}).link("s")
    assert found.find("collision/pose") is not None


def test_an_elevation_grid_had_z_for_its_second_dimension(world):
    grid = (
        "ElevationGrid { xDimension 2 %sDimension 3 xSpacing 1 %sSpacing 2"
        " height [ 0 0 0 0 0 0 ] }"
    )
    for version, letter in (("R2021b", "z"), ("R2023b", "y")):
        text = f'Solid {{ name "s" boundingObject {grid % (letter, letter)} }}'
        (model,) = world(text, version).models.values()
        assert model.find(".//collision") is not None


# Refused, or left out, by name (sections 1.6 and 5 of the survey)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Fluid { }", "Fluid"),
        ('Charger { name "c" }', "charges nothing"),
        ("DifferentialWheels { }", "DifferentialWheels"),
        (ROBOT % ("Servo { }", ""), "Servo"),
        (ROBOT % ("Pen { }", ""), ""),
        (ROBOT % ('Nonsense { }', ""), "Nonsense"),
        (ROBOT % (
            "HingeJoint { device RotationalMotor { muscles Muscle { } } endPoint"
            " Solid { physics Physics { } } }", ""), ""),
        ('Solid { children Nothing { } }', "Nothing"),
    ],
)  # fmt: skip
def test_what_is_not_simulated_is_named(world, text, word):
    assert not word or world(text).said(word)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("WorldInfo { basicTimeStep 0 }", "basicTimeStep"),
        ("WorldInfo { basicTimeStep NaN }", "expected '{' after NaN"),
        ("WorldInfo { gravity 1 2 }", "gravity"),
        (solid("translation 1 2"), "translation: 2 numbers; 3 are needed"),
        (solid("translation 1e300 0 0"), "translation"),
        (solid('physics Physics { mass "x" }'), "mass: expected numbers"),
        (hinge("position 1e9"), "position"),
        (hinge("anchor 1e9 0 0"), "anchor"),
        ("Solid { name 3 }", "name: expected texts"),
        ("Solid { ", "expected a field of Solid or '}'"),
        ('Solid { name "a', ""),
    ],
)
def test_bad_values_have_one_line_with_a_place(world, text, problem):
    with pytest.raises(InputError) as error:
        world(text)
    said = str(error.value)
    assert problem in said
    assert "w.wbt:2:" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (solid("rotation 0 0 0 1"), ""),  # a zero axis means no turn
        (solid("", "Box { size 0 1 1 }"), "size"),
        (solid("", "Sphere { radius -1 }"), "left out: Sphere"),
        (solid("", "Cylinder { height 0 }"), "left out: Cylinder"),
        (hinge("axis 0 0 0"), "axis"),
        (hinge("minStop 1 maxStop -1"), ""),
    ],
)
def test_zero_axes_and_sizes_are_told_and_the_world_loads(world, text, word):
    found = world(text)
    assert not word or found.said(word), found.report


def test_what_is_no_device_in_the_place_of_one_has_its_type_for_a_name(world):
    joint = "HingeJoint { device Shape { } endPoint Solid { } }"
    found = world(f"Solid {{ children [ {joint} ] }}")
    assert found.said("left out: Shape: no Robot is around it"), found.report


@pytest.mark.parametrize(("version", "has"), [("1", False), ("2", True)])
def test_the_second_e_puck_measures_the_time_of_flight(world, version, has):
    found = world(f'E-puck {{ version "{version}" controller "<none>" }}')
    devices = found.driver("e-puck")["devices"]
    assert ("tof" in devices) == has
    assert not found.said("kinematic")
    assert world('E-puck { kinematic TRUE controller "<none>" }').said(
        "not kinematically"
    )


@pytest.mark.parametrize("field", ["linearVelocity", "angularVelocity"])
def test_a_world_that_was_saved_in_motion_starts_at_rest_and_says_so(
    world, field
):
    assert world(solid(f"{field} 0 0 2 physics Physics {{ }}")).said(
        f"s: {field}: starts at rest"
    )
    assert not world(solid(f"{field} 0 0 0 physics Physics {{ }}")).said(field)
    proto = "PROTO R [ ] { Solid { physics Physics { } } }"
    found = world(
        f'EXTERNPROTO "../R.proto" R {{ hidden {field}_0 0 0 2 }}',
        **{"R.proto": "#VRML_SIM R2023b utf8\n" + proto},
    )
    assert found.said(f"{field}: starts at rest")


def test_a_solid_that_could_swim_does_without_a_fluid(world):
    found = world(
        solid(
            "physics Physics { } immersionProperties ImmersionProperties {"
            ' fluidName "sea" }'
        )
    )
    assert numbers(found.link("s"), ".//size").tolist() == [1, 2, 3]


@pytest.mark.parametrize("tag", ["", "# tags: nonDeterministic\n"])
@pytest.mark.parametrize(
    ("language", "value"),
    [
        ("javascript", "%<= Math.random() + 1 >%"),
        ("lua", "%{= math.random() + 1 }%"),
    ],
)
def test_only_templates_with_the_tag_draw_anew(world, tag, language, value):
    pytest.importorskip({"javascript": "_quickjs", "lua": "lupa"}[language])
    proto = (
        f"#VRML_SIM R2023b utf8\n# template language: {language}\n{tag}"
        f'PROTO R [ field SFString name "" ] {{ Solid {{ name IS name boundingObject'
        f" Box {{ size 1 1 {value} }} physics Physics {{ }} }} }}"
    )
    text = 'EXTERNPROTO "../R.proto" R { name "a" } R { name "b" }'
    sizes = [
        [numbers(found.link(name), ".//size")[2] for name in ("a", "b")]
        for found in (world(text, **{"R.proto": proto}) for _ in range(2))
    ]
    assert sizes[0] == sizes[1]  # the same world each time
    assert (sizes[0][0] == sizes[0][1]) == (not tag)
