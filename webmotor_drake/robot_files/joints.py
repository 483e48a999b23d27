"""Motors, limits and friction of the joints of a URDF or an SDF.

A number is an attribute in URDF, `<limit effort="5"/>`, and an element below `<axis>`
in SDF. Limits are the joint's own: a transmission's mechanicalReduction does not change
them. Drake itself reads damping, mimics and rotors.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.robot_files.found import FoundRobot
from webmotor_drake.scenario.model_file import Element, number_of
from webmotor_drake.scenario.packages import find_package

# Kinds of joints that a motor can drive: True if they slide.
_SLIDES = {"revolute": False, "continuous": False, "prismatic": True}
_FIND = re.compile(r"\$\(find ([^)]+)\)")
# Texts of a mechanicalReduction that reduces nothing.
_NONE = re.compile(r"(1(\.0*)?)?")
# SDF writes a missing limit as a large number, or as -1.
_UNLIMITED = 1e15


def read_joints(root: Element) -> FoundRobot:
    """Returns the motors of a URDF, or of the first model of an SDF.

    Raises:
        InputError: a number is impossible; with its place.
    """
    model = next((n for n in root.walk() if n.tag == "model"), root)
    robot = FoundRobot(model.name or "robot")
    if any(n.text.strip() == "true" for n in model.all("static")):
        robot.base_is_free = False
    joints = {joint.name: joint for joint in model.all("joint")}
    control = {
        joint.name: joint
        for joint in root.all("ros2_control", "joint")
        if joint.first("command_interface") is not None
    }
    named = control or {
        joint.name: joint for joint in root.all("transmission", "joint")
    }
    for name in named:
        if name not in joints:
            robot.lose(named[name].place, f"joint {name} is not in the file")
    for name, joint in joints.items():
        _read_joint(robot, joint, driven=not named or name in named)
        if name in control and name in robot.motors:
            _read_control(robot, robot.motors[name], control[name])
    _list_reductions(robot, root)
    if not named and not robot.motors:
        robot.lose(root.place, "there is no joint that a motor could drive")
    return robot


# A number of a file and its place, "file:line".
_Given = tuple[float, str]


def _value(joint: Element, element: str, name: str) -> _Given | None:
    """Returns a number in an element of a joint; None if it is not given."""
    holder = joint.first(element) or joint.first("axis", element)
    if holder is None:
        return None
    text, inner = holder.given.get(name), holder.first(name)
    if text is None and inner is not None:
        text, holder = inner.text.strip(), inner
    place = holder.place
    return None if text is None else (number_of(name, text, place), place)


def _limit(joint: Element, name: str) -> _Given | None:
    """Returns a limit of a joint; None if it is missing, 0 or unlimited."""
    value, place = _value(joint, "limit", name) or (0.0, "")
    if value < 0 and joint.first("axis", "limit") is None:
        problem = f"{name} {value:g} is not allowed; must be at least 0"
        raise InputError(problem, where=place)
    return (value, place) if 0 < value < _UNLIMITED else None


def _read_joint(robot: FoundRobot, joint: Element, *, driven: bool) -> None:
    name, kind = joint.name, joint.given.get("type", "")
    if kind not in _SLIDES:
        if kind != "fixed" and driven:
            robot.lose(
                joint.place, f"joint {name} is {kind}; no motor drives it"
            )
        return
    friction = _value(joint, "dynamics", "friction")
    if friction is not None:
        bound, place = friction
        robot.set_joint(name, "static_friction", abs(bound), place)
    effort = _limit(joint, "effort")
    if effort is not None:
        robot.efforts[name] = effort[0]
    mimic = joint.first("mimic") or joint.first("axis", "mimic")
    if mimic is not None:
        robot.lose(
            mimic.place,
            f"joint {name} follows {mimic.given.get('joint')} (mimic): Drake couples"
            " them, so it has no motor of its own",
        )
    elif driven and not _is_passive(joint):
        motor = robot.add_motor(name, name, slides=_SLIDES[kind])
        _set_limits(robot, motor, joint, effort)
        if kind != "continuous":
            _set_soft_limits(robot, joint)


def _is_passive(joint: Element) -> bool:
    """Returns whether an SDF says that a joint has no motor, by an effort of 0."""
    effort = joint.first("axis", "limit", "effort")
    return effort is not None and effort.text.strip() in ("0", "0.0")


def _set_limits(
    robot: FoundRobot, motor: MotorNode, joint: Element, effort: _Given | None
) -> None:
    """Sets the limits of a motor; lists those for which Webots' defaults act."""
    taken: list[str] = []
    for field, found in (
        (motor.effort_field, effort),
        ("max_velocity", _limit(joint, "velocity")),
    ):
        if found is None:
            taken.append(f"{field} 10")
        else:
            robot.set(*found, "motors", joint.name, field)
    if taken:
        given = joint.first("limit") or joint.first("axis", "limit")
        robot.lose(
            (given or joint).place,
            f"joint {joint.name} has no limit, or one of 0; Webots' defaults act:"
            f" {', '.join(taken)}",
        )


def _set_soft_limits(robot: FoundRobot, joint: Element) -> None:
    """Sets soft limits: a safety_controller's, else the stops."""
    (low, place), (high, other) = (
        _value(joint, "safety_controller", f"soft_{name}_limit")
        or _value(joint, "limit", name)
        or (0.0, "")
        for name in ("lower", "upper")
    )
    place = place or other
    if low > high:
        problem = f"the lower limit {low:g} is above the upper one, {high:g}"
        raise InputError(problem, where=place)
    if max(abs(low), abs(high)) < _UNLIMITED:
        robot.set_soft_limits(joint.name, low, high, place)


def _read_control(robot: FoundRobot, motor: MotorNode, joint: Element) -> None:
    """Takes the limits of ros2_control's command interfaces."""
    fields = {"velocity": "max_velocity", "effort": motor.effort_field}
    for interface in joint.all("command_interface"):
        params = {p.name: p for p in interface.all("param")}
        bounds = [params[name] for name in ("min", "max") if name in params]
        if interface.name == "position" and len(bounds) == 2:
            (low, place), (high, _) = map(_bound, bounds)
            if motor.min_position != motor.max_position:
                low = max(low, motor.min_position)
                high = min(high, motor.max_position)
            robot.set_soft_limits(joint.name, low, high, place)
        elif interface.name in fields and "max" in params:
            (bound, place), field = (
                _bound(params["max"]),
                fields[interface.name],
            )
            path = "motors", joint.name, field
            if path not in robot.places or abs(bound) < getattr(motor, field):
                robot.set(abs(bound), place, *path)
        elif interface.name not in ("position", *fields):
            robot.lose(interface.place, f"command interface {interface.name}")


def _bound(param: Element) -> _Given:
    place = param.place
    return number_of(param.name, param.text.strip(), place), place


def _list_reductions(robot: FoundRobot, root: Element) -> None:
    """Lists the gears of transmissions as lost: limits and commands are the joints'."""
    for tag in ("joint", "actuator"):
        for gear in root.all("transmission", tag, "mechanicalReduction"):
            ratio = gear.text.strip()
            if not _NONE.fullmatch(ratio):
                robot.lose(
                    gear.place,
                    f"mechanicalReduction {ratio}: limits and commands are the"
                    " joint's; a rotor's inertia is that of drake:rotor_inertia and"
                    " drake:gear_ratio",
                )


# Gains of ros2_control's controllers


def read_gains(
    root: Element, robot: FoundRobot, path: Path, packages: PackageMap
) -> None:
    """Gives motors the PID gains of joints in the controllers' YAML.

    A PID loop on efforts becomes a PD loop; its integral gain is listed as lost.

    Args:
        root: root element of the robot's file.
        robot: its motors, which get the gains.
        path: path of the robot's file.
        packages: packages of `package://`.
    """
    by_joint = {motor.joint: name for name, motor in robot.motors.items()}
    for file in _files(root, path, packages):
        for joint, gains, line in _gains(file):
            if joint not in by_joint:
                continue
            place, motor = f"{file.name}:{line}", ("motors", by_joint[joint])
            robot.set("pd", place, *motor, "motor_model")
            p, i, d = (
                float(gain)
                if isinstance(gain := gains.get(k), int | float)
                else 0.0
                for k in "pid"
            )
            robot.set(p, place, *motor, "pd", "kp")
            robot.set(d, place, *motor, "pd", "kd")
            if i:
                robot.lose(place, f"the integral gain {i:g} of {joint}")


def _files(root: Element, path: Path, packages: PackageMap) -> Iterator[Path]:
    """Yields the YAML files that a robot's file names in <parameters>."""
    for node in root.walk():
        text = node.text.strip()
        if node.tag != "parameters" or not text.endswith((".yaml", ".yml")):
            continue
        uri = _FIND.sub(r"package://\1", text)
        find_package(uri, packages, path)
        try:
            file = (
                Path(packages.ResolveUrl(uri))
                if "://" in uri
                else path.parent / uri
            )
        except RuntimeError:
            continue
        if file.is_file():
            yield file


def _gains(file: Path) -> Iterator[tuple[str, dict[str, object], int]]:
    """Yields joints, their gains, and the lines of these."""
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        return
    waiting = [node] if node is not None else []
    while waiting:
        here = waiting.pop()
        if not isinstance(here, yaml.MappingNode):
            continue
        for key, value in here.value:
            waiting.append(value)
            if key.value == "gains" and isinstance(value, yaml.MappingNode):
                for joint, gains in value.value:
                    loader = yaml.SafeLoader("")
                    found = loader.construct_object(gains, deep=True)
                    if isinstance(found, dict):
                        yield joint.value, found, joint.start_mark.line + 1
