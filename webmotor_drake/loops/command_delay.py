"""Commands on their way: they reach the motors some time after they were given.

The delay is any time, not only whole motor steps. A command that arrives within a motor
step is there for a part of it. If the motor stays in its mode, the value that it
follows is averaged over that step, so that the motion changes smoothly with the delay:
target position and feed-forward, in velocity control the velocity, in effort control
the effort. All other values act together from the start of that step: modes, gains and
limits, such as the speed on the way to a target position.
"""

import math

from webmotor_drake.loops.rows import COMMANDS, Command, LawState

_COMMANDS = COMMANDS
_TARGET, _SPEED = int(Command.TARGET_POSITION), int(Command.TARGET_VELOCITY)
_EFFORT, _IN_EFFORT = int(Command.DIRECT_EFFORT), int(Command.EFFORT_CONTROL)
_P, _D, _FEEDFORWARD = int(Command.P), int(Command.D), int(Command.FEEDFORWARD)
_INTEGRAL = int(LawState.ERROR_INTEGRAL)
_PREVIOUS = int(LawState.PREVIOUS_ERROR)


def pass_on(whole, part, line, command, law_state):
    """Starts a step: commands that arrive go into `command`, the line moves on.

    Args:
        whole: whole steps of each motor's delay, shape (n,).
        part: part of a step after these, shape (n,).
        line: `Command` tables of the last steps, the newest first, with the commands
            of this step applied to it; flattened.
        command: `Command` rows that the motors act on; written.
        law_state: `LawState` rows. A change of gains forgets integral and error, as
            `MotorDevices.apply` says.
    """
    size, n = len(command), len(whole)
    for i in range(n):
        arrived = whole[i] * size + i
        for row in range(_P, _D + 1):
            if command[row * n + i] != line[arrived + row * n]:
                law_state[_INTEGRAL * n + i] = 0.0
                law_state[_PREVIOUS * n + i] = 0.0
        for row in range(_COMMANDS):
            command[row * n + i] = line[arrived + row * n]
        if part[i] > 0.0:
            before = line[arrived + size - i : arrived + 2 * size - i]
            mode = _mode(before, n, i)
            if mode != _mode(command, n, i):
                continue
            if mode == _TARGET:
                _average(_FEEDFORWARD * n + i, part[i], before, command)
            _average(mode * n + i, part[i], before, command)
    for i in range(len(line) - 1, size - 1, -1):
        line[i] = line[i - size]


def _mode(command, n, i):
    """Returns the row that a motor follows in its mode."""
    if command[_IN_EFFORT * n + i] == 1.0:
        return _EFFORT
    return _TARGET if math.isfinite(command[_TARGET * n + i]) else _SPEED


def _average(place, part, before, command):
    """Averages an old and a new command, where both are numbers."""
    if math.isfinite(before[place]) and math.isfinite(command[place]):
        now = (1 - part) * command[place]
        command[place] = part * before[place] + now
