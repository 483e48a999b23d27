"""Motor models on the torque drive: laws solved together with the mechanism.

A law gives the effort for each velocity of its joint at the end of the step. It falls
piece by piece along straight lines. The drive solves a line exactly, as a direct effort
and a brake, with dry friction as its bounded row. So we use Newton's method: solve with
one piece of each law, and again if the solution is on another piece.

The mechanism is symmetric and no law rises, so the solution is the minimum of a convex
function, which falls at the start of Newton's step. If it rises again before the end,
the step goes only as far as the function falls; so it cannot run in circles.
"""

from webmotor_drake.loops import model_steps
from webmotor_drake.loops.rows import COMMANDS, DEMANDS, Demand, ModelState

_EXACT = 1e-9
_TURNS = 100
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
# The function's slope is nearly 0 at this share of the slope at the step's start.
_FLAT, _HALVINGS = 1e-2, 30
# Rows of the pieces. Where they touch their laws: velocity, effort, fall per velocity,
# and effort that the mechanism needs. At their solution: velocity, effort, friction.
# Last the brakes' own damping.
_AT, _EFFORT, _FALL, _NEEDED, _W, _GIVEN, _DRY, _OWN_BRAKE = range(8)
GIVEN, DRY, ROWS = 5, 6, 8
_ROWS = ROWS
_COMMANDS, _DEMANDS = COMMANDS, DEMANDS


def solve(
    solver,
    state,
    demand,
    effort,
    inertia,
    acceleration,
    force,
    total,
    foreseen,
    locked_joints,
    locked,
    laws,
    table,
    command,
    pieces,
    rows,
):
    """Solves a step with the laws, by Newton's method.

    Arguments are the drive's `TreeSolver` and those of `solve_trees`; the places of
    locked joints among the m, and of locked velocities among the trees'; `LawRows` and
    their tables; room for pieces, shape (ROWS n); and the rows of the motors' joints
    among the trees' velocities, shape (n,).

    Returns:
        The largest difference between a law and its piece, N m or N; 0: they agree.
    """
    m, error = len(demand) // _DEMANDS, 0.0
    _lay_first(pieces, demand, effort, laws, table)
    for i in range(len(locked_joints)):
        demand[_LIMIT * m + locked_joints[i]] = 0.0
    for turn in range(_TURNS):
        solver.solve_trees(
            state, demand, effort, inertia, acceleration, force, total, foreseen
        )
        for i in range(len(locked)):
            foreseen[locked[i]] = 0.0
        error = _lay_next(
            pieces, demand, effort, laws, table, command, foreseen, rows, turn
        )
        if error == 0.0:
            break
    return error


def _lay_first(pieces, demand, effort, laws, table):
    """Writes the first pieces, and their demands of the drive."""
    n, m = len(pieces) // _ROWS, len(demand) // _DEMANDS
    for k in range(laws.count):
        law = laws.rows[k]
        i = law.place
        pieces[_AT * n + i] = table[_START * n + i]
        pieces[_EFFORT * n + i] = table[_ANCHOR * n + i]
        pieces[_FALL * n + i] = table[_SLOPE * n + i]
        pieces[_DRY * n + i] = table[_FRICTION * n + i]
        pieces[_OWN_BRAKE * n + i] = demand[_BRAKE * m + i]
        demand[_LIMIT * m + i] = table[_BUDGET * n + i]
    _demand(pieces, demand, effort, laws)


def _demand(pieces, demand, effort, laws):
    """Writes the pieces' demands of the drive, and a guess of its efforts."""
    n, m = len(pieces) // _ROWS, len(demand) // _DEMANDS
    for k in range(laws.count):
        law = laws.rows[k]
        i = law.place
        fall = pieces[_FALL * n + i]
        direct = pieces[_EFFORT * n + i] + fall * pieces[_AT * n + i]
        demand[_DIRECT * m + i] = direct
        demand[_BRAKE * m + i] = pieces[_OWN_BRAKE * n + i] + fall
        effort[i] = pieces[_DRY * n + i] + direct


def _lay_next(
    pieces, demand, effort, laws, table, command, foreseen, rows, turn
):
    """Notes the pieces' solution, and writes the laws' pieces there; see `solve`."""
    n, m = len(command) // _COMMANDS, len(demand) // _DEMANDS
    largest = 0.0
    for k in range(laws.count):
        law = laws.rows[k]
        i = law.place
        w = foreseen[rows[i]]
        fallen = pieces[_FALL * n + i] * (w - pieces[_AT * n + i])
        given = pieces[_EFFORT * n + i] - fallen
        found, _ = model_steps.effort_at(
            law, table[i::n], command[i::n], w, laws.step
        )
        off = abs(found - given)
        if off > _EXACT * (1.0 + abs(found)):
            largest = max(largest, off)
        pieces[_W * n + i], pieces[_GIVEN * n + i] = w, given
        pieces[_DRY * n + i] = effort[i] - demand[_DIRECT * m + i]
    if largest > 0.0:
        # The first pieces are guesses, and need not lie on their laws.
        part = 1.0
        if turn > 0:
            part = _downhill(pieces, laws, table, command)
        _look(pieces, laws, table, command, part, True)
        _demand(pieces, demand, effort, laws)
    return largest


def _downhill(pieces, laws, table, command):
    """Returns the part of Newton's step along which the function falls."""
    end = _look(pieces, laws, table, command, 1.0, False)
    if end <= 0.0:
        return 1.0
    begin = _look(pieces, laws, table, command, 0.0, False)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        part = 0.5 * (low + high)
        slope = _look(pieces, laws, table, command, part, False)
        if abs(slope) <= _FLAT * abs(begin):
            return part
        if slope > 0.0:
            high = part
        else:
            low = part
    return high


def _look(pieces, laws, table, command, part, lays):
    """Returns the function's slope at a part of the step; may write pieces there."""
    n, slope = len(pieces) // _ROWS, 0.0
    for k in range(laws.count):
        law = laws.rows[k]
        i = law.place
        way = pieces[_W * n + i] - pieces[_AT * n + i]
        more = pieces[_GIVEN * n + i] - pieces[_NEEDED * n + i]
        w = pieces[_AT * n + i] + part * way
        found, fall = model_steps.effort_at(
            law, table[i::n], command[i::n], w, laws.step
        )
        needed = pieces[_NEEDED * n + i] + part * more
        slope += way * (needed - found)
        if lays:
            pieces[_AT * n + i], pieces[_EFFORT * n + i] = w, found
            pieces[_NEEDED * n + i] = needed
            pieces[_FALL * n + i] = fall
    return slope
