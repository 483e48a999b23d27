"""The shapes of a plant that can land on each other, and which do in a step."""

import math
from typing import NamedTuple

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import (
    Mechanisms,
    ShapePair,
    bodies_of,
    inboard_joints,
    joints_of,
    movable_frame,
    moving_root,
    to_weld_root,
)
from webmotor_drake.contact.landing_shapes import landing_shapes
from webmotor_drake.contact.levers import levers
from webmotor_drake.contact.proximity import friction_of
from webmotor_drake.loops import entry, places
from webmotor_drake.loops.arrivals import (
    COLUMNS,
    COMES,
    CORNER,
    GAP,
    LANDS,
    MIDDLE,
    NORMAL,
    PAIR,
    arrivals,
)

# An acceleration above so many g is a blow, which does not go on.
_BLOW = 3.0
# Inertia that stands for a locked joint, kg or kg m^2.
_LOCKED = 1e15
# Number of corners that a free body, and a mechanism with joints, rests on as a rule:
# with more, things that rest on fewer would trip.
_RESTS_ON = 4, 8
# Corners deeper than so many of their heights were not placed on a face.
_PLACED = 1.5
# Of more points on edges only the outermost along some directions count.
_ENDS = 4
_EIGHTHS = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.3]]).T
# Cores can land in a step that moves them by this share of their `let_in`.
_ENTERS = 0.75
# Ways are straight if they are off by less than this share of the distance to go.
_BOW = 0.15
# Numbers that the loops need as work space besides poses.
_WORK = 34

_arrivals = entry(arrivals)


class _Mover(NamedTuple):
    """Bodies that move together, all welded to one."""

    body: RigidBody
    tree: int  # of joints, among all
    floats: bool  # whether the tree hangs on nothing
    is_free: bool  # the only mover of a tree that hangs on nothing


# For each tree that meets others: indices of its velocities and of the meetings', d(the
# meetings') / d(the tree's), and the tree's velocities per impulse.
Turned = list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]


class LandingPairs:
    """The shapes of a plant, and which can land on which.

    Args:
        plant: finalized plant.
        inspector: inspector of its geometry.
        context: Context of the plant, with the poses of fixed bodies.
        cores: shapes that get a core, see `landing_shapes`.

    Attributes:
        shapes: shapes with corners or faces.
        pairs: indices of shapes A, with corners, and B, with faces, shape (k, 2).
        movers: indices of their movers, shape (k, 2); 0: the world.
        trees: indices of the velocities of each tree of joints.
        frictions: Coulomb's coefficients of pairs, shape (k,).
        rests: depths in which corners of pairs rest, m, shape (k,).
        let_in: True for pairs with a ball or core as A, shape (k,).
        radii: radii of all points, see `LandingShape`, m.
        v: the plant's velocities; see `hold`.
        falls: changes of `v` in the step without arrivals.
        outs: heights by which all points stick out, see `LandingShape`, m.
        leaves_out: True if moving shapes are left out, which may have cores.
        ways: bounds on how far the shapes that land have moved.
        least: way in a step from which on cores may land, m.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        inspector: SceneGraphInspector,
        context: Context,
        *,
        cores: str = "",
    ):
        self._plant, self._step = plant, plant.time_step()
        self._movers, self.trees, bodies = _movers(plant)
        frames = [movable_frame(plant, joint) for joint in joints_of(plant)]
        self._fixed = [
            (f, f.GetPoseInParentFrame(context))
            for f in frames
            if f is not None
        ]
        for i, (mover, _) in bodies.items():
            if not mover:
                body = plant.get_body(BodyIndex(i))
                bodies[i] = mover, plant.EvalBodyPoseInWorld(context, body)
        self._free = [i for i, m in enumerate(self._movers, 1) if m.is_free]
        shapes, self.leaves_out = landing_shapes(
            plant, inspector, bodies, self._free, cores=cores
        )
        self.shapes = shapes
        trees = [-1, *(mover.tree for mover in self._movers)]
        pairs = [
            (i, k)
            for i, a in enumerate(shapes)
            for k, b in enumerate(shapes)
            if a.ball is not None
            and a.mover != b.mover
            and len(b.planes)
            and not inspector.CollisionFiltered(a.ball, b.geometry)
            and not (a.let_in and trees[a.mover] == trees[b.mover])
        ]
        self.pairs = np.array(pairs, int).reshape(-1, 2)
        self.movers = np.array([s.mover for s in shapes], int)[self.pairs]
        # Only the movers of the pairs are looked at.
        self._live = {
            i: self._movers[i - 1]
            for i in sorted({*self.movers.ravel().tolist()} - {0})
        }
        moving = []
        for i in sorted({i for pair in pairs for i in pair}):
            if (s := shapes[i]).mover:
                # A ball's surface stays where it is when the ball turns.
                turns = len(s.planes) > 0 or not s.let_in
                far = np.linalg.norm(s.middle) + turns * s.reach
                moving.append((self._movers[s.mover - 1].body, far))
        self.ways = levers(plant, moving)
        cores = [shapes[i] for i, _ in pairs if shapes[i].let_in]
        depths = [s.let_in for s in cores if s.mover not in self._free]
        self.least = _ENTERS * min(depths, default=np.inf)
        if not pairs:
            return
        frictions = [friction_of(inspector, s.geometry) for s in shapes]
        self.frictions = np.array(
            [combined(frictions[i], frictions[k]) for i, k in pairs]
        )
        mechanisms = Mechanisms(plant)
        rests = np.zeros(len(self._movers) + 1)
        for s in shapes:
            if s.mover and s.stiffness:
                mover = self._movers[s.mover - 1]
                on = _RESTS_ON[not mover.is_free] * s.stiffness
                rests[s.mover] = mechanisms.weight(mover.body) / on
        self.rests = rests[self.movers[:, 0]]
        self.let_in = np.array([shapes[i].let_in > 0 for i, _ in pairs])
        self._lay_out(rests)

    def is_fast(self, x: np.ndarray) -> bool:
        """Returns whether cores of robots may land in the step from state x."""
        return self.least < np.inf and self.ways.way_in_step(x) >= self.least

    def _lay_out(self, rests: np.ndarray) -> None:
        shapes, n = self.shapes, len(self._movers) + 1
        points = np.vstack([s.points for s in shapes])
        sizes = [(len(s.points), len(s.planes)) for s in shapes]
        starts = np.cumsum([(0, 0), *sizes], axis=0).tolist()
        table = [
            (s.mover, p, p + s.carry, p + m, k, k + n, p + s.lie)
            for s, (p, k), (m, n) in zip(shapes, starts, sizes, strict=False)
        ]
        measures = [
            (s.let_in or rests[s.mover], *s.middle, s.reach, *s.axis)
            for s in shapes
        ]
        self._tables = (
            places(self.pairs.ravel()),
            places(np.ravel(table)),
            np.ravel(measures),
            points.ravel(),
            np.vstack([s.planes for s in shapes]).ravel(),
        )
        self.radii = points[:, 3]
        self._on_edge = np.concatenate(
            [np.arange(len(s.points)) >= s.corners for s in shapes]
        )
        self.outs = np.concatenate([s.outs for s in shapes])
        self.v, self.falls = np.zeros((2, self._plant.num_velocities()))
        self._driven = set[int]()
        self._poses, self._moved = np.zeros((n, 3, 4)), np.zeros((3, n, 6))
        self._poses[0, :, :3] = np.eye(3)
        self._speeds, self._changes, self._falls = self._moved
        self._motions, self._work = np.zeros(9 * n), np.zeros(12 * n + _WORK)
        self._found = np.zeros(COLUMNS)
        self._held = np.zeros(self._plant.num_velocities())
        for i in self._plant.GetJointActuatorIndices():
            actuator = self._plant.get_joint_actuator(i)
            place = actuator.joint().velocity_start()
            self._driven.update(
                t for t, own in enumerate(self.trees) if place in own
            )
            if actuator.has_controller():
                gain = actuator.get_controller_gains().d
                self._held[place] += self._step * gain
        self._g = self._step * self._plant.gravity_field().gravity_vector()
        self._weight = float(np.linalg.norm(self._g))
        tables = self._poses, *self._moved
        self._tables += tuple(numbers.ravel() for numbers in tables)

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

    def look(self, context: Context, ahead: int) -> tuple[float, int]:
        """Foresees the coming step; returns the distance to the next arrival, m.

        Accelerations are those of Drake for this step, or, on plants with sampled
        ports, of the last one. Driven trees that touch keep their velocity. After a
        blow, and before the first step, free trees that touch nothing fall.

        Args:
            context: Context of the plant.
            ahead: number of steps to look ahead.

        Returns:
            The distance, and the number of straight steps for which it holds.
        """
        self._stand(context)
        for i, mover in self._live.items():
            speeds = mover.body.EvalSpatialVelocityInWorld(context)
            self._speeds[i] = speeds.get_coeffs()
        plant, most = self._plant, _BLOW * self._weight
        for steps in dict.fromkeys((ahead, max(ahead // 2, 1), 1)):
            slack = self._scanned(steps)
            bow, stays = self._work[-4:-2]
            slack = min(slack, self._work[-2] - self._step * most)
            # However bodies accelerate, no corner arrives; one that is in only leaves.
            goes_on = stays > 0 and bow < _BOW * slack
            if slack > 0 and (steps == 1 or goes_on):
                return slack, steps
        unknown = {m.tree for m in self._live.values()} - self._driven
        if context.get_time() > 0 or not plant.has_sampled_output_ports():
            unknown = self._foresee_falls(context, most)
        elif self._driven:
            self._foresee_first(context)
        if unknown:
            self._let_fall(context, unknown)
        return self._scanned(), 1

    def _stand(self, context: Context) -> None:
        """Takes the movers' poses from the Context, and sets their motion to 0."""
        for i, mover in self._live.items():
            X_WM = mover.body.EvalPoseInWorld(context)
            self._poses[i] = X_WM.GetAsMatrix34()
        self._moved[:] = self.falls[:] = 0.0

    def touching(self, context: Context) -> np.ndarray:
        """Returns the corners that touch, in rows of `arrivals`."""
        self._stand(context)
        self._scanned()
        return self._rows()

    def placed(self, context: Context, body: RigidBody | None) -> np.ndarray:
        """Returns the corners of free things that touch, in rows of `arrivals`.

        Args:
            context: Context of the plant.
            body: free body that takes part in each; None: any.
        """
        found = self.touching(context)
        pairs = found[:, PAIR].astype(int)
        depths, movers = -found[:, GAP], self.movers[pairs]
        most = _PLACED * self.outs[found[:, CORNER].astype(int)]
        chosen = (self.rests[pairs] < depths) & (depths < most)
        chosen &= np.isin(movers, [0, *self._free]).all(axis=1)
        if body is not None:
            own = [
                i
                for i, mover in enumerate(self._movers, 1)
                if mover.body.index() == body.index()
            ]
            chosen &= np.isin(movers, own).any(axis=1)
        return found[chosen]

    def shares_of_rest(self, found: np.ndarray) -> np.ndarray:
        """Returns the depths at which the corners rest if they share the load, m."""
        pairs = found[:, PAIR].astype(int)
        movers = self.movers[pairs, 0]
        counts = np.bincount(movers)[movers]
        return self.rests[pairs] * _RESTS_ON[0] / counts

    def _foresee_falls(self, context: Context, most: float) -> set[int]:
        """Sets `falls` for the coming step; returns the trees whose fall is unknown."""
        plant, step = self._plant, self._step
        port = plant.get_generalized_acceleration_output_port()
        self.falls[:] = step * port.Eval(context)
        port = plant.get_body_spatial_accelerations_output_port()
        rates = port.Eval(context)
        for i, mover in self._live.items():
            rate = rates[int(mover.body.index())].get_coeffs()
            self._falls[i] = step * rate
        jerked = {
            self._movers[i].tree
            for i, fall in enumerate(self._falls[1:, 3:].tolist())
            if math.hypot(*fall) > most
        }
        if self._driven:
            held = self._driven & self._touched()
            self._set_falls(held, np.zeros(3), 0 * self.falls)
        blown = jerked & {m.tree for m in self._movers if m.is_free}
        if blown:
            self._set_falls(blown, self._g, self._weightless(context))
        return jerked - self._driven - blown

    def _foresee_first(self, context: Context) -> None:
        """Sets `falls` by Drake's first step, before which ports tell of none."""
        after = self._plant.CreateDefaultContext()
        state = after.get_mutable_state()
        self._plant.CalcForcedUnrestrictedUpdate(context, state)
        self.hold(context)
        self.falls[:] = self._plant.GetVelocities(after) - self.v
        for i, mover in self._live.items():
            self._falls[i] = self._maps[i] @ self.falls[self.trees[mover.tree]]

    def _weightless(self, context: Context) -> np.ndarray:
        """Returns the change of velocities in a step if nothing is held."""
        gravity = self._plant.CalcGravityGeneralizedForces(context)
        M = self._plant.CalcMassMatrix(context)
        return self._step * np.linalg.solve(M, gravity)

    def _let_fall(self, context: Context, trees: set[int]) -> None:
        """Lets those of the trees fall that hang on nothing and touch nothing."""
        fall = self._weightless(context)
        floating = {m.tree for m in self._movers if m.floats}
        self._set_falls(trees & floating, self._g, fall)
        self._set_falls(trees - floating, np.zeros(3), 0 * fall)
        self._set_falls(trees & self._touched(), np.zeros(3), 0 * fall)

    def _touched(self) -> set[int]:
        self._scanned()
        found = self.found()
        touched = self.movers[found[found[:, COMES] < LANDS, PAIR].astype(int)]
        return {self._movers[i - 1].tree for i in touched.ravel() if i}

    def _set_falls(
        self, trees: set[int], fall: np.ndarray, v_fall: np.ndarray
    ) -> None:
        for i, mover in self._live.items():
            if mover.tree in trees:
                self._falls[i, :3], self._falls[i, 3:] = 0.0, fall
                own = self.trees[mover.tree]
                self.falls[own] = v_fall[own]

    def look_again(self, change: np.ndarray) -> None:
        """Foresees the coming step with a change of all velocities."""
        for i, mover in self._live.items():
            own = change[self.trees[mover.tree]]
            self._changes[i] = self._maps[i] @ own
        self._scanned()

    def hold(self, context: Context) -> None:
        """Stores velocities, mass and Jacobians for the step that was foreseen."""
        plant, world = self._plant, self._plant.world_frame()
        self.v = plant.GetVelocities(context).copy()  # a view holds the Context
        # Jacobians from the velocities of a tree to those of its movers, by index.
        self._maps = dict[int, np.ndarray]()
        for i, mover in self._live.items():
            kind, frame = JacobianWrtVariable.kV, mover.body.body_frame()
            J = plant.CalcJacobianSpatialVelocity(
                context, kind, frame, np.zeros(3), world, world
            )
            self._maps[i] = J[:, self.trees[mover.tree]]
        held = self._held.copy()
        for joint in joints_of(plant):
            if joint.is_locked(context):
                start = joint.velocity_start()
                held[start : start + joint.num_velocities()] = _LOCKED
        # Motors of Drake, and locked joints, add to the mass in a step.
        self._M = plant.CalcMassMatrix(context) + np.diag(held)

    def _scanned(self, steps: int = 1) -> float:
        while True:
            self._count = _arrivals(
                *self._tables,
                steps * self._step,
                self._motions,
                self._work,
                self._found,
            )
            if COLUMNS * self._count < len(self._found):
                return float(self._work[-1])
            self._found = np.zeros(2 * COLUMNS * (self._count + 1))

    def _rows(self) -> np.ndarray:
        return self._found.reshape(-1, COLUMNS)[: self._count].copy()

    def found(self) -> np.ndarray:
        """Returns the corners that touch or come, in rows of `arrivals`.

        Of many points on the edges of a pair only the outermost count. Where a shape
        has much larger spheres to roll on, its small ones do not count.
        """
        found = self._rows()
        pairs, largest = found[:, PAIR].astype(int), np.zeros(len(self.pairs))
        radii = self.radii[found[:, CORNER].astype(int)]
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

    def per_impulse(self, found: np.ndarray) -> tuple[np.ndarray, Turned]:
        """Returns relative velocities at meetings per impulse, and the trees'.

        Args:
            found: k rows of `found`.

        Returns:
            The relative velocities, shape (3 k, 3 k), each row's normal last, and the
            trees, as `change_by` takes them.
        """
        n_W, corners = found[:, NORMAL:MIDDLE], found[:, CORNER].astype(int)
        points = found[:, MIDDLE:] - self.radii[corners, None] * n_W
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
            own[rows] += J[rows, sides] @ self._maps[mover]
        W, turned = np.zeros((3 * len(found),) * 2), Turned()
        for tree, own in by_tree.items():
            rows, at = np.flatnonzero(own.any(axis=(1, 2))), self.trees[tree]
            mine = (3 * rows[:, None] + np.arange(3)).ravel()
            J = own[rows].reshape(len(mine), -1)
            A = np.linalg.solve(self._M[at[:, None], at], J.T)
            W[mine[:, None], mine] += J @ A
            turned.append((at, mine, J, A))
        return W, turned

    def change_by(self, p: np.ndarray, turned: Turned) -> np.ndarray:
        """Returns the change of all velocities by impulses at meetings."""
        change = np.zeros(len(self.v))
        for at, own, _, A in turned:
            change[at] = A @ p[own]
        return change


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


def _movers(
    plant: MultibodyPlant,
) -> tuple[
    list[_Mover], list[np.ndarray], dict[int, tuple[int, RigidTransform]]
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
    movers: list[_Mover] = []
    known, bodies = {int(world): 0}, {}
    for body in bodies_of(plant):
        root, X_RB = to_weld_root(body, joints)
        if (place := int(root.index())) not in known:
            tree = moving_root(plant, root, joints)
            outer = joints[BodyIndex(tree)]
            floats = outer.num_velocities() == 6
            is_free = floats and len(roots[tree]) == 6
            movers.append(_Mover(root, trees[tree], floats, is_free))
            known[place] = len(movers)
        bodies[int(body.index())] = known[place], X_RB
    return movers, [np.array(own) for own in roots.values()], bodies
