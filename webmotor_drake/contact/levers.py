"""How far shapes go at most as the state of a plant changes, and how far they may."""

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

# So many steps a look goes ahead at most.
_AHEAD = 128.0
# What slides is not farther out than that, m.
_SLIDES = 10.0


def levers(
    plant: MultibodyPlant, shapes: Iterable[tuple[RigidBody, float]]
) -> Ways:
    """Returns the ways of shapes per change of a plant's state, until a step's end.

    Args:
        plant: finalized, discrete.
        shapes: bodies, and how far shapes go from their origins, m.
    """
    n, joints = plant.num_positions(), inboard_joints(plant)
    most = np.zeros(n + plant.num_velocities())
    trees, step = np.zeros(len(most), int), plant.time_step()
    for body, far in shapes:
        tree = int(moving_root(plant, body, joints))
        while (joint := joints.get(body.index())) is not None:
            X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
            far += np.linalg.norm(X_BM.translation())
            i, k = joint.position_start(), joint.num_positions()
            j, m = n + joint.velocity_start(), joint.num_velocities()
            turns = isinstance(joint, RevoluteJoint)
            turn = far if turns or m == 6 else max(far, 1.0)
            # Of what is free the last three are a place; a quaternion has half of
            # an angle.
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
    numbers = {tree: i for i, tree in enumerate(sorted({*trees.tolist()}))}
    trees = [numbers[tree] for tree in trees.tolist()]
    return Ways(most, trees, n, step, _AHEAD)
