"""The requests of a robot's devices, which its next step sends."""

import typing

from webmotor_drake.motor.commands import Kind

# The kinds that controllers send in every step.
_IN_ROWS = Kind.POSITION, Kind.VELOCITY, Kind.EFFORT


class Requests:
    """What the next step sends; of a kind the last value of each device.

    The kinds that most controllers send in every step are kept motor by motor: where
    all motors have one it goes to the simulator as a row. What is sent is taken out
    one by one: another thread of the controller may command meanwhile.

    Attributes:
        devices: those that have other requests, of `DeviceState`.
        rows: the values by `MotorState`, by kind.
    """

    def __init__(self):
        self.devices: set[typing.Any] = set()
        self.rows: dict[Kind, dict[typing.Any, float]] = {
            kind: {} for kind in _IN_ROWS
        }

    def __bool__(self) -> bool:
        position, velocity, effort = self.rows.values()
        return bool(self.devices or position or velocity or effort)

    def hand_out_rows(self) -> None:
        """Makes what the rows have requests of their devices."""
        for kind, row in self.rows.items():
            while row:
                motor, value = row.popitem()
                motor.request(kind, value)

    def clear(self) -> None:
        """Drops all requests."""
        self.devices.clear()
        for row in self.rows.values():
            row.clear()
