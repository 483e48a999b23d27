"""A walk, a gripper and a differential, commanded by Webots controllers."""

import functools
import math
import runpy

import numpy as np
import pytest
from drawn import FULL
from pydrake.math import RigidTransform, RollPitchYaw

from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.motion_file import load_motion
from webmotor_drake.results.results import Results
from webmotor_drake.runner import ready
from webmotor_drake.simulation.simulation import Simulation

MOTIONS = SCENARIOS / "motions"


def simulation(file: str, name: str, text: str = "{}") -> Simulation:
    path = SCENARIOS / f"{file}.scenario.yaml"
    return ready(load_scenario(path, name=name, text=text))


def pose(simulation: Simulation, body: str) -> RigidTransform:
    """Returns where a body is, in the world."""
    root = simulation.simulator.get_context()
    context = simulation.plant.GetMyContextFromRoot(root)
    return simulation.plant.GetBodyByName(body).EvalPoseInWorld(context)


def after(results: Results, signal: str, time: float) -> np.ndarray:
    return results[signal][results.time > time]


# --- the walk ---


def test_the_script_writes_the_walk_that_is_there():
    script = runpy.run_path(str(MOTIONS / "make_walk.py"))
    assert script["motion"]() == (MOTIONS / "walk.motion").read_text()


def test_a_walk_puts_its_feet_where_the_script_wants_them():
    # The file alone, by the leg's geometry: two links of 15 cm.
    hips, knees = np.split(
        load_motion(MOTIONS / "walk.motion").positions.T.reshape(4, 2, -1),
        2,
        axis=1,
    )
    below = 0.15 * (np.cos(hips) + np.cos(hips + knees))
    ahead = -0.15 * (np.sin(hips) + np.sin(hips + knees))
    # Angles are written to 1e-4 rad: 3e-5 m at the foot.
    on_ground = np.abs(below - 0.26) < 5e-5
    assert (on_ground.sum(axis=0) >= 3).all()
    assert on_ground[..., [0, -1]].all()
    assert below.min() == pytest.approx(0.22, abs=5e-5)
    assert np.ptp(ahead) == pytest.approx(0.12, abs=1e-4)


def test_the_scenario_starts_in_the_first_pose_of_the_walk():
    scenario = load_scenario(SCENARIOS / "walk.scenario.yaml")
    walk = load_motion(MOTIONS / "walk.motion")
    motors = scenario.model_drivers["robot"].motors
    assert tuple(motors) == walk.motors
    start = scenario.initial_position["robot"]
    for motor, angle in zip(walk.motors, walk.positions[0], strict=True):
        np.testing.assert_array_equal(start[motors[motor].joint], [angle])


@pytest.mark.slow
@pytest.mark.parametrize(
    "time_step", [0.001, 0.002, 0.004] if FULL else [0.002, 0.004]
)
def test_the_quadruped_walks(time_step, capsys):
    robot = simulation(
        "walk", "Walk", f"{{plant_config: {{time_step: {time_step}}}}}"
    )
    heights, tilts = [], []

    def watch(_root) -> None:
        X_WB = pose(robot, "trunk")
        heights.append(X_WB.translation()[2])
        tilts.append(math.acos(X_WB.rotation().matrix()[2, 2]))

    robot.simulator.set_monitor(watch)
    results = robot.run()
    # Upright at every step. Three feet on the ground, the fourth leg in the air:
    # the trunk leans by some degrees, and by as much whatever the time step.
    assert max(tilts) < math.radians(9)
    assert 0.27 < min(heights) < max(heights) < 0.295
    # Eight cycles with 16 cm each, had the feet a hold from the first moment to
    # the last; two trunks' lengths at least, and straight on: what a step yields
    # depends on when each foot lands, hence on the time step.
    end = pose(robot, "trunk")
    ahead, aside, _ = end.translation()
    assert 0.8 < ahead < 8 * 0.16
    assert abs(aside) < 0.2 * ahead
    assert abs(RollPitchYaw(end.rotation()).yaw_angle()) < math.radians(15)
    # It stands at the end of a cycle, 8 ms longer by each repetition.
    stands = float(capsys.readouterr().out.split()[-2])
    assert 8 * 0.96 <= stands <= 8 * 0.968 + 0.016
    for motor in results.motors:
        assert np.abs(after(results, f"{motor}/velocity", 8.5)).max() < 1e-3


# --- the gripper ---


@pytest.mark.slow
def test_the_gripper_feels_lifts_and_sets_down_a_box(capsys):
    gripper = simulation("controller_gripper", "Box")
    heights = []
    gripper.simulator.set_monitor(
        lambda _root: heights.append(pose(gripper, "box").translation()[2])
    )
    results = gripper.run()
    assert capsys.readouterr().out.endswith("presses with 5.00 N\n")
    assert max(heights) == pytest.approx(0.0255 + 0.15, abs=2e-3)
    assert heights[-1] == pytest.approx(0.0255, abs=1e-4)
    # What the controller reads is in the results, too.
    right = results["hand/grip::right/feedback"]
    held = (results.time > 1.0) & (results.time < 6.0)
    np.testing.assert_array_equal(right[held], 5.0)
    # It lets go: open fingers, the lift carries hand and fingers, 0.7 kg.
    assert after(results, "hand/grip::left/position", 7.9).max() < 1e-6
    lift = after(results, "hand/lift motor/effort", 7.0)
    np.testing.assert_allclose(lift, 0.7 * 9.81, atol=1e-3)


@pytest.mark.slow
def test_a_gripper_that_feels_nothing_lifts_nothing(capsys):
    results = simulation("controller_gripper", "NoBox").run()
    assert capsys.readouterr().out == (
        "no box: the right finger presses with 0.00 N\n"
    )
    assert np.abs(results["hand/lift motor/position"]).max() < 1e-4
    # The right finger gets to its target, the left one to its stop.
    assert results["hand/grip::right/position"].max() == pytest.approx(
        0.03, abs=1e-5
    )
    assert results["hand/grip::left/position"].max() == pytest.approx(
        0.02, abs=1e-5
    )


# --- the differential ---


@functools.cache
def driven(name: str) -> tuple[Simulation, Results]:
    """Returns a rover with a differential at the end of its scenario."""
    rover = simulation("controller_differential", name)
    return rover, rover.run()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Climb", "Ice"])
def test_a_differential_splits_40_to_60_whatever_the_wheels_do(name):
    _, results = driven(name)
    front_left, front_right, rear_left, rear_right = (
        results[f"{motor}/effort"] for motor in results.motors
    )
    assert np.ptp(front_left) > 0.1
    np.testing.assert_array_equal(front_left, front_right)
    np.testing.assert_array_equal(rear_left, rear_right)
    # 0.2 t and 0.3 t: a rounding each.
    np.testing.assert_allclose(6 * front_left, 4 * rear_left, rtol=1e-15)


@pytest.mark.slow
def test_the_rover_climbs_at_its_speed_and_stands_on_the_slope():
    _, results = driven("Climb")
    effort = 0.0
    for motor in results.motors:
        velocity = results[f"{motor}/velocity"]
        climbing = (results.time > 3.0) & (results.time < 4.0)
        # The integral closes in on the speed with a time constant of 0.5 s.
        np.testing.assert_allclose(velocity[climbing], 6.0, atol=0.02)
        assert abs(velocity[-1]) < 0.02
        effort += results[f"{motor}/effort"][-1]
    # 2.64 kg on wheels of 5 cm, on 10 degrees.
    weight = 2.64 * 9.81 * math.sin(math.radians(10)) * 0.05
    assert effort == pytest.approx(weight, rel=0.01)


@pytest.mark.slow
def test_on_ice_one_wheel_turns_for_all_four():
    rover, results = driven("Ice")
    turned = [
        float(results[f"{motor}/position"][results.time <= 4.0][-1])
        for motor in results.motors
    ]
    # On average what was asked for, but for starting; the rover stays behind.
    assert np.mean(turned) == pytest.approx(6.0 * 4.0, rel=0.1)
    assert turned[0] > 90
    assert max(turned[1:]) < 0
    assert pose(rover, "chassis").translation()[0] < 0
