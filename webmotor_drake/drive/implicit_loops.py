"""A whole step of motors on the implicit drive, in the usual case.

Between two steps of the contact solver none of our code is in the processor's caches,
so that every call costs three times what it costs alone: here all arithmetic is one.
`ImplicitMotors` does the same in parts where there is a brake, a battery, a delay or a
joint that simply moves.
"""

import math

import numpy as np

from webmotor_drake.compiled import ACTIVE, compiled
from webmotor_drake.motor.law import Row, step_servo_rows
from webmotor_drake.motor.tables import Demand, MotorTables

_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)
# x + _SHIFT - _SHIFT is the whole number next to x, as np.rint has it.
_SHIFT, _WHOLE = 1.5 * 2.0**52, 2.0**51
# What `UsualStep.run` found.
NOT_FINITE, DISTURBED, NEW_BOUNDS = 1, 2, 4


class UsualStep:
    """Settles the last step, runs the law and prepares the next step.

    Args:
        tables: of n motors and m acting joints; the drive's own part begins with the
            servos' efforts.
        constants: of the joints: static friction, spring constant, grid of the
            fed-forward effort, softness; shape (4, m).
        positions: places of the joints' positions in the plant's state, shape (m,).
        slots: places of their servos and companions in the actuation, shape (2, m).
        period: the motor period, s.
    """

    def __init__(
        self,
        tables: MotorTables,
        constants: np.ndarray,
        positions: np.ndarray,
        slots: np.ndarray,
        period: float,
    ):
        self._period = period
        m = constants.shape[1]
        start = tables.drive.start
        self._ends = tables.ends(slice(start, start + m))
        self._parts = [slice(*ends) for ends in self._ends.tolist()]
        self._positions = positions
        self._constants, self._slots = constants.ravel(), slots.ravel()
        if not ACTIVE:
            self._constants = self._constants.tolist()
            self._slots = self._slots.tolist()

    def run(
        self,
        values: np.ndarray,
        plant_state: np.ndarray,
        net: np.ndarray,
        actuation: np.ndarray,
        desired: np.ndarray,
        limits: np.ndarray,
        *,
        law: bool,
    ) -> int:
        """Does a step; `values`, `actuation` and `desired` are written.

        Args:
            values: the vector of the tables.
            plant_state: the plant's [q, v].
            net: what the actuators applied in the last step.
            actuation: for the plant.
            desired: desired positions and velocities, for the plant.
            limits: the effort limits that the plant has, shape (m,).
            law: whether a motor step begins.

        Returns:
            The sum of: NOT_FINITE, a motor's position is no number, nothing was done;
            DISTURBED, the last step's bounds were not `limits`; NEW_BOUNDS, the next
            step's are not.
        """
        settings = self._constants, self._slots, self._period, law
        if ACTIVE:
            return _step_in(
                *(values, self._ends, plant_state, self._positions),
                *(net, actuation, desired, limits, *settings),
            )
        rows = [values[part].tolist() for part in self._parts]
        moved = actuation.tolist(), desired.tolist()
        q = plant_state[self._positions].tolist()
        found = _step(
            *(*rows, q, net.tolist(), *moved, limits.tolist(), *settings)
        )
        for part, row in zip(self._parts[1:], rows[1:], strict=True):
            values[part] = row
        actuation[:], desired[:] = moved
        return found


@compiled
def _step_in(
    values,
    ends,
    plant_state,
    positions,
    net,
    actuation,
    desired,
    limits,
    constants,
    slots,
    period,
    law,
):
    """Does `_step` on the tables in `values`."""
    q = np.empty(len(positions))
    for i in range(len(q)):
        q[i] = plant_state[positions[i]]
    return _step(
        values[ends[0, 0] : ends[0, 1]],
        values[ends[1, 0] : ends[1, 1]],
        values[ends[2, 0] : ends[2, 1]],
        values[ends[3, 0] : ends[3, 1]],
        values[ends[4, 0] : ends[4, 1]],
        q,
        net,
        actuation,
        desired,
        limits,
        constants,
        slots,
        period,
        law,
    )


@compiled
def _step(
    command: Row,
    law_state: Row,
    demand: Row,
    effort: Row,
    servo: Row,
    q: Row,
    net: Row,
    actuation: Row,
    desired: Row,
    limits: Row,
    constants: Row,
    slots: Row,
    period: float,
    law: bool,
) -> int:
    """Does what `UsualStep.run` says, with all tables flattened."""
    n, m = len(effort), len(servo)
    found = 0
    for i in range(n):
        if not math.isfinite(q[i]):
            return NOT_FINITE
    for i in range(m):
        bound = demand[_BOUND * m + i]
        if bound != limits[i]:
            found = DISTURBED
        servo[i] = min(max(net[slots[i]], -bound), bound)
        if i < n:
            effort[i] = servo[i] + demand[_DIRECT_EFFORT * m + i]
    if law:
        step_servo_rows(q[:n], period, command, constants, law_state, demand)
    for i in range(m):
        if demand[_BOUND * m + i] != limits[i]:
            found |= NEW_BOUNDS
        spring, grid = constants[m + i], constants[2 * m + i]
        fed = servo[i] / grid
        if abs(fed) < _WHOLE:
            fed = (fed + _SHIFT) - _SHIFT
        fed *= grid
        actuation[slots[i]] = fed
        direct = demand[_DIRECT_EFFORT * m + i]
        actuation[slots[m + i]] = direct - spring * q[i]
        slip = constants[3 * m + i] * fed
        desired[len(actuation) + slots[i]] = demand[_RATE * m + i] - slip
    return found
