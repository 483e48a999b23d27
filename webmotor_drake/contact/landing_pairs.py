"""The shapes of a plant that can land on each other, and which do in a step."""

from typing import NamedTuple

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame
from pydrake.systems.framework import Context

from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import (
    ShapePair,
    bodies_of,
    inboard_joints,
    to_weld_root,
)
from webmotor_drake.contact.landing_shapes import landing_shapes
from webmotor_drake.contact.mechanisms import Mechanisms, shapes_without_corners
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
# Of so many points on edges only the ends along some directions count.
_ENDS = 4
_EIGHTHS = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.3]]).T
# Room that loops need besides poses.
_WORK = 31

_arrivals = entry(arrivals)


class Free(NamedTuple):
    """What moves freely: its joint's frame M relative to F.

    Attributes:
        frame: M.
        R_WF: the axes of its velocities.
        position: the place of the first of its positions, the last three in m.
        velocity: the place of its angular velocity, before its velocity.
    """

    frame: Frame
    R_WF: np.ndarray
    position: int
    velocity: int


class LandingPairs:
    """The shapes of a plant, and which can land on which.

    Attributes:
        shapes: those with corners or faces.
        free: what moves.
        velocities: the places of its velocities among all, shape (n, 6).
        pairs: indices of shapes A, with corners, and B, with faces, shape (k, 2).
        movers: what these move with: an index of `free` and 1, 0: the world.
        frictions: Coulomb's coefficients of pairs, shape (k,).
        rests: how deep corners of pairs rest, m, shape (k,).
        outs: of all points, see `LandingShape`, m.
        changes, falls: of the velocities of what moves, after the world's: before the
            coming step, and in it without what arrives, shape (n + 1, 6).
        reach: how far shapes move at most per change of x until a step's end, m.
    """

    def __init__(self, plant: MultibodyPlant, inspector: SceneGraphInspector):
        self._plant, self._step = plant, plant.time_step()
        self.free, bodies = _free(plant)
        plain = shapes_without_corners(plant)
        self.shapes = shapes = [
            shape
            for shape in landing_shapes(plant, inspector, bodies)
            if shape.geometry not in plain
        ]
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
        self.reach = self._reach()
        if not pairs:
            return
        frictions = [friction_of(inspector, s.geometry) for s in shapes]
        self.frictions = np.array(
            [combined(frictions[i], frictions[k]) for i, k in pairs]
        )
        mechanisms = Mechanisms(plant)
        rests = np.zeros(len(self.free) + 1)
        for s in shapes:
            if s.mover and s.ball is not None:
                body = self.free[s.mover - 1].frame.body()
                weight = mechanisms.weight(body)
                rests[s.mover] = weight / (_RESTS_ON * s.stiffness)
        self.movers = np.array([s.mover for s in shapes])[self.pairs]
        self.rests = rests[self.movers[:, 0]]
        self._lay_out(rests)

    def _lay_out(self, rests: np.ndarray) -> None:
        """Lays out what loops look at."""
        shapes, n = self.shapes, len(self.free) + 1
        points = np.vstack([s.points for s in shapes])
        sizes = np.array([[len(s.points), len(s.planes)] for s in shapes])
        starts = sizes.cumsum(axis=0) - sizes
        table = [
            (s.mover, p, p + s.corners, p + len(s.points), k, k + len(s.planes))
            for s, (p, k) in zip(shapes, starts.tolist(), strict=True)
        ]
        measures = [(rests[s.mover], *s.middle, s.reach) for s in shapes]
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
        starts = np.array([free.velocity for free in self.free])
        self.velocities = starts[:, None] + np.arange(6)
        still = np.eye(3)
        self._axes = np.array([still, *(free.R_WF for free in self.free)])
        self._poses, self._speeds = np.zeros((n, 3, 4)), np.zeros((n, 6))
        self._poses[0, :, :3] = still
        self.changes, self.falls = np.zeros((2, n, 6))
        self._motions, self._work = np.zeros(9 * n), np.zeros(12 * n + _WORK)
        self._found = np.zeros(COLUMNS)
        gravity = self._plant.gravity_field().gravity_vector()
        self._falling = np.zeros((n - 1, 6))
        self._falling[:, 3:] = self._step * gravity @ self._axes[1:]
        self._blow = _BLOW * self._step * float(np.linalg.norm(gravity))

    def shapes_of(self, pair: int) -> ShapePair:
        """Returns the shapes A and B of a pair."""
        a, b = self.pairs[pair]
        return self.shapes[a].geometry, self.shapes[b].geometry

    def _reach(self) -> np.ndarray:
        plant = self._plant
        q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        for free in self.free:
            # Far beyond what is out on a body.
            q[free.position : free.position + 4] = 10.0
            v[free.velocity : free.velocity + 3] = 10.0
            q[free.position + 4 : free.position + 7] = 1.0
            v[free.velocity + 3 : free.velocity + 6] = 1.0
        return np.r_[q, self._step * v]

    def look(self, context: Context) -> float:
        """Foresees the coming step; returns how far it is from what arrives, m.

        Things move on as Drake moves them in this step, or did in the last one; after
        a blow, and before the first step, they fall, unless something touches them.

        Args:
            context: the plant's.
        """
        for i, free in enumerate(self.free, 1):
            frame = free.frame
            self._poses[i] = frame.CalcPoseInWorld(context).GetAsMatrix34()
            speeds = frame.CalcSpatialVelocityInWorld(context).get_coeffs()
            self._speeds[i] = speeds
        self.changes[:] = 0.0
        falls, plant = self.falls[1:], self._plant
        if context.get_time() > 0 or not plant.has_sampled_output_ports():
            port = plant.get_generalized_acceleration_output_port()
            np.multiply(port.Eval(context)[self.velocities], self._step, falls)
            if abs(falls[:, 3:]).max() > self._blow:
                blown = np.linalg.norm(falls[:, 3:], axis=1) > self._blow
                falls[blown] = self._falling[blown]
            return self._scanned()
        falls[:] = self._falling
        self._scanned()
        found = self.found()
        touched = self.movers[found[:, PAIR].astype(int)]
        self.falls[touched[found[:, COMES] < LANDS]] = 0.0
        return self._scanned()

    def look_again(self, changes: np.ndarray) -> None:
        """Foresees the coming step with changes of velocities, shape (n, 6)."""
        self.changes[1:] = changes
        self._scanned()

    def _scanned(self) -> float:
        while True:
            self._count = _arrivals(
                *self._tables,
                self._axes.ravel(),
                self._poses.ravel(),
                self._speeds.ravel(),
                self.changes.ravel(),
                self.falls.ravel(),
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

        Of many points on the edges of a pair only the ends.
        """
        found = self._found.reshape(-1, COLUMNS)[: self._count].copy()
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
        self, found: np.ndarray
    ) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Returns d(velocities of A relative to B) / dv of what is free.

        Args:
            found: k rows of `found`.

        Returns:
            An index of `free`; which of 3 k velocities it changes, each row's normal
            last; and how, shape (m, 6).
        """
        n_W, corners = found[:, NORMAL:MIDDLE], found[:, CORNER].astype(int)
        points = found[:, MIDDLE:] - self._radii[corners, None] * n_W
        movers = self.movers[found[:, PAIR].astype(int)]
        x, y, z = (points[:, None] - self._poses[movers, :, 3]).transpose(
            2, 0, 1
        )
        o = np.zeros(x.shape)
        crossed = np.array([[o, z, -y], [-z, o, x], [y, -x, o]])
        axes, R_WF = _axes_along(n_W)[:, None], self._axes[movers]
        turning = axes @ crossed.transpose(2, 3, 0, 1) @ R_WF
        J = np.concatenate([turning, axes @ R_WF], axis=3)
        J[:, 1] *= -1.0
        jacobians = []
        for mover in sorted({*movers.ravel().tolist()} - {0}):
            rows, sides = np.nonzero(movers == mover)
            places = (3 * rows[:, None] + np.arange(3)).ravel()
            own = J[rows, sides].reshape(-1, 6)
            jacobians.append((mover - 1, places, own))
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


def _free(
    plant: MultibodyPlant,
) -> tuple[list[Free], dict[int, tuple[int, RigidTransform]]]:
    """Returns what moves freely; with what bodies move, 0: the world, and where there.

    Of what hangs on it by joints nothing is returned.
    """
    joints, world = inboard_joints(plant), plant.world_body().index()
    free: list[Free] = []
    movers: dict[int, int] = {}
    bodies = {}
    for body in bodies_of(plant):
        root, X_RB = to_weld_root(body, joints)
        place = int(root.index())
        joint = joints.get(root.index())
        if root.index() == world:
            movers[place], X_MR = 0, RigidTransform()
        elif joint is None or joint.num_velocities() != 6:
            continue
        else:
            base, X_WP = to_weld_root(joint.parent_body(), joints)
            if base.index() != world:
                continue
            outer, inner = joint.frame_on_parent(), joint.frame_on_child()
            X_MR = inner.GetFixedPoseInBodyFrame().inverse()
            if place not in movers:
                R_WF = (
                    X_WP.rotation() @ outer.GetFixedPoseInBodyFrame().rotation()
                )
                starts = joint.position_start(), joint.velocity_start()
                free.append(Free(inner, R_WF.matrix(), *starts))
                movers[place] = len(free)
        bodies[int(body.index())] = movers[place], X_MR @ X_RB
    return free, bodies
