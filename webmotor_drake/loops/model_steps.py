"""Plant steps of motors that are no Webots servos, all of a robot at a time.

`motor_law` defines a law. The motors' tables are flattened row by row.
"""

import math

from webmotor_drake.loops import elastic, motor_law, taken
from webmotor_drake.loops.rows import (
    COMMANDS,
    DEMANDS,
    Command,
    Demand,
    LawState,
    ModelState as S,
)

_EFFORT, _MOTOR_EFFORT, _FRICTION = map(
    int, (S.EFFORT, S.MOTOR_EFFORT, S.FRICTION)
)
_LIMIT, _HEAT, _IS_HOT, _HELD = map(int, (S.LIMIT, S.HEAT, S.IS_HOT, S.HELD))
_POSITION, _VELOCITY, _STARTED = map(int, (S.POSITION, S.VELOCITY, S.STARTED))
_START_POSITION, _START_VELOCITY = int(S.START_POSITION), int(S.START_VELOCITY)
_LOAD, _BUDGET, _GEAR = int(S.LOAD), int(S.BUDGET), int(S.GEAR)
_ANCHOR, _SLOPE, _LOW, _HIGH = map(int, (S.ANCHOR, S.SLOPE, S.LOW, S.HIGH))
_TARGET, _SPEED = int(Command.TARGET_POSITION), int(Command.TARGET_VELOCITY)
_VELOCITY_TARGET = int(LawState.VELOCITY_TARGET)
_VELOCITY_COMMAND = int(LawState.VELOCITY_COMMAND)
_BRAKE = int(Demand.BRAKE)
_COMMANDS, _DEMANDS = COMMANDS, DEMANDS
_INF, _NAN = float("inf"), float("nan")


class LawRows:
    """Steps motors, n of them, of which m have these laws.

    Tables have a column per motor (n), row by row; written arguments come first.

    Args:
        rows: `motor.models.parameters.LAW` records, shape (m,).
        step: step of the plant, s.
        sample: function that gives networks the tables as a motor period begins, and
            writes HELD; None without networks.
    """

    def __init__(self, rows, step, sample=None):
        self._array, self.count, self.step = rows, len(rows), step
        self._sample = sample
        self.take_over()

    def take_over(self):
        """Takes over the records, which have changed."""
        self.rows = taken(self._array)

    def begin(self, table, command, q, v, period_begins):
        """Writes the start of a plant step into the table, and the efforts of boards.

        BUDGET gets the effort that dry friction can hold; ANCHOR to HIGH get the law's
        first piece: effort at the start's velocity, its fall per velocity, and its
        limits.

        Args:
            table: `ModelState` rows, which are written.
            command: `Command` rows.
            q: the motors' joint positions, shape (n,), rad or m.
            v: their velocities, shape (n,), rad/s or m/s.
            period_begins: True if a motor period begins, too.
        """
        n = len(q)
        for k in range(self.count):
            law = self.rows[k]
            i = law.place
            if table[_STARTED * n + i] == 0.0:
                table[_POSITION * n + i], table[_VELOCITY * n + i] = q[i], v[i]
                table[_STARTED * n + i] = 1.0
            table[_START_POSITION * n + i] = q[i]
            table[_START_VELOCITY * n + i] = v[i]
            heat = table[_HEAT * n + i]
            table[_IS_HOT * n + i] = motor_law.is_hot(
                law, table[_IS_HOT * n + i], heat
            )
            if law.explicit and period_begins:
                table[_HELD * n + i] = motor_law.computed_ahead(
                    law, table[i::n], command[i::n]
                )
        if period_begins and self._sample is not None:
            self._sample(table, command)
        self.lay_first_pieces(table, command)

    def lay_first_pieces(self, table, command):
        """Writes BUDGET and ANCHOR to HIGH."""
        n = len(command) // _COMMANDS
        for k in range(self.count):
            law = self.rows[k]
            i = law.place
            mine = table[i::n]
            effort, fall, low, high = motor_law.first_piece(
                law, mine, command[i::n], self.step
            )
            held = 0.0
            if law.elastic:  # its friction is the motor's
                effort, fall = elastic.transmitted(
                    law, mine, command[i::n], mine[_START_VELOCITY], self.step
                )
                low, high = -_INF, _INF
            else:
                motor = mine[_MOTOR_EFFORT]
                q, v = mine[_START_POSITION], mine[_START_VELOCITY]
                if law.has_load or law.lost > 0.0:
                    motor, _ = motor_law.made(
                        law, mine, command[i::n], q, v, self.step
                    )
                held = motor_law.budget(law, v, motor, mine[_LOAD])
                held += law.lost * abs(motor + mine[_GEAR])
            table[_BUDGET * n + i] = law.static_friction + held
            table[_ANCHOR * n + i], table[_SLOPE * n + i] = effort, fall
            table[_LOW * n + i], table[_HIGH * n + i] = low, high

    def forget_servos(self, law_state, demand, command):
        """Clears the demands of Webots' law on motors that have another law.

        Args:
            law_state: `LawState` rows.
            demand: `Demand` rows, of the n motors and perhaps other joints.
            command: `Command` rows.
        """
        n, m = len(command) // _COMMANDS, len(demand) // _DEMANDS
        for k in range(self.count):
            law = self.rows[k]
            i = law.place
            known = _NAN
            if math.isinf(command[_TARGET * n + i]):
                known = command[_SPEED * n + i]
            law_state[_VELOCITY_TARGET * n + i] = known
            law_state[_VELOCITY_COMMAND * n + i] = known
            for row in range(_BRAKE):
                demand[row * m + i] = 0.0

    def write_efforts(self, found, table, command, w):
        """Writes the efforts at the joints if they end the step with velocity w.

        Args:
            found: gets the efforts of the modelled motors, shape (n,), N m or N.
            table: `ModelState` rows.
            command: `Command` rows.
            w: velocities of the motors' joints, shape (n,), rad/s or m/s.
        """
        n = len(w)
        for k in range(self.count):
            law = self.rows[k]
            i = law.place
            effort, _ = effort_at(
                law, table[i::n], command[i::n], w[i], self.step
            )
            found[i] = effort

    def finish(self, table, command, w, effort, dry):
        """Writes the results of a plant step into the table.

        Args:
            table: `ModelState` rows, which are written.
            command: `Command` rows.
            w: velocities of the motors' joints at its end, shape (n,).
            effort: efforts of the motors at the joints, shape (n,), N m or N.
            dry: efforts of dry friction, shape (n,), N m or N.
        """
        n = len(w)
        for k in range(self.count):
            law = self.rows[k]
            i = law.place
            mine = table[i::n]
            motor, turning, start = effort[i], w[i], mine[_START_POSITION]
            if law.elastic:
                motor, turning = elastic.motor_after(
                    law, mine, command[i::n], w[i], effort[i], self.step
                )
                start = mine[_POSITION]
            low, high, _, _ = motor_law.limits(
                law, mine, command[i::n], turning
            )
            if law.continuous < _INF:
                table[_HEAT * n + i] = motor_law.heated(
                    law, mine[_HEAT], motor, self.step
                )
            table[_EFFORT * n + i], table[_MOTOR_EFFORT * n + i] = (
                effort[i],
                motor,
            )
            table[_FRICTION * n + i] = dry[i]
            faster = law.rotor * (w[i] - mine[_START_VELOCITY]) / self.step
            # It lowers the efforts before and after the gear.
            table[_GEAR * n + i] = effort[i] + dry[i] - 2.0 * faster
            table[_LIMIT * n + i] = -low if motor < 0 else high
            table[_POSITION * n + i] = start + self.step * turning
            table[_VELOCITY * n + i] = turning


def effort_at(law, mine, told, w, step):
    """Returns the effort on a joint that ends with w, and its fall per w."""
    if law.elastic:
        return elastic.transmitted(law, mine, told, w, step)
    return motor_law.made(law, mine, told, mine[_START_POSITION], w, step)
