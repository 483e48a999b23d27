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
    # A velocity, for the simulator alone: a controller's own side has seen to
    # its sign, knowing the target that the controller had set (motor.c).
    # WbMotor.cpp takes any sign.
    CHECKED_VELOCITY = 10
    # Not in Webots: a velocity that the PID's is added to, from an input port.
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


# The numbers of rows; len() of an enum takes a microsecond.
COMMANDS, LAW_STATES, DEMANDS = len(Command), len(LawState), len(Demand)
