"""The motor law of Webots, free of Drake: from positions to velocity commands.

A motor's PID turns the position error into a velocity, clamps it to the target
velocity, then limits how fast the *commanded* velocity changes (WbMotor.cpp,
computeCurrentDynamicVelocity). Everything is in the joint's own sign and units.

All motors of a model stand side by side in the tables of `tables`: row-major, with
one column per motor.
"""

import math
from collections.abc import MutableSequence, Sequence

import numpy as np

from webmotor_drake.compiled import ACTIVE, compiled

# Lists, or arrays where functions are compiled.
Row = MutableSequence[float] | np.ndarray
Table = Sequence[MutableSequence[float]] | np.ndarray


def step_servos(
    q: np.ndarray,
    period: float,
    command: np.ndarray,
    friction: np.ndarray,
    law_state: np.ndarray,
    demand: np.ndarray,
) -> None:
    """Runs one step of the law for all motors.

    Args:
        q: joint positions at the start of the step, shape (n,), rad or m.
        period: Webots' basicTimeStep, s.
        command: `Command` rows, shape (9, n); this and the other tables may be
            flattened row by row.
        friction: static friction of the joints, shape (n,) or longer, N m or N.
        law_state: `LawState` rows of the previous step, shape (4, n); they become
            those of this step.
        demand: `Demand` rows, shape (4, m) with m >= n; the first n columns
            are written.
    """
    if ACTIVE:
        _step_tables(q, period, command, friction, law_state, demand)
        return
    # For a few motors plain floats cost a tenth of what numpy's do.
    law_state, demand = law_state.reshape(4, -1), demand.reshape(4, -1)
    law_rows, demand_rows = law_state.tolist(), demand.tolist()
    _step_servos(
        q.tolist(),
        period,
        command.reshape(9, -1).tolist(),
        friction.tolist(),
        law_rows,
        demand_rows,
    )
    law_state[:] = law_rows
    demand[:] = demand_rows


@compiled
def _step_tables(
    q: np.ndarray,
    period: float,
    command: np.ndarray,
    friction: np.ndarray,
    law_state: np.ndarray,
    demand: np.ndarray,
) -> None:
    _step_servos(
        q,
        period,
        command.reshape(9, -1),
        friction,
        law_state.reshape(4, -1),
        demand.reshape(4, -1),
    )


@compiled
def _step_servos(
    q: Row,
    period: float,
    command: Table,
    friction: Row,
    law_state: Table,
    demand: Table,
) -> None:
    """Does what `step_servos` says.

    A motor in effort control keeps its law state. One without available effort
    commands 0 and keeps its integral and error. Friction shares the motor's
    bound by max, and is what remains of it in effort control.
    """
    # The rows, in the order of the enums.
    target, speed, acceleration, available, effort, in_effort = command[:6]
    P, I, D = command[6:]  # noqa: E741 as in the node's controlPID
    integral, previous_error, velocity_target, velocity_command = law_state
    rate, bound, direct_effort, _ = demand
    for i in range(len(q)):
        if in_effort[i] != 0:
            rate[i] = 0.0
            bound[i] = friction[i]
            direct_effort[i] = effort[i]
            continue
        velocity = command_ = 0.0
        if available[i] != 0:
            velocity = speed[i]
            if not math.isinf(target[i]):
                error = target[i] - q[i]
                integral[i] += error * period
                # The source's sign; the documentation has it the other way.
                derivative = (error - previous_error[i]) / period
                previous_error[i] = error
                pid = P[i] * error + I[i] * integral[i] + D[i] * derivative
                velocity = clamp_velocity(pid, velocity)
            command_ = limit_acceleration(
                velocity, velocity_command[i], acceleration[i], period
            )
        velocity_target[i] = velocity
        velocity_command[i] = rate[i] = command_
        friction_bounds = available[i] < friction[i]
        bound[i] = friction[i] if friction_bounds else available[i]
        direct_effort[i] = 0.0


# Comparisons, not min and max: those take a third of the law's time in Python.


@compiled
def clamp_velocity(velocity: float, target_velocity: float) -> float:
    """Returns `velocity` within +-|target_velocity|; its sign is irrelevant."""
    limit = abs(target_velocity)
    if velocity > limit:
        return limit
    return -limit if velocity < -limit else velocity


@compiled
def limit_acceleration(
    velocity: float, previous_command: float, acceleration: float, period: float
) -> float:
    """Returns the new velocity command, `acceleration` away at most.

    The limit acts on the previous *command*, not on the joint's velocity: a
    stalled motor's command still ramps to its target.
    """
    if acceleration == -1:
        return velocity
    largest = acceleration * period
    change = velocity - previous_command
    if change > largest:
        return previous_command + largest
    if change < -largest:
        return previous_command - largest
    return previous_command + change
