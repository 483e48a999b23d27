"""The simulator's side serves a client that is no Python controller."""

import pytest
from robots import scenario

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.host.devices import MotorDevice, devices_of
from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.robot_requests import RobotRequests
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.motor.commands import Kind
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.simulation.simulation import Simulation

STEPS, TARGET = 20, 0.4


class Client:
    """The state of the Arm that a server of another protocol would keep."""

    def __init__(self):
        self.stepped = SteppedSimulation(Simulation(scenario()))
        host = robot_hosts(self.stepped)["arm"]
        devices = {d.name: d for d in devices_of(host)}
        self.motor = devices["hinge motor"]
        self.devices = devices
        self.position = devices["hinge sensor"].sampler
        self.requests = RobotRequests(host, list(devices.values()))

    def run(self) -> list[float]:
        """Commands the motor once; returns what the sensor reads each step."""
        self.requests.enable(self.position, 8)
        self.requests.command(self.motor, Kind.POSITION, TARGET)
        self.requests.send()
        read = []
        for _ in range(STEPS):
            self.stepped.advance(self.stepped.now + 1)
            self.requests.read()
            read.append(self.position.seen)
        return read


def with_a_session() -> list[float]:
    with RobotSession(scenario()) as session:
        robot = session.robot("arm")
        sensor = robot.getDevice("hinge sensor")
        sensor.enable(8)
        robot.getDevice("hinge motor").setPosition(TARGET)
        read = []
        for _ in range(STEPS):
            robot.step(8)
            read.append(sensor.getValue())
        return read


def test_it_measures_what_a_session_does_to_the_bit():
    read = Client().run()
    assert read == with_a_session()
    assert read[-1] == pytest.approx(TARGET, abs=0.4)
    assert read[-1] > 0.01  # it moves


def test_devices_have_tags_in_webots_order_and_numbers_of_their_nodes():
    devices = list(Client().devices.values())
    assert [d.tag for d in devices] == list(range(1, len(devices) + 1))
    assert isinstance(devices[0], MotorDevice)
    assert devices[0].node_type == Node.ROTATIONAL_MOTOR
    assert {d.node_type for d in devices} >= {Node.BRAKE, Node.POSITION_SENSOR}
