"""The law of motors without dynamics: joints that simply move.

Webots moves a joint of which a side has no Physics by a law of its own: no PID, no
force. The speed ramps up at the acceleration or, as if it were one, the available
effort; there is no ramp down, the position snaps onto the target (WbMotor.cpp
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
        moved: 1 for these joints, and their soft limits, shape (n, 3).
        command: `Command` rows.
        law_state: `LawState` rows; written.
        demand: `Demand` rows; written.
    """
    n, m = len(command) // _COMMANDS, len(demand) // _DEMANDS
    for i in range(n):
        if moved[i, 0] == 0.0:
            continue
        speed = command[_SPEED * n + i]
        after, velocity = step(
            q[i],
            law_state[_VELOCITY_COMMAND * n + i],
            period,
            command[_TARGET * n + i],
            speed,
            command[_ACCELERATION * n + i],
            command[_AVAILABLE * n + i],
            moved[i, 1],
            moved[i, 2],
        )
        law_state[_VELOCITY_TARGET * n + i] = speed
        law_state[_VELOCITY_COMMAND * n + i] = velocity
        demand[_RATE * m + i] = (after - q[i]) / period
        demand[_BOUND * m + i] = _NO_BOUND
        demand[_DIRECT * m + i] = 0.0


def step(
    q,
    velocity,
    period,
    target,
    target_velocity,
    acceleration,
    available_effort,
    low,
    high,
):
    """Moves one joint for one motor step.

    Args:
        q: its position, rad or m.
        velocity: the law's speed in the last step, rad/s or m/s.
        period: Webots' basicTimeStep, s.
        target: target position; infinite: velocity control.
        target_velocity: speed to reach, of either sign.
        acceleration: limit of the ramp, or -1.
        available_effort: the other limit of the ramp.
        low: soft limit; both end velocity control, unless equal.
        high: the other one.

    Returns:
        The position after the step and the law's speed.
    """
    if math.isfinite(target):
        holds = abs(target - q) < _REACHED
    else:
        onward = q >= high and target_velocity >= 0
        back = q <= low and target_velocity <= 0
        holds = low != high and (onward or back)
    if holds:
        return q, 0.0
    if acceleration == -1 or acceleration > available_effort:
        acceleration = available_effort
    change = acceleration * period
    missing = target_velocity - velocity
    if abs(missing) > 1e-6:
        velocity += min(max(missing, -change), change)
    if target > q:
        return min(q + velocity * period, target), velocity
    return max(q - velocity * period, target), velocity
