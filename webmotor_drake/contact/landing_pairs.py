"""The shapes of a plant that can land on each other, and which of them may meet."""

from typing import NamedTuple

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, QuaternionFloatingJoint
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import (
    bodies_of,
    inboard_joints,
    joints_of,
    moving_root,
)
from webmotor_drake.contact.landing_shapes import (
    LandingShape,
    landing_shapes,
)
from webmotor_drake.contact.landing_ways import Group, Motion, Ways
from webmotor_drake.contact.mechanisms import Mechanisms, shapes_without_corners

# An acceleration beyond that many g is a blow, which does not go on.
_BLOW = 3.0
# So many corners carry an edge.
_CARRY = 2
# The corners on which a body rests, as a rule.
_RESTS_ON = 4
# So few pairs of shapes are looked at without a look at how far they are first.
_FEW = 4


class Near(NamedTuple):
    """The pairs of shapes that may meet in a step.

    Attributes:
        ways: their ways, by sizes.
        slack: how far it is from what arrives or leaves, m.
    """

    ways: list[Ways]
    slack: float


class LandingPairs:
    """The shapes of a plant, and which can land on which.

    Attributes:
        bodies: all.
        pairs: indices of shapes A, with corners, and B, with faces, shape (k, 2).
        trees: the places of velocities of bodies that hang together.
        rest_depths: how deep corners are where their bodies rest, by these, m.
        reach_q, reach_v: how far shapes move at most per change of a position, and
            per velocity, m or 1.
    """

    def __init__(self, plant: MultibodyPlant, inspector: SceneGraphInspector):
        self._plant = plant
        self.bodies = bodies_of(plant)
        plain = shapes_without_corners(plant)
        shapes = [
            shape
            for shape in landing_shapes(plant, inspector)
            if shape.geometry not in plain
        ]
        self.pairs = [
            (a, b)
            for a in shapes
            if a.ball is not None
            for b in shapes
            if (a.moves or b.moves)
            and len(b.offsets)
            and not inspector.CollisionFiltered(a.ball, b.geometry)
        ]
        self._step = plant.time_step()
        self._gravity = plant.gravity_field().gravity_vector().copy()
        if not self.pairs:
            return
        self._middles = np.array([a.middle for a, _ in self.pairs])
        self._arms = np.linalg.norm(self._middles, axis=1)
        self._reaches = np.array([a.reach for a, _ in self.pairs])
        self._normals = np.array([b.box[:, :3] for _, b in self.pairs])
        self._offsets = np.array([b.box[:, 3] for _, b in self.pairs])
        self._a, self._b = np.array(
            [(a.place, b.place) for a, b in self.pairs]
        ).T
        mechanisms = Mechanisms(plant)
        self.rest_depths = {
            s.place: mechanisms.weight(self.bodies[s.place])
            / (_RESTS_ON * s.stiffness)
            for s in shapes
            if s.moves and s.ball is not None
        }
        sizes: dict[tuple[int, int, int], list[int]] = {}
        for i, (one, other) in enumerate(self.pairs):
            size = len(one.radii), len(one.edges), len(other.offsets)
            sizes.setdefault(size, []).append(i)
        self._groups = [
            Group(
                np.array(rows),
                [self.pairs[i] for i in rows],
                self.rest_depths,
            )
            for rows in sizes.values()
        ]
        self._places = sorted({*self._a.tolist(), *self._b.tolist()} - {0})
        self.trees = _trees(plant)
        self._measure(_falling(plant, mechanisms, shapes))

    def _measure(self, falling: set[int]) -> None:
        plant = self._plant
        # Where the velocities of such bodies begin, and the axes that they are in.
        self._starts: dict[int, tuple[int, np.ndarray]] = {}
        self.reach_q = np.zeros(plant.num_positions())
        self.reach_v = np.zeros(plant.num_velocities())
        for joint in self._carrying():
            q, v = joint.position_start(), joint.velocity_start()
            # Far beyond what robots reach.
            self.reach_q[q : q + joint.num_positions()] = 10.0
            self.reach_v[v : v + joint.num_velocities()] = 10.0
        context = plant.CreateDefaultContext()
        for joint in joints_of(plant):
            if not isinstance(joint, QuaternionFloatingJoint):
                continue
            q, v = joint.position_start(), joint.velocity_start()
            self.reach_q[q + 4 : q + 7] = 1.0
            self.reach_v[v + 3 : v + 6] = 1.0
            place = int(joint.child_body().index())
            if place in falling:
                X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
                self._starts[place] = v, X_WF.rotation().matrix().copy()

    def _carrying(self) -> list[Joint]:
        """Returns the joints that move shapes in question: not those of wheels."""
        inboard = inboard_joints(self._plant)
        found = {}
        for place in self._places:
            joint = inboard.get(self.bodies[place].index())
            while joint is not None:
                found[int(joint.index())] = joint
                joint = inboard.get(joint.parent_body().index())
        return [*found.values()]

    def falls(self, context: Context) -> np.ndarray:
        """Returns the changes of velocities in the step without what arrives.

        They are Drake's, of this step or the last one; after a blow, and before the
        first step, things fall. Of what is not on corners only, such as a robot on
        wheels, nothing is known.
        """
        plant = self._plant
        falls = np.zeros(plant.num_velocities())
        most = _BLOW * float(np.linalg.norm(self._gravity))
        rates = None
        if context.get_time() > 0 or not plant.has_sampled_output_ports():
            port = plant.get_generalized_acceleration_output_port()
            rates = port.Eval(context)
        for start, R_WF in self._starts.values():
            rows = slice(start, start + 6)
            if rates is not None:
                falls[rows] = rates[rows]
            across = falls[start + 3 : start + 6]
            if rates is None or across @ across > most**2:
                falls[rows] = 0.0
                across[:] = R_WF.T @ self._gravity
        falls *= self._step
        if rates is None:
            for place in self._standing(context, falls):
                start, _ = self._starts[place]
                falls[start : start + 6] = 0.0
        return falls

    def _standing(self, context: Context, falls: np.ndarray) -> set[int]:
        """Returns the bodies that would fall, but that something touches."""
        touched = {
            s.place
            for way in self.near(context, falls).ways
            for pair in way.touched()
            for s in pair
        }
        return touched & self._starts.keys()

    def near(
        self,
        context: Context,
        falls: np.ndarray,
        change: np.ndarray | None = None,
    ) -> Near:
        """Returns the pairs that may meet in the coming step.

        Args:
            context: the plant's.
            falls: changes of velocities in the step; see `falls`.
            change: of velocities before it, of bodies that fall; None: there is none.
        """
        motion = self._motion(context, falls, change)
        gaps = self._culled(motion)
        ways, slack = [], float(gaps[gaps > 0].min(initial=np.inf))
        for group in self._groups:
            chosen = np.flatnonzero(gaps[group.rows] <= 0)
            if not chosen.size:
                continue
            ways.append(Ways(group, chosen, motion, self._step))
            slack = min(slack, ways[-1].slack)
            # What corners do not carry may come down on its edges.
            others = chosen[ways[-1].supports < _CARRY]
            if others.size and group.edges is not None:
                ways.append(Ways(group.edges, others, motion, self._step))
                slack = min(slack, ways[-1].slack)
        return Near(ways, slack)

    def _motion(
        self,
        context: Context,
        falls: np.ndarray,
        before: np.ndarray | None,
    ) -> Motion:
        n = len(self.bodies)
        X, V = np.zeros((n, 3, 4)), np.zeros((n, 6))
        fall = np.zeros((n, 3))
        X[0, :, :3] = np.eye(3)
        for i in self._places:
            body = self.bodies[i]
            X[i] = body.EvalPoseInWorld(context).GetAsMatrix34()
            V[i] = body.EvalSpatialVelocityInWorld(context).get_coeffs()
        for i, (start, R_WF) in self._starts.items():
            change = falls[start : start + 6].reshape(2, 3) @ R_WF.T
            V[i] += change.ravel()
            fall[i] = change[1]
            if before is not None:
                first = before[start : start + 6].reshape(2, 3) @ R_WF.T
                V[i] += first.ravel()
        return Motion(X[:, :, :3], X[:, :, 3], V[:, :3], V[:, 3:], fall)

    def _culled(self, motion: Motion) -> np.ndarray:
        """Returns bounds of how far pairs are from meeting in a step, m."""
        if len(self.pairs) <= _FEW:
            return np.zeros(len(self.pairs))
        a, b, (R, p, w, v, *_) = self._a, self._b, motion
        speeds = self._step * np.sqrt(np.einsum("ni,ni->n", v, v))
        turns = self._step * np.sqrt(np.einsum("ni,ni->n", w, w))
        middle = np.einsum("kij,kj->ki", R[a], self._middles) + p[a] - p[b]
        far = np.sqrt(np.einsum("ki,ki->k", middle, middle))
        in_b = np.einsum("kji,kj->ki", R[b], middle)
        away = np.einsum("kfi,ki->kf", self._normals, in_b) - self._offsets
        # A body that turns carries along what is far out on it.
        bound = speeds[a] + turns[a] * (self._arms + self._reaches)
        bound += speeds[b] + turns[b] * (far + self._reaches)
        return away.max(axis=1) - self._reaches - bound


def _trees(plant: MultibodyPlant) -> list[np.ndarray]:
    """Returns the places of the velocities of each tree of joints."""
    joints = inboard_joints(plant)
    trees: dict[int, list[int]] = {}
    for joint in joints_of(plant):
        start = joint.velocity_start()
        places = range(start, start + joint.num_velocities())
        root = moving_root(plant, joint.child_body(), joints)
        trees.setdefault(root, []).extend(places)
    return [np.array(places) for places in trees.values() if places]


def _falling(
    plant: MultibodyPlant,
    mechanisms: Mechanisms,
    shapes: list[LandingShape],
) -> set[int]:
    """Returns the free bodies that stand on corners only, by their places."""
    members: dict[object, list[int]] = {}
    for body in bodies_of(plant):
        members.setdefault(mechanisms.of(body), []).append(int(body.index()))
    cornered = {s.place for s in shapes if s.ball is not None}
    return {
        places[0]
        for (kind, _), places in members.items()
        if kind == "free" and len(places) == 1 and places[0] in cornered
    }
