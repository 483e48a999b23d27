"""Webots' Emitter and Receiver, and LED: their fields and units."""

import dataclasses as dc

from webmotor_drake.nodes.body_sensors import DeviceNode
from webmotor_drake.nodes.field_docs import with_inherited_fields

MEDIA = ("radio", "serial", "infra-red")


@with_inherited_fields
@dc.dataclass
class RadioNode(DeviceNode):
    """What Emitter and Receiver share.

    Attributes:
        type: "radio", "serial" or "infra-red"; only those of a type hear each
            other, and infra-red only along a free line of sight.
        aperture: width of the cone about x for infra-red, rad; -1: all around.
        channel: from 0 on; -1: all.
        baud_rate: bits sent per second; -1: any number.
        byte_size: bits per byte, at least 8.
        buffer_size: bytes that wait at most; -1: any number.
        allowed_channels: those that a controller may choose; empty: all.
    """

    type: str = "radio"
    aperture: float = -1.0
    channel: int = 0
    baud_rate: int = -1
    byte_size: int = 8
    buffer_size: int = -1
    allowed_channels: list[int] = dc.field(default_factory=list[int])


@with_inherited_fields
@dc.dataclass
class Emitter(RadioNode):
    """Webots' Emitter: sends data to the Receivers of other robots.

    Attributes:
        range: how far it is heard, m; -1: everywhere.
        max_range: the largest range that a controller may set, m; -1: any.
    """

    range: float = -1.0
    max_range: float = -1.0


@with_inherited_fields
@dc.dataclass
class Receiver(RadioNode):
    """Webots' Receiver: receives what the Emitters of other robots send.

    Attributes:
        signal_strength_noise: standard deviation of the signal strength, as a
            part of it (0.1: 10 %, 1: as large as the strength).
        direction_noise: standard deviation of each part of the direction, of 1.
    """

    signal_strength_noise: float = 0.0
    direction_noise: float = 0.0


@with_inherited_fields
@dc.dataclass
class LED(DeviceNode):
    """Webots' LED: a light that a controller sets; it lights nothing here.

    Attributes:
        color: the colours (RGB, 0 to 1) that it can have.
        gradual: whether its value is an intensity, or RGB where there is no colour.
    """

    color: list[list[float]] = dc.field(default_factory=lambda: [[1.0, 0, 0]])
    gradual: bool = False
