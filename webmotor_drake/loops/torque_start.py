"""The part of a torque drive's step before its efforts are solved for, in one call.

The call of compiled code costs more than the work in it. `TorqueMotors` does the same
in parts in unusual cases.
"""

from webmotor_drake.loops import places, step_start

MISSED = 2
_MISSED = MISSED


class TorqueStart(step_start.StepStart):
    """Notes the last step's efforts; runs the law if a motor step begins.

    Args:
        ends: ends of the parts of the tables, as `StepStart` takes them; in a sixth row
            of the velocities that were foreseen, NaN where they were not.
        tree_places: places of the trees' velocities in the state, shape (nt,).
        tolerance: by which a velocity may be missed, in rad/s or m/s, and as a share
            of it.
        rest: further arguments of `StepStart`.
    """

    def __init__(self, ends, tree_places, tolerance, *rest):
        super().__init__(ends, *rest)
        self.tree_places, self.tolerance = places(tree_places), tolerance

    def finish_and_run_law(self, values, state, row, given, law):
        """Does so, once it has taken a `row` as `begin` does.

        Returns:
            UNUSUAL or NOT_FINITE as of `begin`; MISSED: the trees
            have missed a velocity; else 0.
        """
        found = self.begin(values, state, row, given)
        if found != 0:
            return found
        if self.misses(values, state):
            found = _MISSED
        effort, held = self.ends[3, 0], self.ends[4, 0]
        for i in range(self.n):
            values[effort + i] = values[held + i]
        if law:
            self.run_law(values)
        return found

    def misses(self, values, state):
        """Returns whether the trees have missed the velocities that were foreseen."""
        for i in range(len(self.tree_places)):
            foreseen = values[self.ends[5, 0] + i]
            off = abs(state[self.tree_places[i]] - foreseen)
            if off > self.tolerance * (1.0 + abs(foreseen)):
                return True
        return False
