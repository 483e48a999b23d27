"""The laws of motors that are no Webots servos, all of a robot at a time."""

# The loops have no annotations.
# pyright: basic

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.loops import entry
from webmotor_drake.loops.model_steps import LawRows
from webmotor_drake.loops.rows import MODEL_STATES
from webmotor_drake.motor.models.motor_networks import MotorNetworks

# Why a parameter does not change while a run goes on.
ONLY_FROM_THE_START = (
    "it acts from the start of a run only; save it and run anew"
)


class ModelLaws:
    """The laws of the m motors with a motor model among a model's n motors.

    It has no state: changing values are in the `ModelState` table. Tables have a column
    per motor (n) and are flattened row by row; written arguments come first.

    Attributes:
        rows: the modelled motors' `LAW` records, shape (m,).
        taken: these laws, as loops take them.
        own: places of these motors among the n.
        effort: function that writes efforts, `LawRows.write_efforts`.
        needs_load: True if friction depends on the row LOAD.
        states: number of table rows that the laws need.

    Args:
        rows: the records.
        step: step of the plant, s.
        networks: networks of learned motors.
    """

    def __init__(
        self,
        rows: np.ndarray,
        step: float,
        networks: MotorNetworks | None = None,
    ):
        self.states = MODEL_STATES + (networks.rows if networks else 0)
        self.rows, self.own = rows, rows["place"]
        self.needs_load = bool(rows["has_load"].any())
        self.taken = laws = LawRows(rows, step, networks and networks.sample)
        self.effort = entry(laws.write_efforts)

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
