"""What the controller keeps of a device on a body."""

import typing

from webmotor_drake.controllers.link.device_state import (
    DeviceState,
    Measurement,
    Request,
)
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler


class MountedState(DeviceState):
    """A device on a body as the controller sees it.

    Attributes:
        node: its fields.
        place: where it is.
        surroundings: what it senses there.
        sampler: the simulator's side of what it measures; None: nothing.
        measurement: what it has measured.
    """

    def __init__(
        self,
        host: RobotHost,
        queue: set[DeviceState],
        name: str,
        index: int,
        node_type: int,
        place: Place,
        sampler: Sampler | None,
    ):
        super().__init__(host, queue, name, "", node_type, index)
        self.node: typing.Any = host.devices[name]
        self.place = place
        self.surroundings = host.stepped.surroundings
        self.sampler = sampler
        if sampler is not None:
            self.measurement = Measurement(sampler, sampler.value)
            if type(self).answered is not MountedState.answered:
                self.measurement.told = self.answered

    def request_action(self) -> None:
        """Has the next step call `act`."""
        self.request(Request.ACTION)

    def act(self, milliseconds: int) -> None:
        """Does what the controller has asked for, as a step of so many ms starts."""

    def answered(self) -> None:
        """Takes over a new measurement."""
