"""Commands to all motors at once, one value each, as input ports give them.

One loop does the usual commands to motors that are coupled with no other. The rest,
what would be clipped, refused or warned of, is left to `MotorDevices`. Both do the
same.
"""

from collections.abc import Callable

import numpy as np

from webmotor_drake.loops import entry, usual_commands
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import FARTHEST, Kind
from webmotor_drake.motor.devices import MotorDevices

_set_usual = entry(usual_commands.set_usual)
_MODE = int(Command.EFFORT_CONTROL)
_SPEED = int(Command.TARGET_VELOCITY), int(Command.TARGET_POSITION)
# The row of the table that each kind sets, and the one that says whether it may.
COMMANDS_IN_ROWS = {
    Kind.POSITION: (int(Command.TARGET_POSITION), _MODE),
    Kind.VELOCITY: _SPEED,
    Kind.CHECKED_VELOCITY: _SPEED,
    Kind.AVAILABLE_EFFORT: (int(Command.AVAILABLE_EFFORT), _MODE),
    Kind.EFFORT: (int(Command.DIRECT_EFFORT), int(Command.AVAILABLE_EFFORT)),
    Kind.FEEDFORWARD: (int(Command.FEEDFORWARD), _MODE),
}


class RowCommands:
    """Applies a value per motor, NaN for none, to the command table.

    Attributes:
        limits: usual limits of each motor, see `set_usual`; shape (n, 7), always the
            same array.

    Args:
        devices: the motors, n of them.
    """

    def __init__(self, devices: MotorDevices):
        self._devices = devices
        self._left = np.zeros(len(devices.motors))
        self.limits = np.zeros((len(devices.motors), 7))
        self._read_limits()
        devices.at_change.append(self._read_limits)

    def _read_limits(self) -> None:
        """Takes over the limits of the motors, row by row as `set_usual` has them."""
        devices = self._devices
        motors = devices.motors
        low = np.array([motor.min_position for motor in motors])
        high = np.array([motor.max_position for motor in motors])
        single = np.array([len(g) == 1 for g in devices.groups], dtype=bool)
        self.limits.T[:] = np.array(
            [
                [motor.multiplier for motor in motors],
                np.where(low == high, -FARTHEST, low),
                np.where(low == high, FARTHEST, high),
                [motor.max_velocity for motor in motors],
                devices.max_efforts,
                single,
                single & ~np.array(devices.kinematic, dtype=bool),
            ]
        )

    def apply(
        self,
        kind: Kind,
        values: np.ndarray,
        command: np.ndarray,
        law_state: np.ndarray,
    ) -> None:
        """Applies one kind of command to all motors, in place.

        Args:
            kind: one of COMMANDS_IN_ROWS.
            values: value for each motor, as `MotorDevices.apply` takes it, shape (n,).
            command: `Command` rows, shape (rows, n).
            law_state: `LawState` rows, shape (rows, n).
        """
        row, guard = COMMANDS_IN_ROWS[kind]
        rows = command[guard], command[row], command[_MODE]
        if not _set_usual(int(kind), values, self.limits, *rows, self._left):
            return
        for i in np.flatnonzero(self._left).tolist():
            value = values.item(i)
            self._devices.apply(kind, i, value, command, law_state)

    def usual(self, command: np.ndarray) -> Callable[[Kind, np.ndarray], bool]:
        """Returns a function that applies a kind of command to all motors, if it can.

        It takes kind and values as `apply` does. It returns True if all motors have
        got it and no warning is due. If not, only some may have it: give it to all of
        them, one by one.

        Args:
            command: `Command` rows, shape (rows, n), which change.
        """
        rows = {
            kind: (command[guard], command[row], command[_MODE])
            for kind, (row, guard) in COMMANDS_IN_ROWS.items()
        }

        def apply(kind: Kind, values: np.ndarray) -> bool:
            return not _set_usual(
                int(kind), values, self.limits, *rows[kind], self._left
            )

        return apply
