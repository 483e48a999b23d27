"""Webots' devices on the wire: what configures them, commands them, what they tell.

The simulator's side of their C files (WbMotor.cpp, WbPositionSensor.cpp, ...). A class
per kind of messages; `KINDS` says which a device has.
"""

import struct
import typing

from webmotor_drake import nodes
from webmotor_drake.host import messages
from webmotor_drake.host.devices import (
    EmitterDevice,
    HostDevice,
    MotorDevice,
)
from webmotor_drake.host.robot_requests import refusal
from webmotor_drake.host.senses.radio import Packet
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.nodes.servo import RotationalServo
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import Reader

_CONFIGURE = b"\0"
# The motor's commands with one number.
_ONE_NUMBER = {number: Kind(number) for number in (1, 2, 3, 4, 6)}
_ONE = struct.Struct("<Hd")
_MOTORS = frozenset({Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR})


class WireDevice:
    """A device that says and hears nothing; the others derive from it.

    Attributes:
        tag: of the device.
        fresh: messages that the next answer has, each with its tag.

    Args:
        device: the simulator's side of it.
        exchange: what it shares with the other devices.
    """

    # What is not answered; "": all of it is.
    unanswered: typing.ClassVar[str] = ""

    def __init__(self, device: HostDevice, exchange: Exchange):
        self.device = device
        self.exchange = exchange
        self.tag = exchange.tags[device.tag]
        self._prefix = struct.pack("<H", self.tag)
        self.fresh: list[bytes] = []
        self._told: set[str] = set()

    @property
    def _name(self) -> str:
        return f"{type(self.device.node).__name__} {self.device.name!r}"

    def configuration(self) -> bytes | None:
        """Returns what C_CONFIGURE has for it; None: it gets none."""
        return None

    def configure(self) -> None:
        """Has the next answer configure it, if it can be configured."""
        payload = self.configuration()
        if payload is not None:
            self.tell(_CONFIGURE + payload)

    def tell(self, message: bytes) -> None:
        """Has the next answer tell something of the device."""
        self.fresh.append(self._prefix + message)

    def read(self, data: bytes) -> None:
        """Carries out a block of commands; skips what it does not know."""
        block = Reader(data)
        while block.left:
            command = block.u8()
            if not self.command(command, block):
                self.tell_once(
                    self.unanswered
                    or f"the request {command} is not answered; what follows it"
                    " in its step is skipped"
                )
                return

    def command(self, number: int, block: Reader) -> bool:
        """Carries out a command; False: it is not known."""
        return False

    def look(self) -> None:
        """Tells what has come about by itself, before each answer."""

    def reconfigure(self) -> None:
        """Has the answer tell what has changed of it: all, as a rule."""
        self.configure()

    def tell_once(self, problem: str) -> None:
        """Says something about the device, once."""
        if problem not in self._told:
            self._told.add(problem)
            messages.warning(self._name, problem)

    def restart(self) -> None:
        """Forgets the client that has left."""
        self.fresh.clear()

    def sibling(self, types: typing.Container[int]) -> bytes:
        """Returns the tag of the device of a type on the same joint, or 0."""
        other = self.exchange.sibling(self.device, types)
        tag = self.exchange.tags[other.tag] if other is not None else 0
        return struct.pack("<H", tag)


def wanted(node_type: int) -> frozenset[int]:
    """Returns the types that are meant: either motor for a motor."""
    return _MOTORS if node_type in _MOTORS else frozenset({node_type})


class Motor(WireDevice):
    """RotationalMotor and LinearMotor; their command numbers are of 2 bytes."""

    device: MotorDevice
    _FIELDS: typing.ClassVar = struct.Struct("<i11d")

    def __init__(self, device: MotorDevice, exchange: Exchange):
        super().__init__(device, exchange)
        device.feedback.told = self._told_of_feedback

    def configuration(self) -> bytes:
        """Returns the motor as the simulator has it."""
        now = self.exchange.host.settings(self.device.index)
        fields = self._FIELDS.pack(
            self.device.type,
            now.min_position,
            now.max_position,
            now.max_velocity,
            now.acceleration,
            now.max_effort,
            *now.control_pid,
            now.target_position,
            now.target_velocity,
            now.multiplier,
        )
        coupled = [
            self.exchange.tags[other.tag]
            for other in self.exchange.devices
            if isinstance(other, MotorDevice)
            and other is not self.device
            and other.index in self.device.group
        ]
        return fields + struct.pack(
            f"<i{len(coupled)}H", len(coupled), *coupled
        )

    def read(self, data: bytes) -> None:
        """Carries out the motor's requests."""
        if len(data) == _ONE.size:  # nearly always
            number, value = _ONE.unpack(data)
            if number in _ONE_NUMBER:
                self._send(_ONE_NUMBER[number], value)
                return
        block = Reader(data)
        while block.left:
            number = block.u16()
            if number in _ONE_NUMBER:
                self._send(_ONE_NUMBER[number], block.f64())
            elif number == 5:
                self._enable_feedback(block.u16())
            elif number == 8:
                self.tell(b"\x08" + self.sibling(wanted(block.u16())))
            elif number == 7:
                self._send(Kind.CONTROL_PID, block.floats(3))
            else:
                self.tell_once(f"the request {number} is not known")
                return

    def _send(self, kind: Kind, value: float | list[float]) -> None:
        """Commands what a client's library does not refuse by itself."""
        if problem := refusal(kind, value):
            self.tell_once(f"{value}: {problem}")
        else:
            self.exchange.command(self.device, kind, value)

    def _enable_feedback(self, period: int) -> None:
        if told := self.exchange.enable_feedback(self.device, period):
            self.tell_once(told)

    def _told_of_feedback(self) -> None:
        self.tell(b"\x05" + struct.pack("<d", self.device.feedback.seen))


class Brake(WireDevice):
    """A brake; its command is a mask of what follows."""

    def configuration(self) -> bytes:
        """Returns whether its joint turns or slides."""
        return struct.pack("<i", self.device.type)

    def command(self, number: int, block: Reader) -> bool:
        """Sets the damping, finds siblings."""
        if number & 2:
            damping = block.f64()
            if problem := refusal(Kind.BRAKE_DAMPING, damping):
                self.tell_once(f"{damping}: {problem}")
            else:
                self.exchange.command(self.device, Kind.BRAKE_DAMPING, damping)
        if number & 4:
            self.tell(b"\x04" + self.sibling(wanted(block.u16())))
        return number in (2, 4, 6)


def channels(node: typing.Any) -> bytes:
    """Returns the channels that an emitter or receiver may use."""
    allowed = node.allowed_channels
    return struct.pack(f"<i{len(allowed)}i", len(allowed), *allowed)


class Emitter(WireDevice):
    """An emitter; the client keeps its buffer and its rate."""

    device: EmitterDevice

    def configuration(self) -> bytes:
        """Returns buffer, channel, rate per ms, ranges and channels."""
        node = self.device.node
        rate = node.baud_rate
        if rate != -1:
            rate = rate / node.byte_size / 1000
        return struct.pack(
            "<iiddd",
            node.buffer_size,
            node.channel,
            rate,
            node.range,
            node.max_range,
        ) + channels(node)

    def command(self, number: int, block: Reader) -> bool:
        """Sends a packet."""
        if number != 0:
            return False
        channel, range_ = block.i32(), block.f64()
        data = block.take(block.i32())
        device = self.device
        if data:
            device.surroundings.radio.send(
                Packet(device.node, device.place, channel, range_, data)
            )
        return True


class Led(WireDevice):
    """An LED; a message to a client's LED crashes it."""

    def command(self, number: int, block: Reader) -> bool:
        """Takes the value, which lights nothing."""
        if number == 1:
            block.i32()
        return number == 1


# What C_CONFIGURE has for devices that are not simulated; a message to one of the
# others would crash the client.
_KEEPS_ALIVE = {
    nodes.VacuumGripper: b"\0",
    nodes.Radar: struct.pack("<4d", 0, 0, 0, 0),
    nodes.Skin: struct.pack("<I", 0),
}


class Unsimulated(WireDevice):
    """A device that the client finds, and that measures and does nothing."""

    unanswered = "not simulated here; it does nothing and measures nothing"

    def configuration(self) -> bytes | None:
        """Returns the message that keeps the client alive."""
        return _KEEPS_ALIVE.get(type(self.device.node))


# The class that speaks for a device, by its node.
KINDS: dict[type, typing.Any] = {
    nodes.RotationalMotor: Motor,
    nodes.LinearMotor: Motor,
    RotationalServo: Motor,
    nodes.Brake: Brake,
    nodes.LED: Led,
    nodes.Emitter: Emitter,
    nodes.VacuumGripper: Unsimulated,
    nodes.Radar: Unsimulated,
    nodes.Skin: Unsimulated,
    nodes.Pen: Unsimulated,
}
