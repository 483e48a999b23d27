"""Devices in the protocol that need only a record each."""

import typing

from webmotor_drake import nodes
from webmotor_drake.host.senses.radio import Packet
from webmotor_drake.motor.commands import Kind as Command
from webmotor_drake.nodes.servo import RotationalServo
from webmotor_drake.protocol.framing import Reader, packed
from webmotor_drake.protocol.wire_devices import (
    KINDS,
    MOTOR,
    Kind,
    Requests,
    WireDevice,
    commands,
    tells_sibling,
)

_UNSIMULATED = "not simulated here; it does nothing and measures nothing"
_SOUND_OVER, _SPEAK_OVER = 6, 7
_WAV = b"RIFF"
# Bytes that R2025a writes behind each sound whose file it does not send.
_NO_DATA = bytes(4)


def _enable(wire: WireDevice, period: int) -> None:
    wire.exchange.enable(wire.device.sampler, period)


def _ignore(wire: WireDevice, *values: typing.Any) -> None:
    """Ignores a request."""


ENABLE: Requests = {1: ("H", _enable)}


def _type(wire: WireDevice) -> bytes:
    return packed("i", wire.device.type)


def _table(wire: WireDevice) -> bytes:
    rows = wire.node.lookup_table
    return packed("i", len(rows)) + b"".join(packed("3d", *r) for r in rows)


def _distance(wire: WireDevice) -> bytes:
    node = wire.node
    outputs = [row[1] for row in node.lookup_table]
    least, largest = min(outputs, default=0.0), max(outputs, default=0.0)
    kind = node.types.index(node.type)
    return packed("i3d", kind, least, largest, node.aperture) + _table(wire)


def _touch(wire: WireDevice) -> bytes:
    return packed("i", wire.node.types.index(wire.node.type)) + _table(wire)


def _position(wire: WireDevice) -> None:
    place, speed, velocity = wire.device.seen
    wire.tell(packed("B7d", 2, *place, speed, *velocity))


def _touched(wire: WireDevice) -> None:
    seen, whole = wire.device.seen, wire.node.type == "force-3d"
    wire.tell(packed("B3d", 41, *seen) if whole else packed("Bd", 40, seen))


def _channels(wire: WireDevice) -> bytes:
    allowed = wire.node.allowed_channels
    return packed("i", len(allowed)) + b"".join(packed("i", c) for c in allowed)


def _emitter(wire: WireDevice) -> bytes:
    node = wire.node
    rate = node.baud_rate
    if rate != -1:
        rate = rate / node.byte_size / 1000
    reach = rate, node.range, node.max_range
    head = packed("iiddd", node.buffer_size, node.channel, *reach)
    return head + _channels(wire)


def _send(wire: WireDevice, channel: int, reach: float, data: bytes) -> None:
    """Sends a packet; the client keeps its own buffer and rate."""
    device = wire.device
    if data:
        device.around.radio.send(
            Packet(device.node, device.place, channel, reach, data)
        )


def _receiver(wire: WireDevice) -> bytes:
    channel = wire.device.sampler.channel
    return packed("ii", wire.node.buffer_size, channel) + _channels(wire)


def _received(wire: WireDevice) -> None:
    """Adds each packet that has arrived to the answer; the client keeps the queue."""
    channel = wire.device.sampler.channel
    for got in wire.device.sampler.seen:
        place = *got.direction, got.strength
        wire.tell(packed("Bi4di", 1, channel, *place, len(got.data)) + got.data)


def _radar(wire: WireDevice) -> bytes:
    node = wire.node
    view = node.horizontal_field_of_view, node.vertical_field_of_view
    return packed("4d", node.min_range, node.max_range, *view)


def _targets(wire: WireDevice) -> None:
    seen = wire.device.seen
    told = [
        packed("4d", t.distance, t.received_power, t.speed, t.azimuth)
        for t in seen
    ]
    wire.tell(packed("Bi", 1, len(seen)) + b"".join(told))


def _locks(*, lock: bool) -> typing.Callable[[WireDevice], str]:
    def carry_out(wire: WireDevice) -> str:
        problem = wire.device.order(lock=lock)
        wire.device.act(0)
        return problem

    return carry_out


def _locked(wire: WireDevice) -> bytes:
    return packed("B", wire.device.locked)


_HOLDS: Requests = {
    **ENABLE,
    2: ("", _locks(lock=True)),
    3: ("", _locks(lock=False)),
}


def _damp_and_tell(wire: WireDevice, damping: float, node_type: int) -> str:
    problem = _damp(wire, damping)
    _tell_sibling(wire, node_type)
    return problem or ""


_damp = commands(Command.BRAKE_DAMPING)
_tell_sibling = tells_sibling(4)[1]


def _play(wire: WireDevice, block: Reader) -> None:
    """Plays the sounds of a request; skips all others that R2025a lists in it."""
    for _ in range(block.one("i")):
        _skip_others(block)
        # Loudness, pitch, balance; left or right.
        name, (volume, pitch, _), _, loop = block.values("t3dHB")
        data = b""
        if block.peek(8)[4:] == _WAV:  # the file, behind its size
            data = block.one("y")
        problem = wire.device.play(
            name, pitch, loop=bool(loop), volume=volume, data=data
        )
        if problem:
            wire.tell_once(problem)
            wire.tell(packed("Bz", _SOUND_OVER, name))
    _skip_others(block)


def _skip_others(block: Reader) -> None:
    while block.peek(4) == _NO_DATA:
        block.take(4)


def _sounds_over(wire: WireDevice) -> None:
    """Tells the client which sounds have ended, and if the text has."""
    over, spoken = wire.device.ended()
    for name in over:
        wire.tell(packed("Bz", _SOUND_OVER, name))
    if spoken:
        wire.tell(bytes([_SPEAK_OVER]))


KINDS |= {
    **dict.fromkeys(
        (nodes.RotationalMotor, nodes.LinearMotor, RotationalServo), MOTOR
    ),
    nodes.Brake: Kind(
        _type,
        {2: ("d", _damp), 4: tells_sibling(4), 6: ("dH", _damp_and_tell)},
    ),
    nodes.PositionSensor: Kind(_type, {**ENABLE, 2: tells_sibling(2)}),
    nodes.Altimeter: Kind(None, ENABLE),
    nodes.GPS: Kind(
        lambda wire: packed("i", wire.node.coordinate_system == "WGS84"),
        ENABLE,
        measured=_position,
    ),
    nodes.TouchSensor: Kind(_touch, ENABLE, measured=_touched),
    nodes.DistanceSensor: Kind(_distance, ENABLE, 50),
    nodes.Accelerometer: Kind(_table, ENABLE, 51, "3d"),
    nodes.Compass: Kind(_table, ENABLE, 52, "3d"),
    nodes.Gyro: Kind(_table, ENABLE, 53, "3d"),
    # The client itself turns the quaternions to the axes.
    nodes.InertialUnit: Kind(
        lambda wire: packed("dz", wire.node.noise, wire.node.axes),
        ENABLE,
        54,
        "4d",
    ),
    nodes.LightSensor: Kind(_table, ENABLE, 55),
    nodes.Connector: Kind(_locked, _HOLDS, layout="h"),
    nodes.VacuumGripper: Kind(_locked, _HOLDS, layout="B"),
    nodes.Emitter: Kind(_emitter, {0: ("idy", _send)}),
    nodes.Receiver: Kind(
        _receiver,
        {
            **ENABLE,
            2: ("i", lambda wire, n: setattr(wire.device, "channel", n)),
        },
        measured=_received,
    ),
    nodes.Speaker: Kind(
        requests={
            1: ("*", _play),
            2: (
                "h*",
                lambda wire, n, block: wire.device.stop(
                    [block.one("t") for _ in range(n)]
                ),
            ),
            3: ("t", _ignore),  # engine
            4: ("t", _ignore),  # language
            5: ("td", lambda wire, *text: wire.device.speak(*text)),
        },
        look=_sounds_over,
    ),
    nodes.LED: Kind(requests={1: ("i", _ignore)}),  # messages crash the client
    nodes.Radar: Kind(_radar, ENABLE, measured=_targets),
    nodes.Skin: Kind(lambda wire: bytes(4), unanswered=_UNSIMULATED),
    # No message for a Pen: the client would crash.
    nodes.Pen: Kind(
        requests={
            1: ("", lambda wire: wire.device.write(on=True)),
            2: ("", lambda wire: wire.device.write(on=False)),
            4: (
                "3Bd",
                lambda wire, color, density: wire.device.set_ink(
                    [part / 255 for part in color], density
                ),
            ),
        }
    ),
}
