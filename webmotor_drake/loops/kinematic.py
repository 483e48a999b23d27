"""The law of motors without dynamics: joints that simply move.

If a side of a joint has no Physics, Webots moves it by another law: no PID, no force.
The speed ramps up at the acceleration or at the available effort, taken as one. There
is no ramp down: the position snaps onto the target (WbMotor.cpp
runKinematicControl).
"""

import math

from webmotor_drake.loops.rows import (
    COMMANDS,
    DEMANDS,
    Command,
    Demand,
    LawState,
)

_TARGET, _SPEED = int(Command.TARGET_POSITION), int(Command.TARGET_VELOCITY)
_ACCELERATION = int(Command.ACCELERATION)
_AVAILABLE = int(Command.AVAILABLE_EFFORT)
_VELOCITY_TARGET = int(LawState.VELOCITY_TARGET)
_VELOCITY_COMMAND = int(LawState.VELOCITY_COMMAND)
_RATE, _BOUND, _DIRECT, _ = map(int, Demand)
_COMMANDS, _DEMANDS = COMMANDS, DEMANDS
# A target closer than this is reached, rad or m.
_REACHED = 1e-6
# The effort that moves a kinematic joint, N m or N.
_NO_BOUND = 1e100


def move(q, period, moved, command, law_state, demand):
    """Sets the velocities that motors of kinematic joints ask for.

    Args:
        q: the joints' positions, shape (n,), rad or m.
        period: Webots' basicTimeStep, s.
        moved: 1 for kinematic joints, and their soft limits, shape (n, 3).
        command: `Command` rows.
        law_state: `LawState` rows; written.
        demand: `Demand` rows; written.
    """
    n, m = len(command) // _COMMANDS, len(demand) // _DEMANDS
    for i in range(n):
        if moved[i, 0] == 0.0:
            continue
        at, low, high = q[i], moved[i, 1], moved[i, 2]
        target, speed = command[_TARGET * n + i], command[_SPEED * n + i]
        velocity, after = law_state[_VELOCITY_COMMAND * n + i], at
        if math.isfinite(target):
            holds = abs(target - at) < _REACHED
        else:  # the soft limits end velocity control, unless they are equal
            onward = at >= high and speed >= 0
            back = at <= low and speed <= 0
            holds = low != high and (onward or back)
        if holds:
            velocity = 0.0
        else:
            largest = command[_ACCELERATION * n + i]
            available = command[_AVAILABLE * n + i]
            if largest == -1 or largest > available:
                largest = available
            change, missing = largest * period, speed - velocity
            if abs(missing) > 1e-6:
                velocity += min(max(missing, -change), change)
            if target > at:
                after = min(at + velocity * period, target)
            else:
                after = max(at - velocity * period, target)
        law_state[_VELOCITY_TARGET * n + i] = speed
        law_state[_VELOCITY_COMMAND * n + i] = velocity
        demand[_RATE * m + i] = (after - at) / period
        demand[_BOUND * m + i] = _NO_BOUND
        demand[_DIRECT * m + i] = 0.0
