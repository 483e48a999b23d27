"""Sensors without images on the wire: what configures them, what they tell."""

import functools
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
# The numbers of messages with data; others have 1.
_DATA: dict[type, int] = {
    nodes.GPS: 2,
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

    layout = "d"  # of its data

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        if isinstance(device.node, ThreeAxisSensor):
            self.layout = "3d"
        self.begin_with(_DATA.get(type(device.node), 1))
        self.measurement = Measurement(
            typing.cast(Sampler, device.sampler), None
        )
        self.measurement.told = self.measured

    def begin_with(self, number: int) -> None:
        """Prepares messages with data, which begin with the tag and a number."""
        pack = struct.Struct(f"<HB{self.layout}").pack
        self.packed = functools.partial(pack, self.tag, number)

    def measured(self) -> None:
        """Has the answer tell the new measurement."""
        value = self.measurement.value
        told = (
            self.packed(*value) if type(value) is list else self.packed(value)
        )
        self.fresh.append(told)

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
            self.tell(b"\x02" + self.sibling(wanted(block.u16())))
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
            self.layout = "3d"
            self.begin_with(41)

    def configuration(self) -> bytes:
        """Returns type and table."""
        node = self.device.node
        return struct.pack("<i", node.types.index(node.type)) + lookup_table(
            node
        )


class GPS(WireSensor):
    """A GPS."""

    layout = "7d"

    def configuration(self) -> bytes:
        """Returns the coordinate system."""
        return struct.pack("<i", self.device.node.coordinate_system == "WGS84")

    def measured(self) -> None:
        """Tells position, speed and velocity."""
        position, speed, velocity = self.measurement.value
        self.fresh.append(self.packed(*position, speed, *velocity))


class InertialUnit(WireSensor):
    """An inertial unit."""

    layout = "4d"

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
            self.tell(head + got.data)

    def command(self, number: int, block: Reader) -> bool:
        """Sets the channel."""
        if number == 2:
            self._sampler.channel = block.i32()
            return True
        return super().command(number, block)


class Connector(WireSensor):
    """A connector."""

    layout = "h"

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
