"""Webots' devices that are not simulated: a robot may have them all the same."""

import dataclasses as dc

from webmotor_drake.nodes.body_sensors import DeviceNode
from webmotor_drake.nodes.field_docs import with_inherited_fields


@with_inherited_fields
@dc.dataclass
class Connector(DeviceNode):
    """Webots' Connector; never locked here."""


@with_inherited_fields
@dc.dataclass
class Pen(DeviceNode):
    """Webots' Pen; writes nothing here."""


@with_inherited_fields
@dc.dataclass
class Radar(DeviceNode):
    """Webots' Radar; sees nothing here."""


@with_inherited_fields
@dc.dataclass
class Skin(DeviceNode):
    """Webots' Skin; without bones here."""


@with_inherited_fields
@dc.dataclass
class Speaker(DeviceNode):
    """Webots' Speaker; silent here."""


@with_inherited_fields
@dc.dataclass
class VacuumGripper(DeviceNode):
    """Webots' VacuumGripper; holds nothing here."""
