"""Whether motors rest: the last step's efforts foresaw this one, and still do.

`drive.torque_problem` says what the records of joints are.
"""

from webmotor_drake.loops.rows import Demand
from webmotor_drake.loops.solver_constants import SLIP, WINDOW

_RATE, _BOUND, _DIRECT_EFFORT, _BRAKE = map(int, Demand)
_WINDOW, _SLIP = WINDOW, SLIP


def predicted_acceleration(joints, state, demand, effort, acceleration, step):
    """Writes the accelerations that the motors seek if they need the last effort.

    Returns whether they may: not if one was at its bound. See `TorqueDrive.solve`
    for what the arguments are.
    """
    m = len(effort)
    for i in range(m):
        joint = joints[i]
        servo = effort[i] - demand[_DIRECT_EFFORT * m + i]
        if abs(servo) >= demand[_BOUND * m + i]:
            return False
        missing = demand[_RATE * m + i] - state[joint.v_place]
        acceleration[joint.dof] = missing / step - joint.softness * servo
    return True


def is_solution(
    joints,
    state,
    demand,
    effort,
    acceleration,
    force,
    total,
    foreseen,
    step,
):
    """Accepts predicted accelerations if their efforts are a solution; writes them.

    They are if no bound is exceeded, no stop is in the way and they are the last
    efforts, so that the slip is right. Holding still, or going steadily, that saves
    the mass matrix and the solve: a sixth of the step for 7 joints. `total` may be
    written where they are not.
    """
    m = len(effort)
    for i in range(m):
        joint = joints[i]
        a = acceleration[joint.dof]
        q, v = state[joint.q_place], state[joint.v_place]
        reach = q + _WINDOW * step * (v + step * a)
        damping = joint.implicit + demand[_BRAKE * m + i]
        # Without the damping's part, which may be 1e18 times the rest.
        total[i] = force[joint.dof] + joint.known_damping * a
        applied = total[i] + step * damping * a + joint.spring * q + damping * v
        servo = applied - demand[_DIRECT_EFFORT * m + i]
        if not (
            joint.lower_stop <= reach <= joint.upper_stop
            and abs(servo) <= demand[_BOUND * m + i]
            and abs(joint.softness * step * (applied - effort[i])) <= _SLIP
        ):
            return False
    for i in range(m):
        joint = joints[i]
        damping = joint.implicit + demand[_BRAKE * m + i]
        a = acceleration[joint.dof]
        pull = -joint.spring * state[joint.q_place]
        pull -= damping * state[joint.v_place]
        effort[i] = total[i] + step * damping * a - pull
        foreseen[joint.row] = state[joint.v_place] + step * a
    return True


def misses(state, places, foreseen, tolerance):
    """Returns whether the trees have missed the predicted velocities.

    Args:
        state: the plant's [q, v] after the step.
        places: of the trees' velocities in `state`, shape (nt,).
        foreseen: predicted velocities, shape (nt,), rad/s or m/s; NaN without one.
        tolerance: in rad/s or m/s, and as a share of the velocity.
    """
    for i in range(len(foreseen)):
        off = abs(state[places[i]] - foreseen[i])
        if off > tolerance * (1.0 + abs(foreseen[i])):
            return True
    return False
