"""The part of a torque drive's step before its efforts are solved for, in one call.

The call of compiled code costs more than the work in it. `TorqueMotors` does the same
in parts in unusual cases.
"""

import math

from webmotor_drake.loops import (
    law_rows,
    places,
    torque_rest,
    usual_commands,
    zeros,
)

# The results of `StepStart.finish_and_run_law`.
NOT_FINITE, MISSED, UNUSUAL = 1, 2, 8
_NOT_FINITE, _MISSED, _UNUSUAL = NOT_FINITE, MISSED, UNUSUAL


class StepStart:
    """Notes the last step's efforts; runs the law if a motor step begins.

    Args:
        ends: see `MotorTables.ends`, and below where the velocities are that were
            foreseen; shape (6, 2).
        tree_places: places of the trees' velocities in the state, shape (nt,).
        q_places: places of the motors' positions in the state, shape (n,).
        friction: static friction of the joints, shape (m,), N m or N.
        usual: the limits of usual commands, see `usual_commands.set_usual`.
        period: of the motors, s.
        tolerance: see `torque_rest.misses`.
    """

    def __init__(
        self, ends, tree_places, q_places, friction, usual, period, tolerance
    ):
        self.ends = places(ends)
        self.tree_places, self.places = places(tree_places), places(q_places)
        self.friction = memoryview(friction)
        self.period, self.tolerance = period, tolerance
        self.n = len(q_places)
        self.q, self.left = zeros(self.n), zeros(self.n)
        self.usual = memoryview(usual)

    def finish_and_run_law(self, values, state, row, given, law):
        """Does so in the tables' vector, for the plant's [q, v].

        A `row` that a port has comes first, see `usual_commands.follow` as for what is
        `given`; an empty one is none.

        Returns:
            UNUSUAL: the row is to be given one by one, nothing else was done;
            NOT_FINITE: a position is not a number, nothing was done; MISSED: a velocity
            was missed, see `torque_rest.misses`; else 0.
        """
        q, n = self.q, self.n
        if len(row) > 0 and usual_commands.follow(
            given,
            row,
            self.usual,
            values[self.ends[0, 0] : self.ends[0, 1]],
            self.left,
        ):
            return _UNUSUAL
        for i in range(n):
            q[i] = state[self.places[i]]
            if not math.isfinite(q[i]):
                return _NOT_FINITE
        effort, held = self.ends[3, 0], self.ends[4, 0]
        found = 0
        if torque_rest.misses(
            state,
            self.tree_places,
            values[self.ends[5, 0] : self.ends[5, 1]],
            self.tolerance,
        ):
            found = _MISSED
        for i in range(n):
            values[effort + i] = values[held + i]
        if law:
            law_rows.step_servo_rows(
                q,
                n,
                self.period,
                values[self.ends[0, 0] : self.ends[0, 1]],
                self.friction,
                values[self.ends[1, 0] : self.ends[1, 1]],
                values[self.ends[2, 0] : self.ends[2, 1]],
            )
        return found
