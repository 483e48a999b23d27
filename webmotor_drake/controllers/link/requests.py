"""The requests of a robot's devices, which its next step sends."""

import typing
from collections.abc import Sequence

from webmotor_drake.motor.commands import Kind

# What controllers send in every step, and as what it goes to the simulator: there the
# controller's side has seen to a velocity's sign.
_ROWS = {
    Kind.POSITION: Kind.POSITION,
    Kind.VELOCITY: Kind.CHECKED_VELOCITY,
    Kind.EFFORT: Kind.EFFORT,
}


class Requests:
    """What the next step sends; of a kind the last value of each device.

    The kinds that most controllers send in every step are kept motor by motor: if all
    motors have them they go to the simulator as rows.

    Attributes:
        devices: those that have other requests, of `DeviceState`.
        rows: the values by `MotorState`, by kind.
    """

    def __init__(self):
        self.devices: set[typing.Any] = set()
        self.rows: dict[Kind, dict[typing.Any, float]] = {
            kind: {} for kind in _ROWS
        }

    def __bool__(self) -> bool:
        return bool(self.devices) or any(self.rows.values())

    def whole_rows(
        self, motors: Sequence[typing.Any]
    ) -> list[tuple[Kind, list[float]]]:
        """Returns what goes to the simulator, if it is rows of all motors and no more.

        None of them: something else is queued.
        """
        rows: list[tuple[Kind, list[float]]] = []
        if self.devices:
            return rows
        for kind, row in self.rows.items():
            if row:
                if len(row) != len(motors):
                    return []
                rows.append((_ROWS[kind], [row[motor] for motor in motors]))
        return rows

    def clear_rows(self) -> None:
        """Drops what the rows have."""
        for row in self.rows.values():
            row.clear()

    def hand_out_rows(self) -> None:
        """Makes what the rows have requests of their devices."""
        for kind, row in self.rows.items():
            for motor, value in row.items():
                motor.request(kind, value)
        self.clear_rows()
