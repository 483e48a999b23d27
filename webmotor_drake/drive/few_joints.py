"""`free_tree` on plain numbers, for the few joints that most robots have.

Below `law.MANY` joints the numbers are so few that to hand them to numpy takes longer
than to compute: a step without numba takes 0.65 times as long for one or four joints in
motion, 0.8 for seven. What is solved, and what the names mean, stands in `free_tree`.
"""

import numpy as np

from webmotor_drake.drive.stops import WINDOW
from webmotor_drake.drive.torque_rest import SLIP
from webmotor_drake.drive.torque_solve import (
    AT_BOUND,
    MOVING,
    RESTING,
    STIFF,
)

# Row by row, joint by joint.
Matrix = list[list[float]]


class FewJoints:
    """Solves as `FreeTree` does; the arguments are the same."""

    def __init__(
        self,
        joints: np.ndarray,
        velocities: np.ndarray,
        members: np.ndarray,
        trees: np.ndarray,
        step: float,
    ):
        self._step, self._velocities = step, velocities
        self._order = members["joint"].tolist()
        own = joints[self._order]
        self._springs = own[["spring", "implicit"]].tolist()
        self._softness = own["softness"].tolist()
        self._diagonal = velocities["on_diagonal"].tolist()
        places = velocities[["q_place", "v_place"]].tolist()
        self._places = list(zip(self._order, places, strict=True))
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
        """See `FreeTree.solve`."""
        x, step, last = state.tolist(), self._step, effort.tolist()
        rate, bound, direct, brake = demand.reshape(4, -1).tolist()
        matrix, known = inertia.tolist(), force.tolist()
        if any(brake):
            return None
        wanted, push = [], []
        for r, (i, (q, v)) in enumerate(self._places):
            spring, implicit = self._springs[r]
            if step * implicit > STIFF * matrix[r][r]:
                return None
            wanted.append((rate[i] - x[v]) / step)
            push.append(direct[i] - implicit * x[v] - spring * x[q])
            known[r] -= push[r]
        servo = self._servo(wanted, known, matrix, acceleration.tolist())
        reached = []
        for r, (i, (q, _)) in enumerate(self._places):
            if abs(servo[r]) >= bound[i] * AT_BOUND:
                return None
            reached.append(rate[i] - self._softness[r] * step * servo[r])
            lower, upper = self._stops[r]
            if not lower <= x[q] + WINDOW * step * reached[r] <= upper:
                return None
        outcome = RESTING
        for r, i in enumerate(self._order):
            give = self._softness[r]
            found = servo[r] + direct[i]
            if abs(found - last[i]) * give * step > SLIP:
                outcome = MOVING
            slowed = step * self._springs[r][1] * (wanted[r] - give * servo[r])
            effort[i], total[i] = found, servo[r] + push[r] - slowed
        foreseen[:] = reached
        return outcome

    def _servo(
        self,
        wanted: list[float],
        known: list[float],
        matrix: Matrix,
        acceleration: list[float],
    ) -> list[float]:
        """Returns the servos' efforts; overwrites `known` and `matrix`."""
        change = [w - a for w, a in zip(wanted, acceleration, strict=True)]
        for r, line in enumerate(matrix):
            known[r] += self._diagonal[r] * wanted[r]
            for c, give in enumerate(self._softness):
                known[r] += line[c] * change[c]
                line[c] *= give
            line[r] += 1.0 + self._diagonal[r] * self._softness[r]
        return _solved(matrix, known)


def _solved(matrix: Matrix, right: list[float]) -> list[float]:
    """Solves by Gauss's elimination; overwrites both.

    No pivot is 0: the matrix is similar to one that is positive definite.
    """
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
