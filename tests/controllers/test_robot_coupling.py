"""Coupled motors as the controller sees them."""

import math

from robots import signal

from webmotor_drake.robot import Motor

INF = math.inf


def test_a_coupled_motor_is_told_its_siblings_target(pair):
    left, right = pair
    left.setPosition(0.01)
    assert left.getTargetPosition() == 0.01
    assert right.getTargetPosition() == -0.02  # times its own multiplier
    left.setVelocity(0.05)
    assert (left.getVelocity(), right.getVelocity()) == (0.05, -0.1)
    right.setPosition(0.01)  # the argument itself, for the one commanded
    assert right.getTargetPosition() == 0.01
    assert left.getTargetPosition() == 0.01


def test_an_infinite_target_is_not_multiplied(pair):
    left, right = pair
    left.setPosition(INF)
    assert right.getTargetPosition() == INF


def test_a_coupled_motor_does_what_its_sibling_is_told(pair):
    left, right = pair
    left.setPosition(0.01)
    right._client.robot.step(8)
    assert signal(left, "target_position")[-1] == 0.01
    assert signal(right, "target_position")[-1] == -0.02
    left.setForce(1.0)
    right._client.robot.step(8)
    assert signal(right, "mode")[-1] == 2
    assert signal(right, "effort")[-1] == -2


def test_acceleration_available_force_and_pid_are_not_relayed(pair):
    left, right = pair
    left.setAcceleration(2)
    left.setAvailableForce(3)
    left.setControlPID(5, 0, 0)
    right._client.robot.step(8)
    assert right.getAcceleration() == -1
    assert right.getAvailableForce() == 10
    assert right._client.host.settings(1).control_pid == (10, 0, 0)
    assert left._client.host.settings(0).control_pid == (5, 0, 0)


def test_motors_are_commanded_in_the_order_of_their_tags(pair):
    left, right = pair
    right.setPosition(0.01)  # sent second, so it holds for both
    left.setPosition(0.03)
    left._client.robot.step(8)
    assert signal(left, "target_position")[-1] == 0.01


def test_a_siblings_infinite_target_allows_a_negative_velocity(pair):
    # left is commanded first, when the simulator still has its old target: the
    # sign is an affair of the controller's side, which knows the new one.
    left, right = pair
    right.setPosition(INF)
    left.setVelocity(-0.05)
    assert (left.getVelocity(), right.getVelocity()) == (-0.05, 0.1)
    right._client.robot.step(8)
    assert signal(left, "velocity_target")[-1] == -0.05
    assert signal(right, "velocity_target")[-1] == 0.1


def test_a_linear_motor_says_so(pair):
    assert pair[0].getType() == Motor.LINEAR == 1
    assert pair[0].getNodeType() == 50
