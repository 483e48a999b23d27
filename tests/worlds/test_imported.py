"""A world becomes links, joints, masses, poses and drivers."""

import copy
import math

import numpy as np
import pytest
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix

import webmotor_drake as wm
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario, report_of
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options

HEAD = "#VRML_SIM R2023b utf8\n"
OLD = "#VRML_SIM R2021b utf8\n"
pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")


@pytest.fixture
def world(tmp_path):
    """Returns a function that writes a world into a project and imports it."""

    def written(text, head=HEAD, **files):
        file = tmp_path / "worlds" / "test.wbt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(head + text)
        return file

    return written


def plant_of(file, **options):
    """Returns the plant of a world, its Context and its scenario."""
    scenario = load_scenario(file, **options)
    diagram = wm.build_diagram(scenario)
    plant = diagram.GetSubsystemByName("plant")
    context = diagram.CreateDefaultContext()
    return plant, plant.GetMyContextFromRoot(context), scenario


def body_pose(plant, context, name):
    return plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name))


ARM = """
Robot {
  translation 1 2 3
  rotation 0 0 1 0.5
  children [
    Pose {
      translation 0.1 0 0
      rotation 1 0 0 0.3
      children HingeJoint {
        jointParameters HingeJointParameters {
          position 0.7 axis 0 1 1 anchor 0 0.2 0.1
          minStop -1 maxStop 1 dampingConstant 0.5
        }
        device [
          RotationalMotor { name "m" maxTorque 5 maxVelocity 3 controlPID 7 1 0 }
          PositionSensor { name "s" noise 0.01 }
          Brake { name "b" }
        ]
        endPoint Solid {
          translation 0.05 0.3 0.2
          rotation 0 1 0 0.4
          name "arm"
          boundingObject Box { size 0.1 0.2 0.3 }
          physics Physics { density 500 }
          children SliderJoint {
            jointParameters JointParameters { axis 1 0 1 position 0.05 }
            device LinearMotor { name "l" maxForce 3 }
            endPoint Solid {
              translation 0 0 0.4
              name "tip"
              physics Physics {
                density -1 mass 2 centerOfMass [ 0.01 0 0 ]
                inertiaMatrix [ 0.1 0.2 0.25, 0.01 0 0.02 ]
              }
            }
          }
        }
      }
    }
  ]
  name "robot"
}
"""


def test_bodies_are_at_the_start_where_the_file_has_them(world):
    plant, context, _ = plant_of(world(ARM))
    X_WR = RigidTransform(RotationMatrix.MakeZRotation(0.5), [1, 2, 3])
    X_RP = RigidTransform(RotationMatrix.MakeXRotation(0.3), [0.1, 0, 0])
    X_PA = RigidTransform(RotationMatrix.MakeYRotation(0.4), [0.05, 0.3, 0.2])
    X_WA = X_WR @ X_RP @ X_PA
    # Poses are written with 12 decimals.
    assert body_pose(plant, context, "arm").IsNearlyEqualTo(X_WA, 1e-11)
    X_WT = X_WA @ RigidTransform([0, 0, 0.4])
    assert body_pose(plant, context, "tip").IsNearlyEqualTo(X_WT, 1e-11)
    joint = plant.GetJointByName("arm hinge")
    assert joint.GetOnePosition(context) == 0.7


def test_at_another_position_the_body_has_turned_about_the_anchor(world):
    plant, context, _ = plant_of(world(ARM))
    before = body_pose(plant, context, "arm")
    hinge = plant.GetJointByName("arm hinge")
    hinge.set_angle(context, 0.7 + 0.2)
    X_WP = RigidTransform(
        RotationMatrix.MakeZRotation(0.5), [1, 2, 3]
    ) @ RigidTransform(RotationMatrix.MakeXRotation(0.3), [0.1, 0, 0])
    turned = RotationMatrix(AngleAxis(0.2, np.array([0, 1, 1]) / np.sqrt(2)))
    anchor = np.array([0, 0.2, 0.1])
    X_PP = RigidTransform(turned, anchor - turned @ anchor)
    expected = X_WP @ X_PP @ X_WP.inverse() @ before
    assert body_pose(plant, context, "arm").IsNearlyEqualTo(expected, 1e-11)
    slider = plant.GetJointByName("tip slider")
    slider.set_translation(context, 0.05 + 0.1)
    X_AT = body_pose(plant, context, "arm").inverse() @ body_pose(
        plant, context, "tip"
    )
    moved = 0.1 * np.array([1, 0, 1]) / np.sqrt(2)
    np.testing.assert_allclose(
        X_AT.translation(), [0, 0, 0.4] + moved, atol=1e-11
    )


def test_masses_follow_density_or_are_those_given(world):
    plant, _, _ = plant_of(world(ARM))
    arm = plant.GetBodyByName("arm")
    assert arm.default_mass() == pytest.approx(500 * 0.1 * 0.2 * 0.3)
    tip = plant.GetBodyByName("tip")
    inertia = tip.default_spatial_inertia()
    assert inertia.get_mass() == 2
    np.testing.assert_allclose(inertia.get_com(), [0.01, 0, 0])
    about_com = inertia.Shift([0.01, 0, 0]).CalcRotationalInertia()
    np.testing.assert_allclose(
        about_com.CopyToFullMatrix3(),
        [[0.1, 0.01, 0], [0.01, 0.2, 0.02], [0, 0.02, 0.25]],
        atol=1e-12,
    )


def test_motors_sensors_and_joint_parameters_have_the_files_values(world):
    _, _, scenario = plant_of(world(ARM))
    driver = scenario.model_drivers["robot"]
    motor = driver.motors["m"]
    assert (motor.joint, motor.max_torque, motor.max_velocity) == (
        "arm hinge",
        5,
        3,
    )
    assert motor.control_pid == [7, 1, 0]
    assert driver.motors["l"].max_force == 3
    assert driver.position_sensors["s"].noise == 0.01
    assert driver.brakes["b"].joint == "arm hinge"
    parameters = driver.joints["arm hinge"]
    assert (parameters.min_stop, parameters.max_stop) == (-1, 1)
    assert parameters.damping_constant == 0.5
    assert driver.basic_time_step == 0.032
    assert scenario.plant_config.time_step == 0.008


def test_solids_with_physics_merge_into_the_one_around_them(world):
    file = world("""
    Robot {
      children [
        Solid {
          translation 0 0 1
          name "top"
          boundingObject Sphere { radius 0.1 }
          physics Physics { density -1 mass 3 }
        }
        GPS { translation 0 0 2 name "gps" }
      ]
      boundingObject Box { size 1 1 1 }
      physics Physics { density -1 mass 1 }
    }
    """)
    plant, _, scenario = plant_of(file)
    assert plant.num_bodies() == 2
    inertia = plant.GetBodyByName("robot").default_spatial_inertia()
    assert inertia.get_mass() == 4
    np.testing.assert_allclose(inertia.get_com(), [0, 0, 0.75])
    gps = scenario.model_drivers["robot"].devices["gps"]
    assert gps.frame == "robot" and gps.pose.translation == [0, 0, 2]


def test_physics_without_a_bounding_object_is_a_flywheel(world):
    file = world('Solid { name "a" physics Physics { density -1 mass 0.5 } }')
    plant, _, scenario = plant_of(file)
    inertia = plant.GetBodyByName("a").default_spatial_inertia()
    np.testing.assert_allclose(
        inertia.CalcRotationalInertia().CopyToFullMatrix3(), np.eye(3)
    )
    assert "1 kg m²" in str(report_of(scenario).of_kind("note")[0])


def test_before_r2022a_cylinders_stand_along_y_and_cameras_look_along_minus_z(
    world,
):
    text = """
    Robot {
      children [ Camera { translation 0 0 1 } ]
      boundingObject Cylinder { radius 0.1 height 1 }
      physics Physics { }
    }
    """
    for head, along in ((OLD, 1), (HEAD, 2)):
        plant, _, scenario = plant_of(world(text, head))
        moments = (
            plant.GetBodyByName("robot")
            .default_spatial_inertia()
            .CalcRotationalInertia()
            .get_moments()
        )
        assert np.argmin(moments) == along
        pose = scenario.model_drivers["robot"].devices["camera"].pose
        from webmotor_drake.drive.device_mounts import transform_of

        X = transform_of(pose)
        looks = X.rotation().col(0)
        expected = [0, 0, -1] if head == OLD else [1, 0, 0]
        np.testing.assert_allclose(looks, expected, atol=1e-11)


def test_gravity_is_along_the_worlds_up_axis(world):
    up = 'WorldInfo { coordinateSystem "NUE" gravity 3 }'
    plant, _, _ = plant_of(world(up + "Solid { }"))
    gravity = plant.gravity_field().gravity_vector()
    np.testing.assert_array_equal(gravity, [0, -3, 0])
    old = "WorldInfo { gravity 0 -9.81 0 }"
    plant, _, _ = plant_of(world(old, "#VRML_SIM R2020a utf8\n"))
    gravity = plant.gravity_field().gravity_vector()
    np.testing.assert_array_equal(gravity, [0, -9.81, 0])


def test_a_body_hinged_to_the_world_collides_with_nothing_that_stands_still(
    world,
):
    file = world("""
    RectangleArena { floorSize 4 4 }
    Robot { children HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      device RotationalMotor { }
      endPoint Solid {
        translation 0 0 0
        name "arm"
        boundingObject Box { size 1 0.1 0.1 }
        physics Physics { }
      }
    } }
    """)
    scenario = load_scenario(file)
    results = wm.run(copy.deepcopy(scenario))
    # The arm lies half in the floor and does not care.
    position = results["robot/rotational motor/position"]
    assert abs(position).max() < 1e-6


def test_a_controller_is_found_in_the_project(world, tmp_path):
    folder = tmp_path / "controllers" / "go"
    folder.mkdir(parents=True)
    (folder / "go.py").write_text(
        "import sys\n"
        "from controller import Robot\n"
        "robot = Robot()\n"
        "assert robot.getCustomData() == 'blue'\n"
        "assert sys.argv[1:] == ['1', 'two']\n"
        "robot.getDevice('m').setPosition(0.2)\n"
        "while robot.step(32) != -1:\n"
        "    pass\n"
    )
    text = ARM.replace(
        'name "robot"',
        'name "robot" controller "go" controllerArgs [ "1" "two" ]'
        ' customData "blue" synchronization FALSE',
    )
    scenario = load_scenario(world(text), text="{simulation_duration: 1}")
    assert not scenario.model_drivers["robot"].synchronization
    assert scenario.model_drivers["robot"].controller == (
        "../controllers/go/go.py"
    )
    assert wm.run(scenario)["robot/m/target_position"][-1] == 0.2


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("go.py", "controllers/go/go.py"),
        ("go/go.py", "controllers/go/go.py"),
        ("controllers\\\\go", "controllers/go/go.py"),
        ("../controllers/go/go.py", "controllers/../controllers/go/go.py"),
        ("team/go", "controllers/team/go/go.py"),
        ("/etc/go", ""),
        ("..", ""),
        ("/", ""),
    ],
)
def test_a_controller_may_be_a_path_in_the_project(
    world, tmp_path, name, found
):
    for folder in ("controllers/go", "controllers/team/go"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "go.py").write_text("")
    scenario = load_scenario(world(f'Robot {{ controller "{name}" }}'))
    given = scenario.model_drivers["robot"].controller
    assert given == (f"../{found}" if found else "").replace(
        "controllers/../", ""
    )


def test_a_missing_or_foreign_controller_lets_motors_hold(world, tmp_path):
    folder = tmp_path / "controllers" / "c"
    folder.mkdir(parents=True)
    (folder / "c.c").write_text("")
    text = 'Robot { controller "c" } Robot { name "b" controller "d" }'
    scenario = load_scenario(world(text))
    report = report_of(scenario)
    notes = [str(e) for e in report.of_kind("idle")]
    assert any("written in C and not built" in note for note in notes)
    assert any("neither controllers/d/d.py nor" in note for note in notes)
    assert report.summary().startswith("no controller in the project: robot, b")


def test_a_program_of_the_project_is_found_in_webots_order(
    world, tmp_path, monkeypatch
):
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path))
    folder = tmp_path / "controllers" / "c"
    (folder / "build" / "release").mkdir(parents=True)
    text = ARM.replace('name "robot"', 'name "robot" controller "c"')
    for name in ("c.m", "c.py", "c.jar", "c.class", "build/release/c", "c"):
        (folder / name).write_bytes(b"\x7fELF")
        (folder / name).chmod(0o755)
        driver = load_scenario(world(text)).model_drivers["robot"]
        assert driver.controller == f"../controllers/c/{name}"


@pytest.mark.parametrize(
    ("name", "why"), [("c", "chmod"), ("c.jar", "WEBOTS_HOME")]
)
def test_a_program_that_cannot_be_started_ends_no_run(
    world, tmp_path, monkeypatch, name, why
):
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    (tmp_path / "controllers" / "c").mkdir(parents=True)
    (tmp_path / "controllers" / "c" / name).write_bytes(b"\x7fELF")
    scenario = load_scenario(world('Robot { controller "c" }'))
    assert not scenario.model_drivers["robot"].controller
    (entry,) = report_of(scenario).of_kind("idle")
    assert why in entry.text


def test_an_extern_robot_waits_in_a_world_without_an_end(world):
    text = ARM.replace('name "robot"', 'name "robot" controller "<extern>"')
    scenario = load_scenario(world(text))
    assert scenario.model_drivers["robot"].controller == "<extern>"
    assert scenario.simulation_duration == math.inf
    scenario = load_scenario(world(text), text="{simulation_duration: 2}")
    assert scenario.simulation_duration == 2


def test_an_unknown_robot_is_refused_with_its_place_and_what_to_do(world):
    file = world('Group { }\nNao { controller "x" }\nAtlas { }\n')
    with pytest.raises(InputError) as error:
        load_scenario(file)
    text = str(error.value)
    assert ":3:1: Nao: " in text and ":4:1: Atlas: " in text
    assert "--proto_path" in text and "--without Nao" in text
    options = Options(without=("Nao", "Atlas"))
    assert report_of(load_scenario(file, options=options)).of_kind("left out")


def test_furniture_is_left_out_and_named(world):
    url = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects"
    file = world(
        f'EXTERNPROTO "{url}/objects/chairs/protos/Chair.proto"\n'
        f'EXTERNPROTO "{url}/objects/x/protos/Shelf.proto"\n'
        "Chair { }\nChair { }\nShelf { size 1 2 3 }\n"
    )
    report = report_of(load_scenario(file))
    chair, shelf = report.of_kind("left out")
    assert chair.name == "Chair" and len(chair.places) == 2
    assert "box of its size" in shelf.text


def test_equal_names_become_different_ones(world):
    file = world("""
    Solid { name "a" physics Physics { } }
    Solid { name "a" physics Physics { } }
    Robot {
      children [ GPS { } GPS { } Shape { geometry Sphere { } } ]
      name "x::y/z"
      boundingObject Sphere { }
    }
    """)
    _, _, scenario = plant_of(file)
    names = [d.add_model.name for d in scenario.directives if d.add_model]
    assert names == ["a", "a (1)", "x:y_z"]
    assert [*scenario.model_drivers["x:y_z"].devices] == ["gps", "gps (1)"]


def test_errors_of_the_scenario_have_their_place_in_the_world(world):
    file = world(ARM.replace("controlPID 7 1 0", "controlPID -1 0 0"))
    scenario = load_scenario(file)
    entry = report_of(scenario).of_kind("changed")[0]
    assert "test.wbt:" in entry.places[0] and "controlPID" in entry.text
    with pytest.raises(InputError, match=r"scenario_text:1"):
        load_scenario(file, text="{simulation_duration: -1}")


def test_what_is_not_a_world_is_refused(world, tmp_path):
    with pytest.raises(InputError, match="first line"):
        load_scenario(world("Solid { }", head=""))
    with pytest.raises(InputError, match="no such file"):
        load_scenario(tmp_path / "no.wbt")


def test_the_import_warns_once_of_what_differs(world):
    with pytest.warns(
        MotorWarning, match="replaced by our own: RectangleArena"
    ):
        load_scenario(world("RectangleArena { }"))


def test_a_scenario_of_a_world_can_be_pickled(world):
    import pickle

    scenario = load_scenario(world(ARM))
    again = pickle.loads(pickle.dumps(scenario))
    assert again.source.locate(("model_drivers", "robot", "motors", "m")) == (
        scenario.source.locate(("model_drivers", "robot", "motors", "m"))
    )
    assert again.model_drivers == scenario.model_drivers


@pytest.mark.parametrize(("head", "up"), [(OLD, [0, 1, 0]), (HEAD, [0, 0, 1])])
def test_an_old_floor_lies_in_x_and_z(world, head, up):
    scenario = load_scenario(world("RectangleArena { floorSize 4 2 }", head))
    diagram = wm.build_diagram(scenario)
    plant = diagram.GetSubsystemByName("plant")
    scene = diagram.GetSubsystemByName("scene_graph").model_inspector()
    body = plant.GetBodyByName("base")
    floor, *_ = plant.GetVisualGeometriesForBody(body)
    np.testing.assert_allclose(scene.GetShape(floor).size(), [4, 2, 0.002])
    R = scene.GetPoseInFrame(floor).rotation().matrix()
    np.testing.assert_allclose(R @ [1, 0, 0], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(R @ [0, 0, 1], up, atol=1e-9)


QUAD = """
WorldInfo { basicTimeStep 8 }
Robot {
  children [
    Pose {
      rotation 0 0 1 1.5707963267948966
      children Propeller {
        shaftAxis 0 0 1
        centerOfThrust 0.1 0 0
        thrustConstants 0.001 0
        torqueConstants 1e-5 0
        device RotationalMotor { name "p" maxVelocity 100 }
      }
    }
  ]
  boundingObject Box { size 0.2 0.2 0.05 }
  physics Physics { }
}
"""


def test_a_propeller_pushes_where_it_is(world):
    _, _, scenario = plant_of(world(QUAD))
    driver = scenario.model_drivers["robot"]
    (propeller,) = driver.propellers.values()
    assert propeller.center_of_thrust == pytest.approx([0, 0.1, 0])
    assert driver.motors["p"].joint in driver.propellers
    assert propeller.thrust_constants == [0.001, 0]


def linkage(end):
    return f"""
    Robot {{ children [
      HingeJoint {{
        jointParameters HingeJointParameters {{ axis 0 1 0 }}
        device RotationalMotor {{ name "crank" }}
        endPoint Solid {{
          name "a"
          boundingObject Pose {{
            translation 0 0 0.1 children Box {{ size 0.02 0.02 0.2 }}
          }}
          physics Physics {{ }}
          children HingeJoint {{
            jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0 0.2 }}
            endPoint Solid {{
              name "b"
              translation 0 0 0.2
              boundingObject Pose {{
                translation 0.15 0 0 children Box {{ size 0.3 0.02 0.02 }}
              }}
              physics Physics {{ }}
              children HingeJoint {{
                jointParameters HingeJointParameters {{
                  axis 0 1 0 anchor 0.3 0 0
                }}
                endPoint SolidReference {{ solidName "{end}" }}
              }}
            }}
          }}
        }}
      }}
      HingeJoint {{
        jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.3 0 0 }}
        endPoint Solid {{
          name "c"
          translation 0.3 0 0
          boundingObject Pose {{
            translation 0 0 0.1 children Box {{ size 0.02 0.02 0.2 }}
          }}
          physics Physics {{ }}
        }}
      }}
    ] }}
    """


def test_an_anchor_too_far_to_compute_with_is_refused_at_a_loop_too(world):
    before, end = linkage("c").split("endPoint SolidReference")
    start, _, rest = before.rpartition("anchor 0.3 0 0")
    far = f"{start}anchor 1e7 0 0{rest}endPoint SolidReference{end}"
    with pytest.raises(InputError, match=r"test.wbt:\d+:\d+: anchor: numbers"):
        import_world(world(far), Options())


def test_a_solid_reference_closes_a_loop(world):
    text = "{simulation_duration: 2, recorded_bodies: {robot: [a, c]}}"
    scenario = load_scenario(world(linkage("c")), text=text)
    scenario.model_drivers["robot"].commands = [
        wm.TimedCommand(time=0.0, motor="crank", set_position=0.5)
    ]
    results = wm.run(scenario)
    assert results["robot/crank/position"][-1] == pytest.approx(0.5, abs=1e-3)
    w, _, y, _ = results["robot/c/quaternion"][-1]  # a parallelogram
    assert 2 * np.arctan2(y, w) == pytest.approx(0.5, abs=1e-3)


def test_a_reference_to_nothing_is_left_out(world):
    scenario = load_scenario(world(linkage("z")))
    assert not scenario.model_drivers["robot"].loops
    assert "no Solid of that name" in report_of(scenario).entries[0].text


def test_joints_of_several_axes_start_where_the_file_has_them(world):
    file = world("""
    Robot { translation 0 0 1 children [
      BallJoint {
        jointParameters BallJointParameters { anchor 0 0 0.1 position 0.1 }
        jointParameters2 JointParameters { axis 1 0 0 position 0.2 }
        jointParameters3 JointParameters { axis 0 0 1 position -0.3 }
        device2 RotationalMotor { name "b" }
        endPoint Solid {
          translation 0 0.1 0.2 rotation 0 1 0 0.3
          name "x" boundingObject Sphere { radius 0.05 } physics Physics { }
        }
      }
      Hinge2Joint {
        jointParameters HingeJointParameters {
          axis 0 0 1 anchor 0.3 0 0 position 0.4
        }
        jointParameters2 JointParameters { axis 0 1 0 position -0.5 }
        endPoint Solid {
          translation 0.4 0 0 rotation 1 0 0 0.2
          name "y" boundingObject Sphere { radius 0.05 } physics Physics { }
        }
      }
    ] }
    """)
    plant, context, scenario = plant_of(file)
    X_WX = RigidTransform(RotationMatrix.MakeYRotation(0.3), [0, 0.1, 1.2])
    X_WY = RigidTransform(RotationMatrix.MakeXRotation(0.2), [0.4, 0, 1])
    assert body_pose(plant, context, "x").IsNearlyEqualTo(X_WX, 1e-10)
    assert body_pose(plant, context, "y").IsNearlyEqualTo(X_WY, 1e-10)
    assert scenario.model_drivers["robot"].motors["b"].joint == "x hinge_2"


def test_a_motor_without_physics_behind_it_moves_kinematically(world):
    file = world("""
    Robot { children HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "m" maxVelocity 1 }
      endPoint Solid { name "arm" }
    } }
    """)
    scenario = load_scenario(file, text="{simulation_duration: 1}")
    driver = scenario.model_drivers["robot"]
    assert driver.joints["arm hinge"].kinematic
    driver.commands = [wm.TimedCommand(time=0.0, motor="m", set_position=0.5)]
    assert wm.run(scenario)["robot/m/position"][-1] == pytest.approx(0.5)
    assert report_of(scenario).of_kind("kinematic")


def test_hidden_fields_are_where_the_world_was_saved(world, tmp_path):
    (tmp_path / "worlds").mkdir(exist_ok=True)
    (tmp_path / "worlds" / "Car.proto").write_text(
        HEAD + "PROTO Car [ ] { Robot { children [ HingeJoint {"
        " jointParameters HingeJointParameters { axis 0 1 0 }"
        ' device RotationalMotor { name "m" }'
        ' endPoint Solid { name "w" boundingObject Sphere { }'
        " physics Physics { } } } ] } }"
    )
    file = world(
        'EXTERNPROTO "Car.proto"\nCar { hidden position_0_0 700.5'
        " hidden rotation_1 0 1 0 3.1 }"
    )
    plant, context, _ = plant_of(file)
    assert plant.GetJointByName("w hinge").GetOnePosition(context) == 700.5
    expected = RigidTransform(RotationMatrix.MakeYRotation(3.1), [0, 0, 0])
    assert body_pose(plant, context, "w").IsNearlyEqualTo(expected, 1e-9)


def test_a_proto_that_is_in_itself_ends(world, tmp_path):
    (tmp_path / "worlds").mkdir(exist_ok=True)
    (tmp_path / "worlds" / "A.proto").write_text(
        HEAD + 'EXTERNPROTO "A.proto"\nPROTO A [ ] { Group { children A { } } }'
    )
    with pytest.raises(InputError, match="nested deeper than"):
        load_scenario(world('EXTERNPROTO "A.proto"\nA { }'))


def test_an_instance_may_stand_in_another_of_its_kind(world, tmp_path):
    (tmp_path / "worlds").mkdir(exist_ok=True)
    (tmp_path / "worlds" / "A.proto").write_text(
        HEAD + "PROTO A [ field MFNode in [ ] field SFVec3f at 0 0 0 ]"
        " { Solid { translation IS at children IS in"
        " boundingObject Sphere { } physics Physics { } } }"
    )
    file = world(
        'EXTERNPROTO "A.proto"\nA { in A { at 0 0 1 in A { at 0 0 1 } } }'
    )
    plant, _, _ = plant_of(file)
    inertia = plant.GetBodyByName("solid").default_spatial_inertia()
    np.testing.assert_allclose(inertia.get_com(), [0, 0, 1], atol=1e-12)


def test_a_track_is_a_body_with_a_moving_surface_or_is_told(world):
    file = world("""
    Robot { children Track {
      device [ LinearMotor { name "belt" } PositionSensor { name "travel" } ]
      boundingObject Box { size 2 0.4 0.1 }
      name "track"
    } }
    """)
    _, _, scenario = plant_of(file)
    driver = scenario.model_drivers["robot"]
    joint = driver.motors["belt"].joint
    assert driver.position_sensors["travel"].joint == joint
    if not driver.tracks:
        assert report_of(scenario).of_kind("left out")
        assert driver.joints[joint].kinematic
    else:
        assert driver.tracks[joint].body == "track"


def test_the_scale_of_a_solid_counts_for_lengths_masses_and_inertias(world):
    file = world("""
    Solid {
      scale 2 2 2
      name "a"
      boundingObject Box { size 0.1 0.1 0.1 }
      physics Physics { density 100 }
    }
    Solid {
      scale 2 2 2
      name "b"
      physics Physics {
        density -1 mass 1 centerOfMass [ 0 0 0.1 ]
        inertiaMatrix [ 1 1 1, 0 0 0 ]
      }
    }
    """)
    plant, _, _ = plant_of(file)
    assert plant.GetBodyByName("a").default_mass() == pytest.approx(0.8)
    inertia = plant.GetBodyByName("b").default_spatial_inertia()
    assert inertia.get_mass() == pytest.approx(8)
    np.testing.assert_allclose(inertia.get_com(), [0, 0, 0.2])
    about = inertia.Shift([0, 0, 0.2]).CalcRotationalInertia().get_moments()
    np.testing.assert_allclose(about, [32, 32, 32])


def test_a_lidar_and_a_joint_of_webots_have_stand_ins(world):
    file = world("""
    Robot { children [
      RobotisLds01 { name "lidar" translation 0 0 0.1 }
      HingeJointWithBacklash {
        jointParameters HingeJointParameters { axis 0 0 1 }
        device RotationalMotor { name "m" }
        endPoint Solid { boundingObject Sphere { } physics Physics { } }
      }
    ] }
    """)
    _, _, scenario = plant_of(file)
    driver = scenario.model_drivers["robot"]
    lidar = driver.devices["lidar"]
    assert (lidar.horizontal_resolution, lidar.max_range) == (360, 3.5)
    assert lidar.pose.translation == [0, 0, 0.1]
    assert driver.motors["m"].joint == "solid hinge"


def test_a_file_of_the_project_that_is_missing_is_named(world):
    file = world('EXTERNPROTO "../protos/Car.proto"\nCar { }')
    with pytest.raises(
        InputError, match=r"its file \.\./protos/Car\.proto is not"
    ):
        load_scenario(file)


def test_a_robot_on_a_robot_is_a_model_that_is_welded_on(world):
    file = world("""
    Robot { translation 0 0 1 name "base" children [
      Robot { translation 0 0 0.1 rotation 0 0 1 0.5 name "arm" children [
        HingeJoint {
          jointParameters HingeJointParameters { axis 0 1 0 }
          device RotationalMotor { name "m" }
          endPoint Solid {
            name "link" boundingObject Sphere { } physics Physics { }
          }
        }
        GPS { }
      ] boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
      GPS { }
    ] boundingObject Box { size 0.3 0.2 0.1 } physics Physics { } }
    """)
    plant, context, scenario = plant_of(file)
    assert [*scenario.model_drivers] == ["base", "arm"]
    assert "m" in scenario.model_drivers["arm"].motors
    assert [*scenario.model_drivers["base"].devices] == ["gps"]
    expected = RigidTransform(RotationMatrix.MakeZRotation(0.5), [0, 0, 1.1])
    X = body_pose(plant, context, "arm")
    assert X.IsNearlyEqualTo(expected, 1e-10)
    assert plant.num_velocities() == 7


def test_def_names_of_the_world_are_found_and_those_of_protos_are_not(
    world, tmp_path
):
    (tmp_path / "worlds").mkdir(exist_ok=True)
    (tmp_path / "worlds" / "A.proto").write_text(
        HEAD + "PROTO A [ ] { DEF INNER Solid {"
        ' name "a" boundingObject Sphere { } physics Physics { } } }'
    )
    file = world(
        'EXTERNPROTO "A.proto"\nDEF OUTER A { }\n'
        'DEF BOX Solid { name "box" boundingObject Box { } }\n'
        'Robot { supervisor TRUE children DEF GPS1 GPS { name "g" } }'
    )
    scenario = load_scenario(file)
    named = [n for top in scenario.source.nodes for n in top.subtree()]
    assert {n.definition: n.stands_for for n in named if n.definition} == {
        "OUTER": ["a"],
        "BOX": ["scenery::box"],
        "GPS1": ["robot::g"],
    }
    wm.build_diagram(scenario)


def test_light_sensors_see_the_lights_of_the_world(world):
    file = world("""
    Transform { translation 0 0 1 children PointLight { location 1 0 0 intensity 2 } }
    Robot { children LightSensor { name "eye" } }
    """)
    _, _, scenario = plant_of(file)
    (light,) = scenario.model_drivers["robot"].lights.values()
    assert (light.location, light.intensity) == ([1, 0, 1], 2)


def test_a_robot_at_the_end_of_a_joint_has_its_own_driver(world, tmp_path):
    for name in ("outer", "inner"):
        folder = tmp_path / "controllers" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text("")
    file = world("""
    Robot { name "outer" translation 0 0 1 controller "outer" children HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 position 0.2 }
      device RotationalMotor { name "m" }
      endPoint Robot {
        name "inner" translation 0 0 -0.1 controller "inner"
        boundingObject Box { size 0.1 0.1 0.2 }
        physics Physics { density -1 mass 2 }
        children [
          GPS { }
          HingeJoint {
            jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 -0.1 }
            device RotationalMotor { name "m" }
            endPoint Solid { translation 0 0 -0.2 name "tip"
              boundingObject Box { size 0.05 0.05 0.2 }
              physics Physics { density -1 mass 1 } }
          }
        ]
      }
    } }
    """)
    plant, context, scenario = plant_of(file)
    drivers = scenario.model_drivers
    assert drivers["inner"].controller.endswith("inner.py")
    assert list(drivers["inner"].motors) == list(drivers["outer"].motors)
    joint = plant.GetJointByName("inner hinge")
    joint.set_angle(context, 1.0)
    # From 0.2 it has turned by 0.8 about y.
    place = body_pose(plant, context, "inner").translation()
    expected = [-0.1 * np.sin(0.8), 0, 1 - 0.1 * np.cos(0.8)]
    np.testing.assert_allclose(place, expected, atol=1e-11)
    inner = [plant.GetModelInstanceByName("inner")]
    assert plant.CalcTotalMass(context, inner) == pytest.approx(3)


def test_a_suspension_gives_way_along_its_axis_in_the_body(world):
    file = world("""
    Robot { name "car" children Pose { rotation 0 0 1 1.5707963267948966
      children HingeJoint {
        jointParameters HingeJointParameters { axis 0 1 0 suspensionAxis 1 0 0
          suspensionSpringConstant 500 suspensionDampingConstant 20 }
        endPoint Solid { name "wheel" boundingObject Sphere { radius 0.1 }
          physics Physics { density -1 mass 1 } }
      } }
      boundingObject Box { size 1 1 1 } physics Physics { } }
    """)
    plant, _, scenario = plant_of(file)
    given = scenario.model_drivers["car"].joints["wheel hinge"]
    np.testing.assert_allclose(given.suspension_axis, [0, 1, 0], atol=1e-12)
    assert given.suspension_spring_constant == 500
    assert plant.HasJointNamed("wheel hinge_suspension")
    assert not report_of(scenario).of_kind("left out")


def test_softness_of_stops_is_reported_with_its_size(world):
    file = world("""
    Robot { children HingeJoint {
      jointParameters HingeJointParameters {
        minStop -0.5 maxStop 0.5 stopCFM 0.1 stopERP 0.5 }
      device RotationalMotor { name "m" }
      endPoint Solid { boundingObject Box { size 0.1 0.1 0.1 }
        physics Physics { } } }
      boundingObject Box { } physics Physics { } }
    """)
    _, _, scenario = plant_of(file)
    (entry,) = report_of(scenario).of_kind("left out")
    assert entry.name == "stopCFM, stopERP"
    assert "0.2 times its time step" in entry.text


def test_nothing_falls_over_the_edge_of_a_floor(world):
    text = """
    Floor { size 1 1 }
    Solid { translation 3 0 0.5 name "ball" boundingObject Sphere { radius 0.1 }
      physics Physics { } }
    """
    scenario = load_scenario(world(text), text="{simulation_duration: 1.6}")
    end = wm.run(scenario)["ball/ball/position"][-1]
    assert end[2] == pytest.approx(0.1, abs=0.01)


def test_a_camera_sees_faces_that_a_world_gives(world):
    from webmotor_drake.controllers.session import RobotSession

    file = world("""
    Robot { name "eye" children Camera { width 8 height 8 } }
    Solid { translation 1 0 0 children Shape {
      appearance PBRAppearance { baseColor 1 0 0 metalness 0 }
      geometry IndexedFaceSet {
        coord Coordinate { point [ 0 -1 -1, 0 1 -1, 0 1 1, 0 -1 1 ] }
        coordIndex [ 0, 3, 2, 1, -1 ]
      } } }
    """)
    with RobotSession(file) as session:
        robot = session.robot("eye")
        camera = robot.getDevice("camera")
        camera.enable(32)
        robot.step(64)
        pixels = np.array(camera.getImageArray())
    assert pixels[4, 4, 0] > 2 * pixels[4, 4, 1]


def slider_crank(closing):
    """Returns a crank of 0.1 m, a rod of 0.3 m and a piston on the x axis."""
    piston, frame = closing
    return f"""
    Robot {{ name "robot" children [
      HingeJoint {{
        jointParameters HingeJointParameters {{ axis 0 1 0 }}
        device RotationalMotor {{ name "crank" maxTorque 100 }}
        endPoint Solid {{
          name "a" boundingObject Box {{ size 0.02 0.02 0.02 }} physics Physics {{ }}
          children HingeJoint {{
            jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.1 0 0 }}
            endPoint Solid {{
              name "b" translation 0.1 0 0
              boundingObject Box {{ size 0.02 0.02 0.02 }} physics Physics {{ }}
              children HingeJoint {{
                jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.3 0 0 }}
                endPoint Solid {{
                  name "piston" translation 0.3 0 0
                  boundingObject Box {{ size 0.05 0.05 0.05 }} physics Physics {{ }}
                  {piston}
                }}
              }}
            }}
          }}
        }}
      }}
      {frame}
    ] }}
    """


SLIDER = """children SliderJoint {
  jointParameters JointParameters { axis -1 0 0 position -0.02 }
  device PositionSensor { name "way" }
  endPoint SolidReference { solidName "<static environment>" }
}"""


def test_a_slider_to_a_solid_reference_closes_a_loop_and_is_measured(world):
    from webmotor_drake.controllers.session import RobotSession

    with RobotSession(world(slider_crank((SLIDER, "")))) as session:
        robot = session.robot("robot")
        way = robot.getDevice("way")
        way.enable(32)
        robot.getDevice("crank").setPosition(1.0)
        robot.step(2048)
        angle = 1.0
        x = 0.1 * np.cos(angle) + np.sqrt(0.09 - (0.1 * np.sin(angle)) ** 2)
        # From 0.4 m the piston comes nearer: seen from it the world goes along x.
        assert way.getValue() == pytest.approx(-0.02 + x - 0.4, abs=2e-4)


def test_a_motor_of_a_hinge_that_closes_a_loop_drives_it(world):
    driven = linkage("c").replace(
        "axis 0 1 0 anchor 0.3 0 0\n                }}",
        "axis 0 1 0 anchor 0.3 0 0 }}",
    )
    driven = driven.replace(
        "endPoint SolidReference",
        'device RotationalMotor { name "last" } endPoint SolidReference',
    ).replace('device RotationalMotor { name "crank" }', "")
    text = "{simulation_duration: 2, recorded_bodies: {robot: [a, b, c]}}"
    scenario = load_scenario(world(driven), text=text)
    scenario.model_drivers["robot"].commands = [
        wm.TimedCommand(time=0.0, motor="last", set_position=0.5)
    ]
    results = wm.run(scenario)
    assert results["robot/last/position"][-1] == pytest.approx(0.5, abs=1e-3)
    w, _, y, _ = results["robot/c/quaternion"][-1]  # b does not turn
    assert 2 * np.arctan2(y, w) == pytest.approx(0.5, abs=5e-3)


@pytest.mark.parametrize(("head", "expected"), [(OLD, True), (HEAD, False)])
def test_receivers_of_old_worlds_give_bytes(world, head, expected):
    robot = 'Robot { children Receiver { name "r" } }'
    scenario = load_scenario(world(robot, head))
    (driver,) = scenario.model_drivers.values()
    assert driver.devices["r"].data_as_bytes is expected


def test_pairs_bounce_as_webots_does_unless_they_say_otherwise(world):
    scenario = load_scenario(
        world("""
    WorldInfo { contactProperties [
      ContactProperties { coulombFriction 0.5 }
      ContactProperties { material1 "a" bounce 0 }
    ] }
    Solid { contactMaterial "b" boundingObject Box { } physics Physics { } }
    """)
    )
    bounces = {e.materials: e.bounce for e in scenario.contact_properties}
    assert bounces == {
        ("default", "default"): None,
        ("a", "default"): 0.0,
        ("b", "default"): None,
    }
    assert scenario.default_bounce == 0.5


def test_robots_of_one_name_keep_it_for_their_programs(world):
    robot = 'Robot { translation %d 0 0 name "twin" }'
    _, _, scenario = plant_of(world("\n".join(robot % i for i in range(2))))
    drivers = scenario.model_drivers
    assert {key: d.robot_name for key, d in drivers.items()} == {
        "twin": "",
        "twin (1)": "twin",
    }


def test_a_byte_of_another_encoding_ends_no_world(world):
    file = world('WorldInfo { title "caf?" }')
    file.write_bytes(file.read_bytes().replace(b"?", b"\xe9"))
    _, source = import_world(file, Options())
    assert source.nodes[0].text("title") == "caf\ufffd"


def test_a_field_that_is_no_parameter_of_its_proto_has_its_default(world):
    file = world('EXTERNPROTO "../protos/Pole.proto" Pole { radius 0.2 }')
    (file.parent.parent / "protos").mkdir()
    (file.parent.parent / "protos" / "Pole.proto").write_text(
        HEAD
        + "PROTO Pole [ field SFFloat radius 0.1 ] { Solid { children Shape {"
        " geometry Cylinder { radius IS radius height IS tallness } } } }"
    )
    _, source = import_world(file, Options())
    (entry,) = source.report.of_kind("note")
    assert entry.name == "height" and "IS names no parameter" in entry.text
    (text,) = source.models.files.values()
    assert b"<radius>0.2</radius>" in text and b"<length>2.0</length>" in text
