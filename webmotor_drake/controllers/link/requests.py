"""The requests of a robot's devices, which its next step sends."""

import typing

from webmotor_drake.motor.commands import Kind

if typing.TYPE_CHECKING:
    from webmotor_drake.controllers.link.device_state import (
        DeviceState,
        MotorState,
    )

# What controllers send in every step.
_ROWS = Kind.POSITION, Kind.VELOCITY, Kind.EFFORT


class Requests:
    """What the next step sends; of a kind the last value of each device.

    The kinds that most controllers send in every step are kept motor by motor: if all
    motors have them they go to the simulator as rows.

    Attributes:
        devices: those that have other requests.
        rows: the values by motor, by kind.
    """

    def __init__(self):
        self.devices: set[DeviceState] = set()
        self.rows: dict[Kind, dict[MotorState, float]] = {
            kind: {} for kind in _ROWS
        }

    def __bool__(self) -> bool:
        return bool(self.devices) or any(self.rows.values())

    def whole_rows(
        self, motors: "list[MotorState]"
    ) -> dict[Kind, list[float]] | None:
        """Returns the rows, if nothing else is there and they have all motors."""
        if self.devices:
            return None
        rows = {kind: row for kind, row in self.rows.items() if row}
        if any(len(row) != len(motors) for row in rows.values()):
            return None
        return {
            kind: [row[motor] for motor in motors] for kind, row in rows.items()
        }

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
