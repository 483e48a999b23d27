"""The arithmetic of a plant step of the torque drive: from dynamics to efforts.

This is what runs without numba, and what `torque_loops`, which has the same functions
for numba, has to agree with.

What the functions share: `state`, `demand` and `effort` as in `TorqueDrive.solve`, dt
as `step`, and constants in few arrays, because compiled code pays for each that it is
given. Of the m joints that the drive acts on, shape (6, m) and (4, m):

    joints:  spring K; B + dt K; softness cfm / dt; dt D; lower stop; upper stop,
             infinite without one
    places:  of the position and of the velocity in `state`; of the velocity among
             the plant's and among the trees'

Of all nt velocities of their trees, tree by tree, shape (4, nt) and (2, nt):

    forest:  dt (D + B + dt K); dt D alone, which the plant knows of; lower stop;
             upper stop
    homes:   of the position and of the velocity in `state`

And shape (2, m) and (2, trees + 1):

    members: the joints tree by tree; in that order their places among the nt
    ends:    where in `members` trees begin, and the last one ends; the same among nt
"""

import numpy as np

from webmotor_drake.drive.bounded_solve import solve_bounded
from webmotor_drake.drive.stops import (
    WINDOW,
    allowed_accelerations,
    give_of_stops,
    passes_a_stop,
    push_of_stops,
    solve_at_stops,
)

# How a step went: the efforts are the last ones, as nearly as `is_solution` wants; or
# they have changed; or some motor is at its bound.
RESTING, MOVING, BOUND = 1, 2, 3
# How many times the inertia a damper's part of a step may be.
STIFF = 1e3
# What a motor may slip other than by cfm times its effort, rad/s or m/s.
SLIP = 1e-12
# A motor is at its bound from this share of it on.
AT_BOUND = 1.0 - 1e-6


def predicted_acceleration(
    state, demand, effort, joints, places, acceleration, step
):
    """Writes the accelerations that the motors seek if they need the last effort.

    Returns whether they may: not if one was at its bound.
    """
    rate, bound, direct, _ = demand.reshape(4, -1)
    servo = effort - direct
    if np.count_nonzero(np.abs(servo) >= bound):
        return False
    _, v_places, dofs, _ = places
    missing = rate - state[v_places]
    acceleration[dofs] = missing / step - joints[2] * servo
    return True


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
    """Accepts predicted accelerations if their efforts are a solution; writes them.

    They are if no bound is exceeded, no stop is in the way and they are the last
    efforts, so that the slip is right. Holding still, or going steadily, that saves
    the mass matrix and the solve: a sixth of the step for 7 joints.
    """
    _, bound, direct, brake = demand.reshape(4, -1)
    spring, implicit, softness, known_damping, low, high = joints
    q_places, v_places, dofs, rows = places
    a, q, v = acceleration[dofs], state[q_places], state[v_places]
    damping = implicit + brake
    pull = -spring * q - damping * v
    # Without the damping's part, which may be 1e18 times the rest.
    needed = force[dofs] + known_damping * a
    applied = needed + step * damping * a - pull
    slip = softness * step * (applied - effort)
    reached = v + step * a
    reach = q + WINDOW * step * reached
    holds = (np.abs(applied - direct) <= bound) & (np.abs(slip) <= SLIP)
    holds &= (low <= reach) & (reach <= high)
    if np.count_nonzero(holds) < len(effort):
        return False
    total[:], effort[:], foreseen[rows] = needed, applied, reached
    return True


def misses(state, places, foreseen, tolerance):
    """Returns whether the trees have missed the predicted velocities.

    Args:
        state: the plant's [q, v] after the step.
        places: of the trees' velocities in `state`, shape (nt,).
        foreseen: predicted velocities, shape (nt,), rad/s or m/s; NaN without one.
        tolerance: in rad/s or m/s, and as a share of the velocity.
    """
    off = np.abs(state[places] - foreseen)
    if np.count_nonzero(off <= tolerance) == len(off):
        return False  # as nearly always
    return bool((off > tolerance * (1.0 + np.abs(foreseen))).any())


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
    """Solves the bounded problem of all joints, tree by tree.

    Besides what all share: M of the trees, shape (nt, nt); accelerations, shape
    (nt,), and their inverse dynamics; `total`, which gets all efforts at the joints,
    shape (m,); `foreseen`, which gets the velocities after the step, shape (nt,).
    `effort` gets the motors'.

    Returns:
        MOVING, RESTING or BOUND.
    """
    rate, bound, direct, brake = demand.reshape(4, -1)
    spring, implicit, softness, _, _, _ = joints
    diagonal, known_damping, low, high = forest
    order, rows = members
    last = effort.copy()
    v = state[places[1]]
    damping = implicit + brake
    pull = -spring * state[places[0]] - damping * v
    if np.count_nonzero(brake):
        diagonal = diagonal.copy()
        diagonal[rows] += step * brake[order]
    push, guess = pull + direct, effort - direct
    wanted = (rate - v) / step
    slowed = step * damping
    for k in range(ends.shape[1] - 1):
        start, end = ends[1, k], ends[1, k + 1]
        mine = order[ends[0, k] : ends[0, k + 1]]
        own = rows[ends[0, k] : ends[0, k + 1]] - start
        plant_block = np.ascontiguousarray(inertia[start:end, start:end])
        known = plant_block @ acceleration[start:end] - force[start:end]
        known[own] += push[mine]
        block = plant_block.copy()
        block.ravel()[:: end - start + 1] += diagonal[start:end]
        motors = own, wanted[mine], bound[mine], softness[mine]
        servo, a = solve_bounded(block, known, *motors, guess[mine])
        ranges = (
            state[homes[0, start:end]],
            state[homes[1, start:end]],
            low[start:end],
            high[start:end],
        )
        pushed = 0.0
        if passes_a_stop(a, *ranges, step):
            lowest, highest = allowed_accelerations(*ranges, step)
            own_inertia = np.diag(plant_block) + known_damping[start:end]
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
            needed += force[start:end] + known_damping[start:end] * a - pushed
            total[mine[stiff]] = needed[own[stiff]]
    at_bound = np.count_nonzero(np.abs(effort) >= bound * AT_BOUND) > 0
    effort += direct
    slip = softness * step * (effort - last)
    moving = np.count_nonzero(np.abs(slip) > SLIP) > 0
    return BOUND if at_bound else MOVING if moving else RESTING
