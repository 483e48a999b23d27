"""The law of motors without dynamics: joints that simply move.

Webots moves a joint of which a side has no Physics by a law of its own: no PID, no
force. The speed ramps up at the acceleration or, as if it were one, the available
effort; there is no ramp down, the position snaps onto the target (WbMotor.cpp
runKinematicControl).
"""

import math

import numpy as np

from webmotor_drake.motor.tables import Command, Demand, LawState
from webmotor_drake.nodes.motors import MotorNode

# A target closer than this is reached, rad or m.
_REACHED = 1e-6
# The effort that moves a kinematic joint, N m or N.
_NO_BOUND = 1e100


def move(
    i: int,
    q: float,
    period: float,
    motor: MotorNode,
    command: np.ndarray,
    law_state: np.ndarray,
    demand: np.ndarray,
) -> None:
    """Sets the velocity that motor `i`, of a kinematic joint, asks for.

    Args:
        i: the motor's column in the tables of `webmotor_drake.motor.tables`.
        q: its joint's position, rad or m.
        period: Webots' basicTimeStep, s.
        motor: its node.
        command: `Command` rows, shape (rows, n).
        law_state: `LawState` rows, shape (rows, n); written.
        demand: `Demand` rows, shape (rows, m); written.
    """
    after, velocity = kinematic_step(
        q,
        law_state[LawState.VELOCITY_COMMAND, i],
        period,
        target=command[Command.TARGET_POSITION, i],
        target_velocity=command[Command.TARGET_VELOCITY, i],
        acceleration=command[Command.ACCELERATION, i],
        available_effort=command[Command.AVAILABLE_EFFORT, i],
        limits=(motor.min_position, motor.max_position),
    )
    law_state[LawState.VELOCITY_TARGET, i] = command[Command.TARGET_VELOCITY, i]
    law_state[LawState.VELOCITY_COMMAND, i] = velocity
    demand[Demand.VELOCITY_COMMAND, i] = (after - q) / period
    demand[Demand.EFFORT_LIMIT, i] = _NO_BOUND
    demand[Demand.DIRECT_EFFORT, i] = 0.0


def kinematic_step(
    q: float,
    velocity: float,
    period: float,
    *,
    target: float,
    target_velocity: float,
    acceleration: float,
    available_effort: float,
    limits: tuple[float, float],
) -> tuple[float, float]:
    """Moves one joint for one motor step.

    Args:
        q: its position, rad or m.
        velocity: the law's speed in the last step, rad/s or m/s.
        period: Webots' basicTimeStep, s.
        target: target position; infinite: velocity control.
        target_velocity: speed to reach, of either sign.
        acceleration: limit of the ramp, or -1.
        available_effort: the other limit of the ramp.
        limits: soft limits; they end velocity control, unless equal.

    Returns:
        The position after the step and the law's speed.
    """
    if _holds(q, target, target_velocity, limits):
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


def _holds(
    q: float,
    target: float,
    target_velocity: float,
    limits: tuple[float, float],
) -> bool:
    if math.isfinite(target):
        return abs(target - q) < _REACHED
    low, high = limits
    return low != high and (
        (q >= high and target_velocity >= 0)
        or (q <= low and target_velocity <= 0)
    )
