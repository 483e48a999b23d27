"""Webots' Brake."""

import math
import typing

from webmotor_drake.motor.commands import Kind
from webmotor_drake.robot.devices.device import JointDevice, checked
from webmotor_drake.robot.link import messages
from webmotor_drake.robot.link.device_state import BrakeState

if typing.TYPE_CHECKING:
    from webmotor_drake.robot.devices.motor import Motor
    from webmotor_drake.robot.devices.position_sensor import PositionSensor


class Brake(JointDevice):
    """A damper on a joint that the controller sets."""

    _kind = BrakeState

    def setDampingConstant(self, c: float) -> None:
        """Sets the damping that is added to the joint's, N m s/rad or N s/m.

        It is 0 at first and acts from the next step on. NaN and infinity are
        ignored, with an error; a negative number isn't.
        """
        c = checked(self, "setDampingConstant", c)
        if c is None:
            return
        if math.isinf(c):
            messages.error(
                self._call(f"setDampingConstant({c!r})"),
                "an infinite damping is ignored; a number is needed",
            )
            return
        self._state.request(Kind.BRAKE_DAMPING, c)

    # Webots has it in camelCase, and write-only.
    dampingConstant = property(fset=setDampingConstant)

    def getMotor(self) -> "Motor | None":
        """Returns the motor on the same joint."""
        return self._motor()

    def getPositionSensor(self) -> "PositionSensor | None":
        """Returns the position sensor on the same joint."""
        return self._position_sensor()

    motor = property(getMotor)
    position_sensor = property(getPositionSensor)
