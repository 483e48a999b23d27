"""The arithmetic of a plant step of the torque drive: from dynamics to efforts.

What the functions share: `state`, `demand` and `effort` as in `TorqueDrive.solve`, dt
as `step`, and constants in few arrays, because compiled code pays for each that it is
given. Of the m joints that the drive acts on, shape (6, m) and (3, m):

    joints:  spring K; B + dt K; softness cfm / dt; dt D; lower stop; upper stop,
             infinite where there is none
    places:  of the position and of the velocity in `state`; of the velocity among
             the plant's

Of all nt velocities of their trees, tree by tree, shape (4, nt) and (2, nt):

    forest:  dt (D + B + dt K); dt D alone, which the plant knows of; lower stop;
             upper stop
    homes:   of the position and of the velocity in `state`

And shape (2, m) and (2, trees + 1):

    members: the joints tree by tree; in that order their places among the nt
    ends:    where in `members` trees begin, and the last one ends; the same among nt
"""

import numpy as np

from webmotor_drake.compiled import compiled, compiled_loops
from webmotor_drake.drive.bounded_solve import put, solve_bounded, times
from webmotor_drake.drive.stops import (
    WINDOW,
    allowed_accelerations,
    give_of_stops,
    passes_a_stop,
    push_of_stops,
    solve_at_stops,
)
from webmotor_drake.motor.tables import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)

# How many times the inertia a damper's part of a step may be.
_STIFF = 1e3
# What a motor may slip other than by cfm times its effort, rad/s or m/s.
_SLIP = 1e-12


@compiled_loops(5)
def predicted_acceleration(
    state, demand, effort, joints, places, acceleration, step
):
    """Writes the accelerations that the motors seek if they need the last effort.

    Returns whether they may: not if one was at its bound.
    """
    m = len(effort)
    softness = joints[2]
    _, v_places, dofs = places
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        if abs(servo) >= demand[_BOUND * m + i]:
            return False
        missing = demand[_RATE * m + i] - state[v_places[i]]
        acceleration[dofs[i]] = missing / step - softness[i] * servo
    return True


@compiled_loops(2, 7)
def is_solution(
    state, demand, effort, joints, places, acceleration, force, total, step
):
    """Accepts predicted accelerations if their efforts are a solution; writes them.

    They are if no bound is exceeded, no stop is in the way and they are the last
    efforts, so that the slip is right. Holding still, or going steadily, that saves
    the mass matrix and the solve: a sixth of the step for 7 joints.
    """
    m = len(effort)
    spring, implicit, softness, known_damping, low, high = joints
    q_places, v_places, dofs = places
    window = WINDOW * step
    for i in range(m):
        a = acceleration[dofs[i]]
        q, v = state[q_places[i]], state[v_places[i]]
        if not low[i] <= q + window * (v + step * a) <= high[i]:
            return False
        brake = demand[_BRAKE * m + i]
        damping = implicit[i] + brake
        pull = -spring[i] * q - damping * v
        # Without the damping's part, which may be 1e18 times the rest.
        total[i] = force[dofs[i]] + known_damping[i] * a
        applied = total[i] + step * damping * a - pull
        bound = demand[_BOUND * m + i]
        slip = softness[i] * step * (applied - effort[i])
        if not (
            abs(applied - demand[_DIRECT_EFFORT * m + i]) <= bound
            and abs(slip) <= _SLIP
        ):
            return False
        effort[i] = applied
    return True


@compiled_loops()
def misses(state, demand, effort, joints, places, tolerance, step):
    """Whether a motor has not reached the velocity that its effort was for.

    Args:
        state: the plant's [q, v] after the step.
        demand: and the rest: of that step.
        effort: the motors'.
        joints: see the module.
        places: the same.
        tolerance: in rad/s or m/s, and as a share of the velocity.
        step: dt.
    """
    m = len(effort)
    softness, v_places = joints[2], places[1]
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        bound, rate = demand[_BOUND * m + i], demand[_RATE * m + i]
        short = rate - step * softness[i] * servo - state[v_places[i]]
        if bound == 0.0 or abs(short) <= tolerance * (1.0 + abs(rate)):
            continue
        held_back = short * servo > 0.0 and abs(servo) >= bound * (1.0 - 1e-6)
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
) -> None:
    """Solves the bounded problem of all joints, tree by tree.

    Besides what all share: M of the trees, shape (nt, nt); accelerations, shape
    (nt,), and their inverse dynamics; `total`, which gets all efforts at the joints,
    shape (m,). `effort` gets the motors'.
    """
    rate, bound, direct, brake = demand.reshape(4, -1)
    spring, implicit, softness, _, _, _ = joints
    diagonal, known_damping, low, high = forest
    order, rows = members
    v = state[places[1]]
    damping = implicit + brake
    pull = -spring * state[places[0]] - damping * v
    if brake.any():
        braked = diagonal[rows] + step * brake[order]
        diagonal = diagonal.copy()
        put(diagonal, rows, braked)
    push, guess = pull + direct, effort - direct
    wanted = (rate - v) / step
    for k in range(ends.shape[1] - 1):
        start, end = ends[1, k], ends[1, k + 1]
        mine = order[ends[0, k] : ends[0, k + 1]]
        own = rows[ends[0, k] : ends[0, k + 1]] - start
        plant_block = np.ascontiguousarray(inertia[start:end, start:end])
        block = plant_block.copy()
        known = times(block, acceleration[start:end]) - force[start:end]
        put(known, own, known[own] + push[mine])
        block.ravel()[:: end - start + 1] += diagonal[start:end]
        motors = own, wanted[mine], bound[mine], softness[mine]
        servo, a = solve_bounded(block, known, *motors, guess[mine])
        ranges = (
            state[homes[0, start:end]],
            state[homes[1, start:end]],
            low[start:end],
            high[start:end],
        )
        pushed = np.zeros(end - start)
        if passes_a_stop(a, *ranges, step):
            lowest, highest = allowed_accelerations(*ranges, step)
            own_inertia = np.diag(plant_block) + known_damping[start:end]
            give = give_of_stops(own_inertia, step)
            servo, a = solve_at_stops(
                block, known, *motors, servo, a, lowest, highest, give
            )
            pushed = push_of_stops(a, lowest, highest, give)
        put(effort, mine, servo)
        slowed = step * damping[mine]
        put(total, mine, servo + push[mine] - slowed * a[own])
        if slowed.any():
            # The sum of a stiff damper's parts is rounding: what the plant needs
            # besides all that it knows of.
            stiff = slowed > _STIFF * np.diag(plant_block)[own]
            needed = times(plant_block, a - acceleration[start:end])
            needed += force[start:end] + known_damping[start:end] * a - pushed
            put(total, mine[stiff], needed[own[stiff]])
    effort += direct
