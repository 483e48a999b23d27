"""Bounds on how far shapes move as the state of a plant changes."""

from collections.abc import Iterable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RevoluteJoint, RigidBody

from webmotor_drake.contact.inboard import (
    inboard_joints,
    moving_root,
    to_weld_root,
)
from webmotor_drake.loops.ways import Ways

# The most steps that a look goes ahead.
_AHEAD = 128.0
# The farthest that a sliding joint goes out, m.
_SLIDES = 10.0


def levers(
    plant: MultibodyPlant, shapes: Iterable[tuple[RigidBody, float]]
) -> Ways:
    """Returns bounds on shapes' ways per change of a plant's state, by a step's end.

    Args:
        plant: finalized, discrete plant.
        shapes: bodies, each with the reach of its shapes from its origin, m.
    """
    n, joints = plant.num_positions(), inboard_joints(plant)
    most = np.zeros(n + plant.num_velocities())
    trees, step = np.zeros(len(most), int), plant.time_step()
    spins: dict[int, int] = {}
    for body, far in shapes:
        tree = int(moving_root(plant, body, joints))
        while (joint := joints.get(body.index())) is not None:
            X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
            far += np.linalg.norm(X_BM.translation())
            i, k = joint.position_start(), joint.num_positions()
            j, m = n + joint.velocity_start(), joint.num_velocities()
            spins |= {i: j} if k == 7 else {}
            turns = isinstance(joint, RevoluteJoint)
            turn = far if turns or m == 6 else max(far, 1.0)
            # The last three numbers of a free joint are a place; those of a quaternion
            # change by half an angle.
            slide = 1.0 if m == 6 else turn
            for start, size, per in ((i, k, 1.0), (j, m, step)):
                angles = [2 * turn if size == 7 else turn] * (size - 3)
                ways = per * np.array([*angles, *[slide] * min(size, 3)])
                own = most[start : start + size]
                np.maximum(own, ways, out=own)
            trees[i : i + k] = trees[j : j + m] = tree
            X_PF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
            body, X_RP = to_weld_root(joint.parent_body(), joints)
            far += np.linalg.norm((X_RP @ X_PF).translation())
            far += 0.0 if turns or m == 6 else _SLIDES
    trees = np.unique(trees, return_inverse=True)[1].tolist()
    places = [place for spin in spins.items() for place in spin]
    return Ways(most, trees, places, n, step, _AHEAD)
