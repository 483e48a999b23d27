"""`torque_solve` in loops, for numba: the same function, compiled.

It stands twice because a step of 7 joints in motion takes 2.3 times as long if numpy
solves beside compiled code (1.7 times for 30), and one of 30 joints 16 times as long
if these loops run without numba (2.3 times for 7).

Element by element, because numba takes seconds to compile each line of array
arithmetic, and milliseconds for a loop; the loops are as fast. What the functions do,
and why, stands in `torque_solve`, `bounded_solve` and `stops`. What hardly ever
happens is not here: problems that do not settle are left to them.
"""

import numpy as np

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.bounded_loops import solve_bounded
from webmotor_drake.drive.bounded_solve import PATIENCE, UNBOUNDED
from webmotor_drake.drive.stops import NEAR_RIGID, STIFFNESS, WINDOW
from webmotor_drake.drive.torque_rest import SLIP
from webmotor_drake.drive.torque_solve import (
    AT_BOUND,
    BOUND,
    MOVING,
    RESTING,
    STIFF,
)
from webmotor_drake.motor.tables import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)
# The result of `solve_trees` if a problem did not settle.
UNSETTLED = -1
_SOFTEST_STOP = 1.0 / (WINDOW * STIFFNESS)


@compiled
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
    """Solves as its namesake in `torque_solve` does.

    Returns UNSETTLED where that has to do it.
    """
    joints, velocities, members, trees, step = constants
    outcome = RESTING
    for k in range(len(trees) - 1):
        start = trees[k].velocity
        n = trees[k + 1].velocity - start
        tree = velocities[start : start + n]
        mine = members["joint"][trees[k].member : trees[k + 1].member]
        rows = members["row"][trees[k].member : trees[k + 1].member] - start
        m = len(mine)
        block, known = np.empty((n, n)), np.empty(n)
        _collect_tree(inertia, acceleration, force, tree, start, block, known)
        # Row by row: wanted acceleration, bound, softness, push, damping.
        motors, servo, a = np.empty((5, m)), np.empty(m), np.empty(n)
        _collect_motors(state, demand, joints, mine, motors, step)
        for c in range(m):
            i, row = mine[c], rows[c]
            servo[c] = effort[i] - demand[_DIRECT_EFFORT * len(effort) + i]
            known[row] += motors[3, c]
            block[row, row] += step * demand[_BRAKE * len(effort) + i]
        if not solve_bounded(block, known, rows, motors, servo, a):
            return UNSETTLED
        pushed = np.zeros(n)
        if _passes_a_stop(state, tree, a, step):
            limits = _limits_of_stops(state, inertia, tree, start, step)
            if not _solve_at_stops(
                block, known, rows, motors, servo, a, limits, pushed
            ):
                return UNSETTLED
        for i in range(n):
            foreseen[start + i] = state[tree[i].v_place] + step * a[i]
        for c in range(m):
            i, row = mine[c], rows[c]
            slowed = step * motors[4, c]
            total[i] = servo[c] + motors[3, c] - slowed * a[row]
            if slowed > STIFF * inertia[start + row, start + row]:
                total[i] = force[start + row] - pushed[row]
                total[i] += tree[row].known_damping * a[row]
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
        bound = motors[1, c]
        if bound > 0.0 and abs(servo) >= bound * AT_BOUND:
            outcome = BOUND
        elif abs(motors[2, c] * step * (found[c] - effort[i])) > SLIP:
            outcome = max(outcome, MOVING)
        effort[i] = found[c]
    return outcome


@compiled
def _collect_tree(inertia, acceleration, force, tree, start, block, known):
    """Writes the matrix and the known forces of the tree that begins at `start`."""
    n = len(known)
    for i in range(n):
        known[i] = -force[start + i]
        for j in range(n):
            block[i, j] = inertia[start + i, start + j]
            known[i] += block[i, j] * acceleration[start + j]
        block[i, i] += tree[i].on_diagonal


@compiled
def _collect_motors(state, demand, joints, mine, motors, step):
    """Writes the rows of `solve_trees` of a tree's motors."""
    m = len(joints)
    for c in range(len(mine)):
        i = mine[c]
        joint = joints[i]
        v = state[joint.v_place]
        damping = joint.implicit + demand[_BRAKE * m + i]
        pull = -joint.spring * state[joint.q_place] - damping * v
        motors[0, c] = (demand[_RATE * m + i] - v) / step
        motors[1, c] = min(demand[_BOUND * m + i], UNBOUNDED)
        motors[2, c] = joint.softness
        motors[3, c] = pull + demand[_DIRECT_EFFORT * m + i]
        motors[4, c] = damping


@compiled
def _passes_a_stop(state, tree, a, step):
    """Returns `stops.passes_a_stop` of a tree's velocities."""
    for i in range(len(a)):
        v = state[tree[i].v_place] + step * a[i]
        reach = state[tree[i].q_place] + WINDOW * step * v
        if reach < tree[i].lower_stop or reach > tree[i].upper_stop:
            return True
    return False


@compiled
def _limits_of_stops(state, inertia, tree, start, step):
    """Returns lowest, highest and give as in `stops`, row by row."""
    limits = np.empty((3, len(tree)))
    for i in range(len(tree)):
        q, v = state[tree[i].q_place], state[tree[i].v_place]
        lower = (tree[i].lower_stop - q) / (WINDOW * step)
        upper = (tree[i].upper_stop - q) / (WINDOW * step)
        limits[0, i] = (lower - v) / step
        limits[1, i] = (upper - v) / step
        own = inertia[start + i, start + i] + tree[i].known_damping
        limits[2, i] = max(NEAR_RIGID / own, _SOFTEST_STOP / step**2)
    return limits


@compiled
def _solve_at_stops(block, known, rows, motors, servo, a, limits, pushed):
    """Solves as `stops.solve_at_stops` does; writes the stops' efforts.

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
