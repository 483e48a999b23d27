"""The usual commands to all motors, in one loop; see `motor.row_commands`."""

import math
from typing import Any

from webmotor_drake.loops.rows import Kind

_POSITION, _VELOCITY = int(Kind.POSITION), int(Kind.VELOCITY)
_CHECKED_VELOCITY = int(Kind.CHECKED_VELOCITY)
_AVAILABLE, _EFFORT = int(Kind.AVAILABLE_EFFORT), int(Kind.EFFORT)


def set_usual(
    kind: int,
    values: Any,
    limits: Any,
    guards: Any,
    targets: Any,
    modes: Any,
    left: Any,
) -> bool:
    """Sets the targets of motors to which the values are usual.

    Usual is what is neither clipped, refused nor warned of. `left` gets 1 for the
    others but NaN. Returns whether there are any.
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
            # A negative one is for motors without a target position.
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
