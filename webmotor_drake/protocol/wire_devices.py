"""Webots' devices on the wire: their configuration, requests and messages.

The counterpart of the devices' C files (WbMotor.cpp, WbPositionSensor.cpp, ...). Each
kind of device is a record in `KINDS`; kinds with images have a class, too.
"""

import functools
import struct
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.host import messages
from webmotor_drake.host.devices import HostDevice, MotorDevice
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.robot_requests import RobotRequests, refusal
from webmotor_drake.motor.commands import Kind as Command
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.protocol.framing import Reader, packed

# For each request number the layout of its fields, and the function that carries it
# out: it gets the device and the fields, and returns the problem to print, if any.
Requests = Mapping[int, tuple[str, Callable[..., str | None]]]
_CONFIGURE = b"\0"
_ONE = struct.Struct("<Hd")
_MOTORS = frozenset({Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR})


class Kind(typing.NamedTuple):
    """A kind of devices in the protocol.

    Attributes:
        configure: function that returns the content of C_CONFIGURE for a device; None:
            the client expects none, or would crash.
        requests: its requests.
        number: number of its messages with a measurement.
        layout: layout of a measurement.
        measured: function that tells a measurement in another way.
        look: function that tells news before each answer.
        unanswered: message for all other requests; "": it names their number.
        made: class of its devices; None: `WireDevice`.
    """

    configure: "Callable[[WireDevice], bytes] | None" = None
    requests: Requests = types.MappingProxyType({})
    number: int = 1
    layout: str = "d"
    measured: "Callable[[WireDevice], None] | None" = None
    look: "Callable[[WireDevice], None] | None" = None
    unanswered: str = ""
    made: "type[WireDevice] | None" = None


# The kinds by the class of their nodes.
KINDS: dict[type, Kind] = {}


class Exchange(RobotRequests):
    """A client's requests to a robot, with the tags and images of the protocol.

    Attributes:
        tags: tags of the devices in the protocol, by their tags in the simulator.
        images: pixels for the next answer over TCP, by tag and number.
        image_folder: folder of the files with pixels; None over TCP.
    """

    def __init__(self, host: RobotHost, devices: Sequence[HostDevice]):
        super().__init__(host, devices)
        self.tags = {d.tag: tag for tag, d in enumerate(devices, start=1)}
        self.images: dict[tuple[int, int], bytes] = {}
        self.image_folder: Path | None = None


def carry_out(
    block: Reader,
    requests: Mapping[int, tuple[str, Callable[..., typing.Any]]],
    tell: Callable[[str], None],
    unknown: str,
    wire: "WireDevice | None" = None,
    layout_of_number: str = "B",
) -> None:
    """Carries out a block of requests, up to the first unknown one.

    Args:
        block: requests, each after its number.
        requests: known requests, whose functions return a problem, if any.
        tell: function that prints a problem; "": none.
        unknown: message for the number of an unknown request.
        wire: device that the functions get before the fields, if any.
        layout_of_number: layout of a request's number.
    """
    while block.left:
        number = block.one(layout_of_number)
        if number not in requests:
            tell(unknown.format(number))
            return
        layout, call = requests[number]
        fields = block.values(layout)
        try:
            tell((call(wire, *fields) if wire else call(*fields)) or "")
        except InputError as error:
            tell(str(error))


class WireDevice:
    """A device in the protocol.

    Attributes:
        tag: tag of the device.
        node: its declared fields.
        kind: its kind.
        fresh: messages for the next answer, each with the device's tag.
        tell_once: function that prints a message about the device once; "": none.

    Args:
        device: simulator's side of the device.
        exchange: requests and tags of all devices.
    """

    # The layout of a request's number.
    _number: typing.ClassVar[str] = "B"

    def __init__(self, device: typing.Any, exchange: Exchange):
        self.device, self.node, self.exchange = device, device.node, exchange
        self.kind = kind = KINDS[type(device.node)]
        self.tag = exchange.tags[device.tag]
        self._prefix = struct.pack("<H", self.tag)
        self.fresh: list[bytes] = []
        name = f"{type(device.node).__name__} {device.name!r}"
        self.tell_once = functools.partial(messages.once(), name)
        self._sampler = device.sampler
        pack = struct.Struct(f"<HB{kind.layout}").pack
        self._packed = functools.partial(pack, self.tag, kind.number)
        if device.sampler is not None:
            told = kind.measured and functools.partial(kind.measured, self)
            device.sampler.told = told or self.measured

    def configure(self) -> None:
        """Adds its configuration to the next answer, if its kind has one."""
        if self.kind.configure is not None:
            self.tell(_CONFIGURE + self.kind.configure(self))

    def reconfigure(self) -> None:
        """Adds its changed fields to the next answer: as a rule, all fields."""
        self.configure()

    def tell(self, message: bytes) -> None:
        """Adds a message about the device to the next answer."""
        self.fresh.append(self._prefix + message)

    def measured(self) -> None:
        """Adds the new measurement to the next answer."""
        value = self._sampler.seen
        if type(value) is list:
            self.fresh.append(self._packed(*value))
        else:
            self.fresh.append(self._packed(value))

    def read(self, data: bytes) -> None:
        """Carries out a block of requests; skips the rest after an unknown one."""
        unknown = self.kind.unanswered or (
            "the request {} is not answered; what follows it in its step is skipped"
        )
        requests, block = self.kind.requests, Reader(data)
        carry_out(block, requests, self.tell_once, unknown, self, self._number)

    def restart(self) -> None:
        """Forgets the client that has left."""
        self.fresh.clear()
        self.device.forget_client()


class Motor(WireDevice):
    """RotationalMotor and LinearMotor; their request numbers are of 2 bytes."""

    _number = "H"

    def __init__(self, device: MotorDevice, exchange: Exchange):
        super().__init__(device, exchange)
        feedback, pack = device.feedback, struct.Struct("<d").pack
        feedback.told = lambda: self.tell(b"\5" + pack(feedback.seen))

    def read(self, data: bytes) -> None:
        """Carries out the motor's requests."""
        if len(data) == _ONE.size:  # the usual case
            number, value = _ONE.unpack(data)
            if number in _ONE_NUMBER:
                if problem := _ONE_NUMBER[number](self, value):
                    self.tell_once(problem)
                return
        super().read(data)


def motor(wire: WireDevice) -> bytes:
    """Returns a motor's configuration, with the simulator's values."""
    now = wire.exchange.host.settings(wire.device.index)
    coupled = [wire.exchange.tags[m.tag] for m in wire.device.siblings]
    return packed(
        f"i11di{len(coupled)}H" if coupled else "i11di",
        wire.device.type,
        now.min_position,
        now.max_position,
        now.max_velocity,
        now.acceleration,
        now.max_effort,
        *now.control_pid,
        now.target_position,
        now.target_velocity,
        now.multiplier,
        len(coupled),
        *coupled,
    )


def commands(command: Command) -> Callable[..., str | None]:
    """Returns the function that gives a command, unless it is refused."""

    def carry_out(wire: WireDevice, value: typing.Any) -> str | None:
        if problem := refusal(command, value):
            return f"{value}: {problem}"
        wire.exchange.command(wire.device, command, value)
        return None

    return carry_out


# The motor's commands with one number.
_ONE_NUMBER = {n: commands(Command(n)) for n in (1, 2, 3, 4, 6)}


def tells_sibling(number: int) -> tuple[str, Callable[..., None]]:
    """Returns a request that asks for the tag of a device on the same joint."""

    def carry_out(wire: WireDevice, node_type: int) -> None:
        # A request for a motor means either type of motor.
        types = _MOTORS if node_type in _MOTORS else {node_type}
        other = wire.exchange.sibling(wire.device, types)
        tag = wire.exchange.tags[other.tag] if other is not None else 0
        wire.tell(packed("BH", number, tag))

    return "H", carry_out


def enable_feedback(wire: WireDevice, period: int) -> str:
    """Samples a motor's effort."""
    return wire.exchange.enable_feedback(wire.device, period)


MOTOR = Kind(
    motor,
    {
        **{number: ("d", command) for number, command in _ONE_NUMBER.items()},
        5: ("H", enable_feedback),
        7: ("3d", commands(Command.CONTROL_PID)),
        8: tells_sibling(8),
    },
    made=Motor,
)


def wire_device(device: HostDevice, exchange: Exchange) -> WireDevice:
    """Returns the protocol's side of a device."""
    return (KINDS[type(device.node)].made or WireDevice)(device, exchange)
