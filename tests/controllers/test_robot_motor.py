"""The rules of Webots for each getter and setter of Motor."""

import math

import numpy as np
import pytest
from robots import scenario, signal, with_driver

from webmotor_drake.errors import MotorWarning
from webmotor_drake.robot import Motor, RobotSession

INF = math.inf
NAN = math.nan


def test_at_first_the_getters_tell_the_fields(motor):
    assert motor.getTargetPosition() == 0.25  # where the joint is
    assert motor.getVelocity() == motor.getMaxVelocity() == 8
    assert motor.getAcceleration() == 40
    assert motor.getAvailableTorque() == motor.getMaxTorque() == 10
    assert (motor.getMinPosition(), motor.getMaxPosition()) == (-2, 2)
    assert motor.getMultiplier() == 1
    assert math.isnan(motor.getTorqueFeedback())
    assert motor.getTorqueFeedbackSamplingPeriod() == 0


def test_force_and_torque_are_names_of_the_same(motor):
    motor.setAvailableForce(3)
    assert motor.getAvailableTorque() == motor.getAvailableForce() == 3
    assert motor.getMaxForce() == motor.getMaxTorque() == 10
    motor.enableForceFeedback(16)
    assert motor.getTorqueFeedbackSamplingPeriod() == 16
    motor.disableTorqueFeedback()
    assert motor.getForceFeedbackSamplingPeriod() == 0
    motor.enableTorqueFeedback(16)
    motor.disableForceFeedback()
    assert motor.getTorqueFeedbackSamplingPeriod() == 0


def test_properties_are_the_methods(motor):
    motor.target_position = 1.5
    motor.target_velocity = 3
    motor.target_acceleration = 7
    motor.available_torque = 4
    motor.force_feedback_sampling_period = 24
    assert motor.getTargetPosition() == motor.target_position == 1.5
    assert motor.getVelocity() == motor.target_velocity == 3
    assert motor.getAcceleration() == motor.target_acceleration == 7
    assert motor.getAvailableForce() == motor.available_force == 4
    assert motor.available_torque == 4
    assert motor.torque_feedback_sampling_period == 24
    assert (motor.min_position, motor.max_position) == (-2, 2)
    assert (motor.max_velocity, motor.multiplier) == (8, 1)
    assert motor.max_force == motor.max_torque == 10
    assert math.isnan(motor.force_feedback)
    assert math.isnan(motor.torque_feedback)
    assert motor.type == motor.getType() == Motor.ROTATIONAL


def test_force_and_torque_are_write_only(robot, motor):
    motor.torque = 1.0
    robot.step(8)
    assert signal(motor, "mode")[-1] == 2
    for name in ("force", "torque"):
        with pytest.raises(AttributeError):
            getattr(motor, name)


def test_there_is_no_velocity_or_position_property(motor):
    for name in ("velocity", "position", "acceleration", "control_pid"):
        assert not hasattr(motor, name)


# What is queued is sent as the session closes.
@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
def test_a_setter_is_read_back_before_the_step(motor):
    motor.setPosition(50)
    assert motor.getTargetPosition() == 50
    motor.setVelocity(20)
    assert motor.getVelocity() == 20
    motor.setAvailableTorque(100)
    assert motor.getAvailableTorque() == 100


def test_what_exceeds_a_limit_is_still_read_back_after_the_step(robot, motor):
    motor.setPosition(50)
    motor.setVelocity(20)
    motor.setAvailableTorque(100)
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert motor.getTargetPosition() == 50
    assert motor.getVelocity() == 20
    assert motor.getAvailableTorque() == 100
    assert signal(motor, "target_position")[-1] == 2


def test_a_changing_pid_brings_back_the_simulators_values(robot, motor):
    motor.setPosition(100)
    motor.setVelocity(20)
    motor.setControlPID(12, 0, 0)
    assert motor.getTargetPosition() == 100
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert motor.getTargetPosition() == 2
    assert motor.getVelocity() == 8


def test_a_pid_that_changes_nothing_brings_back_nothing(robot, motor):
    motor.setPosition(100)
    motor.setControlPID(10, 0, 0)
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert motor.getTargetPosition() == 100


def test_a_changing_acceleration_brings_back_the_simulators_values(
    robot, motor
):
    motor.setPosition(100)
    motor.setAcceleration(3)
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert motor.getTargetPosition() == 2
    assert motor.getAcceleration() == 3


def test_the_available_torque_survives_what_the_simulator_tells(robot, motor):
    motor.setAvailableTorque(4)
    motor.setControlPID(12, 0, 0)
    robot.step(8)
    assert motor.getAvailableTorque() == 4


def test_an_available_torque_above_the_largest_is_capped_by_it(robot, motor):
    motor.setAvailableTorque(100)
    motor.setControlPID(12, 0, 0)
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert motor.getAvailableTorque() == 10


def test_a_command_acts_in_the_very_next_step(robot, motor):
    motor.setAcceleration(-1)
    motor.setPosition(1.25)
    robot.step(8)
    # P = 10 times an error of 1 rad, less than the largest velocity.
    assert signal(motor, "velocity_target")[-1] == pytest.approx(8)
    assert motor.joint_velocity > 0


def test_commands_last_over_a_long_step(robot, motor):
    motor.setPosition(1.0)
    robot.step(2000)
    assert signal(motor, "position")[-1] == pytest.approx(1.0, abs=1e-5)


def test_of_a_kind_the_last_value_wins(robot, motor):
    motor.setPosition(1.5)
    motor.setPosition(-0.5)
    robot.step(8)
    assert signal(motor, "target_position")[-1] == -0.5


def test_a_torque_wins_over_a_position_in_the_same_step(robot, motor):
    motor.setTorque(1.0)
    motor.setPosition(1.0)
    robot.step(8)
    assert signal(motor, "mode")[-1] == 2


def test_a_position_ends_torque_control_in_the_next_step(robot, motor):
    motor.setTorque(1.0)
    robot.step(8)
    motor.setPosition(1.0)
    robot.step(8)
    assert signal(motor, "mode")[-1] == 0


def test_a_torque_is_clipped_by_what_is_available_in_the_same_step(
    robot, motor
):
    motor.setTorque(5.0)
    motor.setAvailableTorque(2.0)
    with pytest.warns(MotorWarning):
        robot.step(8)
    assert signal(motor, "effort")[-1] == 2


def test_a_negative_velocity_is_refused_in_position_control(
    robot, motor, capsys
):
    motor.setVelocity(-1)
    assert motor.getVelocity() == 8
    assert capsys.readouterr().err.startswith("Error: Motor 'hinge motor'")
    motor.setPosition(INF)
    motor.setVelocity(-1)
    assert motor.getVelocity() == -1
    robot.step(8)
    assert signal(motor, "velocity_target")[-1] == -1


def test_a_negative_velocity_left_over_counts_by_its_magnitude(robot, motor):
    # It was allowed when it was set; the position, of the same step, is sent
    # first whatever the order of the calls.
    motor.setPosition(INF)
    motor.setVelocity(-1)
    motor.setPosition(2)
    robot.step(8)
    assert motor.getVelocity() == -1
    # The acceleration, 40 rad/s^2, allows 0.32 rad/s in the first 8 ms.
    assert signal(motor, "velocity_target")[-1] == 1
    assert signal(motor, "velocity_command")[-1] == pytest.approx(0.32)


def test_a_kinematic_joint_runs_away_with_a_negative_velocity_left_over():
    # Its law keeps the sign (WbMotor.cpp runKinematicControl).
    with RobotSession(with_driver("drive: kinematic")) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        motor.setPosition(INF)
        motor.setVelocity(-1)
        robot.step(80)
        motor.setPosition(1.0)
        robot.step(400)
        position = signal(motor, "position")
        # 0.48 s at -1 rad/s from 0.25 rad, of which the ramp at 10 rad/s^2 keeps
        # 0.05 rad back, to within half a step.
        assert (np.diff(position)[1:] < 0).all()
        assert position[-1] == pytest.approx(-0.18, abs=0.01)


def test_an_infinite_target_of_either_sign_is_velocity_control(robot, motor):
    motor.setPosition(-INF)
    motor.setVelocity(2)
    robot.step(8)
    assert signal(motor, "velocity_target")[-1] == 2
    assert motor.getTargetPosition() == -INF


def test_the_multiplier_is_the_simulators_affair():
    config = with_driver("motors: {hinge motor: {multiplier: -2}}")
    with RobotSession(config) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        assert motor.getMultiplier() == -2
        assert motor.getMaxPosition() == 2
        motor.setPosition(0.5)
        robot.step(8)
        assert motor.getTargetPosition() == 0.5
        assert signal(motor, "target_position")[-1] == -1


def test_the_joints_own_velocity_is_beside_webots_api(robot, motor):
    motor.setPosition(INF)
    motor.setVelocity(1.5)
    robot.step(400)
    assert motor.getVelocity() == 1.5
    assert motor.joint_velocity == (
        pytest.approx(1.5, abs=1e-4)  # cfm lets the weight slow it a little
    )
    assert motor.joint_velocity == signal(motor, "velocity")[-1]


# What is queued is sent as the session closes.
@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
def test_messages_to_the_simulator_are_counted_once_a_motor(motor):
    for target in range(5):
        motor.setPosition(target)
    assert [len(row) for _, _, row in motor._client._rows] == [1, 0, 0]


@pytest.mark.parametrize("done", [True, False])
def test_what_another_thread_commands_while_a_step_sends_is_not_lost(
    robot, motor, monkeypatch, done
):
    host = motor._client.host

    def meanwhile(kind, row):
        motor.setPosition(0.7)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(host, "send_row", meanwhile)
        motor.setPosition(0.3)
        robot.step(8)
    robot.step(8)
    assert host.settings(0).target_position == 0.7


def test_scenarios_of_the_tests_have_no_warnings(recwarn):
    for name in ("Arm", "Pair", "TwoArms", "OldServo"):
        RobotSession(scenario(name))
    assert not recwarn.list
