"""Motors, limits and friction of a URDF: joints, transmissions, <ros2_control>."""

import math

from webmotor_drake.robot_files.found import (
    Found,
    FoundMotor,
    FoundRobot,
    limit,
    number,
    set_limits,
)
from webmotor_drake.robot_files.xml_tree import Node

_DRIVEN = {"revolute": False, "continuous": False, "prismatic": True}
# Kinds of joints that no motor drives, and that move.
_OTHERS = ("planar", "floating", "ball", "screw", "universal")


def read_urdf(root: Node) -> FoundRobot:
    """Returns what a URDF says of a robot's motors.

    Raises:
        InputError: a number that cannot be; with its place.
    """
    robot = FoundRobot(root.given.get("name", "robot"))
    joints = {j.given.get("name", ""): j for j in root.all("joint")}
    control = {
        joint.given.get("name", ""): joint
        for system in root.all("ros2_control")
        for joint in system.all("joint")
        if joint.first("command_interface") is not None
    }
    transmitted = {
        joint.given.get("name", ""): joint
        for transmission in root.all("transmission")
        for joint in transmission.all("joint")
    }
    named = control or transmitted
    for name in named.keys() - joints.keys():
        robot.lose(named[name].place, f"joint {name} is not in the file")
    for name, joint in joints.items():
        _read_joint(robot, name, joint, driven=not named or name in named)
        if name in control and name in robot.motors:
            _read_control(robot, robot.motors[name], control[name])
    if not named and not robot.motors:
        robot.lose(root.place, "there is no joint that a motor could drive")
    return robot


def _read_joint(
    robot: FoundRobot, name: str, joint: Node, *, driven: bool
) -> None:
    kind, mimic = joint.given.get("type", ""), joint.first("mimic")
    dynamics = joint.first("dynamics")
    if kind in _OTHERS and driven:
        robot.lose(joint.place, f"joint {name} is {kind}; no motor drives it")
    if kind not in _DRIVEN:
        return
    if dynamics is not None and "friction" in dynamics.given:
        place = dynamics.place
        friction = number(dynamics.given["friction"], place, "friction")
        found = Found(abs(friction), place)
        robot.set_joint(name, "static_friction", found)
    if mimic is not None:
        robot.lose(
            mimic.place,
            f"joint {name} follows {mimic.given.get('joint')} (mimic): Drake couples"
            " them, so it has no motor of its own",
        )
    elif driven:
        motor = robot.motors[name] = FoundMotor(name, _DRIVEN[kind])
        _read_limits(robot, name, motor, joint, stops=kind != "continuous")


def _read_limits(
    robot: FoundRobot, name: str, motor: FoundMotor, joint: Node, *, stops: bool
) -> None:
    given = joint.first("limit")
    controlled = joint.first("safety_controller")
    if given is None:
        taken = set_limits(motor, None, None)
        robot.lose(
            joint.place,
            f"joint {name} has no limit; Webots' defaults act: {', '.join(taken)}",
        )
        return
    effort, velocity = (
        Found(limit(given.given.get(n, "0"), given.place, n), given.place)
        for n in ("effort", "velocity")
    )
    taken = set_limits(motor, effort, velocity)
    if taken:
        robot.lose(
            given.place,
            f"joint {name} has no limit, or one of 0; Webots' defaults act:"
            f" {', '.join(taken)}",
        )
    if stops:
        low, high = (
            number(given.given.get(n, "0"), given.place, n)
            for n in ("lower", "upper")
        )
        soft = given
        if controlled is not None:
            soft = controlled
            low = _given(soft, "soft_lower_limit", low)
            high = _given(soft, "soft_upper_limit", high)
        set_soft_limits(motor, low, high, soft.place)


def set_soft_limits(
    motor: FoundMotor, low: float, high: float, place: str
) -> None:
    """Sets the soft limits of a motor, if there are any."""
    if low < high and math.isfinite(low) and math.isfinite(high):
        motor.fields["min_position"] = Found(low, place)
        motor.fields["max_position"] = Found(high, place)


def _given(node: Node, name: str, default: float) -> float:
    if name not in node.given:
        return default
    return number(node.given[name], node.place, name)


def _read_control(robot: FoundRobot, motor: FoundMotor, joint: Node) -> None:
    """Takes the limits of ros2_control's command interfaces."""
    for interface in joint.all("command_interface"):
        kind = interface.given.get("name", "")
        bounds = {
            p.given.get("name", ""): (
                number(
                    p.text.strip() or "nan", p.place, p.given.get("name", "")
                ),
                p.place,
            )
            for p in interface.all("param")
            if p.given.get("name") in ("min", "max")
        }
        if kind == "position" and len(bounds) == 2:
            (low, place), (high, _) = bounds["min"], bounds["max"]
            old = (
                motor.fields.get("min_position"),
                motor.fields.get("max_position"),
            )
            if all(old):
                low, high = max(low, old[0].value), min(high, old[1].value)
            set_soft_limits(motor, low, high, place)
        effort = "max_force" if motor.slides else "max_torque"
        fields = {"velocity": "max_velocity", "effort": effort}
        if kind in fields and "max" in bounds:
            field, (bound, place) = fields[kind], bounds["max"]
            known = motor.fields.get(field)
            if known is None or bound < known.value:
                motor.fields[field] = Found(abs(bound), place)
        if kind not in ("position", *fields):
            robot.lose(interface.place, f"command interface {kind}")
