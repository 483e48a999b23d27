"""What the controller keeps of Emitters and Receivers (emitter.c, receiver.c)."""

import typing
from collections import deque

from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.senses.radio import Packet, Reception

if typing.TYPE_CHECKING:
    from webmotor_drake.host.senses.radio import ReceiverSampler


class EmitterState(MountedState):
    """An emitter as the controller sees it.

    Attributes:
        channel: that the next packet is sent on; -1: all.
        range: of the next packet, m; -1: everywhere.
        waiting: packets that are not sent yet.
        used: the bytes that wait.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.channel: int = self.node.channel
        self.range: float = self.node.range
        self.waiting: deque[Packet] = deque()
        self.used = 0
        self._credit = 0.0  # bytes that may be sent

    def queue_packet(self, data: bytes) -> bool:
        """Queues a packet; False: the buffer is full."""
        size = self.node.buffer_size
        if size != -1 and len(data) > size - self.used:
            return False
        if not self.waiting:
            self._credit = 0.0
        self.waiting.append(
            Packet(self.node, self.place, self.channel, self.range, data)
        )
        self.used += len(data)
        self.request_action()
        return True

    def restart(self) -> None:
        """Drops what is on its way."""
        super().restart()
        self.surroundings.radio.restart()

    def act(self, milliseconds: int) -> None:
        """Sends what the baud rate allows in a step of so many ms."""
        rate = self.node.baud_rate
        self._credit += rate / self.node.byte_size / 1000 * milliseconds
        while self.waiting and (
            rate == -1 or len(self.waiting[0].data) <= self._credit
        ):
            packet = self.waiting.popleft()
            self.used -= len(packet.data)
            self._credit -= len(packet.data)
            self.surroundings.radio.send(packet)
        if self.waiting:
            self.request_action()


class ReceiverState(MountedState):
    """A receiver as the controller sees it.

    Attributes:
        queue: what it has received and the controller has not dropped.
    """

    sampler: "ReceiverSampler"

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.channel: int = self.node.channel
        self.queue: deque[Reception] = deque()
        self.surroundings.radio.receivers.append(self.sampler)

    def restart(self) -> None:
        """Drops what it has received."""
        super().restart()
        self.queue.clear()

    def act(self, milliseconds: int) -> None:
        """Changes the channel."""
        self.sampler.channel = self.channel

    def answered(self) -> None:
        """Takes over what the buffer has room for."""
        for reception in self.measurement.value:
            used = sum(len(packet.data) for packet in self.queue)
            size = self.node.buffer_size
            if size == -1 or len(reception.data) <= size - used:
                self.queue.append(reception)
