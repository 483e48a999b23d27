"""The motor law of Webots, free of Drake: from positions to velocity commands.

A motor's PID turns the position error into a velocity, clamps it to the target
velocity, then limits how fast the *commanded* velocity changes (WbMotor.cpp,
computeCurrentDynamicVelocity). Everything is in the joint's own sign and units.

All motors of a model stand side by side in the tables of `tables`: row-major, with
one column per motor.
"""

import functools
import math
from collections.abc import MutableSequence

import numpy as np

from webmotor_drake.compiled import ACTIVE, compiled
from webmotor_drake.motor.tables import (
    COMMANDS,
    DEMANDS,
    LAW_STATES,
    Command,
    Demand,
    LawState,
)

# Lists, or arrays where functions are compiled.
Row = MutableSequence[float] | np.ndarray
# Without numba, numpy takes over from so many motors on. It stands besides the loops
# because with loops alone a step of 30 motors takes a sixth longer; because with numpy
# alone that of one does, lists go through the loops that numba compiles.
MANY = 9

# The rows, as numbers that can be compiled.
_COMMANDS = tuple(map(int, Command))
_TARGET, _SPEED, _ACCELERATION, _AVAILABLE, _EFFORT, _IN_EFFORT = _COMMANDS[:6]
_P, _I, _D, _FEEDFORWARD = _COMMANDS[6:]
_INTEGRAL, _PREVIOUS_ERROR, _VELOCITY_TARGET, _VELOCITY_COMMAND = map(
    int, LawState
)
_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)


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
        command: `Command` rows, shape (rows, n); this and the other tables may be
            flattened row by row.
        friction: static friction of the joints, shape (n,) or longer, N m or N.
        law_state: `LawState` rows of the previous step, shape (rows, n); they become
            those of this step.
        demand: `Demand` rows, shape (rows, m) with m >= n; the first n columns
            are written.
    """
    command, demand = command.ravel(), demand.reshape(-1)
    law_state = law_state.reshape(-1)
    if ACTIVE:
        step_servo_rows(q, period, command, friction, law_state, demand)
    elif len(q) >= MANY:
        step_many(q, period, command, friction, law_state, demand)
    else:
        law_row, demand_row = law_state.tolist(), demand.tolist()
        step_servo_rows(
            *(q.tolist(), period, command.tolist(), friction.tolist()),
            *(law_row, demand_row),
        )
        law_state[:], demand[:] = law_row, demand_row


@compiled
def step_servo_rows(
    q: Row,
    period: float,
    command: Row,
    friction: Row,
    law_state: Row,
    demand: Row,
) -> None:
    """Runs the law as `step_servos` does, with all tables flattened.

    A motor in effort control keeps its law state. One without available effort
    commands 0 and keeps its integral and error. Friction shares the motor's
    bound by max, and is what remains of it in effort control.
    """
    n, m = len(q), len(demand) // DEMANDS
    for i in range(n):
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
                velocity = clamp_velocity(pid, velocity)
            velocity_command = limit_acceleration(
                velocity,
                law_state[_VELOCITY_COMMAND * n + i],
                command[_ACCELERATION * n + i],
                period,
            )
        law_state[_VELOCITY_TARGET * n + i] = velocity
        law_state[_VELOCITY_COMMAND * n + i] = velocity_command
        demand[_RATE * m + i] = velocity_command
        friction_bounds = available < friction[i]
        demand[_BOUND * m + i] = friction[i] if friction_bounds else available
        demand[_DIRECT_EFFORT * m + i] = 0.0


def step_many(
    q: np.ndarray,
    period: float,
    command: np.ndarray,
    friction: np.ndarray,
    law_state: np.ndarray,
    demand: np.ndarray,
) -> None:
    """Does the same in numpy, to the last bit but for the sign of a 0."""
    n = len(q)
    rate, bound, direct_effort, _ = demand.reshape(DEMANDS, -1)[:, :n]
    settings = command[_ACCELERATION * n : (_IN_EFFORT + 1) * n]
    turning = np.isinf(command[:n])
    command = command.reshape(COMMANDS, n)
    law_state = law_state.reshape(LAW_STATES, n)
    if np.count_nonzero(turning) or not _are_ordinary(settings.tobytes()):
        effort = command[_IN_EFFORT] != 0
        law = ~effort & (command[_AVAILABLE] != 0)
        servo = law & ~turning
        velocity, memory = np.zeros(n), law_state[:, servo]
        velocity[law] = command[_SPEED, law]
        velocity[servo] = _pid_velocities(
            q[servo], period, command[:, servo], memory
        )
        law_state[:, servo] = memory
        _, _, velocity_target, velocity_command = law_state
        limited = _limit_accelerations(
            velocity, velocity_command, command[_ACCELERATION], period
        )
        rate[:] = np.where(law, limited, 0.0)
        np.copyto(velocity_target, velocity, where=~effort)
        np.copyto(velocity_command, rate, where=~effort)
        np.maximum(command[_AVAILABLE], friction[:n], out=bound)
        np.copyto(bound, friction[:n], where=effort)
        direct_effort[:] = np.where(effort, command[_EFFORT], 0.0)
        return
    velocity = _pid_velocities(q, period, command, law_state)
    law_state[_VELOCITY_TARGET:] = rate[:] = velocity
    np.maximum(command[_AVAILABLE], friction[:n], out=bound)
    direct_effort[:] = 0.0


@functools.lru_cache(maxsize=64)
def _are_ordinary(settings: bytes) -> bool:
    """Returns whether the law acts on all motors, without acceleration limits.

    Args:
        settings: the rows of the command table from ACCELERATION to EFFORT_CONTROL,
            which rarely change.
    """
    rows = _IN_EFFORT + 1 - _ACCELERATION
    acceleration, available, _, in_effort = np.frombuffer(settings).reshape(
        rows, -1
    )
    return bool(
        ((acceleration == -1) & (available != 0) & (in_effort == 0)).all()
    )


def _pid_velocities(
    q: np.ndarray, period: float, command: np.ndarray, law_state: np.ndarray
) -> np.ndarray:
    """Returns the clamped velocities of motors in position control."""
    integral, previous_error, _, _ = law_state
    error = command[_TARGET] - q
    integral += error * period
    pid = command[_P] * error
    if np.count_nonzero(command[_I:]):  # what is 0 by default
        derivative = (error - previous_error) / period
        pid += command[_I] * integral
        pid += command[_D] * derivative
        pid += command[_FEEDFORWARD]
    previous_error[:] = error
    limit = np.abs(command[_SPEED])
    if np.count_nonzero(np.abs(pid) > limit):
        np.copyto(pid, limit, where=pid > limit)
        np.copyto(pid, -limit, where=pid < -limit)
    return pid


def _limit_accelerations(
    velocity: np.ndarray,
    previous: np.ndarray,
    acceleration: np.ndarray,
    period: float,
) -> np.ndarray:
    """Returns the new velocity commands, as `limit_acceleration` does."""
    largest = acceleration * period
    change = velocity - previous
    limited = previous + change
    np.copyto(limited, previous + largest, where=change > largest)
    np.copyto(limited, previous - largest, where=change < -largest)
    return np.where(acceleration == -1, velocity, limited)


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
