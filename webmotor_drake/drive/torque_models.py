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

from webmotor_drake.compiled import compiled, compiled_loops
from webmotor_drake.drive.torque_drive import External, TorqueDrive
from webmotor_drake.errors import warn
from webmotor_drake.motor.models.model_laws import ModelLaws, effort_at
from webmotor_drake.motor.models.model_state import ModelState
from webmotor_drake.motor.tables import COMMANDS, DEMANDS, Demand, MotorTables

_TURNS = 100
_EXACT = 1e-9
_UNSETTLED = (
    "the laws of the motors {names} were left {error:.1g} N m or N apart"
)
_ANCHOR, _SLOPE, _BUDGET, _FRICTION, _START = map(
    int,
    (
        ModelState.ANCHOR,
        ModelState.SLOPE,
        ModelState.BUDGET,
        ModelState.FRICTION,
        ModelState.START_VELOCITY,
    ),
)
_LIMIT, _DIRECT, _BRAKE = map(
    int, (Demand.EFFORT_LIMIT, Demand.DIRECT_EFFORT, Demand.BRAKE)
)
# The function's slope is nearly 0 at this share of what it is at the step's start.
_FLAT, _HALVINGS = 1e-2, 30
# Rows of the pieces: the velocity and the effort where they lie on their laws, what
# they fall by per velocity, and the effort that the mechanism needs there; velocity and
# effort where they led, and friction there; the brakes' own damping.
_AT, _EFFORT, _FALL, _NEEDED, _W, _GIVEN, _DRY, _OWN_BRAKE = range(8)
_ROWS = 8


class TorqueModels:
    """Solves plant steps of a `TorqueDrive` with the laws of motor models.

    Attributes:
        solved: where the tables' vector has what `solve` writes to its `solved`.

    Args:
        laws: of m modelled ones among n motors.
        tables: the layout of the state.
        rows: of the motors' joints among the trees' velocities, shape (n,).
        names: of the motors.
        step: of the plant, s.
    """

    def __init__(
        self,
        laws: ModelLaws,
        tables: MotorTables,
        rows: np.ndarray,
        names: list[str],
        step: float,
    ):
        self._laws, self._tables, self._step = laws, tables, step
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
            drive: what solves.
            state: see there, as for what is not listed.
            values: the vector of the tables, only read.
            effort: of all joints in the last step; they become those of this one.
            external: see there.
            foreseen: see there.
            solved: gets the motors' efforts and those of their friction where they
                are modelled, shape (2, n), flattened, N m or N.

        Returns:
            All efforts.
        """
        laws, tables = self._laws.taken, self._tables
        table, command = values[tables.models], values[tables.command]
        demand = values[tables.demand].copy()
        pieces = np.zeros(_ROWS * len(self._rows))
        _lay_first(pieces, demand, effort, laws, table)
        dynamics = drive.dynamics(state, external)
        error = 0.0
        for turn in range(_TURNS):
            total, _ = drive.solve_with(
                state, demand, effort, dynamics, foreseen
            )
            error = _lay_next(
                *(pieces, demand, effort, laws, table, command),
                *(foreseen, self._rows, turn, self._step),
            )
            if error == 0.0:
                break
        else:
            names = ", ".join(self._names[i] for i in self._laws.own)
            warn(_UNSETTLED.format(names=names, error=error))
        n = len(self._rows)
        solved[:n] = pieces[_GIVEN * n : (_GIVEN + 1) * n]
        solved[n:] = pieces[_DRY * n : (_DRY + 1) * n]
        return total

    def finish(
        self, values: np.ndarray, w: np.ndarray, applied: np.ndarray | None
    ) -> None:
        """Notes what modelled motors have done in the step just finished.

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


@compiled_loops(0, 1, 2)
def _lay_first(pieces, demand, effort, laws, table):
    """Writes the pieces to begin with, and what they demand of the drive."""
    n, m = len(pieces) // _ROWS, len(demand) // DEMANDS
    for law in laws:
        i = law.place
        pieces[_AT * n + i] = table[_START * n + i]
        pieces[_EFFORT * n + i] = table[_ANCHOR * n + i]
        pieces[_FALL * n + i] = table[_SLOPE * n + i]
        pieces[_DRY * n + i] = table[_FRICTION * n + i]
        pieces[_OWN_BRAKE * n + i] = demand[_BRAKE * m + i]
        demand[_LIMIT * m + i] = table[_BUDGET * n + i]
    _demand(pieces, demand, effort, laws)


@compiled_loops(1, 2)
def _demand(pieces, demand, effort, laws):
    """Writes what the pieces demand of the drive, and a guess of its efforts."""
    n, m = len(pieces) // _ROWS, len(demand) // DEMANDS
    for law in laws:
        i = law.place
        fall = pieces[_FALL * n + i]
        direct = pieces[_EFFORT * n + i] + fall * pieces[_AT * n + i]
        demand[_DIRECT * m + i] = direct
        demand[_BRAKE * m + i] = pieces[_OWN_BRAKE * n + i] + fall
        effort[i] = pieces[_DRY * n + i] + direct


@compiled_loops(0, 1, 2)
def _lay_next(
    pieces, demand, effort, laws, table, command, foreseen, rows, turn, step
):
    """Notes where the pieces led, and lays others where the laws have others there.

    Returns:
        The largest difference between a law and its piece, N m or N; 0: they agree.
    """
    n, m = len(command) // COMMANDS, len(demand) // DEMANDS
    largest = 0.0
    for law in laws:
        i = law.place
        w = foreseen[rows[i]]
        fallen = pieces[_FALL * n + i] * (w - pieces[_AT * n + i])
        given = pieces[_EFFORT * n + i] - fallen
        found, _ = effort_at(law, table[i::n], command[i::n], w, step)
        off = abs(found - given)
        if off > _EXACT * (1.0 + abs(found)):
            largest = max(largest, off)
        pieces[_W * n + i], pieces[_GIVEN * n + i] = w, given
        pieces[_DRY * n + i] = effort[i] - demand[_DIRECT * m + i]
    if largest > 0.0:
        # The first pieces are guesses, and need not lie on their laws.
        part = 1.0
        if turn > 0:
            part = _downhill(pieces, laws, table, command, step)
        _lay(pieces, laws, table, command, step, part)
        _demand(pieces, demand, effort, laws)
    return largest


@compiled
def _downhill(pieces, laws, table, command, step):
    """Returns up to which part of the way the function falls; see above."""
    end = _slope(pieces, laws, table, command, step, 1.0)
    if end <= 0.0:
        return 1.0
    low, high, begin = 0.0, 1.0, _slope(pieces, laws, table, command, step, 0.0)
    for _ in range(_HALVINGS):
        part = 0.5 * (low + high)
        slope = _slope(pieces, laws, table, command, step, part)
        if abs(slope) <= _FLAT * abs(begin):
            return part
        if slope > 0.0:
            high = part
        else:
            low = part
    return high


@compiled
def _slope(pieces, laws, table, command, step, part):
    """Returns the function's slope at a part of the way to where the pieces lead."""
    n, slope = len(pieces) // _ROWS, 0.0
    for law in laws:
        i = law.place
        way = pieces[_W * n + i] - pieces[_AT * n + i]
        more = pieces[_GIVEN * n + i] - pieces[_NEEDED * n + i]
        w = pieces[_AT * n + i] + part * way
        found, _ = effort_at(law, table[i::n], command[i::n], w, step)
        slope += way * (pieces[_NEEDED * n + i] + part * more - found)
    return slope


@compiled_loops(0)
def _lay(pieces, laws, table, command, step, part):
    """Lays pieces at a part of the way to where the last ones led."""
    n = len(pieces) // _ROWS
    for law in laws:
        i = law.place
        way = pieces[_W * n + i] - pieces[_AT * n + i]
        more = pieces[_GIVEN * n + i] - pieces[_NEEDED * n + i]
        w = pieces[_AT * n + i] + part * way
        found, fall = effort_at(law, table[i::n], command[i::n], w, step)
        pieces[_AT * n + i], pieces[_EFFORT * n + i] = w, found
        pieces[_NEEDED * n + i] += part * more
        pieces[_FALL * n + i] = fall
