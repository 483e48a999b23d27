"""Webots' devices that are not simulated: a robot may have them all the same."""

import typing

from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import node
from webmotor_drake.nodes.node_types import Node

__all__ = ["Pen", "Radar", "Skin", "Speaker", "VacuumGripper"]


@node
class Pen(DeviceNode):
    """Webots' Pen; writes nothing here."""

    node_type: typing.ClassVar[int] = Node.PEN


@node
class Radar(DeviceNode):
    """Webots' Radar; sees nothing here."""

    node_type: typing.ClassVar[int] = Node.RADAR


@node
class Skin(DeviceNode):
    """Webots' Skin; without bones here."""

    node_type: typing.ClassVar[int] = Node.SKIN


@node
class Speaker(DeviceNode):
    """Webots' Speaker; silent here."""

    node_type: typing.ClassVar[int] = Node.SPEAKER


@node
class VacuumGripper(DeviceNode):
    """Webots' VacuumGripper; holds nothing here."""

    node_type: typing.ClassVar[int] = Node.VACUUM_GRIPPER
