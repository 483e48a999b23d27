"""Motors, limits and friction of an SDF's joints."""

from webmotor_drake.robot_files.found import (
    Found,
    FoundMotor,
    FoundRobot,
    limit,
    number,
    set_limits,
)
from webmotor_drake.robot_files.urdf import set_soft_limits
from webmotor_drake.robot_files.xml_tree import Node

_DRIVEN = {"revolute": False, "continuous": False, "prismatic": True}
# SDF writes no limit as a large number.
_NO_LIMIT = 1e15


def read_sdf(root: Node) -> FoundRobot:
    """Returns what the first model of an SDF says of its motors.

    Raises:
        InputError: a number that cannot be; with its place.
    """
    model = next((n for n in root.walk() if n.tag == "model"), root)
    robot = FoundRobot(model.given.get("name", "robot"))
    if any(
        n.tag == "static" and n.text.strip() == "true" for n in model.children
    ):
        robot.base_is_free = False
    for joint in model.all("joint"):
        name, kind = joint.given.get("name", ""), joint.given.get("type", "")
        if kind not in _DRIVEN:
            if kind != "fixed":
                robot.lose(
                    joint.place, f"joint {name} is {kind}; no motor drives it"
                )
            continue
        _read_joint(robot, name, joint, slides=_DRIVEN[kind])
    return robot


def _read_joint(
    robot: FoundRobot, name: str, joint: Node, *, slides: bool
) -> None:
    axis = joint.first("axis") or joint
    friction = axis.first("dynamics", "friction")
    if friction is not None:
        value = number(friction.text.strip(), friction.place, "friction")
        robot.set_joint(
            name, "static_friction", Found(abs(value), friction.place)
        )
    if axis.first("mimic") is not None:
        robot.lose(joint.place, f"joint {name} follows another one (mimic)")
        return
    efforts, velocities = (
        axis.first("limit", "effort"),
        axis.first("limit", "velocity"),
    )
    effort = _limit(efforts)
    if efforts is not None and efforts.text.strip() in ("0", "0.0"):
        return  # SDF's and Drake's word for a joint without a motor
    motor = robot.motors[name] = FoundMotor(name, slides)
    taken = set_limits(motor, effort, _limit(velocities))
    if taken:
        robot.lose(
            joint.place,
            f"joint {name} has no limit; Webots' defaults act: {', '.join(taken)}",
        )
    low, high = axis.first("limit", "lower"), axis.first("limit", "upper")
    if low is not None and high is not None:
        ends = [number(n.text.strip(), n.place, n.tag) for n in (low, high)]
        if max(map(abs, ends)) < _NO_LIMIT:
            set_soft_limits(motor, *ends, low.place)


def _limit(node: Node | None) -> Found | None:
    if node is None or node.text.strip().startswith("-"):  # -1: none
        return None
    value = limit(node.text.strip(), node.place, node.tag)
    return Found(value, node.place) if value < _NO_LIMIT else None
