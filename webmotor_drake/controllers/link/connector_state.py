"""The controller's state of Connectors (connector.c)."""

import typing

from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.devices import ConnectorDevice


class ConnectorState(MountedState):
    """A connector as the controller sees it.

    Attributes:
        locked: whether it is locked, by what its controller has asked for.
    """

    device: ConnectorDevice

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.locked: bool = self.node.is_locked

    def order(self, lock: bool) -> None:
        """Locks or unlocks it with the next step."""
        self.locked = lock
        self.device.orders.append(lock)
        self.request_action()

    def restart(self) -> None:
        """Is locked as at the start: the simulation has been reset."""
        super().restart()
        self.locked = typing.cast(bool, self.node.is_locked)
