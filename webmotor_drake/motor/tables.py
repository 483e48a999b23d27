"""The state of a model's motors: tables side by side in one vector.

Each table has one column per motor, or per joint that a drive acts on. Commands set
the rows of `Command`, the law carries those of `LawState` from step to step, and
`Demand` has its demands of the drive.
"""

import numpy as np

from webmotor_drake.loops.rows import COMMANDS, DEMANDS, LAW_STATES


class MotorTables:
    """The layout of the vector of a model's motors: its tables, side by side.

    One vector rather than one per table: every look into a Context costs 0.4 µs, all
    the arithmetic of a motor 1 µs.

    Attributes:
        size: the length of the vector.
        command: the slice of the `Command` table, row by row.
        law_state: slice of the `LawState` table.
        demand: slice of the `Demand` table.
        effort: slice of the motors' efforts in the plant step just finished.
        drive: slice of the drive's own state.
        held: slice of the joints' efforts, the first part of `drive`.
        line: slice of the commands on their way, see `loops.command_delay`.
        models: slice of the `ModelState` table; empty if all are Webots motors.
        given: index of the bit mask of `CommandPorts` that have a value; -1 until they
            are looked at.
        last_step: index of the last plant step's number, at the end; -1 before the
            first step.

    Args:
        motors: number n of motors.
        joints: the number m of joints that a drive acts on.
        drive: the number of floats that the drive keeps.
        line: the number of `Command` tables on their way.
        models: the number of rows of the `ModelState` table.
    """

    def __init__(
        self,
        motors: int,
        joints: int,
        drive: int,
        line: int = 0,
        models: int = 0,
    ):
        self._line_shape = line, COMMANDS, motors
        self._models_shape = models, motors
        sizes = (
            COMMANDS * motors,
            LAW_STATES * motors,
            DEMANDS * joints,
            motors,
            line * COMMANDS * motors,
            models * motors,
            drive,
        )
        ends = np.cumsum(sizes).tolist()
        (
            self.command,
            self.law_state,
            self.demand,
            self.effort,
            self.line,
            self.models,
            self.drive,
        ) = map(slice, [0, *ends], ends)
        self.given, self.last_step = ends[-1], ends[-1] + 1
        self.size = self.last_step + 1
        self.held = slice(self.drive.start, self.drive.start + joints)

    @property
    def ends(self) -> np.ndarray:
        """The begin and end of each slice that a step needs, shape (7, 2).

        That is: command, law state, demand, effort, held, models and line.
        """
        parts = self.command, self.law_state, self.demand, self.effort
        parts = *parts, self.held, self.models, self.line
        return np.array([[part.start, part.stop] for part in parts])

    def command_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `Command` table as a view, shape (rows, n)."""
        return values[self.command].reshape(COMMANDS, -1)

    def law_state_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `LawState` table as a view, shape (rows, n)."""
        return values[self.law_state].reshape(LAW_STATES, -1)

    def demand_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `Demand` table as a view, shape (rows, m)."""
        return values[self.demand].reshape(DEMANDS, -1)

    def models_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `ModelState` table as a view, shape (rows, n)."""
        return values[self.models].reshape(self._models_shape)

    def line_tables(self, values: np.ndarray) -> np.ndarray:
        """Returns the commands on their way as a view, shape (line, rows, n)."""
        return values[self.line].reshape(self._line_shape)
