"""`torque_solve` in loops, for numba: the same functions, compiled.

Written out element by element, because numba takes seconds to compile each line of
array arithmetic, and milliseconds for a loop; the loops are as fast. What the
functions do, and why, stands in `torque_solve`, `bounded_solve` and `stops`. What
hardly ever happens is not here: problems that do not settle are left to them.
"""

import numpy as np

from webmotor_drake.compiled import compiled
from webmotor_drake.drive.bounded_solve import PATIENCE, TIE, UNBOUNDED
from webmotor_drake.drive.stops import NEAR_RIGID, STIFFNESS, WINDOW
from webmotor_drake.drive.torque_solve import AT_BOUND, SLIP, STIFF
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
    state, demand, effort, joints, places, acceleration, force, total, step
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
    return True


@compiled
def misses(state, demand, effort, joints, places, tolerance, step):
    """Does what its namesake in `torque_solve` does."""
    m = len(effort)
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        bound, rate = demand[_BOUND * m + i], demand[_RATE * m + i]
        short = rate - step * joints[2, i] * servo - state[places[1, i]]
        if bound == 0.0 or abs(short) <= tolerance * (1.0 + abs(rate)):
            continue
        held_back = short * servo > 0.0 and abs(servo) >= bound * AT_BOUND
        if not held_back:
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
    step,
):
    """Does what its namesake in `torque_solve` does.

    Returns UNSETTLED where that has to do it.
    """
    resting = 1
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
            found = servo[c] + demand[_DIRECT_EFFORT * len(effort) + i]
            if abs(joints[2, i] * step * (found - effort[i])) > SLIP:
                resting = 0
            effort[i] = found
    return resting


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
    """Writes what `solve_trees` has row by row of a tree's motors."""
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
    """Returns what `stops` calls lowest, highest and give, row by row."""
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
    """Does what `stops.solve_at_stops` does; writes what stops push.

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


@compiled
def solve_bounded(inertia, force, rows, motors, effort, a):
    """Does what `bounded_solve.solve_bounded` does, but for its last resort.

    Args:
        inertia: as there.
        force: as there.
        rows: as there.
        motors: wanted accelerations, bounds up to UNBOUNDED and softness, row by
            row, shape (3 or more, m).
        effort: the guess; becomes the efforts.
        a: gets the accelerations, shape (nv,).

    Returns:
        Whether the sets settled.
    """
    n, m = len(force), len(rows)
    if n == 1 and m == 1:
        wanted, bound, softness = motors[0, 0], motors[1, 0], motors[2, 0]
        found = inertia[0, 0] * wanted - force[0]
        found /= 1.0 + softness * inertia[0, 0]
        effort[0] = min(max(found, -bound), bound)
        a[0] = (force[0] + effort[0]) / inertia[0, 0]
        return True
    at_bound, moving = np.zeros(m), np.empty(m, np.int64)
    for i in range(m):
        if abs(effort[i]) >= motors[1, i]:
            at_bound[i] = np.copysign(1.0, effort[i])
    fewest, patience = m + 1, PATIENCE
    room = np.empty((n + 2, n))
    for _ in range(20 + 10 * m):
        _solve_with_set(inertia, force, rows, motors, at_bound, effort, a, room)
        count = _find_moving(a, rows, motors, effort, at_bound, moving)
        if count == 0:
            return True
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            return False
        for i in moving[:count]:
            free = at_bound[i] == 0.0
            at_bound[i] = np.copysign(1.0, effort[i]) if free else 0.0
    return False


@compiled
def _find_moving(a, rows, motors, effort, at_bound, moving):
    """Writes what `bounded_solve._moving` returns; returns how many they are."""
    count = 0
    for i in range(len(rows)):
        wanted, bound = motors[0, i], motors[1, i]
        reached = a[rows[i]] + motors[2, i] * effort[i]
        tie = TIE * (abs(wanted) + abs(reached))
        freed = at_bound[i] * (wanted - reached) < -tie and bound > 0.0
        if freed or abs(effort[i]) > bound:
            moving[count] = i
            count += 1
    return count


@compiled
def _solve_with_set(inertia, force, rows, motors, at_bound, effort, a, room):
    """Does what `bounded_solve._solve_with_set` does, in some `room` for it."""
    n, m = len(force), len(rows)
    matrix, aim, scale = room[:n], room[n], room[n + 1]
    _aim(force, rows, motors, at_bound, effort, a, aim, scale)
    for i in range(n):
        for k in range(n):
            a[i] += inertia[i, k] * aim[k]
            matrix[i, k] = scale[i] * inertia[i, k] * scale[k]
        a[i] *= scale[i]
        if scale[i] >= 0.0:
            matrix[i, i] += 1.0
    _solve_symmetric(matrix, a)
    for i in range(n):
        a[i] = aim[i] - scale[i] * a[i]
    for c in range(m):
        if at_bound[c] == 0.0:
            effort[c] = -force[rows[c]]
            for k in range(n):
                effort[c] += inertia[rows[c], k] * a[k]


@compiled
def _aim(force, rows, motors, at_bound, effort, a, aim, scale):
    """Writes efforts at bounds, the aim and the scale; `a` is what they leave."""
    for i in range(len(force)):
        aim[i], scale[i], a[i] = 0.0, -1.0, -force[i]
    for c in range(len(rows)):
        if at_bound[c] == 0.0:
            aim[rows[c]] = motors[0, c]
            scale[rows[c]] = np.sqrt(motors[2, c])
        else:
            effort[c] = at_bound[c] * motors[1, c]
            a[rows[c]] -= effort[c]


@compiled
def _solve_symmetric(matrix, right):
    """Solves with a symmetric positive definite matrix; overwrites both."""
    n = len(right)
    for i in range(n):
        for k in range(i):
            factor = matrix[k, i]
            for j in range(i, n):
                matrix[i, j] -= factor * matrix[k, j]
        factor = 1.0 / np.sqrt(matrix[i, i])
        for j in range(i, n):
            matrix[i, j] *= factor
    for i in range(n):
        right[i] /= matrix[i, i]
        for k in range(i + 1, n):
            right[k] -= matrix[i, k] * right[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
