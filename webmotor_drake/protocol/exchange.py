"""State that the devices of a robot share with their client."""

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path

from webmotor_drake.host.devices import HostDevice
from webmotor_drake.host.measuring import Measurement, Measuring
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses.sampling import steps_of
from webmotor_drake.motor.commands import StepCommands


class Limited(typing.Protocol):
    """A motor, whose client is told of some fields when they change."""

    def limits(self) -> tuple:
        """Returns these fields."""
        ...

    def configure(self) -> None:
        """Has the next answer tell them."""


class Exchange:
    """Requests and answers of a robot's devices between two steps.

    Attributes:
        host: the simulator's side.
        devices: the simulator's side of them, in the order of their tags.
        wire_tags: their tags by those that the scene has.
        commands: what has been commanded and is not sent.
        changed: motors whose fields a command may have changed.
        images: the pixels that the next answer has, by tag and number; over TCP.
        image_folder: where files with pixels are; None: over TCP.
        measuring: switches what is measured on and off.
    """

    def __init__(
        self,
        host: RobotHost,
        devices: Sequence[HostDevice],
        wire_tags: Mapping[int, int],
    ):
        self.host = host
        self._stepped = host.stepped
        self.devices = devices
        self.wire_tags = wire_tags
        self.commands: StepCommands = []
        self.changed: list[Limited] = []
        self.images: dict[tuple[int, int], bytes] = {}
        self.image_folder: Path | None = None
        self.measuring = Measuring(self._stepped)

    @property
    def time(self) -> float:
        """The simulated time, s."""
        return self._stepped.time_of(self.now)

    @property
    def now(self) -> int:
        """The basic steps done."""
        return int(self._stepped.now)

    def due(self, milliseconds: int) -> int:
        """Returns at the start of which step so many ms from now have passed."""
        basic = self._stepped.basic_time_step
        return self.now + steps_of(milliseconds, basic)

    def enable(self, measurement: Measurement, period: int) -> None:
        """Samples every so many ms from now on; 0: no more."""
        measurement.period = period
        steps = self.due(period) - self.now if period else 0
        self.measuring.enable(measurement, steps)
