"""The start of a plant step in the motors' tables, whatever drives them."""

import math

import numpy as np

from webmotor_drake.loops import (
    command_delay,
    kinematic,
    law_rows,
    places,
    usual_commands,
    zeros,
)
from webmotor_drake.loops.rows import COMMANDS, DEMANDS, Command, Demand

# Results of a step that was not taken: a position is not finite; a row of commands must
# be applied one by one, and the step taken again, with the last step settled.
NOT_FINITE, UNUSUAL = 1, 8
_NOT_FINITE = NOT_FINITE
_AVAILABLE = int(Command.AVAILABLE_EFFORT)
_IN_EFFORT = int(Command.EFFORT_CONTROL)
_COMMANDS, _DEMANDS, _DIRECT = COMMANDS, DEMANDS, int(Demand.DIRECT_EFFORT)


class StepStart:
    """Takes commands, draws a battery's energy, and runs the laws.

    Args:
        ends: ends of the tables of n motors, see `MotorTables.ends`.
        friction: static friction of the acting joints, shape (m,), N m or N.
        usual: the limits of usual commands, see `usual_commands.set_usual`.
        period: the motor period, s.
        delay: delay of each motor's commands: whole periods, a part of one, (n, 2).
        moved: 1 for a kinematic joint, and its soft limits, shape (n, 3).
        laws: `LawRows` of motors that are no Webots servos; None without any.
        supply: capacity of the battery, J, recharge, W, and power that is always drawn,
            W; empty without a battery.
        factors: consumption of motors per effort, and their largest effort, (2, n).
    """

    def __init__(
        self,
        ends,
        friction,
        usual,
        period,
        delay,
        moved,
        laws,
        supply,
        factors,
    ):
        self.ends, self.n = places(ends), len(usual)
        self.friction = memoryview(np.ascontiguousarray(friction))
        self.usual, self.period = memoryview(usual), period
        self.whole = places(delay[:, 0])
        self.part = memoryview(np.ascontiguousarray(delay[:, 1]))
        self.moved, self.laws = memoryview(moved), laws
        self.moves = bool(np.any(moved[:, 0]))
        self.supply = memoryview(np.array(supply, dtype=float))
        self.consumption, self.largest = map(memoryview, factors)
        self.q, self.v, self.left = zeros(self.n), zeros(self.n), zeros(self.n)
        self.fed = zeros(self.n)
        self.set_places(range(self.n), range(self.n))

    def set_places(self, q_places, v_places):
        """Sets the places of the motors' positions and velocities in the state."""
        self.q_places, self.v_places = places(q_places), places(v_places)

    def is_unusual(self, values, row):
        """Applies a `row` of commands, if any; returns whether some are unusual.

        Args:
            values: the vector of the tables, which is written.
            row: commands of a port, see `usual_commands.follow`; None without any.
        """
        given = values[len(values) - 2]  # see `MotorTables`
        line, size = self.ends[6, 0], self.ends[0, 1] - self.ends[0, 0]
        table = line if self.ends[6, 1] > line else self.ends[0, 0]
        return row is not None and usual_commands.follow(
            given, row, self.usual, values[table : table + size], self.left
        )

    def take_motion(self, state):
        """Takes the motors' motion from the plant's [q, v]; returns NOT_FINITE or 0."""
        for i in range(self.n):
            self.v[i] = state[self.v_places[i]]
            self.q[i] = state[self.q_places[i]]
            if not math.isfinite(self.q[i]):
                return _NOT_FINITE
        return 0

    def start_step(self, values, level, charge, law):
        """Starts a plant step, for a motion that `take_motion` has taken.

        Args:
            values: the vector of the tables, which is written.
            level: energy, J, and 1 or 0 for on or off; None without a battery.
            charge: power of a charger, W.
            law: True if a motor step begins.
        """
        if law:
            if level is not None:
                self.feedback(values, self.fed)
                self.use_battery(values, level, self.fed, charge)
            self.run_law(values, self.q)
        if self.laws is not None:
            table = values[self.ends[5, 0] : self.ends[5, 1]]
            command = values[self.ends[0, 0] : self.ends[0, 1]]
            self.laws.begin(table, command, self.q, self.v, law)

    def run_law(self, values, q):
        """Runs the laws, which write the tables of law state and demand.

        Args:
            values: the vector of the tables.
            q: the motors' joint positions, shape (n,), rad or m.
        """
        command = values[self.ends[0, 0] : self.ends[0, 1]]
        law_state = values[self.ends[1, 0] : self.ends[1, 1]]
        demand = values[self.ends[2, 0] : self.ends[2, 1]]
        self.pass_on(values)
        law_rows.step_servo_rows(
            q,
            self.n,
            self.period,
            command,
            self.friction,
            law_state,
            demand,
            self.moved,
        )
        if self.moves:
            kinematic.move(
                q, self.period, self.moved, command, law_state, demand
            )
        if self.laws is not None:
            self.laws.forget_servos(law_state, demand, command)

    def pass_on(self, values):
        """Lets commands that are on their way arrive, see `command_delay`."""
        if self.ends[6, 1] > self.ends[6, 0]:
            command_delay.pass_on(
                self.whole,
                self.part,
                values[self.ends[6, 0] : self.ends[6, 1]],
                values[self.ends[0, 0] : self.ends[0, 1]],
                values[self.ends[1, 0] : self.ends[1, 1]],
            )

    def finish_models(self, values, efforts, dry):
        """Notes the results of modelled motors, see `LawRows.finish`."""
        command = values[self.ends[0, 0] : self.ends[0, 1]]
        table = values[self.ends[5, 0] : self.ends[5, 1]]
        self.laws.finish(table, command, self.v, efforts, dry)
        for k in range(self.laws.count):
            i = self.laws.rows[k].place
            values[self.ends[3, 0] + i] = efforts[i]

    def feedback(self, values, found):
        """Writes the servos' efforts in the step just done, shape (n,).

        Kinematic joints take none, as in Webots without Physics.
        """
        n, demand = self.n, self.ends[2, 0]
        m = (self.ends[2, 1] - demand) // _DEMANDS
        for i in range(n):
            effort = values[self.ends[3, 0] + i]
            found[i] = effort - values[demand + _DIRECT * m + i]
            if self.moved[i, 0] != 0.0:
                found[i] = 0.0
        if self.laws is not None:
            for k in range(self.laws.count):
                i = self.laws.rows[k].place
                direct = values[self.ends[0, 0] + _IN_EFFORT * n + i] == 1.0
                found[i] = 0.0 if direct else values[self.ends[3, 0] + i]

    def use_battery(self, values, level, feedback, charge):
        """Draws the energy of the motor step just finished (WbRobot.cpp).

        A battery that is empty at the start never turns the motors off, as in Webots.
        Its changes of the available effort act at once, whatever the delay of commands.

        Args:
            values: the vector of the tables.
            level: energy, J, and 1 or 0 for on or off; written.
            feedback: the motors' efforts in the step, shape (n,), N m or N.
            charge: power of a charger, W; `recharge` is taken at most.
        """
        n, power, changed = self.n, 0.0, False
        energy, on = level[0], level[1]
        for i in range(n):
            power += abs(feedback[i]) * self.consumption[i]
        if energy > 0:
            energy -= (self.supply[2] + power) * self.period
            if energy <= 0:
                energy, level[1] = 0.0, 0.0
        if charge > 0:
            energy += min(charge, self.supply[1]) * self.period
            energy, level[1] = min(energy, self.supply[0]), 1.0
        level[0] = energy
        if level[1] == on:
            return
        for i in range(n):
            place = self.ends[0, 0] + _AVAILABLE * n + i
            now = level[1] * self.largest[i]
            changed = changed or now != values[place]
            values[place] = now
        line = self.ends[6, 0] + _AVAILABLE * n
        while changed and line < self.ends[6, 1]:
            for i in range(n):
                values[line + i] = level[1] * self.largest[i]
            line += _COMMANDS * n
