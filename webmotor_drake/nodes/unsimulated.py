"""Webots' devices that are not simulated: a robot may have them all the same."""

from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import node

__all__ = ["Pen", "Radar", "Skin", "Speaker", "VacuumGripper"]


@node
class Pen(DeviceNode):
    """Webots' Pen; writes nothing here."""


@node
class Radar(DeviceNode):
    """Webots' Radar; sees nothing here."""


@node
class Skin(DeviceNode):
    """Webots' Skin; without bones here."""


@node
class Speaker(DeviceNode):
    """Webots' Speaker: sounds and texts that take their time; nobody hears them."""


@node
class VacuumGripper(DeviceNode):
    """Webots' VacuumGripper; holds nothing here."""
