"""Changes of devices that the next answer tells: Webots' configuration messages.

A motor's acceleration and gains change by commands, all else by supervisors and resets.
"""

import typing
from collections.abc import Iterable, Mapping

from webmotor_drake.controllers.link.device_state import (
    DeviceState,
    MotorState,
)
from webmotor_drake.controllers.link.image_states import CameraState
from webmotor_drake.host.robot_host import RobotHost

# The fields of a motor whose changes are reported.
Reported = tuple[float, tuple[float, float, float]]


class DeviceChanges:
    """Tells a controller's devices what has changed of them.

    Args:
        host: the robot.
        devices: in the order of their tags.
    """

    def __init__(self, host: RobotHost, devices: Iterable[DeviceState]):
        self._host, self._devices = host, list(devices)
        self._changed: dict[MotorState, None] = {}
        changes = host.stepped.changes
        changes.at_reset.append(self._told_of_reset)
        changes.at_device_change.append(self._told_of_change)

    def stop(self) -> None:
        """Hears of no more changes."""
        changes = self._host.stepped.changes
        changes.at_reset.remove(self._told_of_reset)
        changes.at_device_change.remove(self._told_of_change)

    def reported(self, motor: MotorState) -> Reported:
        """Returns the fields whose changes are reported."""
        settings = self._host.settings(motor.index)
        return settings.acceleration, settings.control_pid

    def compare(self, before: Mapping[MotorState, Reported]) -> None:
        """Notes the motors whose fields are others than before."""
        for motor, fields in before.items():
            if self.reported(motor) != fields:
                self._changed[motor] = None

    def answer(self) -> None:
        """Configures the motors that have changed."""
        if self._changed:
            for motor in self._changed:
                motor.configure(self._host.settings(motor.index))
            self._changed.clear()

    def _told_of_change(
        self, robot: str, tag: int, field: str, value: typing.Any
    ) -> None:
        """Takes over a supervisor's changes of a device."""
        if robot != self._host.name:
            return
        device = self._devices[tag - 1]
        if isinstance(device, MotorState):
            self._changed[device] = None  # the next answer tells
        elif isinstance(device, CameraState):
            device.change(field, value)

    def _told_of_reset(self) -> None:
        """Restarts devices; the next answer configures the motors."""
        for device in self._devices:
            device.restart()
            if isinstance(device, MotorState):
                self._changed[device] = None
