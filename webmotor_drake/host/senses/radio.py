"""Packets from Emitters to Receivers (WbEmitter.cpp, WbReceiver.cpp)."""

import collections
import dataclasses as dc
import math
import typing

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, device_for
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.nodes.radio import Emitter, Receiver

_ALL = -1
INFRA_RED = "infra-red"


@dc.dataclass(frozen=True)
class Packet:
    """A packet of an emitter, with its settings at the call of send.

    Attributes:
        emitter: the node.
        place: place of the emitter.
        channel: number of the channel; -1: all.
        range: reach in m; -1: everywhere.
        data: content, at least a byte.
    """

    emitter: Emitter
    place: Place
    channel: int
    range: float
    data: bytes


@dc.dataclass(frozen=True)
class Reception:
    """A packet as a receiver gets it.

    Attributes:
        data: content, at least a byte.
        direction: direction of the emitter, a unit vector in the receiver's axes.
        strength: 1 / distance^2, 1/m^2.
    """

    data: bytes
    direction: list[float]
    strength: float


@device_for(nodes.Receiver)
class ReceiverSampler(BodySampler[nodes.Receiver]):
    """Collects packets until it is time to measure.

    Attributes:
        channel: its channel; -1: all.
        waiting: packets that have arrived since the last measurement.
        packets: queue of a client that has none of its own: received packets that it
            has not dropped (receiver.c).
    """

    blank: typing.ClassVar[list[Reception]] = []

    def __init__(self, node: Receiver, *rest: typing.Any):
        super().__init__(node, *rest)
        self.channel = node.channel
        self.waiting: list[Reception] = []
        self.packets: collections.deque[Reception] = collections.deque()
        self.told = self._take_over
        self.around.radio.receivers.append(self)

    def sensed(self) -> list[Reception]:
        """Returns the packets that have arrived and that the controller hasn't read."""
        unseen = self.value if self.pending else []
        arrived, self.waiting = self.waiting, []
        return [*unseen, *arrived]

    def _take_over(self) -> None:
        for reception in self.seen:
            size, kept = self.node.buffer_size, (p.data for p in self.packets)
            if size == -1 or len(reception.data) + sum(map(len, kept)) <= size:
                self.packets.append(reception)

    def restart(self) -> None:
        """Drops the packets that have arrived."""
        super().restart()
        self.waiting = []

    def reset(self) -> None:
        """Drops the received packets, too."""
        super().reset()
        self.packets.clear()

    def hears(self, packet: Packet) -> bool:
        """Returns whether it listens to a packet, at whatever distance."""
        if not self.period or self.node.type != packet.emitter.type:
            return False
        if self.place.instance == packet.place.instance:
            return False
        channels = packet.channel, self.channel
        return packet.channel == self.channel or _ALL in channels

    def receive(self, packet: Packet) -> None:
        """Takes a packet at the end of its step if it is in reach."""
        p_WE, X_WR = packet.place.p_WD(), self.place.X_WD()
        p_RE = X_WR.inverse() @ p_WE
        distance = float(np.linalg.norm(p_RE))
        if packet.range != -1 and distance > packet.range:
            return
        infra_red = packet.emitter.type == INFRA_RED
        if infra_red and not self._in_sight(packet, p_RE):
            return
        direction = self._direction(p_RE, distance)
        strength = self._strength(distance)
        self.waiting.append(Reception(packet.data, direction, strength))

    def _in_sight(self, packet: Packet, p_RE: np.ndarray) -> bool:
        """Returns whether each is in the other's cone, with nothing between them."""
        p_ER = packet.place.X_WD().inverse() @ self.place.p_WD()
        for aperture, towards in (
            (packet.emitter.aperture, p_ER),
            (self.node.aperture, p_RE),
        ):
            across = math.hypot(towards[1], towards[2])
            if 0 < aperture < 2 * math.atan2(across, towards[0]):
                return False
        start, end = packet.place.p_WD(), self.place.p_WD()
        robots = packet.place.robot() | self.place.robot()
        return not self.around.solids.blocked(start, end, robots)

    def _direction(self, p_RE: np.ndarray, distance: float) -> list[float]:
        noise = self.node.direction_noise
        if noise:
            p_RE = p_RE + distance * noise * self.random.standard_normal(3)
        length = np.linalg.norm(p_RE)
        return (p_RE / length).tolist() if length else [math.nan] * 3

    def _strength(self, distance: float) -> float:
        strength = 1 / distance**2 if distance else math.inf
        noise = self.node.signal_strength_noise
        if noise:
            strength *= max(1 + noise * self.random.standard_normal(), 0.0)
        return strength


class Radio:
    """Carries packets between the robots of a run.

    A packet is on its way for the basic step after it was sent: it reaches those
    that are on when the step starts, and in range when it ends.

    Args:
        clock: the `SteppedSimulation`.
    """

    def __init__(self, clock: typing.Any):
        self.receivers: list[ReceiverSampler] = []
        self._clock = clock
        self._sent: list[Packet] = []
        self._arrival = Sampler(self._arrive)

    def send(self, packet: Packet) -> None:
        """Sends a packet in the basic step that starts now."""
        # First in the list: receivers that are due then get it.
        if not self._sent:
            self._clock.sample(self._arrival, 1, first=True)
        self._sent.append(packet)

    def restart(self) -> None:
        """Drops packets on their way: the simulation is reset."""
        self._sent.clear()

    def _arrive(self) -> None:
        self._clock.sample(self._arrival, 0)
        sent, self._sent = self._sent, []
        for packet in sent:
            for receiver in self.receivers:
                if receiver.hears(packet):
                    receiver.receive(packet)
