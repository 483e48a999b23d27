"""The problem of few joints on plain numbers, without numba.

Below `law.MANY` joints the numbers are so few that to hand them to numpy takes longer
than to compute. What is solved, and what the names mean, stands in `torque_solve`. This
solves its problems of one tree where no joint is at a stop.

A joint is free if a servo below its bound moves it: a = wanted - S servo, and the servo
is unknown. Else, with a motor at its bound or without one, the acceleration is unknown.
Which motors are at their bounds is tried, from those of the last step on.
"""

import math

import numpy as np

from webmotor_drake.drive.bounded_solve import TIE, UNBOUNDED
from webmotor_drake.drive.stops import WINDOW
from webmotor_drake.drive.torque_rest import SLIP
from webmotor_drake.drive.torque_solve import (
    AT_BOUND,
    BOUND,
    MOVING,
    RESTING,
    STIFF,
)
from webmotor_drake.motor.tables import DEMANDS

Row = list[float]
# Row by row, joint by joint.
Matrix = list[Row]
# So many sets of motors at their bounds are tried.
_TRIES = 4


class FewJoints:
    """Solves for the efforts of one tree of few joints.

    Args:
        constants: see `torque_solve`; of one tree.
    """

    def __init__(self, constants: tuple):
        joints, velocities, members, _, self._step = constants
        self._velocities = velocities
        self._diagonal = velocities["on_diagonal"].tolist()
        self._places = velocities[["q_place", "v_place"]].tolist()
        dampers = joints[["spring", "implicit"]].tolist()
        self._joints = [(row, i, *dampers[i]) for i, row in members.tolist()]
        softness = np.zeros(len(velocities))
        softness[members["row"]] = joints["softness"][members["joint"]]
        self._softness = softness.tolist()
        self.note_stops()

    def note_stops(self) -> None:
        """Notes the stops of `velocities`; call it when they have changed."""
        self._stops = self._velocities[["lower_stop", "upper_stop"]].tolist()

    def solve(
        self,
        state: np.ndarray,
        demand: np.ndarray,
        effort: np.ndarray,
        inertia: np.ndarray,
        acceleration: np.ndarray,
        force: np.ndarray,
        total: np.ndarray,
        foreseen: np.ndarray,
    ) -> int | None:
        """Solves as `torque_solve.solve_trees` does, or returns None.

        That is where a joint would pass a stop or has a stiff damper, or no set of
        motors at their bounds was found: nothing is written then.
        """
        x, matrix, last = state.tolist(), inertia.tolist(), effort.tolist()
        demands = demand.reshape(DEMANDS, -1).tolist()
        direct = demands[2]
        slowed = self._slowed(matrix, demands[3])
        if slowed is None:
            return None
        wanted, bounds, push, sides = self._aims(x, demands, last)
        rest = [f - p for f, p in zip(force.tolist(), push, strict=True)]
        self._complete(matrix, rest, acceleration.tolist(), demands[3])
        try:
            for _ in range(_TRIES):
                servo, a = self._tried(matrix, rest, wanted, bounds, sides)
                if not self._changes(sides, servo, a, wanted, bounds):
                    break
            else:
                return None
        except ZeroDivisionError:  # a joint moves no mass
            return None
        ends = self._ends(x, a)
        if ends is None:
            return None
        foreseen[:] = ends
        outcome = RESTING
        for row, i, _, _ in self._joints:
            now, softness = servo[row] + direct[i], self._softness[row]
            if abs(servo[row]) >= bounds[row] * AT_BOUND and bounds[row] > 0.0:
                outcome = BOUND
            elif abs(now - last[i]) * softness * self._step > SLIP:
                outcome = max(outcome, MOVING)
            effort[i] = now
            total[i] = servo[row] + push[row] - slowed[row] * a[row]
        return outcome

    def _slowed(self, matrix: Matrix, brake: Row) -> Row | None:
        """Returns the dampers' and brakes' parts of a step; None: one is stiff."""
        slowed = [0.0] * len(matrix)
        for row, i, _, implicit in self._joints:
            slowed[row] = self._step * (implicit + brake[i])
            if slowed[row] > STIFF * matrix[row][row]:
                return None
        return slowed

    def _aims(
        self, x: Row, demands: Matrix, last: Row
    ) -> tuple[Row, Row, Row, Row]:
        """Returns what is wanted of each row.

        Args:
            x: the state.
            demands: the rows of `Demand`.
            last: the efforts of the last step.

        Returns:
            Wanted accelerations; the bounds of servos; all other efforts; and 1 or -1
            for the motors that were at a bound. All are 0 without a motor.
        """
        rate, bound, direct, brake = demands
        wanted, bounds, push, sides = (
            [0.0] * len(self._places) for _ in range(4)
        )
        for row, i, spring, implicit in self._joints:
            q, v = self._places[row]
            damping = implicit + brake[i]
            push[row] = direct[i] - damping * x[v] - spring * x[q]
            wanted[row] = (rate[i] - x[v]) / self._step
            bounds[row] = min(bound[i], UNBOUNDED)
            before = last[i] - direct[i]
            if abs(before) >= bound[i] > 0.0:
                sides[row] = math.copysign(1.0, before)
        return wanted, bounds, push, sides

    def _complete(
        self, matrix: Matrix, rest: Row, acceleration: Row, brake: Row
    ) -> None:
        """Adds the dampers to the matrix; refers `rest` to no acceleration."""
        for r, line in enumerate(matrix):
            for c, done in enumerate(acceleration):
                rest[r] -= line[c] * done
            line[r] += self._diagonal[r]
        for r, i, _, _ in self._joints:
            matrix[r][r] += self._step * brake[i]

    def _tried(
        self, matrix: Matrix, rest: Row, wanted: Row, bounds: Row, sides: Row
    ) -> tuple[Row, Row]:
        """Returns servos and accelerations, with some motors at a bound."""
        free = [b > 0.0 and not s for b, s in zip(bounds, sides, strict=True)]
        aims = [w if f else 0.0 for w, f in zip(wanted, free, strict=True)]
        factors = [
            s if f else -1.0 for s, f in zip(self._softness, free, strict=True)
        ]
        # Rows of unknown accelerations get the other sign: no pivot of the elimination
        # is 0 then, as the matrix is similar to one that is positive definite.
        rows, right = [], []
        for r, line in enumerate(matrix):
            sign = 1.0 if free[r] else -1.0
            missing = rest[r] - sides[r] * bounds[r]
            row = []
            for c, inertia in enumerate(line):
                missing += inertia * aims[c]
                row.append(sign * inertia * factors[c])
            if free[r]:
                row[r] += 1.0
            rows.append(row)
            right.append(sign * missing)
        found = _solved(rows, right)
        servo, a = [], []
        for r, value in enumerate(found):
            servo.append(value if free[r] else sides[r] * bounds[r])
            a.append(aims[r] - factors[r] * value)
        return servo, a

    def _changes(
        self, sides: Row, servo: Row, a: Row, wanted: Row, bounds: Row
    ) -> bool:
        """Changes the sides as `bounded_solve` does; returns whether any has."""
        changed = False
        for r, bound in enumerate(bounds):
            if bound <= 0.0:
                continue
            if sides[r]:
                reached = a[r] + self._softness[r] * servo[r]
                tie = TIE * (abs(wanted[r]) + abs(reached))
                if sides[r] * (wanted[r] - reached) < -tie:
                    sides[r], changed = 0.0, True
            elif abs(servo[r]) > bound:
                sides[r], changed = math.copysign(1.0, servo[r]), True
        return changed

    def _ends(self, x: Row, a: Row) -> Row | None:
        """Returns the velocities after the step; None: a joint would pass a stop."""
        ends = []
        for r, (q, v) in enumerate(self._places):
            ends.append(x[v] + self._step * a[r])
            lower, upper = self._stops[r]
            if not lower <= x[q] + WINDOW * self._step * ends[r] <= upper:
                return None
        return ends


def _solved(matrix: Matrix, right: Row) -> Row:
    """Solves by Gauss's elimination; overwrites both."""
    n = len(right)
    for k, line in enumerate(matrix):
        for r in range(k + 1, n):
            below = matrix[r]
            factor = below[k] / line[k]
            for c in range(k + 1, n):
                below[c] -= factor * line[c]
            right[r] -= factor * right[k]
    for k in range(n - 1, -1, -1):
        line, found = matrix[k], right[k]
        for c in range(k + 1, n):
            found -= line[c] * right[c]
        right[k] = found / line[k]
    return right
