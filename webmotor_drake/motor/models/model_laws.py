"""The laws of motors that are no Webots servos, all of a robot at a time.

`loops.motor_law` says what a law is. Here the motors' tables go through it.
"""

# The loops have no annotations.
# pyright: basic

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.loops import entry
from webmotor_drake.loops.model_state import MODEL_STATES
from webmotor_drake.loops.model_steps import LawRows
from webmotor_drake.motor.models.motor_networks import MotorNetworks
from webmotor_drake.motor.tables import COMMANDS

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
        effort: writes efforts, `LawRows.write_efforts`.
        finish: ends a plant step.
        needs_load: True if friction depends on the row LOAD.
        asks_python: True if loops cannot step them alone.
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
        self._networks = networks
        self.states = MODEL_STATES + (networks.rows if networks else 0)
        self.rows, self.own = rows, rows["place"]
        self.needs_load = bool(rows["has_load"].any())
        # What Python has a part in: the loops do not step alone.
        self.asks_python = self.needs_load or networks is not None
        self.taken = laws = LawRows(rows, step)
        self._begin, self._lay_first = map(
            entry, (laws.begin, laws.lay_first_pieces)
        )
        self.effort, self.finish = map(entry, (laws.write_efforts, laws.finish))

    def change(self, rows: np.ndarray) -> None:
        """Gives the motors other parameters; their springs and tables stay.

        Raises:
            InputError: the drive was made for other friction, or for no spring.
        """
        for name in ("place", "has_load", "elastic", "learned"):
            if not np.array_equal(rows[name], self.rows[name]):
                raise InputError(ONLY_FROM_THE_START)
        self.rows[:] = rows
        self.taken.take_over()

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
        self._begin(table, command, q, v, period_begins)
        if self._networks is not None and period_begins:
            shape = self.states, len(q)
            mine = table.reshape(shape)[:, self.own]
            told = command.reshape(COMMANDS, -1)[:, self.own]
            self._networks.sample(mine, told)
            table.reshape(shape)[:, self.own] = mine
        self._lay_first(table, command)
