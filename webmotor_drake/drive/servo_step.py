"""The arithmetic of a plant step of the implicit drive.

The same functions serve arrays, where numba compiles them, and lists. Between two
steps of the contact solver none of our code is in the processor's caches, so that
every call costs three times what it costs alone: usually all arithmetic is one call,
`run`. Where there is a brake, a battery, a delay or a joint that simply moves,
`ImplicitMotors` calls its parts.
"""

import math
from typing import NamedTuple

import numpy as np

from webmotor_drake.compiled import ACTIVE, compiled, taken
from webmotor_drake.motor.law import step_servo_rows
from webmotor_drake.motor.tables import Demand, MotorTables

_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)
# x + _SHIFT - _SHIFT is the whole number next to x, as np.rint has it.
_SHIFT, _WHOLE = 1.5 * 2.0**52, 2.0**51
# The results of `ServoStep.run`.
NOT_FINITE, DISTURBED, NEW_BOUNDS = 1, 2, 4


class Servo(NamedTuple):
    """The constants of a joint's servo."""

    friction: float  # N m or N
    spring: float  # N m/rad or N/m
    grid: float  # to which the fed-forward effort is rounded, N m or N
    cfm: float  # rad/s/(N m) or m/s/N
    slot: int  # place in the model's actuation
    companion_slot: int  # of its companion
    q_place: int  # of the joint's position in the plant's state


class ServoStep:
    """Settles the last step, runs the law and prepares the next step.

    Args:
        tables: of n motors and m acting joints; the drive's own part begins with the
            servos' efforts.
        servos: an array with the fields of `Servo`, shape (m,).
        period: the motor period, s.
    """

    def __init__(self, tables: MotorTables, servos: np.ndarray, period: float):
        self._period = period
        start = tables.drive.start
        self._held = slice(start, start + len(servos))
        self._ends = tables.ends(self._held)
        self._parts = [slice(*ends) for ends in self._ends.tolist()]
        self._demand, self._effort = tables.demand, tables.effort
        self._q_places = servos["q_place"]
        self._servos = taken(servos)

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
            The sum of: NOT_FINITE, a motor's position is not a number, nothing done;
            DISTURBED, the last step's bounds were not `limits`; NEW_BOUNDS, the next
            step's are not.
        """
        if ACTIVE:
            return _run_in(
                *(values, self._ends, self._servos, plant_state, net, limits),
                *(actuation, desired, self._period, law),
            )
        tables = [values[part].tolist() for part in self._parts]
        moved = actuation.tolist(), desired.tolist()
        q = plant_state[self._q_places].tolist()
        found = _run(
            *(tables, self._servos, q, net.tolist(), limits.tolist(), *moved),
            *(self._period, law),
        )
        for part, row in zip(self._parts[1:], tables[1:], strict=True):
            values[part] = row
        actuation[:], desired[:] = moved
        return found

    def settle(
        self, values: np.ndarray, net: np.ndarray, limits: np.ndarray
    ) -> bool:
        """Notes the servos' efforts, and the motors', in the step just finished.

        Args:
            values: the vector of the tables, which is written.
            net: what the actuators applied, without brakes.
            limits: the effort limits that the plant has, shape (m,).

        Returns:
            Whether the step's bounds were not `limits`.
        """
        return settle(
            *(values[self._demand], self._servos, net, limits),
            *(values[self._held], values[self._effort]),
        )

    def prepare(
        self,
        values: np.ndarray,
        plant_state: np.ndarray,
        limits: np.ndarray,
        actuation: np.ndarray,
        desired: np.ndarray,
    ) -> None:
        """Writes `actuation` and the velocities in `desired`; see `run`."""
        prepare(
            *(values[self._demand], self._servos, values[self._held]),
            *(plant_state[self._q_places], limits, actuation, desired),
        )


@compiled
def _run_in(
    values,
    ends,
    servos,
    plant_state,
    net,
    limits,
    actuation,
    desired,
    period,
    law,
):
    """Does `_run` on the tables in `values`."""
    q = np.empty(len(servos))
    for i in range(len(q)):
        q[i] = plant_state[servos[i].q_place]
    tables = (
        values[ends[0, 0] : ends[0, 1]],
        values[ends[1, 0] : ends[1, 1]],
        values[ends[2, 0] : ends[2, 1]],
        values[ends[3, 0] : ends[3, 1]],
        values[ends[4, 0] : ends[4, 1]],
    )
    return _run(tables, servos, q, net, limits, actuation, desired, period, law)


@compiled
def _run(tables, servos, q, net, limits, actuation, desired, period, law):
    """Runs a `ServoStep`, for tables in the order of their `ends`."""
    command, law_state, demand, effort, held = tables
    n = len(effort)
    for i in range(n):
        if not math.isfinite(q[i]):
            return NOT_FINITE
    found = 0
    if settle(demand, servos, net, limits, held, effort):
        found = DISTURBED
    if law:
        friction = [servo.friction for servo in servos]
        step_servo_rows(q[:n], period, command, friction, law_state, demand)
    if prepare(demand, servos, held, q, limits, actuation, desired):
        found |= NEW_BOUNDS
    return found


@compiled
def settle(demand, servos, net, limits, held, effort):
    """Writes the efforts `held` by the m servos and the n motors' `effort`.

    Returns whether the bounds in `demand` are not `limits`.
    """
    m = len(held)
    disturbed = False
    for i in range(m):
        bound = demand[_BOUND * m + i]
        if bound != limits[i]:
            disturbed = True
        held[i] = min(max(net[servos[i].slot], -bound), bound)
        if i < len(effort):
            effort[i] = held[i] + demand[_DIRECT_EFFORT * m + i]
    return disturbed


@compiled
def prepare(demand, servos, held, q, limits, actuation, desired):
    """Writes what the plant gets for the next step; see `implicit_motors`.

    Returns whether the bounds in `demand` are not `limits`.
    """
    m = len(held)
    new_bounds = False
    for i in range(m):
        servo = servos[i]
        if demand[_BOUND * m + i] != limits[i]:
            new_bounds = True
        fed = held[i] / servo.grid
        if abs(fed) < _WHOLE:
            fed = (fed + _SHIFT) - _SHIFT
        fed *= servo.grid
        actuation[servo.slot] = fed
        direct = demand[_DIRECT_EFFORT * m + i]
        actuation[servo.companion_slot] = direct - servo.spring * q[i]
        slip = servo.cfm * fed
        desired[len(actuation) + servo.slot] = demand[_RATE * m + i] - slip
    return new_bounds
