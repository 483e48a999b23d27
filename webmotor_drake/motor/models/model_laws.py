"""The laws of motors that are no Webots servos, all of a robot at a time.

`loops.motor_law` says what a law is. Here the motors' tables go through it.
"""

# The loops have no annotations.
# pyright: basic

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.loops import entry, model_steps
from webmotor_drake.loops.model_state import (
    MODEL_STATES,
)
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.tables import COMMANDS

_begin = entry(model_steps.begin)
_lay_first_pieces = entry(model_steps.lay_first_pieces)
_forget_servos = entry(model_steps.forget_servos)
_write_efforts = entry(model_steps.write_efforts)
_finish = entry(model_steps.finish)

# Why a parameter does not change while a run goes on.
ONLY_FROM_THE_START = (
    "it acts from the start of a run only; save it and run anew"
)


class ModelLaws:
    """The laws of the m modelled ones among a model's n motors.

    It keeps nothing: what changes is in the `ModelState` table. Tables are flattened
    row by row, and those of n motors; what is written comes first.

    Attributes:
        rows: the modelled motors' `LAW` records, shape (m,).
        taken: these laws, as loops take them.
        own: their places among the n.
        needs_load: True if friction depends on the row LOAD.
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
        self.rows, self.own, self.taken = (
            rows,
            rows["place"],
            model_steps.LawRows(rows),
        )
        self.needs_load = bool(rows["has_load"].any())

    def change(self, rows: np.ndarray) -> None:
        """Gives the motors other parameters; their springs and tables stay.

        Raises:
            InputError: the drive was made for other friction, or for no spring.
        """
        for name in ("place", "has_load", "elastic", "learned"):
            if not np.array_equal(rows[name], self.rows[name]):
                raise InputError(ONLY_FROM_THE_START)
        self.rows[:] = rows
        self.taken = model_steps.LawRows(self.rows)

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
            period_begins: True if a motor period begins, too.
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
            effort: efforts of the motors at the joints, shape (n,), N m or N.
            friction: efforts of dry friction, shape (n,), N m or N.
        """
        _finish(table, self.taken, command, w, effort, friction, self._step)
