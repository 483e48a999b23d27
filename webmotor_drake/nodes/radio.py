"""Webots' Emitter and Receiver."""

import math

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node, step_or_none
from webmotor_drake.nodes.rules import one_of, or_special, whole, within

__all__ = ["Emitter", "Receiver"]

_NUMBER_OR_ANY = or_special(whole(1), -1, "any number")


@node
class RadioNode(DeviceNode):
    """The common fields of Emitter and Receiver."""

    type: str = field(
        "radio",
        "only those of a type hear each other, and infra-red only along a free line"
        " of sight",
        rule=one_of("radio", "serial", "infra-red"),
    )
    aperture: float = field(
        -1.0,
        "width of the cone about x for infra-red",
        "rad",
        or_special(within(0, 2 * math.pi), -1, "all around"),
    )
    channel: int = field(
        0, "on which data go", rule=or_special(whole(0), -1, "all")
    )
    baud_rate: int = field(-1, "bits sent per second", rule=_NUMBER_OR_ANY)
    byte_size: int = field(8, "bits per byte", rule=whole(8))
    buffer_size: int = field(-1, "bytes that wait at most", rule=_NUMBER_OR_ANY)
    allowed_channels: list[int] = field(
        list[int](), "those that a controller may choose; empty: all"
    )

    def check(self) -> None:
        """Refuses a channel that is not allowed."""
        allowed = self.allowed_channels
        if allowed and self.channel not in allowed:
            raise InputError(
                f"{self.channel} is not one of the allowed_channels"
                f" {', '.join(map(str, allowed))}",
                path=("channel",),
            )


@node
class Emitter(RadioNode):
    """Webots' Emitter: sends data to the Receivers of other robots."""

    range: float = step_or_none("distance up to which it is heard", "m")
    max_range: float = step_or_none(
        "the largest range that a controller may set", "m"
    )

    def check(self) -> None:
        """Refuses a range beyond the largest."""
        super().check()
        if self.max_range != -1 and not 0 < self.range <= self.max_range:
            raise InputError(
                f"{self.range:g} m is beyond the max_range {self.max_range:g} m",
                path=("range",),
            )


@node
class Receiver(RadioNode):
    """Webots' Receiver: receives packets of other robots' Emitters."""

    signal_strength_noise: float = amount(
        "standard deviation of the signal strength, as a part of it (0.1: 10 %, 1:"
        " as large as the strength)"
    )
    direction_noise: float = amount(
        "standard deviation of each part of the direction, of 1"
    )
    data_as_bytes: bool = field(
        False,
        "True if getData() returns bytes, as before Webots R2023a; worlds of these"
        " versions get it",
        ours=True,
    )
