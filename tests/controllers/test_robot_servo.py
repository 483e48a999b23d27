"""The old Servo under its own names."""

import math

import pytest
from robots import scenario

from webmotor_drake.robot import Motor, RobotSession, Servo


@pytest.fixture
def robot():
    with RobotSession(scenario("OldServo")) as session:
        yield session.robot("arm")


@pytest.fixture
def servo(robot):
    return robot.getDevice("hinge servo")


def test_a_servo_node_is_a_servo_and_a_motor(robot, servo):
    assert isinstance(servo, Servo)
    assert isinstance(servo, Motor)
    assert servo.getType() == Servo.ROTATIONAL
    assert servo.getMaxTorque() == 5


def test_any_motor_can_be_had_as_a_servo(robot, servo, capsys):
    other = robot.getServo("hinge servo")
    other.setPosition(0.5)
    assert servo.getTargetPosition() == 0.5
    assert robot.getServo("elbow") is None
    assert "known: hinge servo" in capsys.readouterr().err


def test_motor_force_is_the_available_torque(robot, servo, capsys):
    servo.setMotorForce(2)
    assert servo.getAvailableTorque() == 2
    servo.setMotorForce(-1)
    assert "negative" in capsys.readouterr().err
    servo.setForce(3)
    with pytest.warns(UserWarning):
        robot.step(16)
    results = robot._client.host.stepped.simulation.results()
    assert results["arm/hinge servo/effort"][-1] == 2


def test_control_p_is_the_only_gain(robot, servo, capsys):
    servo.setControlP(4)
    robot.step(8)
    assert robot._client.host.settings(0).control_pid == (4, 0, 0)
    for wrong in (0, -1, math.nan, math.inf):
        servo.setControlP(wrong)
    assert capsys.readouterr().err.count("Error: ") == 4
    with pytest.raises(TypeError):
        servo.setControlP("4")


def test_it_measures_its_own_position(robot, servo, capsys):
    assert servo.getPositionSamplingPeriod() == 0
    servo.enablePosition(16)
    assert servo.getPositionSamplingPeriod() == 16
    servo.setPosition(0.5)
    robot.step(8)
    assert math.isnan(servo.getPosition())
    robot.step(792)
    assert servo.getPosition() == pytest.approx(0.5, abs=1e-3)
    assert not capsys.readouterr().err
    servo.disablePosition()
    robot.step(8)
    assert servo.getPosition() == pytest.approx(0.5, abs=1e-3)
    assert "the sensor is off" in capsys.readouterr().err
    servo.enablePosition(-1)
    assert servo.getPositionSamplingPeriod() == 0


def test_motor_force_feedback_is_the_torque_feedback(robot, servo):
    servo.enableMotorForceFeedback(8)
    assert servo.getMotorForceFeedbackSamplingPeriod() == 8
    assert math.isnan(servo.getMotorForceFeedback())
    servo.setPosition(0.5)
    robot.step(8)
    assert servo.getMotorForceFeedback() == 5  # all that it has
    servo.disableMotorForceFeedback()
    assert servo.getMotorForceFeedbackSamplingPeriod() == 0


def test_what_both_names_share_is_the_same(robot, servo):
    servo.setPosition(math.inf)
    servo.setVelocity(-1)
    servo.setAcceleration(3)
    assert servo.getVelocity() == -1
    assert servo.getAcceleration() == 3
    assert (servo.getMinPosition(), servo.getMaxPosition()) == (0, 0)
