"""Sensors without images on the wire: what configures them, what they tell."""

import functools
import struct
import typing
from collections.abc import Callable

from webmotor_drake import nodes
from webmotor_drake.host.devices import ConnectorDevice, HostDevice
from webmotor_drake.host.senses.radio import ReceiverSampler
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import Reader, text
from webmotor_drake.protocol.wire_devices import (
    KINDS,
    WireDevice,
    channels,
    wanted,
)

_SET_SAMPLING_PERIOD = 1
_LOCK, _UNLOCK = 2, 3


def _table(node: typing.Any) -> bytes:
    """Returns a node's lookup table."""
    rows = node.lookup_table
    return struct.pack("<i", len(rows)) + b"".join(
        struct.pack("<3d", *row) for row in rows
    )


def _distance(node: nodes.DistanceSensor) -> bytes:
    """Returns type, least and largest value, aperture and table."""
    outputs = [row[1] for row in node.lookup_table]
    least, largest = min(outputs, default=0.0), max(outputs, default=0.0)
    kind = node.types.index(node.type)
    head = struct.pack("<i3d", kind, least, largest, node.aperture)
    return head + _table(node)


def _touch(node: nodes.TouchSensor) -> bytes:
    """Returns type and table."""
    return struct.pack("<i", node.types.index(node.type)) + _table(node)


def _gps(node: nodes.GPS) -> bytes:
    """Returns whether it is WGS84."""
    return struct.pack("<i", node.coordinate_system == "WGS84")


def _unit(node: nodes.InertialUnit) -> bytes:
    """Returns the noise, and by which axes a client turns quaternions."""
    return struct.pack("<d", node.noise) + text(node.axes)


class _Kind(typing.NamedTuple):
    """A kind of sensors.

    Attributes:
        number: of its messages with data.
        layout: of the data.
        configure: returns what C_CONFIGURE has for a node; None: it gets none.
    """

    number: int
    layout: str
    configure: Callable[[typing.Any], bytes] | None = None


_SENSORS: dict[type, _Kind] = {
    nodes.Altimeter: _Kind(1, "d"),
    nodes.GPS: _Kind(2, "7d", _gps),
    nodes.TouchSensor: _Kind(40, "d", _touch),
    nodes.DistanceSensor: _Kind(50, "d", _distance),
    nodes.Accelerometer: _Kind(51, "3d", _table),
    nodes.Compass: _Kind(52, "3d", _table),
    nodes.Gyro: _Kind(53, "3d", _table),
    nodes.InertialUnit: _Kind(54, "4d", _unit),
    nodes.LightSensor: _Kind(55, "d", _table),
}
_OTHERS = _Kind(1, "d")
# A touch sensor that measures a force in three axes.
_FORCE_3D = _Kind(41, "3d", _touch)


class WireSensor(WireDevice):
    """A device that measures."""

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        kind = _SENSORS.get(type(device.node), _OTHERS)
        if getattr(device.node, "type", "") == "force-3d":
            kind = _FORCE_3D
        self._configure = kind.configure
        self.begin_with(kind.number, kind.layout)
        device.sampler.told = self.measured

    def configuration(self) -> bytes | None:
        """Returns what C_CONFIGURE has for it; None: it gets none."""
        configure = self._configure
        return configure(self.device.node) if configure is not None else None

    def begin_with(self, number: int, layout: str) -> None:
        """Prepares messages with data, which begin with the tag and a number."""
        pack = struct.Struct(f"<HB{layout}").pack
        self.packed = functools.partial(pack, self.tag, number)

    def measured(self) -> None:
        """Has the answer tell the new measurement."""
        value = self.device.sampler.seen
        if type(value) is list:
            told = self.packed(*value)
        elif type(value) is tuple:  # a GPS's
            position, speed, velocity = value
            told = self.packed(*position, speed, *velocity)
        else:
            told = self.packed(value)
        self.fresh.append(told)

    def command(self, number: int, block: Reader) -> bool:
        """Switches it on and off."""
        if number == _SET_SAMPLING_PERIOD:
            self.exchange.enable(self.device.sampler, block.u16())
            return True
        return False


class PositionSensor(WireSensor):
    """A position sensor."""

    def configuration(self) -> bytes:
        """Returns whether its joint turns or slides."""
        return struct.pack("<i", self.device.type)

    def command(self, number: int, block: Reader) -> bool:
        """Switches it on and off, finds siblings."""
        if number == 2:
            self.tell(b"\x02" + self.sibling(wanted(block.u16())))
            return True
        return super().command(number, block)


class Receiver(WireSensor):
    """A receiver; the client keeps its queue."""

    def configuration(self) -> bytes:
        """Returns buffer, channel and channels."""
        node = self.device.node
        return struct.pack(
            "<ii", node.buffer_size, self._sampler.channel
        ) + channels(node)

    @property
    def _sampler(self) -> ReceiverSampler:
        return typing.cast(ReceiverSampler, self.device.sampler)

    def measured(self) -> None:
        """Tells of each packet that has arrived."""
        for got in self.device.sampler.seen:
            head = struct.pack(
                "<Bi4di",
                1,
                self._sampler.channel,
                *got.direction,
                got.strength,
                len(got.data),
            )
            self.tell(head + got.data)

    def command(self, number: int, block: Reader) -> bool:
        """Sets the channel."""
        if number == 2:
            self._sampler.channel = block.i32()
            return True
        return super().command(number, block)


class Connector(WireSensor):
    """A connector."""

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        self.begin_with(1, "h")

    def configuration(self) -> bytes:
        """Returns whether it is locked at the start."""
        return struct.pack("<B", self.device.node.is_locked)

    def command(self, number: int, block: Reader) -> bool:
        """Locks and unlocks."""
        if number not in (_LOCK, _UNLOCK):
            return super().command(number, block)
        device = typing.cast(ConnectorDevice, self.device)
        if problem := device.order(lock=number == _LOCK):
            self.tell_once(problem)
        device.act(0)
        return True


KINDS |= {
    **dict.fromkeys(_SENSORS, WireSensor),
    nodes.PositionSensor: PositionSensor,
    nodes.Connector: Connector,
    nodes.Receiver: Receiver,
}
