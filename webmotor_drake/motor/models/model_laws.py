"""The laws of motors that are no Webots servos, all of a robot at a time.

`motor_law` says what a law is. Here the motors' tables go through it, flattened row by
row: element by element, so that numba compiles it.
"""

# Functions for numba have no annotations.
# pyright: basic

import math

import numpy as np

from webmotor_drake.compiled import compiled, compiled_loops, taken
from webmotor_drake.motor.models import elastic, motor_law, thermal
from webmotor_drake.motor.models.friction import budget
from webmotor_drake.motor.models.model_state import (
    MODEL_STATES,
    ModelState as S,
)
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.tables import (
    COMMANDS,
    DEMANDS,
    Command,
    Demand,
    LawState,
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


class ModelLaws:
    """The laws of the m modelled ones among a model's n motors.

    It keeps nothing: what changes is in the `ModelState` table. Tables are flattened
    row by row, and those of n motors; what is written comes first.

    Attributes:
        rows: the modelled motors' `LAW` records, shape (m,).
        taken: the same, for functions of `compiled_loops`.
        own: their places among the n.
        needs_load: whether friction depends on the row LOAD.
        states: the number of rows that they need.

    Args:
        rows: the records.
        step: of the plant, s.
        networks: of learned motors.
    """

    def __init__(
        self,
        rows: np.ndarray,
        step: float,
        networks: MotorNetworks | None = None,
    ):
        self._networks, self._step = networks, step
        self.states = MODEL_STATES + (networks.rows if networks else 0)
        self.rows, self.own, self.taken = rows, rows["place"], taken(rows)
        self.needs_load = bool(rows["has_load"].any())

    def begin(
        self,
        table: np.ndarray,
        command: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        *,
        period_begins: bool,
    ) -> None:
        """Writes the start of a plant step into the table, and the efforts of boards.

        In BUDGET is what dry friction can hold then, in ANCHOR to HIGH the law's first
        piece: effort at the start's velocity, what it falls by per velocity, and its
        limits.

        Args:
            table: `ModelState` rows, which are written.
            command: `Command` rows.
            q: the motors' joint positions, shape (n,), rad or m.
            v: their velocities, shape (n,), rad/s or m/s.
            period_begins: whether a motor period begins, too.
        """
        _begin(table, self.taken, command, q, v, period_begins)
        if self._networks is not None and period_begins:
            shape = self.states, len(q)
            mine = table.reshape(shape)[:, self.own]
            told = command.reshape(COMMANDS, -1)[:, self.own]
            self._networks.sample(mine, told)
            table.reshape(shape)[:, self.own] = mine
        _lay_first_pieces(table, self.taken, command, self._step)

    def forget_servos(
        self, law_state: np.ndarray, demand: np.ndarray, command: np.ndarray
    ) -> None:
        """Clears the demands of Webots' law on motors that have another law.

        Args:
            law_state: `LawState` rows.
            demand: `Demand` rows, of the n motors and perhaps other joints.
            command: `Command` rows.
        """
        _forget_servos(law_state, demand, self.taken, command)

    def effort(
        self,
        found: np.ndarray,
        table: np.ndarray,
        command: np.ndarray,
        w: np.ndarray,
    ) -> None:
        """Writes the efforts at the joints if they end the step with velocity w.

        Args:
            found: gets the efforts of the modelled motors, shape (n,), N m or N.
            table: `ModelState` rows.
            command: `Command` rows.
            w: of the motors' joints, shape (n,), rad/s or m/s.
        """
        _write_efforts(found, self.taken, table, command, w, self._step)

    def finish(
        self,
        table: np.ndarray,
        command: np.ndarray,
        w: np.ndarray,
        effort: np.ndarray,
        friction: np.ndarray,
    ) -> None:
        """Writes the results of a plant step into the table.

        Args:
            table: `ModelState` rows, which are written.
            command: `Command` rows.
            w: velocities of the motors' joints at its end, shape (n,).
            effort: what the motors gave the joints, shape (n,), N m or N.
            friction: what dry friction did, shape (n,), N m or N.
        """
        _finish(table, self.taken, command, w, effort, friction, self._step)


@compiled_loops(0)
def _begin(table, laws, command, q, v, period_begins):
    n = len(q)
    for law in laws:
        i = law.place
        if table[_STARTED * n + i] == 0.0:
            table[_POSITION * n + i], table[_VELOCITY * n + i] = q[i], v[i]
            table[_STARTED * n + i] = 1.0
        table[_START_POSITION * n + i] = q[i]
        table[_START_VELOCITY * n + i] = v[i]
        heat = table[_HEAT * n + i]
        table[_IS_HOT * n + i] = thermal.is_hot(
            law, table[_IS_HOT * n + i], heat
        )
        if law.explicit and period_begins:
            table[_HELD * n + i] = motor_law.computed_ahead(
                law, table[i::n], command[i::n]
            )


@compiled_loops(0)
def _lay_first_pieces(table, laws, command, step):
    n = len(command) // COMMANDS
    for law in laws:
        i = law.place
        mine, told = table[i::n], command[i::n]
        effort, fall, low, high = motor_law.first_piece(law, mine, told, step)
        held = 0.0
        if law.elastic:  # its friction is the motor's
            effort, fall = elastic.transmitted(
                law, mine, told, mine[_START_VELOCITY], step
            )
            low, high = -np.inf, np.inf
        else:
            motor = mine[_MOTOR_EFFORT]
            q, v = mine[_START_POSITION], mine[_START_VELOCITY]
            if law.has_load or law.lost > 0.0:
                motor, _ = motor_law.made(law, mine, told, q, v, step)
            held = budget(law, v, motor, mine[_LOAD])
            held += law.lost * abs(motor + mine[_GEAR])
        table[_BUDGET * n + i] = law.static + held
        table[_ANCHOR * n + i], table[_SLOPE * n + i] = effort, fall
        table[_LOW * n + i], table[_HIGH * n + i] = low, high


@compiled_loops(0, 1)
def _forget_servos(law_state, demand, laws, command):
    n, m = len(command) // COMMANDS, len(demand) // DEMANDS
    for law in laws:
        i = law.place
        known = np.nan
        if math.isinf(command[_TARGET * n + i]):
            known = command[_SPEED * n + i]
        law_state[_VELOCITY_TARGET * n + i] = known
        law_state[_VELOCITY_COMMAND * n + i] = known
        for row in range(_BRAKE):
            demand[row * m + i] = 0.0


@compiled
def effort_at(law, mine, told, w, step):
    """Returns the effort on a joint that ends with w, and its fall per w."""
    if law.elastic:
        return elastic.transmitted(law, mine, told, w, step)
    return motor_law.made(law, mine, told, mine[_START_POSITION], w, step)


@compiled_loops(0)
def _write_efforts(found, laws, table, command, w, step):
    n = len(w)
    for law in laws:
        i = law.place
        found[i], _ = effort_at(law, table[i::n], command[i::n], w[i], step)


@compiled_loops(0)
def _finish(table, laws, command, w, effort, friction, step):
    n = len(w)
    for law in laws:
        i = law.place
        mine, told = table[i::n], command[i::n]
        motor, turning, begin = effort[i], w[i], mine[_START_POSITION]
        if law.elastic:
            motor, turning = elastic.motor_after(
                law, mine, told, w[i], effort[i], step
            )
            begin = mine[_POSITION]
        low, high, _, _ = motor_law.limits(law, mine, told, turning)
        if law.continuous < np.inf:
            table[_HEAT * n + i] = thermal.heated(law, mine[_HEAT], motor, step)
        table[_EFFORT * n + i], table[_MOTOR_EFFORT * n + i] = effort[i], motor
        table[_FRICTION * n + i] = friction[i]
        faster = law.rotor * (w[i] - mine[_START_VELOCITY]) / step
        # Both what goes into the gear and what comes out are less by it.
        table[_GEAR * n + i] = effort[i] + friction[i] - 2.0 * faster
        table[_LIMIT * n + i] = -low if motor < 0 else high
        table[_POSITION * n + i] = begin + step * turning
        table[_VELOCITY * n + i] = turning
