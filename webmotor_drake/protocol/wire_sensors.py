"""Sensors without images on the wire: what configures them, what they tell."""

import struct
import typing

from webmotor_drake import nodes
from webmotor_drake.host.devices import ConnectorDevice, HostDevice
from webmotor_drake.host.measuring import Measurement
from webmotor_drake.host.senses.radio import ReceiverSampler
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.nodes.body_sensors import ThreeAxisSensor
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
_THREE = struct.Struct("<B3d")
# The numbers of messages with data; others have 1.
_DATA: dict[type, int] = {
    nodes.TouchSensor: 40,
    nodes.DistanceSensor: 50,
    nodes.Accelerometer: 51,
    nodes.Compass: 52,
    nodes.Gyro: 53,
    nodes.InertialUnit: 54,
    nodes.LightSensor: 55,
}


class WireSensor(WireDevice):
    """A device that measures."""

    layout: struct.Struct = struct.Struct("<Bd")

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        # How its data begin: the message's number.
        self.data = _DATA.get(type(device.node), 1)
        if isinstance(device.node, ThreeAxisSensor):
            self.layout = _THREE
        self.measurement = Measurement(
            typing.cast(Sampler, device.sampler), None
        )
        self.measurement.told = self.measured

    def measured(self) -> None:
        """Has the answer tell the new measurement."""
        value = self.measurement.value
        if isinstance(value, list):
            self.fresh.append(self.layout.pack(self.data, *value))
        else:
            self.fresh.append(self.layout.pack(self.data, value))

    def command(self, number: int, block: Reader) -> bool:
        """Switches it on and off."""
        if number == _SET_SAMPLING_PERIOD:
            self.exchange.enable(self.measurement, block.u16())
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
            self.fresh.append(b"\x02" + self.sibling(wanted(block.u16())))
            return True
        return super().command(number, block)


def lookup_table(node: typing.Any) -> bytes:
    """Returns a node's lookup table."""
    rows = node.lookup_table
    return struct.pack("<i", len(rows)) + b"".join(
        struct.pack("<3d", *row) for row in rows
    )


class TableSensor(WireSensor):
    """A sensor with a lookup table."""

    def configuration(self) -> bytes:
        """Returns the table."""
        return lookup_table(self.device.node)


class DistanceSensor(TableSensor):
    """A distance sensor."""

    def configuration(self) -> bytes:
        """Returns type, least and largest value, aperture and table."""
        node = self.device.node
        outputs = [row[1] for row in node.lookup_table]
        return struct.pack(
            "<i3d",
            node.types.index(node.type),
            min(outputs, default=0.0),
            max(outputs, default=0.0),
            node.aperture,
        ) + lookup_table(node)


class TouchSensor(TableSensor):
    """A touch sensor; a force in three axes has a message of its own."""

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        if device.node.type == "force-3d":
            self.data, self.layout = 41, _THREE

    def configuration(self) -> bytes:
        """Returns type and table."""
        node = self.device.node
        return struct.pack("<i", node.types.index(node.type)) + lookup_table(
            node
        )


class GPS(WireSensor):
    """A GPS."""

    layout = struct.Struct("<B7d")

    def configuration(self) -> bytes:
        """Returns the coordinate system."""
        return struct.pack("<i", self.device.node.coordinate_system == "WGS84")

    def measured(self) -> None:
        """Tells position, speed and velocity."""
        position, speed, velocity = self.measurement.value
        self.fresh.append(self.layout.pack(2, *position, speed, *velocity))


class InertialUnit(WireSensor):
    """An inertial unit."""

    layout = struct.Struct("<B4d")

    def configuration(self) -> bytes:
        """Returns the noise, and by which axes a client turns quaternions."""
        node = self.device.node
        return struct.pack("<d", node.noise) + text(node.axes)


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
        for got in self.measurement.value:
            head = struct.pack(
                "<Bi4di",
                1,
                self._sampler.channel,
                *got.direction,
                got.strength,
                len(got.data),
            )
            self.fresh.append(head + got.data)

    def command(self, number: int, block: Reader) -> bool:
        """Sets the channel."""
        if number == 2:
            self._sampler.channel = block.i32()
            return True
        return super().command(number, block)


class Connector(WireSensor):
    """A connector."""

    layout = struct.Struct("<Bh")

    def configuration(self) -> bytes:
        """Returns whether it is locked at the start."""
        return struct.pack("<B", self.device.node.is_locked)

    def command(self, number: int, block: Reader) -> bool:
        """Locks and unlocks."""
        if number not in (_LOCK, _UNLOCK):
            return super().command(number, block)
        device = typing.cast(ConnectorDevice, self.device)
        device.orders.append(number == _LOCK)
        device.act(0)
        return True


KINDS |= {
    nodes.PositionSensor: PositionSensor,
    nodes.Connector: Connector,
    nodes.GPS: GPS,
    nodes.Gyro: TableSensor,
    nodes.Accelerometer: TableSensor,
    nodes.Compass: TableSensor,
    nodes.InertialUnit: InertialUnit,
    nodes.Altimeter: WireSensor,
    nodes.DistanceSensor: DistanceSensor,
    nodes.TouchSensor: TouchSensor,
    nodes.LightSensor: TableSensor,
    nodes.Receiver: Receiver,
}
