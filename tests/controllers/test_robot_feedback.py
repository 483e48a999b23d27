"""The feedback of motors."""

import math

import numpy as np
import pytest
from robots import scenario, signal, with_driver

from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.robot import RobotSession


def test_feedback_is_the_servos_effort(robot, motor):
    motor.enableTorqueFeedback(8)
    seen = []
    for _ in range(200):
        robot.step(8)
        seen.append(motor.getTorqueFeedback())
    assert seen == signal(motor, "feedback")[1:].tolist()
    weight = 9.81 * 0.25 * math.sin(0.25)  # N m, of 1 kg 0.25 m out
    assert motor.getTorqueFeedback() == pytest.approx(weight, rel=1e-3)
    assert motor.getForceFeedback() == motor.getTorqueFeedback()


def test_feedback_has_the_sampling_rule_of_all_sensors(robot, motor):
    # NaN before the first period is over; 20 ms are three steps of 8; what is
    # there when it is switched off stays.
    motor.enableTorqueFeedback(20)
    seen = []
    for _ in range(7):
        robot.step(8)
        seen.append(motor.getTorqueFeedback())
    effort = signal(motor, "feedback")[1:]
    assert np.isnan(seen[:2]).all()
    assert seen[2:] == [*3 * [effort[2]], *2 * [effort[5]]]
    motor.disableTorqueFeedback()
    motor.setPosition(1.0)
    robot.step(80)
    assert motor.getTorqueFeedback() == effort[5]


def test_feedback_leaves_out_the_torque_that_is_set(robot, motor):
    motor.enableTorqueFeedback(8)
    motor.setTorque(2.0)
    robot.step(8)
    assert motor.getTorqueFeedback() == pytest.approx(0.0, abs=1e-12)


def test_feedback_leaves_out_spring_damper_and_brake():
    config = with_driver(
        "joints: {hinge: {spring_constant: 20, damping_constant: 3}}"
    )
    with RobotSession(config) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        robot.getDevice("hinge brake").setDampingConstant(2.0)
        motor.enableTorqueFeedback(8)
        motor.setTorque(1.0)
        for _ in range(20):
            robot.step(8)
            assert motor.getTorqueFeedback() == pytest.approx(0.0, abs=1e-9)


def test_feedback_has_static_friction_in_it():
    config = with_driver("joints: {hinge: {static_friction: 5}}")
    with RobotSession(config) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        motor.enableTorqueFeedback(8)
        motor.setTorque(0.0)
        robot.step(80)
        weight = 9.81 * 0.25 * math.sin(0.25)
        assert motor.getTorqueFeedback() == pytest.approx(weight, rel=1e-3)


def test_a_kinematic_joint_feeds_nothing_back(capsys):
    with RobotSession(with_driver("drive: kinematic")) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        motor.enableTorqueFeedback(8)
        motor.setPosition(1.0)
        robot.step(80)
        assert math.isnan(motor.getTorqueFeedback())
        assert "kinematic" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "{model_drivers: {arm: {drive: implicit}}}",
        "{plant_config: {time_step: 0.002},"
        " model_drivers: {arm: {basic_time_step: 0.008}}}",
        "{plant_config: {time_step: 0.002},"
        " model_drivers: {arm: {basic_time_step: 0.008, drive: implicit}}}",
        "{plant_config: {time_step: 0},"
        " model_drivers: {arm: {basic_time_step: 0.008}}}",
    ],
)
def test_feedback_is_what_the_results_have(text):
    config = scenario(text=text)
    config.model_drivers["arm"].joints = {
        "hinge": JointParameters(spring_constant=5, damping_constant=1)
    }
    with RobotSession(config) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        robot.getDevice("hinge brake").setDampingConstant(0.5)
        motor.enableTorqueFeedback(8)
        motor.setPosition(1.0)
        seen = []
        for step in range(100):
            if step == 50:
                motor.setTorque(1.0)
            robot.step(8)
            seen.append(motor.getTorqueFeedback())
        assert seen == signal(motor, "feedback")[1:].tolist()
