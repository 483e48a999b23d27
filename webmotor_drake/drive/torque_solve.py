"""The arithmetic of a plant step of the torque drive: from dynamics to efforts.

`loops.tree_solver` does the same in loops that are compiled. This, in numpy, is the
last resort for what does not settle there, and solves for many joints where nothing is
compiled.

The `constants` never change: `joints`, `velocities`, `members` and `trees`
of `torque_problem`, and dt as `step`, in one tuple; `state`, `demand` and `effort` are
as in `TorqueDrive.solve`.
"""

import numpy as np

from webmotor_drake.drive.bounded_solve import solve_bounded
from webmotor_drake.drive.stops import (
    allowed_accelerations,
    give_of_stops,
    passes_a_stop,
    push_of_stops,
    solve_at_stops,
)
from webmotor_drake.loops.solver_constants import (
    AT_BOUND,
    BOUND,
    MOVING,
    RESTING,
    SLIP,
    STIFF,
)
from webmotor_drake.motor.tables import DEMANDS


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
        MOVING, RESTING or BOUND.
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
    return BOUND if at_bound else MOVING if moving else RESTING
