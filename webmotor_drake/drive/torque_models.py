"""Motor models on the torque drive: laws solved together with the mechanism.

A law is effort by the velocity that its joint has at the end of the step, falling
piece by piece along straight lines. A line is what the drive solves exactly, as a
direct effort and a brake, with dry friction as its bounded row. So Newton's method:
solve with one piece of each law, and again where that led to another piece.

The mechanism is symmetric and no law rises, so the solution is the minimum of a convex
function, which falls towards where the pieces lead. It may rise again before: then the
step goes only as far as the function falls, and cannot run in circles.
"""

import numpy as np

from webmotor_drake.drive.torque_drive import External, TorqueDrive
from webmotor_drake.errors import warn
from webmotor_drake.loops.model_pieces import DRY, GIVEN, ROWS
from webmotor_drake.loops.model_state import ModelState
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.tables import MotorTables

_UNSETTLED = (
    "the laws of the motors {names} were left {error:.1g} N m or N apart"
)


class TorqueModels:
    """Solves plant steps of a `TorqueDrive` with the laws of motor models.

    Attributes:
        solved: place in the tables' vector of the `solved` that `solve` writes.

    Args:
        laws: laws of m modelled ones among n motors.
        tables: the layout of the state.
        rows: rows of the motors' joints among the trees' velocities, shape (n,).
        names: names of the motors.
    """

    def __init__(
        self,
        laws: ModelLaws,
        tables: MotorTables,
        rows: np.ndarray,
        names: list[str],
    ):
        self._laws, self._tables = laws, tables
        self._rows, self._names = rows, names
        # Where the pieces were that begin a step.
        first = tables.models.start + ModelState.ANCHOR * len(rows)
        self.solved = slice(first, first + 2 * len(rows))

    def solve(
        self,
        drive: TorqueDrive,
        state: np.ndarray,
        values: np.ndarray,
        effort: np.ndarray,
        external: External,
        foreseen: np.ndarray,
        solved: np.ndarray,
    ) -> np.ndarray:
        """Finds the efforts of a plant step; see `TorqueDrive.solve`.

        Args:
            drive: drive that solves.
            state: the plant's [q, v].
            values: the vector of the tables, only read.
            effort: efforts of all joints in the last step; they become those of this
                one.
            external: forces that act on the plant besides.
            foreseen: velocities of the trees at the step's end, written.
            solved: gets the motors' efforts and those of their friction where they
                are modelled, shape (2, n), flattened, N m or N.

        Returns:
            All efforts.
        """
        tables, rows, n = self._tables, self._rows, len(self._rows)
        table, command = values[tables.models], values[tables.command]
        demand, pieces = values[tables.demand].copy(), np.zeros(ROWS * n)
        laws = self._laws.taken, table, command, pieces, rows
        total, error = drive.solve_models(
            state, demand, effort, external, foreseen, *laws
        )
        if error:
            names = ", ".join(self._names[i] for i in self._laws.own)
            warn(_UNSETTLED.format(names=names, error=error))
        solved[:n] = pieces[GIVEN * n : (GIVEN + 1) * n]
        solved[n:] = pieces[DRY * n : (DRY + 1) * n]
        return total

    def finish(
        self, values: np.ndarray, w: np.ndarray, applied: np.ndarray | None
    ) -> None:
        """Notes the results of modelled motors in the step just finished.

        Args:
            values: the vector of the tables, which is changed.
            w: the motors' velocities, shape (n,), rad/s or m/s.
            applied: the joints' efforts, N m or N, of which the motors' come first, if
                they were solved for on demand; None: `values` has what was solved.
        """
        laws, tables = self._laws, self._tables
        table, command = values[tables.models], values[tables.command]
        effort, friction = values[self.solved].reshape(2, -1)
        if applied is not None:
            laws.effort(effort, table, command, w)
            friction[:] = applied[: len(w)] - effort
        laws.finish(table, command, w, effort, friction)
        values[tables.effort][laws.own] = effort[laws.own]
