"""The arithmetic of a plant step of the torque drive: from dynamics to efforts.

What the functions share: `state`, `demand` and `effort` as in `TorqueDrive.solve`,
constants of the `Joints` and of their `Forest`, and dt as `step`.
"""

from typing import NamedTuple

import numpy as np

from webmotor_drake.compiled import compiled, compiled_loops
from webmotor_drake.drive.bounded_solve import put, solve_bounded, times
from webmotor_drake.drive.stops import (
    WINDOW,
    allowed_accelerations,
    give_of_stops,
    solve_at_stops,
)
from webmotor_drake.motor.tables import Demand

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)

# What a motor may slip other than by cfm times its effort, rad/s or m/s.
_SLIP = 1e-12


class Joints(NamedTuple):
    """The joints that the drive acts on, m of them: arrays of shape (m,)."""

    spring: np.ndarray  # K, N m/rad or N/m
    implicit: np.ndarray  # B + dt K, N m s/rad or N s/m
    softness: np.ndarray  # cfm / dt, rad/s^2/(N m) or m/s^2/N
    diagonal: np.ndarray  # dt (D + B + dt K), what comes on top of M
    low: np.ndarray  # stops, rad or m; infinite: none
    high: np.ndarray
    q: np.ndarray  # place of the position in `state`
    v: np.ndarray  # place of the velocity in `state`
    dof: np.ndarray  # place of the velocity among the plant's


class Forest(NamedTuple):
    """All velocities of the joints' trees, nt of them, tree by tree."""

    diagonal: np.ndarray  # dt (D + B + dt K), shape (nt,)
    damping: np.ndarray  # dt D alone, shape (nt,): what the plant knows of
    low: np.ndarray  # stops, shape (nt,), rad or m; infinite: none
    high: np.ndarray
    q: np.ndarray  # place of the position in `state`, shape (nt,)
    v: np.ndarray  # place of the velocity in `state`, shape (nt,)
    order: np.ndarray  # the joints tree by tree, shape (m,)
    rows: np.ndarray  # in that order their places among nt, shape (m,)
    firsts: np.ndarray  # where in `order` trees begin, and the last one ends
    blocks: np.ndarray  # the same among nt


@compiled_loops(4)
def predicted_acceleration(state, demand, effort, joints, acceleration, step):
    """Writes the accelerations that the motors seek if they need the last effort.

    Returns whether they may: not if one was at its bound.
    """
    m = len(effort)
    for i in range(m):
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        if abs(servo) >= demand[_BOUND * m + i]:
            return False
        missing = demand[_RATE * m + i] - state[joints.v[i]]
        a = missing / step - joints.softness[i] * servo
        acceleration[joints.dof[i]] = a
    return True


@compiled_loops(2, 6)
def is_solution(
    state, demand, effort, joints, acceleration, force, total, step
):
    """Accepts predicted accelerations if their efforts are a solution; writes them.

    They are if no bound is exceeded, no stop is in the way and they are the last
    efforts, so that the slip is right. Holding still, or going steadily, that saves
    the mass matrix and the solve: a sixth of the step for 7 joints.
    """
    m = len(effort)
    window = WINDOW * step
    for i in range(m):
        a, q, v = (
            acceleration[joints.dof[i]],
            state[joints.q[i]],
            state[joints.v[i]],
        )
        reach = q + window * (v + step * a)
        if not joints.low[i] <= reach <= joints.high[i]:
            return False
        brake = demand[_BRAKE * m + i]
        damping = joints.implicit[i] + brake
        pull = -joints.spring[i] * q - damping * v
        needed = force[joints.dof[i]] + (joints.diagonal[i] + step * brake) * a
        total[i] = needed - step * damping * a
        applied = needed - pull
        bound = demand[_BOUND * m + i]
        slip = joints.softness[i] * step * (applied - effort[i])
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
    forest,
    inertia,
    acceleration,
    force,
    total,
    step,
) -> None:
    """Solves the bounded problem of all joints, tree by tree.

    Args:
        state: and what follows: see the module.
        demand: flattened.
        effort: the motors', shape (m,); changed.
        joints: `Joints`.
        forest: `Forest`.
        inertia: M of the trees, shape (nt, nt).
        acceleration: any, shape (nt,).
        force: their inverse dynamics, shape (nt,).
        total: gets all efforts at the joints, shape (m,).
        step: dt.
    """
    rate, bound, direct, brake = demand.reshape(4, -1)
    v = state[joints.v]
    damping = joints.implicit + brake
    pull = -joints.spring * state[joints.q] - damping * v
    diagonal = forest.diagonal
    if brake.any():
        braked = diagonal[forest.rows] + step * brake[forest.order]
        diagonal = diagonal.copy()
        put(diagonal, forest.rows, braked)
    push, guess = pull + direct, effort - direct
    wanted = (rate - v) / step
    reached = np.empty(len(v))
    for k in range(len(forest.blocks) - 1):
        low, high = forest.blocks[k], forest.blocks[k + 1]
        mine = forest.order[forest.firsts[k] : forest.firsts[k + 1]]
        own = forest.rows[forest.firsts[k] : forest.firsts[k + 1]] - low
        free = np.ascontiguousarray(inertia[low:high, low:high])
        known = times(free, acceleration[low:high]) - force[low:high]
        put(known, own, known[own] + push[mine])
        block = free.copy()
        block.ravel()[:: high - low + 1] += diagonal[low:high]
        motors = own, wanted[mine], bound[mine], joints.softness[mine]
        servo, a = solve_bounded(block, known, *motors, guess[mine])
        lowest, highest = allowed_accelerations(
            state[forest.q[low:high]],
            state[forest.v[low:high]],
            forest.low[low:high],
            forest.high[low:high],
            step,
        )
        if np.any((a < lowest) | (a > highest)):
            own_inertia = np.diag(free) + forest.damping[low:high]
            give = give_of_stops(own_inertia, step)
            servo, a = solve_at_stops(
                block, known, *motors, servo, a, lowest, highest, give
            )
        put(effort, mine, servo)
        put(reached, mine, a[own])
    effort += direct
    total[:] = effort + pull - step * damping * reached
