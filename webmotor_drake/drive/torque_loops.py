"""`torque_solve` in loops, for numba: the same functions, compiled.

Written out element by element, because numba takes seconds to compile each line of
array arithmetic, and milliseconds for a loop; the loops are as fast. What the
functions do, and why, stands in `torque_solve`, `bounded_solve` and `stops`. What
hardly ever happens is not here: problems that do not settle are left to them.
"""

import numpy as np

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.bounded_loops import solve_bounded
from webmotor_drake.drive.bounded_solve import PATIENCE, UNBOUNDED
from webmotor_drake.drive.stops import NEAR_RIGID, STIFFNESS, WINDOW
from webmotor_drake.drive.torque_solve import (
    AT_BOUND,
    BOUND,
    MOVING,
    RESTING,
    SLIP,
    STIFF,
)
from webmotor_drake.motor.tables import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)
# What `solve_trees` returns where a problem did not settle.
UNSETTLED = -1
_SOFTEST_STOP = 1.0 / (WINDOW * STIFFNESS)


@compiled
def predicted_acceleration(
    state, demand, effort, joints, places, acceleration, step
):
    """Does what its namesake in `torque_solve` does."""
    m = len(effort)
    softness, v_places, dofs = joints[2], places[1], places[2]
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        if abs(servo) >= demand[_BOUND * m + i]:
            return False
        missing = demand[_RATE * m + i] - state[v_places[i]]
        acceleration[dofs[i]] = missing / step - softness[i] * servo
    return True


@compiled
def is_solution(
    state,
    demand,
    effort,
    joints,
    places,
    acceleration,
    force,
    total,
    foreseen,
    step,
):
    """Does what its namesake in `torque_solve` does.

    But for `total`, which may be written where it returns False.
    """
    m = len(effort)
    for i in range(m):
        spring, implicit, softness = joints[0, i], joints[1, i], joints[2, i]
        dof = places[2, i]
        a = acceleration[dof]
        q, v = state[places[0, i]], state[places[1, i]]
        reach = q + WINDOW * step * (v + step * a)
        damping = implicit + demand[_BRAKE * m + i]
        total[i] = force[dof] + joints[3, i] * a
        applied = total[i] + step * damping * a + spring * q + damping * v
        servo = applied - demand[_DIRECT_EFFORT * m + i]
        if not (
            joints[4, i] <= reach <= joints[5, i]
            and abs(servo) <= demand[_BOUND * m + i]
            and abs(softness * step * (applied - effort[i])) <= SLIP
        ):
            return False
    for i in range(m):
        damping = joints[1, i] + demand[_BRAKE * m + i]
        a = acceleration[places[2, i]]
        pull = -joints[0, i] * state[places[0, i]]
        pull -= damping * state[places[1, i]]
        effort[i] = total[i] + step * damping * a - pull
        foreseen[places[3, i]] = state[places[1, i]] + step * a
    return True


@compiled
def misses(state, places, foreseen, tolerance):
    """Does what its namesake in `torque_solve` does."""
    for i in range(len(foreseen)):
        off = abs(state[places[i]] - foreseen[i])
        if off > tolerance * (1.0 + abs(foreseen[i])):
            return True
    return False


@compiled
def solve_trees(
    state,
    demand,
    effort,
    joints,
    places,
    forest,
    homes,
    members,
    ends,
    inertia,
    acceleration,
    force,
    total,
    foreseen,
    step,
):
    """Does what its namesake in `torque_solve` does.

    Returns UNSETTLED where that has to do it.
    """
    outcome = RESTING
    for k in range(ends.shape[1] - 1):
        start, end = ends[1, k], ends[1, k + 1]
        n, m = end - start, ends[0, k + 1] - ends[0, k]
        mine = members[0, ends[0, k] : ends[0, k + 1]]
        rows = members[1, ends[0, k] : ends[0, k + 1]] - start
        block, known = np.empty((n, n)), np.empty(n)
        _collect_tree(inertia, acceleration, force, forest, start, block, known)
        # Row by row: wanted acceleration, bound, softness, push, damping.
        motors, servo, a = np.empty((5, m)), np.empty(m), np.empty(n)
        _collect_motors(state, demand, joints, places, mine, motors, step)
        for c in range(m):
            i, row = mine[c], rows[c]
            servo[c] = effort[i] - demand[_DIRECT_EFFORT * len(effort) + i]
            known[row] += motors[3, c]
            block[row, row] += step * demand[_BRAKE * len(effort) + i]
        if not solve_bounded(block, known, rows, motors, servo, a):
            return UNSETTLED
        pushed = np.zeros(n)
        if _passes_a_stop(state, forest, homes, start, a, step):
            limits = _limits_of_stops(
                state, inertia, forest, homes, start, n, step
            )
            if not _solve_at_stops(
                block, known, rows, motors, servo, a, limits, pushed
            ):
                return UNSETTLED
        for i in range(n):
            foreseen[start + i] = state[homes[1, start + i]] + step * a[i]
        for c in range(m):
            i, row = mine[c], rows[c]
            slowed = step * motors[4, c]
            total[i] = servo[c] + motors[3, c] - slowed * a[row]
            if slowed > STIFF * inertia[start + row, start + row]:
                total[i] = force[start + row] - pushed[row]
                total[i] += forest[1, start + row] * a[row]
                for j in range(n):
                    more = a[j] - acceleration[start + j]
                    total[i] += inertia[start + row, start + j] * more
            servo[c] += demand[_DIRECT_EFFORT * len(effort) + i]
        outcome = max(
            outcome, _write(servo, effort, mine, motors, demand, step)
        )
    return outcome


@compiled
def _write(found, effort, mine, motors, demand, step):
    """Writes the motors' efforts; returns how the step went for them."""
    outcome = RESTING
    for c in range(len(mine)):
        i = mine[c]
        servo = found[c] - demand[_DIRECT_EFFORT * len(effort) + i]
        if abs(servo) >= motors[1, c] * AT_BOUND:
            outcome = BOUND
        elif abs(motors[2, c] * step * (found[c] - effort[i])) > SLIP:
            outcome = max(outcome, MOVING)
        effort[i] = found[c]
    return outcome


@compiled
def _collect_tree(inertia, acceleration, force, forest, start, block, known):
    """Writes the matrix and the known forces of the tree that begins at `start`."""
    n = len(known)
    for i in range(n):
        known[i] = -force[start + i]
        for j in range(n):
            block[i, j] = inertia[start + i, start + j]
            known[i] += block[i, j] * acceleration[start + j]
        block[i, i] += forest[0, start + i]


@compiled
def _collect_motors(state, demand, joints, places, mine, motors, step):
    """Writes the rows of `solve_trees` of a tree's motors."""
    m = joints.shape[1]
    for c in range(len(mine)):
        i = mine[c]
        q, v = state[places[0, i]], state[places[1, i]]
        damping = joints[1, i] + demand[_BRAKE * m + i]
        pull = -joints[0, i] * q - damping * v
        motors[0, c] = (demand[_RATE * m + i] - v) / step
        motors[1, c] = min(demand[_BOUND * m + i], UNBOUNDED)
        motors[2, c] = joints[2, i]
        motors[3, c] = pull + demand[_DIRECT_EFFORT * m + i]
        motors[4, c] = damping


@compiled
def _passes_a_stop(state, forest, homes, start, a, step):
    """Does what `stops.passes_a_stop` does, for the tree that begins at `start`."""
    for i in range(len(a)):
        row = start + i
        v = state[homes[1, row]] + step * a[i]
        reach = state[homes[0, row]] + WINDOW * step * v
        if reach < forest[2, row] or reach > forest[3, row]:
            return True
    return False


@compiled
def _limits_of_stops(state, inertia, forest, homes, start, n, step):
    """Returns lowest, highest and give as in `stops`, row by row."""
    limits = np.empty((3, n))
    for i in range(n):
        row = start + i
        q, v = state[homes[0, row]], state[homes[1, row]]
        for end in range(2):
            away = (forest[2 + end, row] - q) / (WINDOW * step)
            limits[end, i] = (away - v) / step
        own = inertia[row, row] + forest[1, row]
        limits[2, i] = max(NEAR_RIGID / own, _SOFTEST_STOP / step**2)
    return limits


@compiled
def _solve_at_stops(block, known, rows, motors, servo, a, limits, pushed):
    """Does what `stops.solve_at_stops` does; writes the stops' efforts.

    Returns whether it settled.
    """
    n = len(known)
    lowest, highest, give = limits[0], limits[1], limits[2]
    side = np.zeros(n)
    for attempt in range(20 + 10 * n):
        if not _changes_sides(a, lowest, highest, side, attempt < PATIENCE):
            break
        stopped, given = block.copy(), known.copy()
        for i in range(n):
            if side[i] != 0.0:
                end = lowest[i] if side[i] > 0.0 else highest[i]
                stopped[i, i] += 1.0 / give[i]
                given[i] += end / give[i]
        if not solve_bounded(stopped, given, rows, motors, servo, a):
            return False
    for i in range(n):
        beyond = max(lowest[i] - a[i], 0.0) - max(a[i] - highest[i], 0.0)
        pushed[i] = beyond / give[i]
    return True


@compiled
def _changes_sides(a, lowest, highest, side, every):
    """Writes which stops push now, all or the first that changes; whether any."""
    changed = False
    for i in range(len(a)):
        now = 0.0
        if a[i] < lowest[i]:
            now = 1.0
        elif a[i] > highest[i]:
            now = -1.0
        if now != side[i] and (every or not changed):
            side[i] = now
            changed = True
    return changed
