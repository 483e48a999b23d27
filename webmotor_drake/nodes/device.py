"""The common fields of Webots' devices on a body."""

import dataclasses as dc
import typing
from collections.abc import Mapping

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.field import field, node, point
from webmotor_drake.nodes.node_types import TYPES
from webmotor_drake.nodes.rules import numbers


@node
class Pose:
    """The pose of a device, in Webots' fields."""

    translation: list[float] = point("of the device's origin")
    rotation: list[float] = field(
        [0.0, 0.0, 1.0, 0.0],
        "of the device: an axis and an angle, rad",
        rule=numbers("axis x, y, z and angle"),
    )

    def check(self) -> None:
        """Refuses a turn about no axis."""
        if not any(self.rotation[:3]) and self.rotation[3]:
            raise InputError("the axis is 0", path=("rotation",))


@node
class DeviceNode:
    """A device on a body; its frame is x forward, y left, z up.

    A subclass with the name of a Webots node, or with a `node_type` of its own, is a
    device that scenarios may name.
    """

    frame: str = field(
        "",
        "the body or frame of the model that it is mounted on; empty: the model's"
        " first body",
        ours=True,
    )
    pose: Pose = field(Pose(), "its place, seen from `frame`", ours=True)
    model: str = field("", "the text that getModel gives (Solid.model)")

    # The number of Webots' node, from `Node`.
    node_type: typing.ClassVar[int]

    def __init_subclass__(cls) -> None:
        """Makes the device known to scenarios."""
        number = vars(cls).get("node_type", TYPES.get(cls.__name__))
        if number is not None:
            cls.node_type = number
            DEVICES[cls.__name__] = cls
            for holder in _holders:
                holder.type = _by_name()


# The devices that a scenario may name.
DEVICES: dict[str, type[DeviceNode]] = {}
# The fields that hold devices by name.
_holders: list[dc.Field[typing.Any]] = []


def hold_devices(cls: type) -> None:
    """Lets the field `devices` of a dataclass hold all devices, also later ones.

    Readers of YAML go by the type of the field: each new device widens it.
    """
    held = next(held for held in dc.fields(cls) if held.name == "devices")
    held.type = _by_name()
    _holders.append(held)


def _by_name() -> typing.Any:
    return Mapping[str, typing.Union[*DEVICES.values()]]
