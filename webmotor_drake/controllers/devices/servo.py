"""The Servo of Webots before 2013: motor, position sensor and joint in one."""

import math

from webmotor_drake.controllers.devices.device import newest
from webmotor_drake.controllers.devices.joint_devices import Motor
from webmotor_drake.host import messages
from webmotor_drake.motor.commands import Kind


class Servo(Motor):
    """A motor under its old name and with its old methods.

    Methods of both, such as setPosition, are the same. `Robot.getServo` returns
    one for any motor.
    """

    def setMotorForce(self, motor_force: float) -> None:
        """Sets the available effort, `motor_force`; see `setAvailableForce`."""
        self.setAvailableForce(motor_force)

    def setControlP(self, p: float) -> None:
        """Sets the gain P to `p`, 1/s; a Servo has no other.

        Ignored, with an error, unless it is above 0.
        """
        call = self._call(f"setControlP({p!r})")
        p = messages.number(call, p)
        if not 0 < p < math.inf:
            messages.error(call, "ignored; above 0 is needed")
            return
        self._request(Kind.CONTROL_PID, (p, 0.0, 0.0))

    def enablePosition(self, ms: int) -> None:
        """Measures the joint's position every `ms`, as `Sensor.enable` does."""
        self._sample("enablePosition", ms)

    def disablePosition(self) -> None:
        """Stops measuring the position; the last value stays."""
        self.enablePosition(0)

    def getPositionSamplingPeriod(self) -> int:
        """Returns the sampling period of the position, ms; 0: off."""
        return self._device.sampler.asked

    def getPosition(self) -> float:
        """Returns the newest position that was measured; NaN before the first."""
        return newest(self, "getPosition()")

    enableMotorForceFeedback = Motor.enableForceFeedback
    disableMotorForceFeedback = Motor.disableForceFeedback
    getMotorForceFeedbackSamplingPeriod = Motor.getForceFeedbackSamplingPeriod
    getMotorForceFeedback = Motor.getForceFeedback
