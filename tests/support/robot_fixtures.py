"""A robot that a test commands."""

import os
import sys
import threading

import pytest
from robots import scenario

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.host import stepped_simulation


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


@pytest.fixture(params=["anywhere", "at home"])
def simulated(request, monkeypatch):
    """Runs every test twice: a simulation that draws stays in its thread."""
    drawn = request.param == "at home"
    monkeypatch.setattr(
        stepped_simulation, "is_drawn", lambda simulation: drawn
    )


@pytest.fixture
def leaves_nothing_behind():
    """No thread, module or changed stream stays after a run."""
    threads = set(threading.enumerate())
    before = sys.argv, sys.path, sys.stdin, sys.modules["__main__"]
    folder = os.getcwd()
    yield
    assert set(threading.enumerate()) == threads
    assert (sys.argv, sys.path, sys.stdin, sys.modules["__main__"]) == before
    assert os.getcwd() == folder
    assert "controller" not in sys.modules
