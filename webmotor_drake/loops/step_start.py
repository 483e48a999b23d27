"""The start of a plant step in the motors' tables, whatever drives them."""

import math

import numpy as np

from webmotor_drake.loops import law_rows, places, usual_commands, zeros

# The results of a step that was not taken, see `StepStart.begin`.
NOT_FINITE, UNUSUAL = 1, 8
_NOT_FINITE, _UNUSUAL = NOT_FINITE, UNUSUAL


class StepStart:
    """Takes the commands of a port, and runs the law.

    Args:
        ends: of n motors and m acting joints, see `MotorTables.ends`; the drive holds
            the servos' efforts.
        q_places: places of the motors' positions in the plant's state, shape (n,).
        friction: static friction of the acting joints, shape (m,), N m or N.
        usual: the limits of usual commands, see `usual_commands.set_usual`.
        period: the motor period, s.
    """

    def __init__(self, ends, q_places, friction, usual, period):
        self.ends, self.places = places(ends), places(q_places)
        self.friction = memoryview(np.ascontiguousarray(friction))
        self.usual, self.period = memoryview(usual), period
        self.n = len(q_places)
        self.q, self.left = zeros(self.n), zeros(self.n)

    def begin(self, values, state, row, given):
        """Takes a `row` of commands that a port has, and the motors' positions.

        Args:
            values: the vector of the tables, which is written.
            state: the plant's [q, v].
            row: row of commands that a port has; empty: nothing.
            given: port of the row, as `usual_commands.follow` takes it.

        Returns:
            UNUSUAL: the row is to be given one by one, nothing else was done;
            NOT_FINITE: a position is not a number; else 0.
        """
        if len(row) > 0 and usual_commands.follow(
            given,
            row,
            self.usual,
            values[self.ends[0, 0] : self.ends[0, 1]],
            self.left,
        ):
            return _UNUSUAL
        for i in range(self.n):
            self.q[i] = state[self.places[i]]
            if not math.isfinite(self.q[i]):
                return _NOT_FINITE
        return 0

    def run_law(self, values):
        """Runs the law, for positions that `begin` has taken."""
        law_rows.step_servo_rows(
            self.q,
            self.n,
            self.period,
            values[self.ends[0, 0] : self.ends[0, 1]],
            self.friction,
            values[self.ends[1, 0] : self.ends[1, 1]],
            values[self.ends[2, 0] : self.ends[2, 1]],
        )
