"""The arithmetic of a plant step of the torque drive: from dynamics to efforts.

The functions share their first arguments: those of `TorqueDrive.solve`, then rows of
constants (spring K, implicit damping B + dt K, softness cfm / dt, and the diagonal
dt (D + B + dt K) that comes on top of M), rows of places (of the position and the
velocity in `state`, of the velocity among the plant's), and dt.
"""

import numpy as np

from webmotor_drake.compiled import compiled, compiled_loops
from webmotor_drake.drive.bounded_solve import put, solve_bounded, times
from webmotor_drake.motor.law import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)

# What a motor may slip other than by cfm times its effort, rad/s or m/s.
_SLIP = 1e-12


@compiled_loops(6)
def aim(state, demand, effort, joints, places, step, acceleration):
    """Writes the accelerations that the motors seek if they need the last effort.

    Returns whether they may: not if one was at its bound.
    """
    m = len(effort)
    _, _, softness, _ = joints
    _, v_places, dofs = places
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        if abs(servo) >= demand[_BOUND * m + i]:
            return False
        missing = demand[_RATE * m + i] - state[v_places[i]]
        acceleration[dofs[i]] = missing / step - softness[i] * servo
    return True


@compiled_loops(2, 8)
def hits(
    state, demand, effort, joints, places, step, acceleration, force, total
):
    """Takes the effort that `acceleration` needs if that is a solution.

    It is if no bound is exceeded and it is the last effort, so that the slip is
    right. Holding still, or going steadily, that saves the mass matrix and the
    solve: a sixth of the step for 7 joints.
    """
    m = len(effort)
    spring, implicit, softness, diagonal = joints
    q_places, v_places, dofs = places
    for i in range(m):
        a = acceleration[dofs[i]]
        brake = demand[_BRAKE * m + i]
        damping = implicit[i] + brake
        pull = -spring[i] * state[q_places[i]] - damping * state[v_places[i]]
        needed = force[dofs[i]] + (diagonal[i] + step * brake) * a
        total[i] = needed - step * damping * a
        applied = needed - pull
        bound = demand[_BOUND * m + i]
        slip = softness[i] * step * (applied - effort[i])
        if not (
            abs(applied - demand[_DIRECT_EFFORT * m + i]) <= bound
            and abs(slip) <= _SLIP
        ):
            return False
        effort[i] = applied
    return True


@compiled
def solve_trees(
    state,
    demand,
    effort,
    joints,
    places,
    step,
    inertia,
    acceleration,
    force,
    diagonal,
    order,
    rows,
    firsts,
    blocks,
    total,
) -> None:
    """Solves the bounded problem of all joints, tree by tree.

    Besides what all share: M of the trees, shape (nt, nt); accelerations, shape
    (nt,), and their inverse dynamics; the diagonal dt (D + B + dt K), shape (nt,);
    the joints' order tree by tree and, in that order, their places among the
    trees' velocities; where in the order and among the velocities trees begin and
    the last one ends; `total`, which gets all efforts at the joints, shape (m,).
    """
    rate, bound, direct, brake = demand.reshape(4, -1)
    spring, implicit, softness, _ = joints
    v = state[places[1]]
    damping = implicit + brake
    pull = -spring * state[places[0]] - damping * v
    if brake.any():
        braked = diagonal[rows] + step * brake[order]
        diagonal = diagonal.copy()
        put(diagonal, rows, braked)
    push, guess = pull + direct, effort - direct
    wanted = (rate - v) / step
    reached = np.empty(len(v))
    for k in range(len(blocks) - 1):
        low, high = blocks[k], blocks[k + 1]
        mine = order[firsts[k] : firsts[k + 1]]
        own = rows[firsts[k] : firsts[k + 1]] - low
        block = np.ascontiguousarray(inertia[low:high, low:high])
        known = times(block, acceleration[low:high]) - force[low:high]
        put(known, own, known[own] + push[mine])
        block.ravel()[:: high - low + 1] += diagonal[low:high]
        servo, a = solve_bounded(
            block,
            known,
            own,
            wanted[mine],
            bound[mine],
            softness[mine],
            guess[mine],
        )
        put(effort, mine, servo)
        put(reached, mine, a[own])
    effort += direct
    total[:] = effort + pull - step * damping * reached
