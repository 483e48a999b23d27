"""The part of a torque drive's step before its efforts are solved for, in one call.

It is one call because a call of compiled code costs more than the work in it.
"""

from webmotor_drake.loops import places
from webmotor_drake.loops.rows import ModelState
from webmotor_drake.loops.step_start import UNUSUAL

MISSED = 2
_MISSED, _UNUSUAL = MISSED, UNUSUAL
# `TorqueMotors` overwrites the first pieces, from this row on, with the solution.
_SOLVED = int(ModelState.ANCHOR)


class TorqueStart:
    """Notes the last step's efforts; runs the law if a motor step begins.

    Args:
        start: the motors' `StepStart`.
        tree_places: places of the trees' velocities in the state, shape (nt,).
        foreseen: place of the first predicted velocity in the tables' vector; NaN
            stands for none. The outcome of the last step follows, and the number of
            steps in a row that missed a velocity.
        tolerance: largest error of a velocity, in rad/s or m/s, and as a share of it.
    """

    def __init__(self, start, tree_places, foreseen, tolerance):
        self.start, self.foreseen = start, foreseen
        self.tree_places, self.tolerance = places(tree_places), tolerance

    def run(self, values, state, level, charge, row, law, settled):
        """Runs this part of a step; the arguments are those of `ServoStep.run`.

        Returns:
            NOT_FINITE, or the sum of: MISSED, the trees have missed a velocity;
            UNUSUAL.
        """
        found = self.start.take_motion(state)
        if found != 0:
            return found
        held = self.start.ends[4, 0]
        if not settled:
            applied = values[held : held + self.start.n]
            if self.settle(values, state, applied):
                found = _MISSED
            else:
                values[self.foreseen + len(self.tree_places) + 1] = 0.0
        if self.start.is_unusual(values, row):
            return found + _UNUSUAL
        self.start.start_step(values, level, charge, law)
        return found

    def settle(self, values, state, applied):
        """Notes the motors' efforts in the step just finished, as they were applied.

        Returns whether the trees have missed the velocities that were foreseen.
        """
        start, n, effort = self.start, self.start.n, self.start.ends[3, 0]
        start.take_motion(state)
        for i in range(n):
            values[effort + i] = applied[i]
        if start.laws is not None:
            solved = start.ends[5, 0] + _SOLVED * n
            start.finish_models(
                values,
                values[solved : solved + n],
                values[solved + n : solved + 2 * n],
            )
        for i in range(len(self.tree_places)):
            foreseen = values[self.foreseen + i]
            off = abs(state[self.tree_places[i]] - foreseen)
            if off > self.tolerance * (1.0 + abs(foreseen)):
                return True
        return False
