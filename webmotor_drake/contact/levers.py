"""How far shapes go at most as the state of a plant changes, and how far they may."""

import math
from collections.abc import Iterable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RevoluteJoint, RigidBody

from webmotor_drake.contact.inboard import (
    inboard_joints,
    moving_root,
    to_weld_root,
)
from webmotor_drake.loops import entry, places
from webmotor_drake.loops.arrivals import farthest

# So many steps a look goes ahead at most; where that was in vain it doubles from this.
_AHEAD, _SELDOM = 8.0, 1 / 16
# What slides is not farther out than that, m.
_SLIDES = 10.0

_farthest = entry(farthest)


class Levers:
    """The ways of shapes per change of a plant's state x until a step's end.

    Args:
        plant: finalized, discrete.
        shapes: bodies, and how far shapes go from their origins, m.
    """

    def __init__(
        self, plant: MultibodyPlant, shapes: Iterable[tuple[RigidBody, float]]
    ):
        n, joints = plant.num_positions(), inboard_joints(plant)
        self._levers = np.zeros(n + plant.num_velocities())
        trees, step = np.zeros(len(self._levers), int), plant.time_step()
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
                    own = self._levers[start : start + size]
                    np.maximum(own, ways, out=own)
                trees[i : i + k] = trees[j : j + m] = tree
                X_PF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
                body, X_RP = to_weld_root(joint.parent_body(), joints)
                far += np.linalg.norm((X_RP @ X_PF).translation())
                far += 0.0 if turns or m == 6 else _SLIDES
        numbers = {tree: i for i, tree in enumerate(sorted({*trees.tolist()}))}
        trees = np.array([numbers[tree] for tree in trees.tolist()], int)
        self._trees, self._step = places(trees), step
        self._ways = np.zeros(trees.max(initial=0) + 1)
        self._x, self._rate = np.zeros((2, len(trees)))
        self._by_speed = self._levers[n:], self._trees[n:], self._ways
        self._still = np.zeros(plant.num_velocities())
        self._slack, self._left, self._ahead = 0.0, -1.0, 1.0

    @property
    def ahead(self) -> int:
        """The number of steps for which a look pays."""
        return max(1, int(self._ahead))

    def is_quiet(self, x: np.ndarray) -> bool:
        """Returns whether nothing arrives yet, once in each step.

        Args:
            x: state of the plant.
        """
        if self._left < math.inf:
            self._x += self._rate
            self._left -= 1.0
            if self._left < 0:
                return False
        if self.way(self._x, x) < self._slack:
            return True
        if self._left < math.inf:  # it went on otherwise
            self._ahead = _SELDOM
        return False

    def keep(
        self, x: np.ndarray, slack: float, rate: np.ndarray, steps: int
    ) -> None:
        """Keeps a state from which on nothing arrives.

        Args:
            x: state of the plant.
            slack: distance that shapes may be from it, m.
            rate: rate of its positions, empty for one step, 1/s.
            steps: number of steps in which it may move on so.
        """
        self._x[:] = x
        self._slack, self._left = slack, math.inf
        self._ahead = min(2.0 * self._ahead, _AHEAD)
        if steps > 1:
            self._rate[: len(rate)] = self._step * rate
            if self.way(x, x + steps * self._rate) >= slack / 2:
                self._left = steps - 1.0

    def forget(self) -> None:
        """Forgets the state that was kept: something arrives."""
        self._left, self._ahead = -1.0, _SELDOM

    def way_in_step(self, x: np.ndarray) -> float:
        """Returns how far a shape goes at most in a step at a state's velocities, m."""
        v = x[len(x) - len(self._still) :]
        return _farthest(v, self._still, *self._by_speed)

    def way(self, before: np.ndarray, x: np.ndarray) -> float:
        """Returns how far a shape goes at most from one state to another, m."""
        return _farthest(x, before, self._levers, self._trees, self._ways)
