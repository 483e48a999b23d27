"""The torque drive's plant step in numpy: the loops are held to it.

`loops.tree_solver` and `loops.bounded` say what is solved. The `constants` are
arguments of `TreeSolver`.
"""

import numpy as np

from webmotor_drake.loops.bounded import PATIENCE, TIE
from webmotor_drake.loops.rows import DEMANDS
from webmotor_drake.loops.tree_solver import (
    AT_BOUND,
    MOVING,
    NEAR_RIGID,
    RESTING,
    SLIP,
    STIFF,
    STIFFNESS,
    UNBOUNDED,
    WINDOW,
)


def solve_trees(
    constants,
    state,
    demand,
    effort,
    inertia,
    acceleration,
    force,
    total,
    foreseen,
):
    """Solves the bounded problem of all joints, tree by tree.

    Besides what all share: M of the trees, shape (nt, nt); accelerations, shape
    (nt,), and their inverse dynamics; `total`, which gets all efforts at the joints,
    shape (m,); `foreseen`, which gets the velocities after the step, shape (nt,).
    `effort` gets the motors'.

    Returns:
        MOVING or RESTING.
    """
    rate, bound, direct, brake = demand.reshape(DEMANDS, -1)
    joints, velocities, members, trees, step = constants
    softness, diagonal = joints["softness"], velocities["on_diagonal"]
    order, rows = members["joint"], members["row"]
    last = effort.copy()
    v = state[joints["v_place"]]
    damping = joints["implicit"] + brake
    pull = -joints["spring"] * state[joints["q_place"]] - damping * v
    if np.count_nonzero(brake):
        diagonal = diagonal.copy()
        diagonal[rows] += step * brake[order]
    push, guess = pull + direct, effort - direct
    wanted = (rate - v) / step
    slowed = step * damping
    for k in range(len(trees) - 1):
        (first, start), (next_first, end) = trees[k], trees[k + 1]
        tree = velocities[start:end]
        mine, own = order[first:next_first], rows[first:next_first] - start
        plant_block = np.ascontiguousarray(inertia[start:end, start:end])
        known = plant_block @ acceleration[start:end] - force[start:end]
        known[own] += push[mine]
        block = plant_block.copy()
        block.ravel()[:: end - start + 1] += diagonal[start:end]
        motors = own, wanted[mine], bound[mine], softness[mine]
        servo, a = solve_bounded(block, known, *motors, guess[mine])
        ranges = (
            state[tree["q_place"]],
            state[tree["v_place"]],
            tree["lower_stop"],
            tree["upper_stop"],
        )
        pushed = 0.0
        if passes_a_stop(a, *ranges, step):
            lowest, highest = allowed_accelerations(*ranges, step)
            own_inertia = np.diag(plant_block) + tree["known_damping"]
            give = give_of_stops(own_inertia, step)
            servo, a = solve_at_stops(
                block, known, *motors, servo, a, lowest, highest, give
            )
            pushed = push_of_stops(a, lowest, highest, give)
        foreseen[start:end] = ranges[1] + step * a
        effort[mine] = servo
        total[mine] = servo + push[mine] - slowed[mine] * a[own]
        stiff = slowed[mine] > STIFF * np.diag(plant_block)[own]
        if np.count_nonzero(stiff):
            # The sum of a stiff damper's parts is rounding: what the plant needs
            # besides all that it knows of.
            needed = plant_block @ (a - acceleration[start:end])
            needed += force[start:end] + tree["known_damping"] * a - pushed
            total[mine[stiff]] = needed[own[stiff]]
    # Without any effort a joint is not at its bound, but free.
    bound = np.where(bound > 0.0, bound, np.inf)
    at_bound = np.count_nonzero(np.abs(effort) >= bound * AT_BOUND) > 0
    effort += direct
    slip = softness * step * (effort - last)
    moving = np.count_nonzero(np.abs(slip) > SLIP) > 0
    return MOVING if at_bound or moving else RESTING


def passes_a_stop(
    a: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    step: float,
) -> bool:
    """Returns whether joints come nearer to a stop than the plant lets them.

    Args:
        a: accelerations, shape (n,), rad/s^2 or m/s^2.
        q: positions, shape (n,), rad or m; any where there are no stops.
        v: velocities, shape (n,), rad/s or m/s.
        low: lower stops, shape (n,), rad or m; -inf for none.
        high: upper stops, inf for none.
        step: dt, s.
    """
    reach = q + WINDOW * step * (v + step * a)
    return np.count_nonzero((reach < low) | (reach > high)) > 0


def allowed_accelerations(
    q: np.ndarray, v: np.ndarray, low: np.ndarray, high: np.ndarray, step: float
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lowest and highest accelerations that stops allow.

    Args:
        q: see `passes_a_stop`.
        v: the same.
        low: the same.
        high: the same.
        step: dt, s.
    """
    lowest = ((low - q) / (WINDOW * step) - v) / step
    highest = ((high - q) / (WINDOW * step) - v) / step
    return lowest, highest


def give_of_stops(inertia: np.ndarray, step: float) -> np.ndarray:
    """Returns how far stops give way per effort, shape (n,).

    Args:
        inertia: the diagonal of M + dt D, of the model alone: the plant does not
            know of the drive's springs and dampers; shape (n,).
        step: dt, s.
    """
    return np.maximum(
        NEAR_RIGID / inertia, 1.0 / (WINDOW * step**2 * STIFFNESS)
    )


def push_of_stops(
    a: np.ndarray, lowest: np.ndarray, highest: np.ndarray, give: np.ndarray
) -> np.ndarray:
    """Returns the efforts of the stops, shape (n,), N m or N.

    Args:
        a: accelerations, shape (n,).
        lowest: see `allowed_accelerations`; shape (n,).
        highest: the same.
        give: see `give_of_stops`; shape (n,).
    """
    beyond = np.maximum(lowest - a, 0.0) - np.maximum(a - highest, 0.0)
    return beyond / give


def solve_at_stops(
    inertia: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    softness: np.ndarray,
    effort: np.ndarray,
    a: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    give: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solves the bounded problem with stops, from its solution without them.

    Which stops push is guessed, solved for and looked at again: Newton's method on
    a function that is quadratic in pieces.

    Args:
        inertia: see `solve_bounded`.
        force: the same.
        rows: the same.
        wanted: the same.
        bound: the same.
        softness: the same.
        effort: the efforts of the solution without stops, shape (m,).
        a: its accelerations, shape (nv,).
        lowest: see `allowed_accelerations`; shape (nv,).
        highest: the same.
        give: how far stops give way, shape (nv,); see `give_of_stops`.

    Returns:
        Efforts, shape (m,), and accelerations, shape (nv,).
    """
    n = len(force)
    side = np.zeros(n)
    for attempt in range(20 + 10 * n):
        changed = 0
        for i in range(n):
            now = 0.0
            if a[i] < lowest[i]:
                now = 1.0
            elif a[i] > highest[i]:
                now = -1.0
            if now != side[i] and (changed == 0 or attempt < PATIENCE):
                side[i] = now
                changed += 1
        if changed == 0:
            break
        pushed, known = inertia.copy(), force.copy()
        for i in np.flatnonzero(side):
            end = lowest[i] if side[i] > 0.0 else highest[i]
            pushed[i, i] += 1.0 / give[i]
            known[i] += end / give[i]
        effort, a = solve_bounded(
            pushed, known, rows, wanted, bound, softness, effort
        )
    return effort, a


def solve_bounded(
    inertia: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    softness: np.ndarray,
    guess: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solves the bounded problem by block principal pivoting.

    Júdice and Pires (1994), "A block principal pivoting algorithm for
    large-scale strictly monotone linear complementarity problems".

    Args:
        inertia: A, shape (nv, nv), symmetric positive definite.
        force: f, everything but the efforts sought, shape (nv,).
        rows: distinct indices of the m rows with an effort, shape (m,).
        wanted: accelerations wanted for these rows, shape (m,).
        bound: largest |efforts|, shape (m,), at least 0.
        softness: slips in acceleration per unit of effort, shape (m,), at
            least 0.
        guess: efforts, shape (m,); rows of which it is beyond the bound are
            taken to be there at first. Saves time if right, changes nothing.

    Returns:
        Efforts, shape (m,), always within their bounds, and accelerations,
        shape (nv,). Should rounding keep the sets from settling, the efforts
        after 20 + 10 m solves are clipped to their bounds.
    """
    bound = np.minimum(bound, UNBOUNDED)
    if len(force) == 1 and len(rows) == 1:
        return _solve_one(inertia, force, wanted, bound, softness)
    if len(force) == len(rows) and not _any(np.abs(guess) >= bound):
        effort, a = _solve_unbounded(inertia, force, rows, wanted, softness)
        if not _any(np.abs(effort) > bound):
            return effort, a
    # 0, or -1, 1: at -bound, at bound. Rows with the bound 0 stay there.
    at_bound = np.copysign(1.0, guess) * (np.abs(guess) >= bound)
    fewest, patience = len(rows) + 1, PATIENCE
    for _ in range(20 + 10 * len(rows)):
        effort, a = _solve_with_set(
            inertia, force, rows, wanted, bound, softness, at_bound
        )
        moving = _moving(a[rows], wanted, effort, bound, softness, at_bound)
        if len(moving) == 0:
            return effort, a
        if len(moving) < fewest:
            fewest, patience = len(moving), PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            break
        for i in moving:
            free = at_bound[i] == 0.0
            at_bound[i] = np.sign(effort[i]) if free else 0.0
    return _descend(inertia, force, rows, wanted, bound, softness)


def _solve_unbounded(inertia, force, rows, wanted, softness):
    """Solves for all rows, as if no row had a bound.

    One solve with few calls of numpy: a fifth of the time of `_solve_with_set`.
    """
    target, give = np.empty(len(rows)), np.empty(len(rows))
    target[rows], give[rows] = wanted, softness
    matrix = inertia * give
    matrix.flat[:: len(rows) + 1] += 1.0
    effort = np.linalg.solve(matrix, inertia @ target - force)
    return effort[rows], target - give * effort


def _descend(inertia, force, rows, wanted, bound, softness):
    """Solves the bounded problem one row at a time: slower, but never cycles.

    The efforts sought minimise a strictly convex function within their bounds.
    Each turn goes straight to the minimum for a set of rows at their bounds; a row
    that meets its bound on the way joins the set, then the row that its bound
    holds back most leaves it (Stark and Parker 1995, "Bounded-variable least
    squares").
    """
    at_bound, x = np.zeros(len(rows)), np.zeros(len(rows))
    effort, a = x, np.zeros(len(force))
    for _ in range(20 + 10 * len(rows)):
        effort, a = _solve_with_set(
            inertia, force, rows, wanted, bound, softness, at_bound
        )
        part, met = 1.0, -1
        for i in np.flatnonzero((at_bound == 0.0) & (np.abs(effort) > bound)):
            end = np.copysign(bound[i], effort[i])
            reach = (end - x[i]) / (effort[i] - x[i])
            if reach < part:
                part, met = reach, i
        if met >= 0:
            x = x + part * (effort - x)
            at_bound[met] = np.sign(effort[met])
            continue
        x = effort
        moving = _moving(a[rows], wanted, effort, bound, softness, at_bound)
        if len(moving) == 0:
            break
        short = at_bound * (wanted - a[rows] - softness * effort)
        at_bound[moving[np.argmin(short[moving])]] = 0.0
    return np.minimum(np.maximum(effort, -bound), bound), a


def _solve_one(inertia, force, wanted, bound, softness):
    """Solves the problem of one joint in closed form."""
    effort = (inertia[0, 0] * wanted - force) / (1 + softness * inertia[0, 0])
    effort = np.minimum(np.maximum(effort, -bound), bound)
    return effort, (force + effort) / inertia[0, 0]


def _moving(a, wanted, effort, bound, softness, at_bound):
    """Returns which rows are in the wrong set, judged by a solution for it.

    Those are free rows beyond their bound, and rows at a bound that it does not
    hold back.
    """
    reached = a + softness * effort
    tie = TIE * (np.abs(wanted) + np.abs(reached))
    freed = (at_bound * (wanted - reached) < -tie) & (bound > 0.0)
    return np.flatnonzero(freed | (np.abs(effort) > bound))


def _solve_with_set(inertia, force, rows, wanted, bound, softness, at_bound):
    """Solves the linear problem in which `at_bound` is given.

    With y = sqrt(softness) effort for the rows that are not at a bound, unknown
    with the accelerations of everything else, the matrix is symmetric and positive
    definite, and no softness is too small: a = aim - scale x.
    """
    n = len(force)
    free = at_bound == 0.0
    free_rows = rows[free]
    aim, scale = np.zeros(n), np.full(n, -1.0)
    aim[free_rows] = wanted[free]
    scale[free_rows] = np.sqrt(softness[free])
    effort = at_bound * bound
    given = force.copy()
    given[rows] += effort
    matrix = inertia * scale * scale[:, np.newaxis]
    matrix.flat[free_rows * (n + 1)] += 1.0
    x = np.linalg.solve(matrix, scale * (inertia @ aim - given))
    a = aim - scale * x
    effort[free] = (inertia @ a - force)[free_rows]
    return effort, a


def _any(conditions):
    """Returns whether any holds; takes a third of the time of numpy's own."""
    return np.count_nonzero(conditions) > 0
