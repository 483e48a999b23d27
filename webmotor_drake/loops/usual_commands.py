"""The usual commands to all motors, in one loop; see `motor.devices`."""

import math
from typing import Any

from webmotor_drake.loops.rows import Command, Kind

_TARGET, _MODE = int(Command.TARGET_POSITION), int(Command.EFFORT_CONTROL)
_SPEED, _ADDED = int(Command.TARGET_VELOCITY), int(Command.FEEDFORWARD)
_POSITION, _VELOCITY = int(Kind.POSITION), int(Kind.VELOCITY)
_CHECKED_VELOCITY = int(Kind.CHECKED_VELOCITY)
_AVAILABLE, _EFFORT = int(Kind.AVAILABLE_EFFORT), int(Kind.EFFORT)

# What `follow` is given: the first, the second or the last port of `CommandPorts`.
POSITIONS, VELOCITIES, DESIRED = 1, 2, 16
_VELOCITIES, _INF = VELOCITIES, float("inf")


def set_usual(
    kind: int,
    values: Any,
    limits: Any,
    guards: Any,
    targets: Any,
    modes: Any,
    left: Any,
) -> bool:
    """Sets the targets of motors with usual values.

    A value is usual if it is not clipped, refused or warned of. `left` gets 1 for the
    other values, except NaN. Returns whether there are any.

    Args:
        kind: kind of the command.
        values: values, one per motor, NaN for none.
        limits: limits of each motor: multiplier, lowest and highest position, velocity,
            effort, 1 if no other is coupled with it, 1 if its joint has dynamics, too.
        guards: row that decides whether a velocity or an effort may be set.
        targets: the row that is set.
        modes: the row EFFORT_CONTROL.
        left: marks of motors that are left, shape (n,), written.
    """
    any_left = False
    for i in range(len(values)):
        value = values[i]
        left[i] = 0.0
        if math.isnan(value):
            continue
        target = value * limits[i, 0]
        if kind == _POSITION:
            if math.isinf(value):
                target = value
            usual = limits[i, 1] <= target <= limits[i, 2] or math.isinf(value)
        elif kind in (_VELOCITY, _CHECKED_VELOCITY):
            # Negative velocities are for motors without a target position.
            checked = kind == _CHECKED_VELOCITY or value >= 0.0
            usual = checked or math.isinf(guards[i])
            usual = usual and abs(target) <= limits[i, 3]
        elif kind == _AVAILABLE:
            target = value
            usual = 0.0 <= value <= limits[i, 4]
        elif kind == _EFFORT:
            usual = abs(target) <= guards[i] and limits[i, 6] == 1.0
        else:
            usual = not math.isnan(target)
        if not usual or limits[i, 5] == 0.0:
            left[i], any_left = 1.0, True
            continue
        targets[i] = target
        if kind in (_POSITION, _EFFORT):
            modes[i] = 1.0 if kind == _EFFORT else 0.0
    return any_left


def follow(
    given: float, row: Any, limits: Any, command: Any, left: Any
) -> bool:
    """Gives all motors the values of one port.

    Returns whether a value is not usual: then all must be applied one by one.

    Args:
        given: POSITIONS: the row has n target positions; VELOCITIES: n velocities to
            turn at; DESIRED: n positions, and n velocities to be added to the PID's.
        row: values of the port, NaN for none.
        limits: limits of each motor, as `set_usual` takes them.
        command: the `Command` table, row by row.
        left: room, shape (n,).
    """
    n = len(left)
    modes = command[_MODE * n : (_MODE + 1) * n]
    targets = command[_TARGET * n : (_TARGET + 1) * n]
    if given == _VELOCITIES:
        for i in range(n):
            if not math.isnan(row[i]) and limits[i, 5] != 0.0:
                targets[i], modes[i] = _INF, 0.0
        speeds = command[_SPEED * n : (_SPEED + 1) * n]
        return set_usual(_VELOCITY, row, limits, targets, speeds, modes, left)
    any_left = set_usual(
        _POSITION, row[:n], limits, modes, targets, modes, left
    )
    for i in range(len(row) - n):
        value = row[n + i]
        if math.isnan(value):
            value = 0.0
        target = value * limits[i, 0]
        if math.isnan(target) or limits[i, 5] == 0.0:
            any_left = True
        command[_ADDED * n + i] = target
    return any_left
