"""The motor law of Webots: from positions to velocity commands.

A motor's PID turns the position error into a velocity, clamps it to the target
velocity, then limits how fast the *commanded* velocity changes (WbMotor.cpp,
computeCurrentDynamicVelocity). Everything is in the joint's own sign and units.
"""

import math
from typing import Any

from webmotor_drake.loops.rows import DEMANDS, Command, Demand, LawState

_DEMANDS = DEMANDS
_COMMANDS = tuple(map(int, Command))
_TARGET, _SPEED, _ACCELERATION, _AVAILABLE, _EFFORT, _IN_EFFORT = _COMMANDS[:6]
_P, _I, _D, _FEEDFORWARD = _COMMANDS[6:]
_INTEGRAL, _PREVIOUS_ERROR, _VELOCITY_TARGET, _VELOCITY_COMMAND = map(
    int, LawState
)
_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)


def step_servo_rows(
    q: Any,
    n: int,
    period: float,
    command: Any,
    friction: Any,
    law_state: Any,
    demand: Any,
    moved: Any,
) -> None:
    """Runs one step of the law for n motors; tables are flattened row by row.

    A motor in effort control keeps its law state. One without available effort
    commands 0 and keeps its integral and error. The bound is the larger of available
    effort and friction; in effort control it is friction.

    Args:
        q: joint positions at the start of the step, shape (n,), rad or m.
        n: the number of motors.
        period: Webots' basicTimeStep, s.
        command: `Command` rows.
        friction: static friction of the joints, shape (n,) or longer, N m or N.
        law_state: `LawState` rows of the previous step; they become those of this one.
        demand: `Demand` rows, of n motors and perhaps more joints; the motors' are
            written.
        moved: marks of kinematic joints, which this law leaves out; see `kinematic`.
    """
    m = len(demand) // _DEMANDS
    for i in range(n):
        if moved[i, 0] != 0.0:
            continue
        available = command[_AVAILABLE * n + i]
        if command[_IN_EFFORT * n + i] != 0:
            demand[_RATE * m + i] = 0.0
            demand[_BOUND * m + i] = friction[i]
            demand[_DIRECT_EFFORT * m + i] = command[_EFFORT * n + i]
            continue
        velocity = velocity_command = 0.0
        if available != 0:
            velocity = command[_SPEED * n + i]
            target = command[_TARGET * n + i]
            if not math.isinf(target):
                error = target - q[i]
                integral = law_state[_INTEGRAL * n + i] + error * period
                # The source's sign; the documentation has it the other way.
                change = error - law_state[_PREVIOUS_ERROR * n + i]
                law_state[_INTEGRAL * n + i] = integral
                law_state[_PREVIOUS_ERROR * n + i] = error
                pid = (
                    command[_P * n + i] * error + command[_I * n + i] * integral
                )
                pid += command[_D * n + i] * (change / period)
                pid += command[_FEEDFORWARD * n + i]
                # The sign of the target velocity is irrelevant.
                limit = abs(velocity)
                velocity = min(max(pid, -limit), limit)
            velocity_command = velocity
            largest = command[_ACCELERATION * n + i] * period
            if command[_ACCELERATION * n + i] != -1:
                # The limit acts on the previous *command*, not on the joint's velocity:
                # a stalled motor's command still ramps to its target.
                before = law_state[_VELOCITY_COMMAND * n + i]
                change = min(max(velocity - before, -largest), largest)
                velocity_command = before + change
        law_state[_VELOCITY_TARGET * n + i] = velocity
        law_state[_VELOCITY_COMMAND * n + i] = velocity_command
        demand[_RATE * m + i] = velocity_command
        friction_bounds = available < friction[i]
        demand[_BOUND * m + i] = friction[i] if friction_bounds else available
        demand[_DIRECT_EFFORT * m + i] = 0.0
