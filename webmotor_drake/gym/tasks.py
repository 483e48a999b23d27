"""The environments that come with us: their actions, observations and rewards."""

import typing

import numpy as np

from webmotor_drake.data import SCENARIOS
from webmotor_drake.gym.actions import Action
from webmotor_drake.gym.environment import WebmotorEnv
from webmotor_drake.gym.instant import Instant
from webmotor_drake.gym.observations import Computed

_FOLDER = SCENARIOS / "gym"
Task = dict[str, typing.Any]


def make(task: str, **changes: typing.Any) -> WebmotorEnv:
    """Returns one of our environments.

    Args:
        task: its name in `TASKS`.
        changes: arguments of `WebmotorEnv` in place of the task's own, such as
            `randomize` or `render_mode`.
    """
    return WebmotorEnv(**(TASKS[task]() | changes))


def _cart_pole() -> Task:
    """A pole on a cart is to stay upright and on the rail; the reward is 1 per step."""
    slider, hinge = "cart_pole/slider", "cart_pole/hinge"

    def fell(now: Instant) -> typing.Any:
        return (abs(now[f"{hinge}/position"]) > 0.3) | (
            abs(now[f"{slider}/position"]) > 1.8
        )

    return {
        "scenario": _FOLDER / "cart_pole.scenario.yaml",
        "actions": "velocity",
        "observations": [
            f"{slider}/position",
            f"{slider}/velocity",
            f"{hinge}/position",
            f"{hinge}/velocity",
        ],
        "reward": lambda now: 1.0,
        "terminated": fell,
        "reset": {
            f"{slider}/position": (-0.2, 0.2),
            f"{hinge}/position": (-0.1, 0.1),
            f"{hinge}/velocity": (-0.1, 0.1),
        },
    }


# Lengths of the arm's links, m.
_UPPER, _FORE = 0.4, 0.3


def _reacher() -> Task:
    """The tip of an arm is to reach a goal and stay; reward: minus the distance, m."""
    shoulder, elbow = "arm/shoulder", "arm/elbow"

    def missing(now: Instant) -> np.ndarray:
        q = now[f"{shoulder}/position"]
        both = q + now[f"{elbow}/position"]
        x = -_UPPER * np.sin(q) - _FORE * np.sin(both)
        z = -_UPPER * np.cos(q) - _FORE * np.cos(both)
        reach, angle = now["goal_distance"], now["goal_angle"]
        goal = -reach * np.sin(angle), -reach * np.cos(angle)
        return np.array([goal[0] - x, goal[1] - z]).T

    return {
        "scenario": _FOLDER / "reacher.scenario.yaml",
        "actions": "velocity",
        "observations": [
            f"{shoulder}/position",
            f"{elbow}/position",
            f"{shoulder}/velocity",
            f"{elbow}/velocity",
            Computed("to_goal", missing, 2),
        ],
        # As np.linalg.norm has it, in a third of the time.
        "reward": lambda now: -np.sqrt((now["to_goal"] ** 2).sum(axis=-1)),
        "reset": {
            f"{shoulder}/position": (-1.0, 1.0),
            f"{elbow}/position": (-1.0, 1.0),
            "goal_distance": (0.3, 0.65),
            "goal_angle": (-1.5, 1.5),
        },
    }


def _quadruped() -> Task:
    """A robot is to walk along x; the reward is its way, m, less its motors' work."""
    legs = [
        f"{end} {side}"
        for end in ("front", "rear")
        for side in ("left", "right")
    ]
    hips = [f"robot/{leg} hip" for leg in legs]
    knees = [f"robot/{leg} knee" for leg in legs]
    trunk = "robot/trunk"

    def reward(now: Instant) -> float:
        _, velocities, efforts = now.moved
        work = abs(velocities * efforts).sum()
        ahead = now[f"{trunk}/velocity"][..., 0]
        return 0.032 * (ahead - 0.005 * work + 0.1)

    def fell(now: Instant) -> bool:
        _, x, y, _ = now[f"{trunk}/quaternion"]
        upright = 1 - 2 * (x * x + y * y)
        return now[f"{trunk}/position"][2] < 0.15 or upright < 0.6

    return {
        "scenario": _FOLDER / "quadruped.scenario.yaml",
        "actions": {
            **{m: Action("position", 0.1, 0.9) for m in hips},
            **{m: Action("position", -1.5, -0.5) for m in knees},
        },
        "observations": [
            f"{trunk}/quaternion",
            f"{trunk}/velocity",
            f"{trunk}/angular_velocity",
            *(f"{m}/position" for m in hips + knees),
            *(f"{m}/velocity" for m in hips + knees),
        ],
        "reward": reward,
        "terminated": fell,
        "reset": {"robot/trunk/yaw": (-0.1, 0.1)},
        "time_step": 0.032,
    }


# The course, m: the crates' centres, half their width, the rover's reach from between
# its wheels, and the distance at which a goal is reached.
_CRATES = np.array([[0.6, 0.0], [0.9, 0.6], [0.9, -0.6]])
_HALF, _REACH, _THERE = 0.15, 0.08, 0.15


def _rover() -> Task:
    """A rover is to come to a goal behind crates and touch none."""
    chassis = "rover/chassis"
    eyes = ("left eye", "left front eye", "right front eye", "right eye")

    def to_goal(now: Instant) -> np.ndarray:
        """Returns the distance, and where the goal is, as the rover sees it."""
        p = now[f"{chassis}/position"]
        w, x, y, z = now[f"{chassis}/quaternion"]
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        away = now["goal_x"] - p[0], now["goal_y"] - p[1]
        angle = np.arctan2(away[1], away[0]) - yaw
        return np.array([np.hypot(*away), np.cos(angle), np.sin(angle)])

    def touches(now: Instant) -> bool:
        off = abs(now[f"{chassis}/position"][:2] - _CRATES) - _HALF
        return bool((np.hypot(*np.maximum(off, 0).T) < _REACH).any())

    def there(now: Instant) -> bool:
        return now["to_goal"][0] < _THERE

    def reward(now: Instant) -> float:
        if touches(now):
            return -5.0
        nearer = now.before[4] - now["to_goal"][0]
        return 4.0 * nearer - 0.01 + 5.0 * there(now)

    return {
        "scenario": _FOLDER / "rover.scenario.yaml",
        "actions": "velocity",
        "observations": [
            *(f"rover/{eye}" for eye in eyes),
            Computed("to_goal", to_goal, 3),
        ],
        "reward": reward,
        "terminated": lambda now: touches(now) or there(now),
        "info": lambda now: {
            "touches": touches(now),
            "is_success": there(now),
        },
        "reset": {
            "rover/chassis/yaw": (-0.6, 0.6),
            "rover/chassis/y": (-0.3, 0.3),
            "goal_x": (1.3, 1.5),
            "goal_y": (-0.5, 0.5),
        },
        "time_step": 0.064,
    }


# Functions that return the arguments of `WebmotorEnv`, for each of our environments.
TASKS: dict[str, typing.Callable[[], Task]] = {
    "CartPole": _cart_pole,
    "Reacher": _reacher,
    "Quadruped": _quadruped,
    "Rover": _rover,
}
