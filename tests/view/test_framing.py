"""The robot stays in the picture, whatever it stands on."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS
from webmotor_drake.simulation.extent import robot_corners, robot_mass
from webmotor_drake.view.framing import upright
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import _Camera


def transform(meshcat, path):
    """Returns Meshcat's matrix of a path, shape (4, 4)."""
    packed = meshcat._GetPackedTransform(path)
    numbers = struct.unpack(">" + "xd" * 16, packed[-9 * 16 :])
    return np.array(numbers).reshape(4, 4).T


def translation(meshcat, path):
    """Returns where Meshcat has put a path, m."""
    return transform(meshcat, path)[:3, 3]


def driven(name, scenario=None):
    text = "{simulation_duration: 0.1}"
    return wm.load_scenario(f"package:{name}", name=scenario, text=text)


@pytest.mark.parametrize(
    ("name", "scenario"),
    [("differential", "Slope"), ("controller_avoid", None), ("walk", None)],
)
def test_a_robots_place_is_that_of_its_own_free_body(name, scenario):
    # The first two are posed in a frame of the world's, and one stands among
    # crates that are free, too.
    puppet = Puppet(driven(name, scenario))
    plant, context = puppet.plant, puppet.context
    before = puppet.place
    body = plant.GetBodyByName("trunk" if name == "walk" else "chassis")
    X_WB = plant.EvalBodyPoseInWorld(context, body)
    np.testing.assert_allclose(before, X_WB.translation(), atol=1e-12)
    joint = next(
        j
        for j in map(plant.get_joint, plant.GetJointIndices())
        if j.child_body() is body
    )
    start = joint.position_start() + 4  # after the quaternion
    positions = plant.GetPositions(context).copy()
    positions[start] += 0.5
    plant.SetPositions(context, positions)
    moved = puppet.place - before
    # Along its frame's x, to rounding.
    assert np.linalg.norm(moved) == pytest.approx(0.5, abs=1e-12)


def camera_on(meshcat, corners, gravity):
    """Returns robots that stand at 0, and a camera on them."""
    scenario = SimpleNamespace(gravity=gravity)
    robots = SimpleNamespace(scenario=scenario, place=np.zeros(3))
    return robots, _Camera(meshcat, robots, corners, share=0.5, follows=True)


def test_a_robot_that_is_followed_stays_where_it_was_on_the_screen(meshcat):
    robots, camera = camera_on(meshcat, np.empty((0, 3)), [0, 0, -9.81])
    robots.place = np.array([1.0, 2.0, 0.5])
    camera.follow(0.0)
    for path in ("/drake", "/webmotor", "/Grid"):
        np.testing.assert_array_equal(
            translation(meshcat, path), [-1, -2, -0.5]
        )


def test_a_world_with_y_up_is_drawn_upright_and_followed_so(meshcat):
    corners = np.array([[0.5, 1.5, 2.5], [1.5, 2.5, 3.5]])
    robots, camera = camera_on(meshcat, corners, [0, -9.81, 0])
    for path in ("/drake", "/webmotor", "/Axes"):
        up = transform(meshcat, path)[:3, 1]
        np.testing.assert_allclose(up, [0, 0, 1], atol=1e-12)
    # 1 m along x, 2 m up and 3 m along z.
    robots.place = np.array([1.0, 2.0, 3.0])
    camera.follow(0.0)
    for path in ("/drake", "/Grid"):
        np.testing.assert_allclose(
            translation(meshcat, path), [-1, 3, -2], atol=1e-12
        )


def test_a_live_rover_is_followed(meshcat):
    # Until this was so `--follow` did nothing for robots posed in a frame.
    scenario = wm.load_scenario(
        "package:rover", name="Drive", text="{simulation_duration: 1.0}"
    )
    results = wm.run(scenario, meshcat=meshcat, realtime=0, follow=True)
    way = results["rover/chassis/position"]
    way = way[-1] - way[0]
    shown = -translation(meshcat, "/drake")
    assert way[0] > 0.2
    # A frame is 1/30 s old at most; the rover is below 1 m/s.
    np.testing.assert_allclose(shown, way, atol=1 / 30)


def test_the_ground_does_not_count_in_the_robots_weight():
    plant = Puppet(driven("walk")).plant
    assert robot_mass(plant) == pytest.approx(7.4)  # as models/quadruped.urdf


def test_a_world_with_y_up_is_seen_upright():
    R = upright([0, -9.81, 0])
    np.testing.assert_allclose(R @ np.array([0, 0, 1.0]), [0, 1, 0], atol=1e-15)
    for gravity in ([0, 0, -9.81], [0, 0, 0], [0, 0, -1.6]):
        assert upright(gravity).IsNearlyIdentity()


def test_corners_of_a_maze_are_its_walls_and_not_its_floor():
    world = SCENARIOS / "worlds" / "worlds" / "maze.wbt"
    puppet = Puppet(wm.load_scenario(world))
    place = puppet.plant, puppet.scene_graph, puppet.context
    robot = np.ptp(robot_corners(*place), axis=0)
    both = np.ptp(robot_corners(*place, with_others=True), axis=0)
    assert robot.max() < 0.1
    # The arena's walls; its floor would be the lowest.
    assert (both[:2] > 0.9).all()
    assert both[2] < 0.2


def test_corners_of_all_leave_a_ground_out():
    puppet = Puppet(driven("quadruped"))
    place = puppet.plant, puppet.scene_graph, puppet.context
    found = robot_corners(*place, with_others=True)
    np.testing.assert_array_equal(
        np.ptp(found, axis=0), np.ptp(robot_corners(*place), axis=0)
    )
