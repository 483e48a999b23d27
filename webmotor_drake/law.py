"""The motor law of Webots, free of Drake: from positions to velocity commands.

A motor's PID turns the position error into a velocity, clamps it to the target
velocity, then limits how fast the *commanded* velocity changes (WbMotor.cpp,
computeCurrentDynamicVelocity). Everything is in the joint's own sign and units.

All motors of a model stand side by side: row-major tables with a column a motor.
Rows that commands set are `Command`, rows that the law carries from step to step
are `Servo`. Loops over plain floats: for a few motors they cost a tenth of numpy.
"""

import enum
import math
from collections.abc import Sequence


class Command(enum.IntEnum):
    """Rows of the command table: what controllers set, one column a motor."""

    TARGET_POSITION = 0  # rad or m; infinite: velocity control
    TARGET_VELOCITY = 1  # rad/s or m/s
    ACCELERATION = 2  # rad/s^2 or m/s^2; -1: no limit
    AVAILABLE_EFFORT = 3  # N m or N
    DIRECT_EFFORT = 4  # N m or N
    EFFORT_CONTROL = 5  # 1: the direct effort acts, 0: the law does
    P = 6  # 1/s
    I = 7  # noqa: E741  1/s^2
    D = 8  # 1


class Servo(enum.IntEnum):
    """Rows of the servo table: the law's memory, one column a motor."""

    ERROR_INTEGRAL = 0  # rad s or m s
    PREVIOUS_ERROR = 1  # rad or m
    VELOCITY_TARGET = 2  # after PID and velocity clamp, rad/s or m/s
    VELOCITY_COMMAND = 3  # after the acceleration limit, rad/s or m/s


Table = Sequence[Sequence[float]]


def step_servos(
    q: Sequence[float], period: float, command: Table, servo: Table
) -> list[list[float]]:
    """Runs one step of the law for all motors.

    Args:
        q: joint positions at the start of the step, shape (n,), rad or m.
        period: Webots' basicTimeStep, s.
        command: `Command` rows, shape (9, n).
        servo: `Servo` rows after the previous step, shape (4, n).

    Returns:
        The `Servo` rows of this step, shape (4, n). A motor in effort control
        keeps its row. One without available effort commands 0 and keeps its
        integral and error.
    """
    columns = []
    for position, setting, memory in zip(
        q, zip(*command, strict=True), zip(*servo, strict=True), strict=True
    ):
        if setting[Command.EFFORT_CONTROL]:
            columns.append(memory)
        elif setting[Command.AVAILABLE_EFFORT] == 0:
            columns.append((*memory[:2], 0.0, 0.0))
        else:
            columns.append(_step_servo(position, period, setting, memory))
    return [list(row) for row in zip(*columns, strict=True)]


def _step_servo(
    q: float, period: float, setting: Sequence[float], memory: Sequence[float]
) -> tuple[float, float, float, float]:
    """Runs one step of the law for one motor; see `step_servos`."""
    target, speed, acceleration, _, _, _, p, i, d = setting
    integral, previous_error, _, previous_command = memory
    if math.isinf(target):
        velocity_target = speed
    else:
        error = target - q
        integral += error * period
        # The source's sign; the documentation has it the other way round.
        derivative = (error - previous_error) / period
        previous_error = error
        velocity_target = clamp_velocity(
            p * error + i * integral + d * derivative, speed
        )
    velocity_command = limit_acceleration(
        velocity_target, previous_command, acceleration, period
    )
    return integral, previous_error, velocity_target, velocity_command


def clamp_velocity(velocity: float, target_velocity: float) -> float:
    """Returns `velocity` within +-|target_velocity|; its sign is irrelevant."""
    limit = abs(target_velocity)
    return min(max(velocity, -limit), limit)


def limit_acceleration(
    velocity: float, previous_command: float, acceleration: float, period: float
) -> float:
    """Returns the new velocity command, `acceleration` away at most.

    The limit acts on the previous *command*, not on the joint's velocity: a
    stalled motor's command still ramps to its target.
    """
    if acceleration == -1:
        return velocity
    change = acceleration * period
    return previous_command + min(
        max(velocity - previous_command, -change), change
    )
