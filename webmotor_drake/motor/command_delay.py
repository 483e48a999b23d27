"""Commands on their way: they reach the motors some time after they were given."""

import math

import numpy as np

from webmotor_drake.motor.tables import Command, LawState

# Times that differ by less, in steps, are the same.
_SAME_TIME = 1e-9
# The rows that are averaged over a step in which a command arrives. All else is a limit
# or a mode.
_AVERAGED = [
    int(Command.TARGET_POSITION),
    int(Command.FEEDFORWARD),
    int(Command.TARGET_VELOCITY),
    int(Command.DIRECT_EFFORT),
]
_GAINS = [int(Command.P), int(Command.I), int(Command.D)]
_FORGOTTEN = [int(LawState.ERROR_INTEGRAL), int(LawState.PREVIOUS_ERROR)]


class CommandDelay:
    """Holds commands back by any time, not only by whole motor steps.

    A command that arrives within a motor step is there for a part of it. Where a motor
    stays in its mode, what it follows acts in that step by its average over it, so that
    the motion changes smoothly with the delay: a target position and its feed-forward,
    in velocity control the velocity, in effort control the effort. All else acts from
    the start of that step, and all of it together: modes, gains and limits, such as the
    speed on the way to a target position.

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
            line: delay line, with the commands of this step applied.
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
            before = line[self._whole + 1]
            follows = _followed(before) & _followed(arrived)
            before, new = before[_AVERAGED], arrived[_AVERAGED]
            follows &= np.isfinite(before) & np.isfinite(new)
            before, now = np.where(follows, (before, new), 0.0)
            mean = self._part * before + (1 - self._part) * now
            command[_AVERAGED] = np.where(follows, mean, new)
        line[1:] = line[:-1].copy()


def _followed(command: np.ndarray) -> np.ndarray:
    """Returns which of the rows `_AVERAGED` motors follow in their mode."""
    forced = command[Command.EFFORT_CONTROL] == 1
    aims = np.isfinite(command[Command.TARGET_POSITION])
    return np.array(
        [aims & ~forced, aims & ~forced, ~aims & ~forced, forced], bool
    )
