"""Reads Webots' devices, motors and joint parameters into the nodes of a scenario.

The fields have Webots' names, here in snake_case, and Webots' defaults, as the room
`nodes` declares them. There are devices of joints, devices that are Solids, and Tracks
and Propellers.
"""

import dataclasses as dc
import typing
from collections.abc import Sequence

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake import nodes
from webmotor_drake.drive.tracks import lacks_surfaces
from webmotor_drake.errors import InputError
from webmotor_drake.nodes import JointParameters, TouchSensor
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.field import webots_name
from webmotor_drake.nodes.joints import Propeller, Track
from webmotor_drake.nodes.webots_fields import kinds_of
from webmotor_drake.worlds.around import Around, keeper_of, position_of
from webmotor_drake.worlds.models import WEIGHTLESS, Joint, Robot, unique
from webmotor_drake.worlds.node_kinds import (
    DEVICE_FIELDS,
    leave_out,
    name_of,
    parameters_of,
)
from webmotor_drake.worlds.nodes import Node, typed_value
from webmotor_drake.worlds.poses import short, turn, webots_pose

T = typing.TypeVar("T")

# Devices whose axes changed in R2022a, as turns of the old frame.
_LOOKS_ALONG_X = turn([1, 0, 0], -np.pi / 2) @ turn([0, 0, 1], np.pi / 2)
_POINTS_ALONG_X = turn([1, 0, 0], -np.pi / 2) @ turn([0, 0, 1], -np.pi / 2)
_LIES = turn([1, 0, 0], -np.pi / 2)
_OLD_DEVICES = {
    **dict.fromkeys(
        ("Camera", "Lidar", "Radar", "RangeFinder"), _LOOKS_ALONG_X
    ),
    **dict.fromkeys(
        ("Emitter", "Receiver", "Connector", "TouchSensor"), _POINTS_ALONG_X
    ),
    **dict.fromkeys(("Pen", "Track"), _LIES),
}

# The scenario's tables of devices of joints, in the scenario's order.
_TABLES = {
    "RotationalMotor": "motors",
    "LinearMotor": "motors",
    "PositionSensor": "position_sensors",
    "Brake": "brakes",
}


# Static friction that holds an idle joint: far above the load, N or N m.
_HOLDING = 1.0


def read_node(kind: type[T], node: Node, joint: str = "") -> T:
    """Returns a node as a scenario has it, with defaults where values are not allowed.

    Args:
        kind: class that declares the node.
        node: the node.
        joint: name of its joint; "" for a node that is on no joint.
    """
    at = {"joint": joint} if joint else {}
    made = kind(**at)
    for name, field_kind in kinds_of(kind).items():
        given = node.fields.get(webots_name(name))
        if given is None:
            continue
        try:
            setattr(made, name, typed_value(given, field_kind))
        except InputError as error:
            text = f"{error.problem}; its default is taken"
            given.place.add("changed", node.type, text)
    if isinstance(made, nodes.LinearMotor | nodes.RotationalMotor):
        made.sound = node.text("sound", made.sound) and made.sound
    if isinstance(made, nodes.Camera):
        inside = {"zoom": nodes.Zoom, "recognition": nodes.Recognition}
        for name, inner in inside.items():
            for given in node.nodes(name)[:1]:
                setattr(made, name, read_node(inner, given))
    if isinstance(made, nodes.DistanceSensor) and made.type == "laser":
        made.number_of_rays = 1
    return _valid(made, kind(**at), node)


def _valid(device: T, fresh: T, node: Node) -> T:
    """Returns the device; a value that is not allowed becomes that of `fresh`."""
    names = [field.name for field in dc.fields(typing.cast(typing.Any, device))]
    for _ in names:
        problem, wrong = _problem(device)
        if not problem:
            break
        # First the wrong field; else another one that it does not fit.
        for name in sorted(names, key=wrong.__ne__):
            value = getattr(device, name)
            setattr(device, name, getattr(fresh, name))
            if _problem(device)[1] != wrong:
                given = node.fields.get(webots_name(name))
                text = f"{webots_name(name)}: {problem}; its default is taken"
                place = given.place if given is not None else node.place
                place.add("changed", node.type, text)
                break
            setattr(device, name, value)
        else:
            raise node.error(problem)
    return device


def _problem(device: object) -> tuple[str, str]:
    """Returns the first problem of a device's values, and its field; "": none."""
    try:
        check_node(device)
    except InputError as error:
        return error.problem, str(*error.path[:1])
    return "", ""


def add_of_joint(node: Node, around: Around, names: Sequence[str] = ()) -> None:
    """Adds a joint's motors, position sensors and brakes; the first of each kind acts.

    Args:
        node: the joint.
        around: the surroundings of the joint.
        names: names of the model's joints, one per axis; empty if the model has none.
    """
    names, robot = names or [""] * len(parameters_of(node)), around.robot
    for joint, field in zip(names, DEVICE_FIELDS, strict=False):
        devices = node.nodes(field)
        if robot is None:
            for device in devices:
                _note(device, "left out", "no Robot is around it")
            continue
        if not joint and any(d.type in _TABLES for d in devices):
            joint = _idle_joint(node, field, around, robot)
            for device in devices:
                _note(device, "note", "its joint moves nothing")
        seen: set[str] = set()
        for device in devices:
            kind = "motor" if "Motor" in device.type else device.type
            on = joint
            if kind in seen:
                on = _idle_joint(node, field, around, robot)
                text = f"another {kind} stands before it: it moves nothing"
                _note(device, "note", f"{text}, as in Webots")
            seen.add(kind)
            _add_to_joint(device, on, node, robot)


def _note(device: Node, kind: str, text: str) -> None:
    device.place.add(kind, name_of(device), text)


def _idle_joint(node: Node, field: str, around: Around, robot: Robot) -> str:
    """Adds a joint whose end has no shapes and no weight; returns its name."""
    model, link = around.model, around.link
    axis = DEVICE_FIELDS.index(field)
    given = [*parameters_of(node), None, None][axis]
    slides = node.type == "SliderJoint"
    joint = Joint(
        unique(f"{node.definition or node.type} idle", model.names),
        "prismatic" if slides else "revolute",
        link,
        RigidTransform(),
        node.place,
        axes=[np.array([1.0, 0.0, 0.0])],
        positions=[position_of(node, given, axis)],
    )
    name = f"{joint.name} end"
    end = model.add_link(name, "kinematic", link.X_W, node.place, joint)
    end.parts.append(WEIGHTLESS)
    driven = any("Motor" in device.type for device in node.nodes(field))
    # What no motor moves stays where it is.
    parameters = JointParameters(
        kinematic=driven, static_friction=0.0 if driven else _HOLDING
    )
    robot.put("joints", joint.name, parameters, node.place)
    return joint.name


def _add_to_joint(device: Node, joint: str, node: Node, robot: Robot) -> None:
    """Adds a motor, position sensor or brake of a joint's node to a model's joint."""
    if device.type not in _TABLES:
        leave_out(device)
        return
    other = "RotationalMotor" if node.type == "SliderJoint" else "LinearMotor"
    if device.type == other:
        _note(device, "left out", f"a {device.type} in a {node.type}")
        return
    entry = read_node(getattr(nodes, device.type), device, joint)
    key = _key(device, robot)
    robot.put(_TABLES[device.type], key, entry, device.place)
    device.stands_for.append(f"{robot.model}::{key}")


def _key(node: Node, robot: Robot) -> str:
    """Returns the name of a device, a new one if another has it."""
    wanted = name_of(node)
    name = wanted.replace("/", "_") or node.type
    name = "".join(c for c in name if c.isprintable())
    key = robot.names.take(name if name.strip(".") else f"{name} (1)")
    if key != wanted:
        text = f"its name is taken or cannot be had; here it is {key!r}"
        node.place.add("changed", wanted, text)
    return key


def add_device(node: Node, inside: Around) -> None:
    """Adds a device that is a Solid."""
    robot, link = inside.robot, inside.link
    if node.type == "Connector":
        robot = keeper_of(inside)  # others hold it, even with no Robot
    if robot is None:
        _note(node, "left out", f"a {node.type} without a Robot")
        return
    X_LD = link.X_W.inverse() @ inside.X_W
    old = node.place.source.has_old_axes
    if old and node.type in _OLD_DEVICES:
        X_LD = X_LD @ RigidTransform(_OLD_DEVICES[node.type], [0, 0, 0])
    device = read_node(DEVICES[node.type], node)
    device.frame = link.name
    device.pose = webots_pose(X_LD)
    if isinstance(device, TouchSensor):
        lacks = "boundingObject" if device.type == "bumper" else "physics"
        if node.node(lacks) is None:
            text = f"a TouchSensor of type {device.type} without {lacks}"
            _note(node, "info", f"{text}: it reads 0, as in Webots")
    key = _key(node, robot)
    robot.put("devices", key, device, node.place)
    node.stands_for.append(f"{robot.model}::{key}")


# What carries or pushes a Solid without a joint


def add_track(node: Node, inside: Around) -> None:
    """Adds a Track: the surface of its body moves."""
    model, link, robot = inside.model, inside.link, inside.robot
    motors = [d for d in node.nodes("device") if d.type == "LinearMotor"]
    problem = ""
    if not motors or robot is None:
        problem = "no LinearMotor or no Robot"
    elif not link.collisions:
        problem = "nothing of it collides"
    elif lacking := lacks_surfaces():
        problem = f"it needs {lacking}"
    if problem:
        name, text = name_of(node), "a Track that carries nothing along"
        node.place.add("left out", f"{name} ({problem})", text)
    if robot is None:
        return
    names = []
    if not problem:
        names = [unique(f"{name_of(node)} travel", model.names)]
        robot.put("tracks", names[0], Track(body=link.name), node.place)
    add_of_joint(dc.replace(node, type="SliderJoint"), inside, names)


def add_propeller(node: Node, around: Around) -> None:
    """Adds a Propeller: its thrust acts on the Solid around it."""
    model, link, robot = around.model, around.link, around.robot
    motor = node.node("device")
    if motor is None or robot is None:
        text = "no motor or no Robot"
        node.place.add("left out", "Propeller", text)
        return
    propeller = read_node(Propeller, node)
    X_LU = link.X_W.inverse() @ around.X_W
    axis = np.array(propeller.shaft_axis)
    center = around.scale * np.array(propeller.center_of_thrust)
    propeller.frame = link.name
    propeller.shaft_axis = [*map(short, X_LU.rotation() @ axis)]
    propeller.center_of_thrust = [*map(short, X_LU @ center)]
    name = unique(f"{name_of(motor)} shaft", model.names)
    robot.put("propellers", name, propeller, node.place)
    _add_to_joint(motor, name, node, robot)
