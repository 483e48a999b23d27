"""Webots' Emitter and Receiver."""

import functools
import math
import struct
from collections.abc import Sequence

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import (
    Device,
    Sensor,
    of_node,
    tell_off,
)
from webmotor_drake.host import messages
from webmotor_drake.host.senses.radio import Reception


class _Channels(Device):
    """The common methods of Emitter and Receiver."""

    CHANNEL_BROADCAST = -1

    def getChannel(self) -> int:
        """Returns the channel; -1: all."""
        return self._device.get("channel") if self._tag else -1

    def setChannel(self, channel: int) -> None:
        """Sets the channel; -1: all.

        A channel below -1, or one that is not allowed, is ignored, with an error.
        """
        call = self._call(f"setChannel({channel!r})")
        number = messages.whole_number(call, channel)
        if number < -1:
            messages.error(call, "ignored; -1 (all), 0 and above are allowed")
            return
        allowed = self._field("allowed_channels", [])
        if allowed and number not in allowed:
            known = ", ".join(map(str, allowed))
            messages.error(call, f"ignored; allowed_channels are {known}")
            return
        if self._tag:
            self._choose(number)

    def _choose(self, channel: int) -> None:
        self._put("channel", channel)

    channel = property(getChannel, setChannel)


class Emitter(_Channels):
    """Sends data to the receivers of other robots."""

    _declared = nodes.Emitter

    def send(
        self,
        message: str | bytes | Sequence[float],
        length: int | None = None,
    ) -> None:
        """Queues a packet that the next step sends.

        Others can receive it at the end of that step.

        Args:
            message: text, bytes, or a list of numbers: sent as doubles if its first
                item is a float, else as 32-bit integers.
            length: number of bytes to send.

        Raises:
            struct.error: an item of the list cannot be sent in that form.
        """
        call = self._call("send()")
        data = _packed(call, message)
        if data is None:
            return
        if length is not None and isinstance(message, bytes):
            if length > len(data):
                messages.error(
                    call, f"there are {len(data)} bytes, not {length}"
                )
            data = data[: max(length, 0)]
        if not data:
            messages.error(call, "ignored; at least a byte is needed")
        elif self._tag and self._device.queue(
            data, self.getChannel(), self.getRange()
        ):
            self._act()
        else:
            messages.warning(
                call,
                f"the buffer of {self.getBufferSize()} bytes is full;"
                " the packet is lost",
            )

    def getRange(self) -> float:
        """Returns the range of packets, m; -1: everywhere."""
        return self._device.get("range")

    def setRange(self, range: float) -> None:
        """Sets the `range` of packets, m; at most max_range. -1: as far as possible.

        Other negative numbers are ignored, with an error.
        """
        call = self._call(f"setRange({range!r})")
        wanted = messages.number(call, range)
        if not (wanted >= 0 or wanted == -1):
            messages.error(call, "ignored; -1 or a length from 0 on is allowed")
        elif self._tag:
            limit = self._device.node.max_range
            if limit != -1:
                wanted = limit if wanted == -1 else min(wanted, limit)
            self._put("range", wanted)

    getBufferSize = of_node(nodes.Emitter, "buffer_size", -1)
    buffer_size = property(getBufferSize)
    range = property(getRange, setRange)


def _packed(call: str, message: object) -> bytes | None:
    """Returns a message as bytes; None, with an error, if its type cannot be sent."""
    if isinstance(message, bytes):
        return message
    if isinstance(message, str):
        return message.encode()
    if isinstance(message, list | tuple):
        if not message:
            messages.error(call, "the list is empty")
            return None
        if isinstance(message[0], float | int):
            code = "d" if isinstance(message[0], float) else "i"
            return struct.pack(f"{len(message)}{code}", *message)
    kind = type(message).__name__
    messages.error(
        call, f"a {kind} is not sent; bytes, a str or a list of numbers are"
    )
    return None


class Receiver(_Channels, Sensor):
    """Receives the packets of other robots' emitters, in a queue.

    Getters read the first packet in the queue. With an empty queue they print an
    error and return b"", "", (), NaN or None.
    """

    _declared = nodes.Receiver

    def _choose(self, channel: int) -> None:
        sampler = self._device.sampler
        choose = functools.partial(setattr, sampler, "channel", channel)
        self._put("channel", channel, choose)

    def getQueueLength(self) -> int:
        """Returns the number of packets in the queue."""
        if self._tag and self.getSamplingPeriod() <= 0:
            tell_off(self, "getQueueLength()")
        return len(self._device.packets) if self._tag else -1

    def nextPacket(self) -> None:
        """Drops the first packet, if there is one."""
        if self._tag and self._device.packets:
            self._device.packets.popleft()

    def _first(self, method: str) -> Reception | None:
        if self._tag and self._device.packets:
            return self._device.packets[0]
        messages.error(self._call(method), "the queue is empty")
        return None

    def getBytes(self) -> bytes:
        """Returns the packet's bytes."""
        packet = self._first("getBytes()")
        return packet.data if packet else b""

    def getString(self) -> str:
        """Returns the packet as a text.

        Raises:
            UnicodeDecodeError: not a text.
        """
        packet = self._first("getString()")
        return packet.data.decode() if packet else ""

    def getData(self) -> str | bytes:
        """Returns getString(), with a note; getBytes() if the node has data_as_bytes.

        Before R2023a it returned bytes in Python, since then a str (receiver.py).
        """
        if self._field("data_as_bytes", False):
            return self.getBytes()
        messages.say(
            "DEPRECATION: Receiver.getData() is getString() now; for programs from"
            " before R2023a: data_as_bytes: true"
        )
        return self.getString()

    def getFloats(self) -> tuple[float, ...]:
        """Returns the packet as doubles of 8 bytes.

        Raises:
            struct.error: its size is not a multiple of 8.
        """
        return self._unpacked("d", 8)

    def getInts(self) -> tuple[int, ...]:
        """Returns the packet as integers of 4 bytes.

        Raises:
            struct.error: its size is not a multiple of 4.
        """
        return self._unpacked("i", 4)

    def getBools(self) -> tuple[bool, ...]:
        """Returns the packet's bytes as truth values."""
        return self._unpacked("?", 1)

    def _unpacked(self, code: str, size: int) -> tuple:
        data = self.getBytes()
        return struct.unpack(f"{len(data) // size}{code}", data)

    def getDataSize(self) -> int:
        """Returns the packet's size in bytes; -1 without a packet."""
        packet = self._first("getDataSize()")
        return len(packet.data) if packet else -1

    def getSignalStrength(self) -> float:
        """Returns 1 / distance^2 of the emitter, 1/m^2, with noise."""
        packet = self._first("getSignalStrength()")
        return packet.strength if packet else math.nan

    def getEmitterDirection(self) -> list[float] | None:
        """Returns a unit vector to the emitter in the receiver's axes.

        None, with an error, for an empty queue (receiver.py).
        """
        packet = self._first("getEmitterDirection()")
        return list(packet.direction) if packet else None

    queue_length = property(getQueueLength)
    data = property(getBytes)
    string = property(getString)
    data_size = property(getDataSize)
    signal_strength = property(getSignalStrength)
    emitter_direction = property(getEmitterDirection)
