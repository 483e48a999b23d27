"""The controller's state of Emitters and Receivers (emitter.c, receiver.c)."""

import typing
from collections import deque

from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.devices import EmitterDevice
from webmotor_drake.host.senses.radio import ReceiverSampler, Reception


class EmitterState(MountedState):
    """An emitter as the controller sees it.

    Attributes:
        channel: that the next packet is sent on; -1: all.
        range: of the next packet, m; -1: everywhere.
    """

    device: EmitterDevice

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.channel: int = self.node.channel
        self.range: float = self.node.range

    def queue_packet(self, data: bytes) -> bool:
        """Queues a packet; False: the buffer is full."""
        queued = self.device.queue(data, self.channel, self.range)
        if queued:
            self.request_action()
        return queued

    def act(self, milliseconds: int) -> None:
        """Sends what the baud rate allows; the rest waits for the next step."""
        super().act(milliseconds)
        if self.device.waiting:
            self.request_action()


class ReceiverState(MountedState):
    """A receiver as the controller sees it.

    Attributes:
        queue: what it has received and the controller has not dropped.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.channel: int = self.node.channel
        self.queue: deque[Reception] = deque()

    def restart(self) -> None:
        """Drops the received packets."""
        super().restart()
        self.queue.clear()

    def act(self, milliseconds: int) -> None:
        """Changes the channel."""
        typing.cast(ReceiverSampler, self.device.sampler).channel = self.channel

    def answered(self) -> None:
        """Takes over the packets that fit in the buffer."""
        for reception in self.measurement.value:
            used = sum(len(packet.data) for packet in self.queue)
            size = self.node.buffer_size
            if size == -1 or len(reception.data) <= size - used:
                self.queue.append(reception)
