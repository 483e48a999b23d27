"""Programmes that command and read a robot, whichever client carries them out.

A hand commands motors and brakes, enables sensors, steps, and reads: that of the
controller API's classes, in process or in a session, and that of a client of the wire.
"""

import math
import struct
import typing

from webots_client import WebotsClient

# What a motor is told: the API's setter, and the wire's number.
_COMMANDS = {
    "Position": 1,
    "Velocity": 2,
    "AvailableTorque": 3,
    "Torque": 4,
    "Acceleration": 6,
    "ControlPID": 7,
}
# The wire's number of what a sensor measures.
_READINGS = {
    "hinge sensor": 1,
    "gyro": 53,
    "accelerometer": 51,
    "compass": 52,
    "altimeter": 1,
    "sonar": 50,
}


class Hand(typing.Protocol):
    """The requests of a programme."""

    def command(self, motor: str, what: str, *values: float) -> None:
        """Commands a motor."""

    def brake(self, name: str, damping: float) -> None:
        """Sets a brake's damping."""

    def enable(self, name: str, period: int) -> None:
        """Starts a sensor, or stops it."""

    def feel(self, motor: str, period: int) -> None:
        """Starts a motor's torque feedback."""

    def step(self, period: int) -> int:
        """Lets time pass."""

    def read(self, name: str) -> typing.Any:
        """Returns a sensor's newest value, or a motor's torque feedback."""


class PythonHand:
    """A hand of the controller API.

    Args:
        robot: its Robot.
    """

    def __init__(self, robot: typing.Any):
        self._robot, self.step = robot, robot.step

    def command(self, motor: str, what: str, *values: float) -> None:
        getattr(self._robot.getDevice(motor), f"set{what}")(*values)

    def brake(self, name: str, damping: float) -> None:
        self._robot.getDevice(name).setDampingConstant(damping)

    def enable(self, name: str, period: int) -> None:
        self._robot.getDevice(name).enable(period)

    def feel(self, motor: str, period: int) -> None:
        self._robot.getDevice(motor).enableTorqueFeedback(period)

    def read(self, name: str) -> typing.Any:
        device = self._robot.getDevice(name)
        for method in ("getTorqueFeedback", "getValues", "getValue"):
            if hasattr(device, method):
                value = getattr(device, method)()
                return tuple(value) if isinstance(value, list) else value
        raise TypeError(name)


class WireHand:
    """A hand of a client of the wire.

    Args:
        client: the client.
    """

    def __init__(self, client: WebotsClient):
        self._client, self.step = client, client.step
        self.enable = client.enable

    def command(self, motor: str, what: str, *values: float) -> None:
        self._client.motor(motor, _COMMANDS[what], *values)

    def brake(self, name: str, damping: float) -> None:
        self._client.command(name, struct.pack("<Bd", 2, damping))

    def feel(self, motor: str, period: int) -> None:
        self._client.command(motor, struct.pack("<HH", 5, period))

    def read(self, name: str) -> typing.Any:
        number = _READINGS.get(name, 5)
        return self._client.seen.get((name, number), math.nan)


def servo(hand: Hand) -> typing.Iterator[typing.Any]:
    """Positions, velocities, gains, bounds and a brake."""
    hand.enable("hinge sensor", 16)
    hand.feel("hinge motor", 8)
    for k in range(40):
        hand.command("hinge motor", "Position", 0.9 if k % 20 < 10 else -0.5)
        hand.command("hinge motor", "Velocity", 3.0)
        if k == 5:
            hand.command("hinge motor", "Acceleration", 20)
            hand.command("hinge motor", "ControlPID", 8, 0.5, 0.1)
        if k == 12:
            hand.command("hinge motor", "AvailableTorque", 6)
            hand.brake("hinge brake", 0.2)
        yield hand.step(8)
        yield hand.read("hinge sensor"), hand.read("hinge motor")


def torque(hand: Hand) -> typing.Iterator[typing.Any]:
    """Direct torque, then a position again, by steps of several lengths."""
    hand.enable("hinge sensor", 8)
    for period, effort in [(8, 0.3), (24, -0.2), (20, 0.1), (8, 0.0)]:
        hand.command("hinge motor", "Torque", effort)
        # How late a step was compares with the last request on the wire, as in
        # Webots, and with its own in Python.
        hand.step(period)
        yield hand.read("hinge sensor")
    hand.command("hinge motor", "Position", 0.2)
    for _ in range(5):
        hand.step(16)
        yield hand.read("hinge sensor")


def senses(hand: Hand) -> typing.Iterator[typing.Any]:
    """Sensors of bodies with periods of their own, one of which is switched off."""
    names = [name for name in _READINGS if name != "hinge sensor"]
    for i, name in enumerate(names):
        hand.enable(name, 8 * (1 + i % 3))
    hand.command("hinge motor", "Position", 1.0)
    for k in range(12):
        if k == 8:
            hand.enable("gyro", 0)
        yield hand.step(8)
        yield tuple(hand.read(name) for name in names) if k > 2 else None


def to_the_end(hand: Hand) -> typing.Iterator[typing.Any]:
    """Steps until the scenario is over, and once more."""
    hand.command("hinge motor", "Velocity", 1.0)
    hand.command("hinge motor", "Position", 2.0)
    while True:
        delay = hand.step(32)
        yield delay
        if delay == -1:
            return


PROGRAMMES = {p.__name__: p for p in (servo, torque, senses, to_the_end)}
