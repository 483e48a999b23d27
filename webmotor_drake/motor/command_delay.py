"""Commands on their way: they reach the motors some time after they were given."""

import math

import numpy as np

from webmotor_drake.motor.tables import Command, LawState

# Times that differ by less, in steps, are the same.
_SAME_TIME = 1e-9
# The rows that are averaged over a step in which a command arrives.
_AVERAGED = [
    int(Command.TARGET_POSITION),
    int(Command.TARGET_VELOCITY),
    int(Command.DIRECT_EFFORT),
    int(Command.FEEDFORWARD),
]
_GAINS = [int(Command.P), int(Command.I), int(Command.D)]
_FORGOTTEN = [int(LawState.ERROR_INTEGRAL), int(LawState.PREVIOUS_ERROR)]


class CommandDelay:
    """Holds commands back by any time, not only by whole motor steps.

    A command that arrives within a motor step is there for a part of it. Target
    positions, target velocities and efforts act in that step by their average over
    it; so what the motors do changes smoothly with the delay. All else acts from
    the start of that step.

    The line is what was commanded in the last steps: `Command` tables, the newest
    first, shape (tables, 10, n). Commands are applied to the newest.

    Attributes:
        tables: the number of tables in the line; 0 without a delay.

    Args:
        delay: s, at least 0.
        period: the motor period, s.
    """

    def __init__(self, delay: float, period: float):
        steps = delay / period
        self._whole = math.floor(steps + _SAME_TIME)
        self._part = max(steps - self._whole, 0.0)
        if self._part < _SAME_TIME:
            self._part = 0.0
        late = self._whole + (self._part > 0)
        self.tables = late + 1 if late else 0

    def pass_on(
        self, line: np.ndarray, command: np.ndarray, law_state: np.ndarray
    ) -> None:
        """Starts a step: commands that arrive go into `command`, the line moves on.

        Args:
            line: see above, with the commands of this step applied.
            command: `Command` rows that the motors act on, shape (rows, n).
            law_state: `LawState` rows, shape (rows, n). A change of gains forgets
                integral and error, as `MotorDevices.apply` says.
        """
        arrived = line[self._whole]
        changed = (command[_GAINS] != arrived[_GAINS]).any(axis=0)
        for row in _FORGOTTEN:
            law_state[row, changed] = 0.0
        command[:] = arrived
        if self._part:
            before = line[self._whole + 1, _AVERAGED]
            new = arrived[_AVERAGED]
            both = np.isfinite(before) & np.isfinite(new)
            before, new = np.where(both, before, 0.0), np.where(both, new, 0.0)
            mean = self._part * before + (1 - self._part) * new
            command[_AVERAGED] = np.where(both, mean, arrived[_AVERAGED])
        line[1:] = line[:-1].copy()
