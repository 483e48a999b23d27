"""A robot that a test commands."""

import pytest
from robots import scenario

from webmotor_drake.robot.session import RobotSession


@pytest.fixture
def session():
    """The Arm in the test's own thread."""
    with RobotSession(scenario()) as session:
        yield session


@pytest.fixture
def robot(session):
    return session.robot("arm")


@pytest.fixture
def motor(robot):
    return robot.getDevice("hinge motor")


@pytest.fixture
def sensor(robot):
    return robot.getDevice("hinge sensor")


@pytest.fixture
def brake(robot):
    return robot.getDevice("hinge brake")


@pytest.fixture
def pair():
    """The motors of the coupled gripper, and their robot."""
    with RobotSession(scenario("Pair")) as session:
        robot = session.robot("gripper")
        yield robot.getDevice("grip::left"), robot.getDevice("grip::right")
