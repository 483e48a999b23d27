"""Devices, motors and joint parameters: Webots' nodes as a scenario has them.

The fields of both have the same names, here in snake_case, and the same defaults: the
declarations in the room `nodes` are the table.
"""

import dataclasses as dc
import typing

from webmotor_drake import nodes
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.field import webots_name
from webmotor_drake.nodes.webots_fields import kinds_of
from webmotor_drake.worlds.nodes import Node, typed_value

T = typing.TypeVar("T")


def read_node(kind: type[T], node: Node, joint: str = "") -> T:
    """Returns a node as a scenario has it, with defaults where values are not allowed.

    Args:
        kind: its declaration.
        node: the node.
        joint: the joint that it is on, if it is on one.
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
        zoom, recognition = node.node("zoom"), node.node("recognition")
        if zoom is not None:
            made.zoom = read_node(nodes.Zoom, zoom)
        if recognition is not None:
            made.recognition = read_node(nodes.Recognition, recognition)
    if isinstance(made, nodes.DistanceSensor) and made.type == "laser":
        made.number_of_rays = 1
    return _valid(made, kind(**at), node)


def read_parameters(node: Node | None) -> nodes.JointParameters:
    """Returns the parameters of an axis as a scenario has them."""
    if node is None:
        return nodes.JointParameters()
    parameters = read_node(nodes.JointParameters, node)
    for field in ("spring_constant", "damping_constant", "static_friction"):
        setattr(parameters, field, abs(getattr(parameters, field)))
    return parameters


def _valid(device: T, fresh: T, node: Node) -> T:
    """Returns the device with a fresh one's values where its own cannot be used."""
    for _ in dc.fields(typing.cast(typing.Any, device)):
        try:
            check_node(device)
            break
        except InputError as error:
            name = str(error.path[0]) if error.path else ""
            if not hasattr(device, name):
                raise node.error(error.problem) from None
            given = node.fields.get(webots_name(name))
            (given.place if given is not None else node.place).add(
                "changed",
                node.type,
                f"{webots_name(name)}: {error.problem}; its default is taken",
            )
            setattr(device, name, getattr(fresh, name))
    return device
