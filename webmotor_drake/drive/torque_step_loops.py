"""The part of a torque drive's step before its efforts are solved for, in one call.

The call of compiled code costs more than the work in it: with numba the last
step's efforts are noted and checked, and the law run, in one call. `TorqueMotors`
does the same in parts without numba, and in unusual cases.
"""

import math

import numpy as np

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.torque_rest import misses
from webmotor_drake.motor.law import step_servo_rows

# The results of `finish_and_run_law`.
NOT_FINITE, MISSED = 1, 2


@compiled
def finish_and_run_law(
    values,
    ends,
    state,
    tree_places,
    places,
    friction,
    period,
    tolerance,
    law,
):
    """Notes the last step's efforts; runs the law if a motor step begins.

    Args:
        values: the vector of the tables, which is written.
        ends: see `MotorTables.ends`, and below where the velocities are that were
            foreseen; shape (6, 2).
        state: the plant's [q, v].
        tree_places: places of the trees' velocities in `state`, shape (nt,).
        places: places of the motors' positions in `state`, shape (n,).
        friction: static friction of the joints, shape (m,), N m or N.
        period: of the motors, s.
        tolerance: see `torque_rest.misses`.
        law: whether a motor step begins.

    Returns:
        NOT_FINITE: a position is not a number, nothing was done; MISSED: a velocity was
        missed, see `torque_rest.misses`; else 0.
    """
    command = values[ends[0, 0] : ends[0, 1]]
    law_state = values[ends[1, 0] : ends[1, 1]]
    demand = values[ends[2, 0] : ends[2, 1]]
    effort = values[ends[3, 0] : ends[3, 1]]
    held = values[ends[4, 0] : ends[4, 1]]
    foreseen = values[ends[5, 0] : ends[5, 1]]
    q = np.empty(len(effort))
    for i in range(len(q)):
        q[i] = state[places[i]]
        if not math.isfinite(q[i]):
            return NOT_FINITE
    found = 0
    if misses(state, tree_places, foreseen, tolerance):
        found = MISSED
    for i in range(len(q)):
        effort[i] = held[i]
    if law:
        step_servo_rows(q, period, command, friction, law_state, demand)
    return found
