"""Devices, motors and joint parameters: Webots' nodes as a scenario has them.

The fields of both have the same names, here in snake_case, and the same defaults: the
declarations in the room `nodes` are the table.
"""

import dataclasses as dc
import functools
import typing

from webmotor_drake import nodes
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.field import webots_fields, webots_name
from webmotor_drake.worlds.nodes import Field, Node
from webmotor_drake.worlds.report import Report

# Their names where a file gives none (resources/nodes).
_NAMES = {
    "GPS": "gps",
    "LED": "led",
    "InertialUnit": "inertial unit",
    "DistanceSensor": "distance sensor",
    "TouchSensor": "touch sensor",
    "LightSensor": "light sensor",
    "RangeFinder": "range-finder",
    "VacuumGripper": "vacuum gripper",
    "RotationalMotor": "rotational motor",
    "LinearMotor": "linear motor",
    "PositionSensor": "position sensor",
}
T = typing.TypeVar("T")


def device_name(node: Node) -> str:
    """Returns the name of a device, or its type's default."""
    default = _NAMES.get(node.type, node.type.lower())
    return node.text("name", default)


def read_device(node: Node, report: Report) -> typing.Any:
    """Returns a device as a scenario has it, without its place."""
    device = _filled(DEVICES[node.type], node, report)
    if isinstance(device, nodes.Camera):
        zoom, recognition = node.node("zoom"), node.node("recognition")
        if zoom is not None:
            device.zoom = _filled(nodes.Zoom, zoom, report)
        if recognition is not None:
            device.recognition = _filled(nodes.Recognition, recognition, report)
    if isinstance(device, nodes.DistanceSensor) and device.type == "laser":
        device.number_of_rays = 1
    return _valid(device, node, report)


def read_motor(
    node: Node, joint: str, report: Report
) -> nodes.LinearMotor | nodes.RotationalMotor:
    """Returns a motor as a scenario has it."""
    slides = node.type == "LinearMotor"
    kind = nodes.LinearMotor if slides else nodes.RotationalMotor
    motor = _filled(kind, node, report)
    motor.joint = joint
    if "sound" in node.fields and not node.text("sound"):
        motor.sound = ""
    return _valid(motor, node, report)


def read_parameters(node: Node | None, report: Report) -> nodes.JointParameters:
    """Returns the parameters of an axis as a scenario has them."""
    if node is None:
        return nodes.JointParameters()
    parameters = _filled(nodes.JointParameters, node, report)
    for field in ("spring_constant", "damping_constant", "static_friction"):
        setattr(parameters, field, abs(getattr(parameters, field)))
    return _valid(parameters, node, report)


def read_node(kind: type[T], node: Node, report: Report) -> T:
    """Returns any other node as a scenario has it."""
    return _valid(_filled(kind, node, report), node, report)


def read_sensor(node: Node, joint: str, report: Report) -> nodes.PositionSensor:
    """Returns a position sensor as a scenario has it."""
    sensor = _filled(nodes.PositionSensor, node, report)
    sensor.joint = joint
    return sensor


def _filled(kind: type[T], node: Node, report: Report) -> T:
    """Returns a declaration with the values that a node gives."""
    made = kind()
    for name, webots in webots_fields(kind).items():
        given = node.fields.get(webots)
        if given is None or dc.is_dataclass(_plain(_hints(kind)[name])):
            continue
        try:
            setattr(made, name, _value(given, _hints(kind)[name]))
        except InputError as error:
            report.add(
                "changed",
                node.type,
                given.place,
                f"{error.problem}; its default is taken",
            )
    return made


@functools.cache
def _hints(kind: type) -> dict[str, typing.Any]:
    return typing.get_type_hints(kind)


def _plain(hint: typing.Any) -> typing.Any:
    """Returns a type; of a type or None the type."""
    kinds = typing.get_args(hint)
    return kinds[0] if type(None) in kinds else hint


def _value(field: Field, hint: typing.Any) -> typing.Any:
    """Returns a field's value as the type of a declaration has it."""
    hint = _plain(hint)
    if hint is bool:
        return field.truth()
    if hint is str:
        return field.text()
    if hint is float:
        return float(field.numbers(1)[0])
    if hint is int:
        return _whole(field, field.numbers(1)[0])
    if hint == list[list[float]]:
        return field.rows(3)
    if hint == list[int]:
        return [_whole(field, number) for number in field.numbers()]
    return list(field.numbers())


def _whole(field: Field, number: float) -> int:
    if number != int(number):
        raise field.error(f"{number:g} is not a whole number")
    return int(number)


def _valid(device: T, node: Node, report: Report) -> T:
    """Returns the node with defaults where a value cannot be used."""
    for _ in dc.fields(typing.cast(typing.Any, device)):
        try:
            check_node(device)
        except InputError as error:
            name = str(error.path[0]) if error.path else ""
            if not hasattr(device, name):
                raise node.error(error.problem) from None
            given = node.fields.get(webots_name(name))
            report.add(
                "changed",
                node.type,
                given.place if given is not None else node.place,
                f"{webots_name(name)}: {error.problem}; its default is taken",
            )
            joint = getattr(device, "joint", "")
            fresh = type(device)(**({"joint": joint} if joint else {}))
            setattr(device, name, getattr(fresh, name))
            continue
        break
    return device
