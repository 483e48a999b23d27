"""Webots' Motor, PositionSensor and Brake, which are on a joint, and its old Servo."""

import math

from webmotor_drake.controllers.devices.device import (
    Device,
    Sensor,
    checked,
    newest,
)
from webmotor_drake.controllers.link.client import Request
from webmotor_drake.host import messages
from webmotor_drake.host.robot_requests import refusal
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.node_types import Node


class JointDevice(Device):
    """The common methods of motors, position sensors and brakes."""

    ROTATIONAL = 0
    LINEAR = 1

    def getType(self) -> int:
        """Returns ROTATIONAL or LINEAR, by the type of the joint."""
        return self._device.type

    type = property(getType)

    def _command(self, method: str, kind: Kind, value: float) -> float | None:
        """Queues a command with a number; None: it is refused, with an error."""
        number = checked(self, method, value)
        if number is None:
            return None
        if problem := refusal(kind, number):
            messages.error(self._call(f"{method}({number!r})"), problem)
            return None
        self._request(kind, number)
        return number


def _brake(self: JointDevice) -> "Brake | None":
    return self._sibling(Brake, "getBrake()")


def _motor(self: JointDevice) -> "Motor | None":
    return self._sibling(Motor, "getMotor()")


def _position_sensor(self: JointDevice) -> "PositionSensor | None":
    return self._sibling(PositionSensor, "getPositionSensor()")


class Motor(JointDevice):
    """A motor on a joint.

    Setters act when the robot steps, getters return what was set; see
    `Robot.step`. Units are rad, rad/s, rad/s^2 and N m for a rotational motor, m,
    m/s, m/s^2 and N for a linear one. The names with force and with torque are
    the same for either.
    """

    _types = frozenset({Node.ROTATIONAL_MOTOR, Node.LINEAR_MOTOR})

    def setPosition(self, position: float) -> None:
        """Sets the target position; infinite: velocity control.

        Ends force control. The simulator applies the multiplier and clips the
        target to the soft limits.
        """
        # A quick check first: a controller may command every motor in every step.
        if type(position) is not float or position != position:
            position = checked(self, "setPosition", position)
        if position is not None and self._is_here():
            self._client.request_position(self._device, position)

    def setVelocity(self, velocity: float) -> None:
        """Sets the largest speed, or in velocity control the velocity.

        A negative one is ignored, with an error, while the target position is
        finite.
        """
        velocity = checked(self, "setVelocity", velocity)
        if velocity is None:
            return
        target = self._device.target_position
        if velocity < 0 and (
            problem := refusal(Kind.VELOCITY, velocity, target)
        ):
            messages.error(self._call(f"setVelocity({velocity!r})"), problem)
            return
        if self._is_here():
            self._client.request_velocity(self._device, velocity)

    def setAcceleration(self, acceleration: float) -> None:
        """Limits the commanded `acceleration`, rad/s^2 or m/s^2; -1: no limit.

        NaN and other negative numbers are ignored, with an error.
        """
        limit = self._command(
            "setAcceleration", Kind.ACCELERATION, acceleration
        )
        if limit is not None:
            self._device.acceleration = limit

    def setAvailableForce(self, force: float) -> None:
        """Sets the effort that the motor may use: `force`, N m or N.

        NaN and negative numbers are ignored, with an error. The simulator clips
        it to the motor's largest effort; `getAvailableForce` returns it unclipped.
        """
        limit = self._command("setAvailableForce", Kind.AVAILABLE_EFFORT, force)
        if limit is not None:
            self._device.available_effort = limit

    def setControlPID(self, p: float, i: float, d: float) -> None:
        """Sets the gains from position error to velocity.

        Ignored, with an error, unless p > 0, i >= 0 and d >= 0. A change of the
        gains forgets the integral and the last error; after the step getters
        return the simulator's values.
        """
        call = self._call(f"setControlPID({p!r}, {i!r}, {d!r})")
        gains = tuple(messages.number(call, gain) for gain in (p, i, d))
        if problem := refusal(Kind.CONTROL_PID, gains):
            messages.error(call, problem)
            return
        self._request(Kind.CONTROL_PID, gains)

    def setForce(self, force: float) -> None:
        """Applies the effort `force`, N m or N, until the next setPosition.

        The simulator applies the multiplier and clips it to the available
        effort. It wins over a setPosition before the same step, in any order.
        """
        force = checked(self, "setForce", force)
        if force is not None and self._is_here():
            self._client.request_effort(self._device, force)

    def getTargetPosition(self) -> float:
        """Returns the target position as it was set.

        At first, and after a change of PID or acceleration, it is the simulator's
        value, with multiplier and soft limits. For a motor that follows a coupled
        motor, it is that motor's target times its own multiplier.
        """
        return self._device.target_position

    def getVelocity(self) -> float:
        """Returns the target velocity, not the joint's: see `joint_velocity`.

        As set, with the same exceptions as `getTargetPosition`.
        """
        return self._device.target_velocity

    def getAcceleration(self) -> float:
        """Returns the limit on the change of the commanded velocity; -1: none."""
        return self._device.acceleration

    def getAvailableForce(self) -> float:
        """Returns the available effort as it was set."""
        return self._device.available_effort

    def getMinPosition(self) -> float:
        """Returns the lower soft limit."""
        return self._device.settings.min_position

    def getMaxPosition(self) -> float:
        """Returns the upper soft limit."""
        return self._device.settings.max_position

    def getMaxVelocity(self) -> float:
        """Returns the largest target velocity."""
        return self._device.settings.max_velocity

    def getMaxForce(self) -> float:
        """Returns the largest available effort: max_torque or max_force."""
        return self._device.settings.max_effort

    def getMultiplier(self) -> float:
        """Returns the factor on position, velocity and effort commands."""
        return self._device.settings.multiplier

    def enableForceFeedback(self, sampling_period: int) -> None:
        """Measures the motor's effort every `sampling_period` ms; see `Sensor.enable`.

        0 switches it off.
        """
        feedback = Request.FEEDBACK_PERIOD, "feedback"
        self._sample("enableForceFeedback", sampling_period, *feedback)

    def disableForceFeedback(self) -> None:
        """Stops measuring the effort; the last value stays."""
        self.enableForceFeedback(0)

    def getForceFeedbackSamplingPeriod(self) -> int:
        """Returns the sampling period of the feedback, ms; 0: off."""
        return self._device.feedback.asked

    def getForceFeedback(self) -> float:
        """Returns the newest effort of the servo; NaN before the first.

        Positive efforts increase the position. Static friction is included; springs,
        dampers and the effort of setForce are not.
        """
        return self._device.feedback.seen

    getBrake, getPositionSensor = _brake, _position_sensor
    setAvailableTorque = setAvailableForce
    setTorque = setForce
    getAvailableTorque = getAvailableForce
    getMaxTorque = getMaxForce
    enableTorqueFeedback = enableForceFeedback
    disableTorqueFeedback = disableForceFeedback
    getTorqueFeedbackSamplingPeriod = getForceFeedbackSamplingPeriod
    getTorqueFeedback = getForceFeedback

    target_position = property(getTargetPosition, setPosition)
    target_velocity = property(getVelocity, setVelocity)
    target_acceleration = property(getAcceleration, setAcceleration)
    available_force = property(getAvailableForce, setAvailableForce)
    available_torque = available_force
    force = property(fset=setForce)
    torque = force
    min_position = property(getMinPosition)
    max_position = property(getMaxPosition)
    max_velocity = property(getMaxVelocity)
    max_force = property(getMaxForce)
    max_torque = max_force
    multiplier = property(getMultiplier)
    force_feedback_sampling_period = property(
        getForceFeedbackSamplingPeriod, enableForceFeedback
    )
    torque_feedback_sampling_period = force_feedback_sampling_period
    force_feedback = property(getForceFeedback)
    torque_feedback = force_feedback
    brake = property(getBrake)
    position_sensor = property(getPositionSensor)

    @property
    def joint_velocity(self) -> float:
        """The velocity of the joint, rad/s or m/s; Webots does not have it."""
        if not self._device.joint:
            return math.nan
        return self._client.host.velocity(self._device.joint)


class PositionSensor(JointDevice, Sensor):
    """Measures the position of a joint."""

    _types = frozenset({Node.POSITION_SENSOR})

    def getValue(self) -> float:
        """Returns the newest position that was measured, rad or m.

        NaN before the first measurement; the last value, with an error, if it is off.
        """
        if self._tag and (sampler := self._device.sampler).asked > 0:
            return sampler.seen
        return newest(self, "getValue()")

    getMotor, getBrake = _motor, _brake
    value = property(getValue)
    motor = property(getMotor)
    brake = property(getBrake)


class Brake(JointDevice):
    """A damper on a joint that the controller sets."""

    _types = frozenset({Node.BRAKE})

    def setDampingConstant(self, c: float) -> None:
        """Adds the damping `c` to the joint, N m s/rad or N s/m.

        It is 0 at first and acts from the next step on. NaN and infinity are
        ignored, with an error; a negative number isn't.
        """
        self._command("setDampingConstant", Kind.BRAKE_DAMPING, c)

    # Webots has it in camelCase, and write-only.
    dampingConstant = property(fset=setDampingConstant)

    getMotor, getPositionSensor = _motor, _position_sensor
    motor = property(getMotor)
    position_sensor = property(getPositionSensor)


class Servo(Motor):
    """A motor under its old name and with its old methods.

    Methods that Motor has, too, such as setPosition, are the same. `Robot.getServo`
    returns a Servo for any motor.
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
