"""The shapes of a plant that can land on each other, and which do in a step."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    FixedOffsetFrame,
    Frame,
    JacobianWrtVariable,
)
from pydrake.systems.framework import Context

from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import (
    ShapePair,
    bodies_of,
    inboard_joints,
    joints_of,
    movable_frame,
    moving_root,
    to_weld_root,
)
from webmotor_drake.contact.landing_shapes import landing_shapes
from webmotor_drake.contact.mechanisms import Mechanisms
from webmotor_drake.contact.proximity import friction_of
from webmotor_drake.loops import entry, places
from webmotor_drake.loops.arrivals import (
    COLUMNS,
    COMES,
    CORNER,
    LANDS,
    MIDDLE,
    NORMAL,
    PAIR,
    arrivals,
)

# An acceleration beyond that many g is a blow, which does not go on.
_BLOW = 3.0
# The corners on which a body rests, as a rule.
_RESTS_ON = 4
# From so many points on edges on, only the outermost along some directions count.
_ENDS = 4
_EIGHTHS = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.3]]).T
# Room that loops need besides poses.
_WORK = 31

_arrivals = entry(arrivals)


class Mover(NamedTuple):
    """Bodies that move together.

    Attributes:
        frame: M, on it.
        tree: index of its tree of joints.
        R_WM: the axes in which the velocities of what is free, and carries nothing by
            joints, are that of M; None: it is not.
    """

    frame: Frame
    tree: int
    R_WM: np.ndarray | None


class State(NamedTuple):
    """A plant before a step.

    Attributes:
        v: generalized velocities.
        falls: their changes in the step without what arrives.
        M: the mass matrix, and what Drake's motors add in a step.
        maps: d(spatial velocities of frames M in the world) / dv of their trees.
    """

    v: np.ndarray
    falls: np.ndarray
    M: np.ndarray
    maps: list[np.ndarray]


class LandingPairs:
    """The shapes of a plant, and which can land on which.

    Args:
        plant: finalized plant.
        inspector: of its geometry.
        context: the plant's, in which what is fixed has its place; None: the model's.

    Attributes:
        shapes: those with corners or faces.
        pairs: indices of shapes A, with corners, and B, with faces, shape (k, 2).
        movers: indices of their movers, shape (k, 2); 0: the world.
        trees: places among all of the velocities of each tree of joints.
        frictions: Coulomb's coefficients of pairs, shape (k,).
        rests: depths in which corners of pairs rest, m, shape (k,).
        outs: of all points, see `LandingShape`, m.
        reach: largest way of shapes per change of x until a step's end, m.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        inspector: SceneGraphInspector,
        context: Context | None = None,
    ):
        self._plant, self._step = plant, plant.time_step()
        self._movers, self.trees, bodies = _movers(plant)
        self._fixed: list[tuple[FixedOffsetFrame, RigidTransform]] = []
        if context is not None:
            self._fixed = list(_fixed(plant, context))
            for i, (mover, _) in bodies.items():
                if not mover:
                    body = plant.get_body(BodyIndex(i))
                    X_WB = plant.EvalBodyPoseInWorld(context, body)
                    bodies[i] = mover, X_WB
        self.shapes = shapes = landing_shapes(plant, inspector, bodies)
        pairs = [
            (i, k)
            for i, a in enumerate(shapes)
            for k, b in enumerate(shapes)
            if a.ball is not None
            and a.mover != b.mover
            and len(b.planes)
            and not inspector.CollisionFiltered(a.ball, b.geometry)
        ]
        self.pairs = np.array(pairs, int).reshape(-1, 2)
        self.movers = np.array([s.mover for s in shapes], int)[self.pairs]
        self.reach = self._reach()
        if not pairs:
            return
        frictions = [friction_of(inspector, s.geometry) for s in shapes]
        self.frictions = np.array(
            [combined(frictions[i], frictions[k]) for i, k in pairs]
        )
        mechanisms = Mechanisms(plant)
        rests = np.zeros(len(self._movers) + 1)
        for s in shapes:
            if s.mover and s.ball is not None:
                body = self._movers[s.mover - 1].frame.body()
                weight = mechanisms.weight(body)
                rests[s.mover] = weight / (_RESTS_ON * s.stiffness)
        self.rests = rests[self.movers[:, 0]]
        self._lay_out(rests)

    def _lay_out(self, rests: np.ndarray) -> None:
        """Lays out the tables of the loops."""
        shapes, n = self.shapes, len(self._movers) + 1
        points = np.vstack([s.points for s in shapes])
        sizes = np.array([[len(s.points), len(s.planes)] for s in shapes])
        starts = sizes.cumsum(axis=0) - sizes
        table = [
            (
                s.mover,
                p,
                p + s.corners,
                p + len(s.points),
                k,
                k + len(s.planes),
                p + (s.rolls if s.rolls < s.corners else len(s.points)),
            )
            for s, (p, k) in zip(shapes, starts.tolist(), strict=True)
        ]
        measures = [
            (rests[s.mover], *s.middle, s.reach, *s.axis) for s in shapes
        ]
        self._tables = (
            places(self.pairs.ravel()),
            places(np.ravel(table)),
            np.ravel(measures),
            points.ravel(),
            np.vstack([s.planes for s in shapes]).ravel(),
        )
        self._radii, self._on_edge = points[:, 3], np.ones(len(points), bool)
        for _, first, edge, *_ in table:
            self._on_edge[first:edge] = False
        self.outs = np.concatenate([s.outs for s in shapes])
        free = [m for m in self._movers if m.R_WM is not None]
        self._free = [self._movers.index(m) + 1 for m in free]
        velocities = [self.trees[m.tree] for m in free]
        self._velocities = np.array(velocities, int).reshape(-1, 6)
        self._R_MW = np.reshape([m.R_WM.T for m in free], (-1, 3, 3))
        self._poses, self._speeds = np.zeros((n, 3, 4)), np.zeros((n, 6))
        self._poses[0, :, :3] = np.eye(3)
        self._changes, self._falls = np.zeros((2, n, 6))
        self._motions, self._work = np.zeros(9 * n), np.zeros(12 * n + _WORK)
        self._found = np.zeros(COLUMNS)
        self._held = np.zeros(self._plant.num_velocities())
        for i in self._plant.GetJointActuatorIndices():
            if (actuator := self._plant.get_joint_actuator(i)).has_controller():
                place = actuator.joint().velocity_start()
                gain = actuator.get_controller_gains().d
                self._held[place] += self._step * gain
        self._g = self._step * self._plant.gravity_field().gravity_vector()

    def stands(self, context: Context) -> bool:
        """Returns whether fixed bodies are in their places; supervisors move them."""
        return all(
            frame.GetPoseInParentFrame(context).IsExactlyEqualTo(X)
            for frame, X in self._fixed
        )

    def shapes_of(self, pair: int) -> ShapePair:
        """Returns the shapes A and B of a pair."""
        a, b = self.pairs[pair]
        return self.shapes[a].geometry, self.shapes[b].geometry

    def _reach(self) -> np.ndarray:
        plant, joints = self._plant, inboard_joints(self._plant)
        q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        for mover in {*self.movers.ravel().tolist()} - {0}:
            body = self._movers[mover - 1].frame.body()
            while (joint := joints.get(body.index())) is not None:
                i, k = joint.position_start(), joint.num_positions()
                j, m = joint.velocity_start(), joint.num_velocities()
                # Far beyond what is out on a body, or what robots reach.
                q[i : i + k] = v[j : j + m] = 10.0
                if m == 6:
                    q[i + k - 3 : i + k] = v[j + 3 : j + 6] = 1.0
                body = joint.parent_body()
        return np.r_[q, self._step * v]

    def look(self, context: Context) -> float:
        """Foresees the coming step; returns the distance to the next arrival, m.

        Free things move on as Drake moves them in this step, or did in the last one;
        after a blow, and before the first step, they fall, unless something touches
        them. Of what joints hold only the velocity is known.

        Args:
            context: the plant's.
        """
        for i, mover in enumerate(self._movers, 1):
            frame = mover.frame
            self._poses[i] = frame.CalcPoseInWorld(context).GetAsMatrix34()
            speeds = frame.CalcSpatialVelocityInWorld(context).get_coeffs()
            self._speeds[i] = speeds
        self._changes[:] = 0.0
        plant, most = self._plant, _BLOW * np.linalg.norm(self._g)
        if context.get_time() > 0 or not plant.has_sampled_output_ports():
            port = plant.get_generalized_acceleration_output_port()
            rates = port.Eval(context)[self._velocities].reshape(-1, 2, 3)
            falls = self._step * rates @ self._R_MW
            if abs(falls[:, 1]).max(initial=0.0) > most:
                blown = np.linalg.norm(falls[:, 1], axis=1) > most
                falls[blown] = np.zeros(3), self._g
            self._falls[self._free] = falls.reshape(-1, 6)
            return self._scanned()
        self._falls[self._free, 3:] = self._g
        self._scanned()
        found = self.found()
        touched = self.movers[found[:, PAIR].astype(int)]
        self._falls[touched[found[:, COMES] < LANDS]] = 0.0
        return self._scanned()

    def look_again(self, state: State, change: np.ndarray) -> None:
        """Foresees the coming step with a change of all velocities."""
        for i, mover in enumerate(self._movers):
            own = change[self.trees[mover.tree]]
            self._changes[i + 1] = state.maps[i] @ own
        self._scanned()

    def state(self, context: Context) -> State:
        """Returns the plant before the step that was foreseen."""
        plant, world = self._plant, self._plant.world_frame()
        v, maps = plant.GetVelocities(context), []
        for mover in self._movers:
            if mover.R_WM is not None:
                maps.append(np.kron(np.eye(2), mover.R_WM))
                continue
            kind, origin = JacobianWrtVariable.kV, np.zeros(3)
            J = plant.CalcJacobianSpatialVelocity(
                context, kind, mover.frame, origin, world, world
            )
            maps.append(J[:, self.trees[mover.tree]])
        falls = np.zeros(len(v))
        falls_W = self._falls[self._free].reshape(-1, 2, 3)
        falls_M = falls_W @ self._R_MW.transpose(0, 2, 1)
        falls[self._velocities] = falls_M.reshape(-1, 6)
        M = plant.CalcMassMatrix(context) + np.diag(self._held)
        return State(v, falls, M, maps)

    def _scanned(self) -> float:
        while True:
            self._count = _arrivals(
                *self._tables,
                self._poses.ravel(),
                self._speeds.ravel(),
                self._changes.ravel(),
                self._falls.ravel(),
                self._step,
                self._motions,
                self._work,
                self._found,
            )
            if COLUMNS * self._count < len(self._found):
                return float(self._work[-1])
            self._found = np.zeros(2 * COLUMNS * (self._count + 1))

    def found(self) -> np.ndarray:
        """Returns the corners that touch or come, in rows of `arrivals`.

        Of many points on the edges of a pair only the ends; what rolls does not do so
        on its rims.
        """
        found = self._found.reshape(-1, COLUMNS)[: self._count].copy()
        pairs, largest = found[:, PAIR].astype(int), np.zeros(len(self.pairs))
        radii = self._radii[found[:, CORNER].astype(int)]
        np.maximum.at(largest, pairs, radii)
        found = found[radii >= largest[pairs] / 2]
        on_edge = self._on_edge[found[:, CORNER].astype(int)]
        kept = ~on_edge
        for pair in np.unique(found[on_edge, PAIR]):
            rows = np.flatnonzero(on_edge & (found[:, PAIR] == pair))
            if len(rows) > _ENDS:
                ways = found[rows, MIDDLE:] @ _EIGHTHS
                rows = rows[np.r_[ways.argmax(axis=0), ways.argmin(axis=0)]]
            kept[rows] = True
        return found[kept]

    def jacobians(
        self, found: np.ndarray, state: State
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Returns d(velocities of A relative to B) / dv, tree by tree.

        Args:
            found: k rows of `found`.
            state: of the plant.

        Returns:
            The places of a tree's velocities; those of 3 k velocities that they
            change, of which each row's normal is last; and how.
        """
        n_W, corners = found[:, NORMAL:MIDDLE], found[:, CORNER].astype(int)
        points = found[:, MIDDLE:] - self._radii[corners, None] * n_W
        movers = self.movers[found[:, PAIR].astype(int)]
        x, y, z = (points[:, None] - self._poses[movers, :, 3]).transpose(
            2, 0, 1
        )
        o = np.zeros(x.shape)
        crossed = np.array([[o, z, -y], [-z, o, x], [y, -x, o]])
        axes = np.repeat(_axes_along(n_W)[:, None], 2, axis=1)
        turning = axes @ crossed.transpose(2, 3, 0, 1)
        J = np.concatenate([turning, axes], axis=3)
        J[:, 1] *= -1.0
        by_tree: dict[int, np.ndarray] = {}
        for mover in sorted({*movers.ravel().tolist()} - {0}):
            tree = self._movers[mover - 1].tree
            size = len(found), 3, len(self.trees[tree])
            own = by_tree.setdefault(tree, np.zeros(size))
            rows, sides = np.nonzero(movers == mover)
            own[rows] += J[rows, sides] @ state.maps[mover - 1]
        jacobians = []
        for tree, own in by_tree.items():
            rows = np.flatnonzero(own.any(axis=(1, 2)))
            places = (3 * rows[:, None] + np.arange(3)).ravel()
            mine = own[rows].reshape(len(places), -1)
            jacobians.append((self.trees[tree], places, mine))
        return jacobians


def _axes_along(z: np.ndarray) -> np.ndarray:
    """Returns unit vectors x, y and z for each unit vector z, shape (k, 3, 3).

    T. Duff et al., Building an orthonormal basis, revisited, 2017.
    """
    a, b, c = z.T
    sign = np.where(c < 0, -1.0, 1.0)
    s = -1 / (sign + c)
    x = np.column_stack([1 + sign * s * a * a, sign * s * a * b, -sign * a])
    y = np.column_stack([s * a * b, sign + s * b * b, -b])
    return np.stack([x, y, z], axis=1)


def _fixed(
    plant: MultibodyPlant, context: Context
) -> Iterator[tuple[FixedOffsetFrame, RigidTransform]]:
    """Yields the frames by which fixed bodies can be moved, and their poses."""
    for joint in joints_of(plant):
        if (frame := movable_frame(plant, joint)) is not None:
            yield frame, frame.GetPoseInParentFrame(context)


def _movers(
    plant: MultibodyPlant,
) -> tuple[
    list[Mover], list[np.ndarray], dict[int, tuple[int, RigidTransform]]
]:
    """Returns the movers, their trees of joints, and bodies' poses on movers."""
    joints, world = inboard_joints(plant), plant.world_body().index()
    roots: dict[int, list[int]] = {}
    for joint in joints_of(plant):
        start = joint.velocity_start()
        own = range(start, start + joint.num_velocities())
        root = moving_root(plant, joint.child_body(), joints)
        roots.setdefault(root, []).extend(own)
    trees = {root: i for i, root in enumerate(roots)}
    movers: list[Mover] = []
    known: dict[int, tuple[int, RigidTransform]] = {
        int(world): (0, RigidTransform())
    }
    bodies = {}
    for body in bodies_of(plant):
        root, X_RB = to_weld_root(body, joints)
        if (place := int(root.index())) not in known:
            joint, tree = joints[root.index()], moving_root(plant, root, joints)
            frame, R_WM = root.body_frame(), None
            if joint.num_velocities() == len(roots[tree]) == 6:
                frame, outer = joint.frame_on_child(), joint.frame_on_parent()
                _, X_WP = to_weld_root(joint.parent_body(), joints)
                X_PF = outer.GetFixedPoseInBodyFrame()
                R_WM = (X_WP @ X_PF).rotation().matrix()
            X_RM = frame.GetFixedPoseInBodyFrame()
            movers.append(Mover(frame, trees[tree], R_WM))
            known[place] = len(movers), X_RM.inverse()
        mover, X_MR = known[place]
        bodies[int(body.index())] = mover, X_MR @ X_RB
    return movers, [np.array(own) for own in roots.values()], bodies
