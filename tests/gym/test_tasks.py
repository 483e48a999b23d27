"""Rewards and ends of our environments, by numbers that one can check by hand."""

import math

import numpy as np
import pytest

from webmotor_drake.gym.tasks import TASKS


class Now(dict):
    """An instant with what a test says of it."""

    def __init__(self, values, **attributes):
        super().__init__(values)
        vars(self).update(attributes)


def tilted(angle: float) -> list[float]:
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


def test_a_quadruped_is_paid_for_its_way_less_its_work():
    velocity, effort = np.array([2.0, -1.0]), np.array([3.0, 4.0])
    now = Now(
        {"robot/trunk/velocity": np.array([0.5, 9.0, 9.0])},
        moved=(None, velocity, effort),
    )
    # 6 W and 4 W, in a step of 32 ms.
    expected = 0.032 * (0.5 - 0.005 * 10 + 0.1)
    assert TASKS["Quadruped"]()["reward"](now) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("height", "angle", "fell"),
    [(0.151, 0.92, False), (0.149, 0.0, True), (0.2, 0.94, True)],
)
def test_a_quadruped_has_fallen_where_it_is_low_or_leans(height, angle, fell):
    # By more than 53 degrees: its own upward axis has a cosine of 0.6.
    now = {
        "robot/trunk/position": [0, 0, height],
        "robot/trunk/quaternion": tilted(angle),
    }
    assert TASKS["Quadruped"]()["terminated"](now) == fell


@pytest.mark.parametrize(
    ("hinge", "slider", "fell"),
    [(0.29, -1.79, False), (-0.31, 0.0, True), (0.0, 1.81, True)],
)
def test_a_pole_falls_and_a_cart_leaves_its_rail(hinge, slider, fell):
    now = {"cart_pole/hinge/position": hinge}
    now["cart_pole/slider/position"] = slider
    assert TASKS["CartPole"]()["terminated"](now) == fell


def test_a_reacher_is_as_far_from_its_goal_as_its_links_say():
    task = TASKS["Reacher"]()
    computed = task["observations"][-1]
    # Links of 0.4 and 0.3 m; at 0 both hang, and positive angles go to -x.
    bent = {
        "arm/shoulder/position": math.pi / 2,
        "arm/elbow/position": -math.pi / 2,
        "goal_distance": 0.5,
        "goal_angle": 0.0,
    }
    away = computed.value(bent)
    np.testing.assert_allclose(away, [0.4, -0.2], atol=1e-15)
    reward = task["reward"]({"to_goal": away})
    assert reward == pytest.approx(-math.hypot(0.4, 0.2))


def rover(x, y, distance=1.0, before=1.1):
    """Returns an instant of a rover that stands somewhere."""
    values = {
        "rover/chassis/position": np.array([x, y, 0.1]),
        "rover/chassis/quaternion": [math.sqrt(0.5), 0, 0, math.sqrt(0.5)],
        "goal_x": 1.0,
        "goal_y": 1.0,
        "to_goal": [distance, 0, 0],
    }
    return Now(values, before=[0, 0, 0, 0, before])


def test_a_rover_sees_its_goal_from_where_it_looks():
    computed = TASKS["Rover"]()["observations"][-1]
    # It looks along y, and the goal is in front of it to the right.
    found = computed.value(rover(0.0, 0.0))
    half = math.sqrt(0.5)
    np.testing.assert_allclose(found, [2 * half, half, -half])


@pytest.mark.parametrize(
    ("now", "reward", "ends"),
    [
        (rover(0.0, 0.0), 4 * 0.1 - 0.01, False),
        (rover(0.0, 0.0, 0.14, 0.24), 4 * 0.1 - 0.01 + 5, True),
        # A crate's middle is at 0.6, 0; half of it is 0.15 and the rover's reach 0.08.
        (rover(0.36, 0.0), 4 * 0.1 - 0.01, False),
        (rover(0.38, 0.0), -5, True),
        # By its corner: 0.06 m each way are 0.085 m.
        (rover(0.39, 0.21), 4 * 0.1 - 0.01, False),
        (rover(0.4, 0.2), -5, True),
    ],
)
def test_a_rover_is_paid_for_its_way_and_pays_for_crates(now, reward, ends):
    task = TASKS["Rover"]()
    assert task["reward"](now) == pytest.approx(reward)
    assert bool(task["terminated"](now)) is ends
