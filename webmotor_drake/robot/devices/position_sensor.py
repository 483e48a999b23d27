"""Webots' PositionSensor."""

import typing

from webmotor_drake.robot.devices.device import Sensor, value_of
from webmotor_drake.robot.link.device_state import SensorState

if typing.TYPE_CHECKING:
    from webmotor_drake.robot.devices.brake import Brake
    from webmotor_drake.robot.devices.motor import Motor


class PositionSensor(Sensor):
    """Measures the position of a joint."""

    _kind = SensorState

    def getValue(self) -> float:
        """Returns the newest position that was measured, rad or m.

        NaN before the first; the last one, with an error, when it is off.
        """
        return value_of(self, "getValue()")

    def getMotor(self) -> "Motor | None":
        """Returns the motor on the same joint."""
        return self._motor()

    def getBrake(self) -> "Brake | None":
        """Returns the brake on the same joint."""
        return self._brake()

    value = property(getValue)
    motor = property(getMotor)
    brake = property(getBrake)
