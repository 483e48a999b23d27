"""The memory of motor models: a table beside those of `rows`."""

import enum


class ModelState(enum.IntEnum):
    """Rows of the models' table, one column per motor.

    The first rows are what a step has done; the next its own memory; the last what
    the step that is under way was given.
    """

    EFFORT = 0  # what reaches the joint, friction apart, N m or N
    MOTOR_EFFORT = 1  # what the motor makes: the same without a spring
    FRICTION = 2  # the effort of friction, N m or N
    LIMIT = 3  # the largest effort of the motor at its speed, N m or N
    HEAT = 4  # 1: as hot as it may be
    POSITION = 5  # of the motor before its spring, rad or m
    VELOCITY = 6  # rad/s or m/s
    IS_HOT = 7  # 1: limited to the continuous effort
    HELD = 8  # what was computed when the motor period began, N m or N
    LOAD = 9  # on the joint besides motor and friction, N m or N
    STARTED = 10  # 1 after the first step
    START_POSITION = 11  # of the joint, when the step began
    START_VELOCITY = 12
    BUDGET = 13  # the largest effort of friction, N m or N
    # What the implicit drive was given: effort at the start's velocity, what it
    # falls by per velocity, and its limits.
    ANCHOR = 14
    SLOPE = 15
    LOW = 16
    HIGH = 17
    SAMPLES = 18  # how many samples networks have taken
    NETWORK = 19  # what a network said last, N m or N
    OUT_OF_RANGE = 20  # share of a network's inputs beyond its training
    GEAR = 21  # what went out of a gear, and what its rotor took before it, N m or N


# Behind these rows come the samples of networks: errors, newest first, velocities.
MODEL_STATES = len(ModelState)
