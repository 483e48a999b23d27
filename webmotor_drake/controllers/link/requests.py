"""The requests of a robot's devices, which its next step sends."""

import enum
import typing
from collections.abc import Callable

from webmotor_drake.host.devices import MotorDevice
from webmotor_drake.motor.commands import Kind

# The kinds that controllers send in every step.
_IN_ROWS = Kind.POSITION, Kind.VELOCITY, Kind.EFFORT


class Request(enum.IntEnum):
    """Requests besides `commands.Kind`, in their order within a step (messages.h)."""

    FEEDBACK_PERIOD = 5
    SAMPLING_PERIOD = 8
    RECOGNITION_PERIOD = 11
    ACTION = 100  # after all kinds of commands


class Requests:
    """The requests of the next step; of a kind the last value of each device.

    The kinds that most controllers send in every step are kept motor by motor: where
    all motors have one it goes to the simulator as a row. What is sent is taken out
    one by one: another thread of the controller may command meanwhile.

    Attributes:
        values: of other requests, by tag and number.
        actions: calls that act in the next step, by tag.
        rows: the values of motors, by kind.
    """

    def __init__(self):
        self.values: dict[tuple[int, int], typing.Any] = {}
        self.actions: dict[int, list[Callable[[], object]]] = {}
        self.rows: dict[Kind, dict[MotorDevice, float]] = {
            kind: {} for kind in _IN_ROWS
        }

    def __bool__(self) -> bool:
        position, velocity, effort = self.rows.values()
        return bool(self.values or position or velocity or effort)

    def hand_out_rows(self) -> None:
        """Makes the values of the rows requests of their devices."""
        for kind, row in self.rows.items():
            while row:
                motor, value = row.popitem()
                self.values[motor.tag, kind] = value

    def clear(self) -> None:
        """Drops all requests."""
        self.values.clear()
        self.actions.clear()
        for row in self.rows.values():
            row.clear()
