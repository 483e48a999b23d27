"""Rows of the motors' tables, and kinds of commands: numbers with names.

`motor.tables` says how the tables lie in one vector.
"""

import enum


class Kind(enum.IntEnum):
    """Kinds of commands, in the order in which a step applies them (motor.c)."""

    POSITION = 1
    VELOCITY = 2
    AVAILABLE_EFFORT = 3
    EFFORT = 4
    ACCELERATION = 6
    CONTROL_PID = 7
    BRAKE_DAMPING = 9
    # A velocity whose sign the controller's side has checked already, against the
    # controller's target (motor.c). WbMotor.cpp takes any sign.
    CHECKED_VELOCITY = 10
    # Not in Webots: a velocity from an input port, added to the PID's.
    FEEDFORWARD = 11


class Command(enum.IntEnum):
    """Rows of the command table, which controllers set; one column per motor."""

    TARGET_POSITION = 0  # rad or m; infinite: velocity control
    TARGET_VELOCITY = 1  # rad/s or m/s
    ACCELERATION = 2  # rad/s^2 or m/s^2; -1: no limit
    AVAILABLE_EFFORT = 3  # N m or N
    DIRECT_EFFORT = 4  # N m or N
    EFFORT_CONTROL = 5  # 1: the direct effort acts, 0: the law does
    P = 6  # 1/s
    I = 7  # noqa: E741 1/s^2
    D = 8  # 1
    FEEDFORWARD = 9  # velocity on top of what the PID makes, rad/s or m/s


class LawState(enum.IntEnum):
    """Rows of the law's own table: its memory, one column per motor."""

    ERROR_INTEGRAL = 0  # rad s or m s
    PREVIOUS_ERROR = 1  # rad or m
    VELOCITY_TARGET = 2  # after PID and velocity clamp, rad/s or m/s
    VELOCITY_COMMAND = 3  # after the acceleration limit, rad/s or m/s


class Demand(enum.IntEnum):
    """Rows of the demand table: the motors' request to the drive, one column per joint.

    The motors' joints come first. Joints without a motor have only friction.
    """

    VELOCITY_COMMAND = 0  # velocity to reach, rad/s or m/s
    EFFORT_LIMIT = 1  # largest |effort| for it, N m or N
    DIRECT_EFFORT = 2  # effort applied anyway, N m or N
    BRAKE = 3  # damping that a brake adds, N m s/rad or N s/m


class ModelState(enum.IntEnum):
    """Rows of the table of motor models, their memory, one column per motor.

    The first rows are the results of a step, the next the models' own memory, the last
    the inputs of the step under way.
    """

    EFFORT = 0  # effort at the joint without friction, N m or N
    MOTOR_EFFORT = 1  # effort of the motor: the same without a spring
    FRICTION = 2  # the effort of friction, N m or N
    LIMIT = 3  # the largest effort of the motor at its speed, N m or N
    HEAT = 4  # 1: as hot as it may be
    POSITION = 5  # of the motor before its spring, rad or m
    VELOCITY = 6  # rad/s or m/s
    IS_HOT = 7  # 1: limited to the continuous effort
    HELD = 8  # effort computed as the motor period began, N m or N
    LOAD = 9  # on the joint besides motor and friction, N m or N
    STARTED = 10  # 1 after the first step
    START_POSITION = 11  # of the joint, when the step began
    START_VELOCITY = 12
    BUDGET = 13  # the largest effort of friction, N m or N
    # First piece of the law, for the implicit drive: effort at the start's velocity,
    # its fall per velocity, and its limits.
    ANCHOR = 14
    SLOPE = 15
    LOW = 16
    HIGH = 17
    SAMPLES = 18  # how many samples networks have taken
    NETWORK = 19  # last output of a network, N m or N
    OUT_OF_RANGE = 20  # share of a network's inputs beyond its training
    GEAR = 21  # effort that left the gear less its rotor's, in the last step, N m or N


# The numbers of rows; len() of an enum takes a microsecond.
COMMANDS, LAW_STATES, DEMANDS = len(Command), len(LawState), len(Demand)
# Behind these come the samples of networks: errors, newest first, velocities.
MODEL_STATES = len(ModelState)
