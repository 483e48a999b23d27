"""Effort limits of a model's joints as its file has them, with or without actuators."""

import math
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.robot_files.found import FoundRobot, limit
from webmotor_drake.robot_files.mjcf_actuators import NO_LIMIT, read_mjcf
from webmotor_drake.robot_files.xml_tree import Node, read_tree

_NO_LIMIT = 1e15


def effort_limits(file: Path) -> dict[str, float]:
    """Returns the effort limits of a model's joints, N m or N, by name.

    Drake keeps them for joints with an actuator only. Of an MJCF it takes what an
    actuator is told, or its force without the gear, for the joint's (1.51 and 1.58). A
    file that cannot be read has none: Drake says why.
    """
    try:
        root = read_tree(file)
        if root.tag == "mujoco":
            return _of_actuators(read_mjcf(root, dict))
        return {
            joint.given.get("name", ""): value
            for joint in root.walk()
            if joint.tag == "joint"
            and 0 < (value := _effort(joint)) < _NO_LIMIT
        }
    except InputError:
        return {}


def _of_actuators(robot: FoundRobot) -> dict[str, float]:
    """Returns the efforts of an MJCF's motors by their joints; infinite: no limit."""
    efforts = {}
    for motor in robot.motors.values():
        field = "max_force" if motor.slides else "max_torque"
        found = motor.fields.get(field)
        limited = found is not None and found.value < NO_LIMIT
        efforts[motor.joint] = found.value if limited else math.inf
    return efforts


def _effort(joint: Node) -> float:
    """Returns a joint's effort limit; 0 without one."""
    in_urdf, in_sdf = (
        joint.first("limit"),
        joint.first("axis", "limit", "effort"),
    )
    if in_urdf is not None and "effort" in in_urdf.given:
        return limit(in_urdf.given["effort"], in_urdf.place, "effort")
    if in_sdf is not None and not in_sdf.text.strip().startswith("-"):
        return limit(in_sdf.text.strip(), in_sdf.place, "effort")
    return 0.0
