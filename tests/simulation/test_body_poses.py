"""The poses of bodies: closed forms, Drake's own kinematics, names that clash."""

import re
import warnings

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.results.results import Results
from webmotor_drake.results.run_record import roll_pitch_yaw
from webmotor_drake.results.summary import summary_table
from webmotor_drake.simulation.simulation import Simulation

# A free box thrown up and turned, one whose pose is given in a turned frame on the
# ground, and an arm of which two bodies are named.
YAML = """\
Throw:
  simulation_duration: 0.4
  plant_config: {time_step: 0.002}
  directives:
  - add_model:
      name: box
      file: package://webmotor_models/small_box.urdf
      default_free_body_pose: {box: {translation: [0.5, 0, 5]}}
  - add_frame:
      name: slope
      X_PF:
        base_frame: world
        translation: [3, 2, 8]
        rotation: !Rpy {deg: [10, 20, 30]}
  - add_model:
      name: crate
      file: package://webmotor_models/small_box.urdf
      default_free_body_pose:
        box:
          base_frame: slope
          translation: [0.1, 0.2, 0.3]
          rotation: !Rpy {deg: [0, 0, 170]}
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      basic_time_step: 0.004
      motors:
        elbow motor: !RotationalMotor {joint: elbow, max_torque: 20}
        MOTOR: !RotationalMotor {joint: shoulder, max_torque: 50}
      commands:
      - {time: 0.0, motor: MOTOR, set_position: 1.0}
  recorded_bodies: {arm: [LINK, base]}
"""


def scenario(folder, **changes):
    """Returns the scenario; `changes` are the names in it."""
    names = {"LINK": "forearm", "MOTOR": "shoulder motor"}
    text = YAML
    for name, value in (names | changes).items():
        text = re.sub(rf"\b{name}\b", value, text)
    (folder / "s.scenario.yaml").write_text(text)
    return wm.load_scenario(folder / "s.scenario.yaml")


@pytest.fixture(scope="module")
def thrown(tmp_path_factory):
    """Returns a simulation at its end, and its results."""
    simulation = Simulation(scenario(tmp_path_factory.mktemp("throw")))
    plant = simulation.plant
    context = plant.GetMyMutableContextFromRoot(
        simulation.simulator.get_mutable_context()
    )
    for model, spin in (("box", [0, 0, 9]), ("crate", [3, 1, -2])):
        body = plant.GetBodyByName("box", plant.GetModelInstanceByName(model))
        joint = next(
            plant.get_joint(i)
            for i in plant.GetJointIndices()
            if plant.get_joint(i).child_body().index() == body.index()
        )
        joint.set_angular_velocity(context, spin)
    return simulation, simulation.run()


def test_free_bodies_and_those_named_are_recorded_and_are_no_motors(thrown):
    _, results = thrown
    assert results.bodies == [
        "box/box",
        "crate/box",
        "arm/forearm",
        "arm/base",
    ]
    assert results.motors == ["arm/elbow motor", "arm/shoulder motor"]
    assert "quaternion" not in results.signal_names
    assert results["arm/forearm/position"].shape == (len(results.time), 3)
    assert results["arm/forearm/quaternion"].shape == (len(results.time), 4)


def test_a_free_body_falls_and_spins_as_newton_says(thrown):
    # Semi-implicit Euler falls g dt t / 2 further than the parabola.
    _, results = thrown
    time, position = results.time, results["box/box/position"]
    fallen = 9.81 * time * (time + 0.002) / 2
    assert position[:, 2] == pytest.approx(5 - fallen, abs=1e-9)
    yaw = roll_pitch_yaw(results["box/box/quaternion"])[:, 2]
    # 3.6 rad: past pi without a jump. Its integration turns by the tangent of half
    # the angle of a step, which is 9 mrad: 2e-5 rad off in the end.
    assert yaw == pytest.approx(9 * time, abs=1e-4)


def test_poses_are_those_of_drakes_kinematics(thrown):
    simulation, results = thrown
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    for name in results.bodies:
        model, body = name.split("/")
        instance = plant.GetModelInstanceByName(model)
        X_WB = plant.EvalBodyPoseInWorld(
            context, plant.GetBodyByName(body, instance)
        )
        wxyz = X_WB.rotation().ToQuaternion().wxyz()
        recorded = results[f"{name}/quaternion"][-1]
        # Rounding of a product of three rotations.
        assert results[f"{name}/position"][-1] == pytest.approx(
            X_WB.translation(), abs=1e-12
        )
        assert abs(recorded @ wxyz) == pytest.approx(1, abs=1e-12)


def test_quaternions_do_not_jump_and_keep_their_length(thrown):
    _, results = thrown
    for name in results.bodies:
        quaternion = results[f"{name}/quaternion"]
        assert np.abs(np.diff(quaternion, axis=0)).max() < 0.1
        assert np.linalg.norm(quaternion, axis=1) == pytest.approx(1, abs=1e-12)


def test_poses_are_saved_and_shown(thrown, tmp_path):
    _, results = thrown
    results.save(tmp_path)
    again = Results.load(tmp_path)
    assert again.bodies == results.bodies
    name = "crate/box/quaternion"
    assert np.array_equal(again[name], results[name])
    table = summary_table(results)
    row = next(r for r in table.splitlines() if r.startswith("arm/base"))
    assert row.split() == ["arm/base", *["0", "m"] * 5, *["0", "rad"] * 3]


def test_a_body_that_is_not_there_is_an_error_with_its_place(tmp_path):
    with pytest.raises(
        InputError,
        match=r"s.scenario.yaml:\d+:\d+: Throw.recorded_bodies.arm\[0\]: unknown"
        r" body 'forarm'; did you mean forearm\?",
    ):
        Simulation(scenario(tmp_path, LINK="forarm"))


def test_a_named_body_called_as_a_motor_is_an_error(tmp_path):
    with pytest.raises(InputError, match="a motor is called arm/forearm, too"):
        Simulation(scenario(tmp_path, MOTOR="forearm"))


def test_a_free_body_called_as_a_motor_is_left_out_with_a_warning(tmp_path):
    text = """\
Free:
  simulation_duration: 0.01
  plant_config: {time_step: 0.002}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {base: !RotationalMotor {joint: elbow}}
"""
    (tmp_path / "s.yaml").write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotorWarning)
        results = wm.run(wm.load_scenario(tmp_path / "s.yaml"))
    assert results.bodies == []
    assert any("arm/base is not recorded" in str(w.message) for w in caught)
