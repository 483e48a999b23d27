"""The arguments that a motor takes."""

import math

import numpy as np
import pytest
from robots import signal

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.setPosition(NAN),
        lambda m: m.setVelocity(NAN),
        lambda m: m.setAcceleration(NAN),
        lambda m: m.setAcceleration(-2),
        lambda m: m.setAvailableForce(NAN),
        lambda m: m.setAvailableTorque(-1),
        lambda m: m.setForce(NAN),
        lambda m: m.setTorque(NAN),
        lambda m: m.setControlPID(0, 0, 0),
        lambda m: m.setControlPID(-1, 0, 0),
        lambda m: m.setControlPID(10, -1, 0),
        lambda m: m.setControlPID(10, 0, -1),
        lambda m: m.setControlPID(NAN, 0, 0),
        lambda m: m.setControlPID(INF, 0, 0),
        lambda m: m.enableForceFeedback(-1),
        lambda m: m.enableTorqueFeedback(-8),
    ],
)
def test_a_wrong_argument_prints_an_error_and_does_nothing(
    robot, motor, capsys, call
):
    call(motor)
    error = capsys.readouterr().err
    assert error.startswith("Error: Motor 'hinge motor': ")
    assert error.count("\n") == 1
    robot.step(8)
    assert motor.getTargetPosition() == 0.25
    assert motor.getVelocity() == 8
    assert motor.getAcceleration() == 40
    assert motor.getAvailableForce() == 10
    assert motor.getForceFeedbackSamplingPeriod() == 0
    assert signal(motor, "mode")[-1] == 0


@pytest.mark.parametrize("value", ["1.0", None, [1.0], b"1"])
def test_what_is_no_number_raises_as_with_webots(motor, value):
    for call in (motor.setPosition, motor.setTorque, motor.setVelocity):
        with pytest.raises(TypeError, match="not a number"):
            call(value)


def test_numpy_numbers_are_numbers(motor):
    motor.setPosition(np.float32(0.5))
    assert motor.getTargetPosition() == 0.5
    motor.enableTorqueFeedback(np.int64(16))
    assert motor.getTorqueFeedbackSamplingPeriod() == 16


@pytest.mark.parametrize("period", [8.0, "8", None])
def test_a_feedback_period_is_an_integer(motor, period):
    with pytest.raises(TypeError, match="whole number of milliseconds"):
        motor.enableTorqueFeedback(period)
