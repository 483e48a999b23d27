"""The controller's state of a device on a body."""

import typing

from webmotor_drake.controllers.link.device_state import DeviceState, Request


class MountedState(DeviceState):
    """A device on a body as the controller sees it.

    Attributes:
        node: its fields.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.node: typing.Any = self.device.node
        if type(self).answered is not MountedState.answered:
            self.measurement.told = self.answered

    def request_action(self) -> None:
        """Makes the next step call `act`."""
        self.request(Request.ACTION)

    def answered(self) -> None:
        """Takes over a new measurement."""
