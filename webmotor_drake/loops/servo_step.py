"""The arithmetic of a plant step of the implicit drive.

Between two steps of the contact solver none of our code is in the processor's caches,
so that every call costs three times what it costs alone: usually all arithmetic is one
call, `run`. Where there is a brake, a battery, a delay or a joint that simply moves,
`ImplicitMotors` calls its parts.
"""

import math

import numpy as np

from webmotor_drake.loops import (
    law_rows,
    places,
    taken,
    usual_commands,
    zeros,
)
from webmotor_drake.loops.rows import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _ = map(int, Demand)
# x + _SHIFT - _SHIFT is the whole number next to x, as np.rint has it.
_SHIFT, _WHOLE = 1.5 * 2.0**52, 2.0**51
# The results of `ServoStep.run`.
NOT_FINITE, DISTURBED, NEW_BOUNDS, UNUSUAL = 1, 2, 4, 8
_NOT_FINITE, _DISTURBED, _NEW_BOUNDS = NOT_FINITE, DISTURBED, NEW_BOUNDS
_UNUSUAL = UNUSUAL


class ServoStep:
    """Settles the last step, runs the law and prepares the next step.

    Args:
        ends: of n motors and m acting joints, see `MotorTables.ends`; the drive holds
            the servos' efforts.
        servos: `drive.servo_places.SERVO` records, shape (m,).
        usual: the limits of usual commands, see `usual_commands.set_usual`.
        period: the motor period, s.
    """

    def __init__(self, ends, servos, usual, period):
        self.ends, self.servos, self.period = (
            places(ends),
            taken(servos),
            period,
        )
        self.friction = memoryview(np.ascontiguousarray(servos["friction"]))
        self.m = len(servos)
        self.n = int(ends[3, 1] - ends[3, 0])
        self.q, self.usual = zeros(self.m), memoryview(usual)
        self.left = zeros(self.n)

    def run(
        self, values, state, net, actuation, desired, limits, row, given, law
    ):
        """Does a step; `values`, `actuation` and `desired` are written.

        Args:
            values: the vector of the tables.
            state: the plant's [q, v].
            net: what the actuators applied in the last step.
            actuation: for the plant.
            desired: desired positions and velocities, for the plant.
            limits: the effort limits that the plant has, shape (m,).
            row: what a port gives, see `usual_commands.follow`; empty: nothing.
            given: see there.
            law: whether a motor step begins.

        Returns:
            UNUSUAL: the row is to be given one by one, nothing else done. Else the sum
            of: NOT_FINITE, a motor's position is not a number, nothing done;
            DISTURBED, the last step's bounds were not `limits`; NEW_BOUNDS, the next
            step's are not.
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
            q[i] = state[self.servos[i].q_place]
            if not math.isfinite(q[i]):
                return _NOT_FINITE
        found = 0
        if self.settle(values, net, limits):
            found = _DISTURBED
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
        if self.prepare(values, state, limits, actuation, desired):
            found += _NEW_BOUNDS
        return found

    def settle(self, values, net, limits):
        """Notes the servos' efforts, and the motors', in the step just finished.

        Args:
            values: the vector of the tables, which is written.
            net: what the actuators applied, without brakes.
            limits: the effort limits that the plant has, shape (m,).

        Returns:
            Whether the step's bounds were not `limits`.
        """
        m, demand = self.m, self.ends[2, 0]
        effort, held = self.ends[3, 0], self.ends[4, 0]
        disturbed = False
        for i in range(m):
            bound = values[demand + _BOUND * m + i]
            if bound != limits[i]:
                disturbed = True
            had = min(max(net[self.servos[i].slot], -bound), bound)
            values[held + i] = had
            if i < self.n:
                direct = values[demand + _DIRECT_EFFORT * m + i]
                values[effort + i] = had + direct
        return disturbed

    def prepare(self, values, state, limits, actuation, desired):
        """Writes what the plant gets for the next step; see `implicit_motors`.

        Returns:
            Whether the bounds are not `limits`.
        """
        m, demand, held = self.m, self.ends[2, 0], self.ends[4, 0]
        new_bounds = False
        for i in range(m):
            servo = self.servos[i]
            if values[demand + _BOUND * m + i] != limits[i]:
                new_bounds = True
            fed = values[held + i] / servo.grid
            if abs(fed) < _WHOLE:
                fed = (fed + _SHIFT) - _SHIFT
            fed *= servo.grid
            actuation[servo.slot] = fed
            direct = values[demand + _DIRECT_EFFORT * m + i]
            pull = servo.spring * state[servo.q_place]
            actuation[servo.companion_slot] = direct - pull
            slip = servo.cfm * fed
            rate = values[demand + _RATE * m + i]
            desired[len(actuation) + servo.slot] = rate - slip
        return new_bounds
