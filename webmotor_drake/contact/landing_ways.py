"""The ways of corners relative to faces in a step."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from webmotor_drake.contact.landing_shapes import LandingShape

# What comes so fast, m/s, Drake's friction would hold by more than twice its load.
_FAST = 0.02
# What is less deep than that share of what it will be bears nothing yet.
_LOADED = 0.25
# Of so many points on edges only the ends along some directions count.
_ENDS = 4
_EIGHTHS = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.3]]).T


class Meeting(NamedTuple):
    """A corner of A that touches a face of B in a step, or before.

    Attributes:
        a, b: the shapes.
        p_WC: where, m.
        n_W: the normal, from B into A.
        gap: between them, m; at most 0 where they touch already.
        lands: False where they did before.
        speed: with which they come together in the step, m/s.
        bend: by how much they come apart faster than on a straight way, m/s.
        out: how far the corner sticks out of A, m.
        inside: how far it is from all other faces of B where it meets this one, m.
        key: A, B, which point of A, and whether that is on an edge.
    """

    a: LandingShape
    b: LandingShape
    p_WC: np.ndarray
    n_W: np.ndarray
    gap: float
    lands: bool
    speed: float
    bend: float
    out: float
    inside: float
    key: tuple[int, ...]


class Motion(NamedTuple):
    """The poses and velocities of all bodies, with the change that is foreseen.

    Attributes:
        R: rotations, shape (n, 3, 3).
        p: places of origins, m, shape (n, 3).
        w: angular velocities, rad/s, shape (n, 3).
        v: velocities of origins, m/s, shape (n, 3).
        fall: the change that is foreseen in v, shape (n, 3).
    """

    R: np.ndarray
    p: np.ndarray
    w: np.ndarray
    v: np.ndarray
    fall: np.ndarray

    def velocity(self, place: int, point: np.ndarray) -> np.ndarray:
        """Returns the velocity of a point of a body, m/s."""
        x, y, z = self.w[place].tolist()
        a, b, c = (point - self.p[place]).tolist()
        turning = [y * c - z * b, z * a - x * c, x * b - y * a]
        return self.v[place] + turning

    def turned(self, step: float) -> np.ndarray:
        """Returns how bodies turn in a step, shape (n, 3, 3)."""
        x, y, z = (step * self.w).T
        angle = np.sqrt(x * x + y * y + z * z)
        K = np.zeros(self.R.shape)
        K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -z, y, -x
        K -= K.transpose(0, 2, 1)
        first = np.sinc(angle / np.pi)[:, None, None]
        half = np.sinc(angle / (2 * np.pi))[:, None, None] ** 2 / 2
        return np.eye(3) + first * K + half * (K @ K)


class Group:
    """Pairs of shapes A and B of which all A have as many corners, all B as many faces.

    Args:
        rows: their rows among all pairs.
        pairs: the shapes.
        rest_depths: how deep corners are where their bodies rest, by these, m.
        on_edges: whether the points on edges stand for corners.

    Attributes:
        edges: the same pairs with these; None without.
    """

    def __init__(
        self,
        rows: np.ndarray,
        pairs: list[tuple[LandingShape, LandingShape]],
        rest_depths: Mapping[int, float],
        *,
        on_edges: bool = False,
    ):
        self.rows, self.pairs = rows, pairs
        self.on_edges = on_edges
        self.edges: Group | None = None
        if not on_edges and len(pairs[0][0].edges):
            self.edges = Group(rows, pairs, rest_depths, on_edges=True)
        self.a = np.array([a.place for a, _ in pairs])
        self.b = np.array([b.place for _, b in pairs])
        if on_edges:
            self.corners = np.array([a.edges for a, _ in pairs])
            self.radii = self.outs = np.zeros(self.corners.shape[:2])
        else:
            self.corners = np.array([a.corners for a, _ in pairs])
            self.radii = np.array([a.radii for a, _ in pairs])
            self.outs = np.array([a.outs for a, _ in pairs])
        self.from_middle = self.corners - [[a.middle] for a, _ in pairs]
        self.normals = np.array([b.normals for _, b in pairs])
        self.offsets = np.array([b.offsets for _, b in pairs])
        self.rests = np.array([rest_depths.get(a.place, 0.0) for a, _ in pairs])


class Ways:
    """The ways of corners relative to faces in a step.

    Attributes:
        slack: how far it is from what arrives or leaves, m.
        supports: of each pair, the corners that touch or arrive.

    Args:
        group: pairs of shapes.
        chosen: those of them that are looked at.
        motion: of all bodies.
        step: s.
    """

    def __init__(
        self, group: Group, chosen: np.ndarray, motion: Motion, step: float
    ):
        self._pairs = [group.pairs[i] for i in chosen]
        self._on_edges = group.on_edges
        a, b, (R, p, _, v, fall) = group.a[chosen], group.b[chosen], motion
        self._motion = motion
        normals, offsets = group.normals[chosen], group.offsets[chosen]
        normals_W = normals @ R[b].transpose(0, 2, 1)
        # How far corners are from faces, now and then, and how fast they leave them.
        arms = group.corners[chosen] @ R[a].transpose(0, 2, 1)
        flat = normals_W.transpose(0, 2, 1)
        level = (normals_W @ (p[a] - p[b])[:, :, None])[:, :, 0] - offsets
        self._depths = arms @ flat + level[:, None, :]
        turn, way = motion.turned(step), p + step * v
        then_W = normals @ (turn @ R)[b].transpose(0, 2, 1)
        level = (then_W @ (way[a] - way[b])[:, :, None])[:, :, 0] - offsets
        then = (arms @ turn[a].transpose(0, 2, 1)) @ then_W.transpose(0, 2, 1)
        self._rates = (then + level[:, None, :] - self._depths) / step
        self._radii, self._outs = group.radii[chosen], group.outs[chosen]
        self._gaps = self._depths - self._radii[:, :, None]
        # Only the side of A that faces B lands; what is behind comes later.
        self._outwards = (
            group.from_middle[chosen] @ (R[a].transpose(0, 2, 1) @ flat)
            - self._radii[:, :, None]
        )
        self._normals_W, self._arms = normals_W, arms
        outside = self._gaps.max(axis=2)
        # A face that is not reached keeps a corner out.
        kept = (self._gaps + step * np.minimum(self._rates, 0.0)).max(axis=2)
        rests = group.rests[chosen][:, None]
        self._loaded = -_LOADED * rests
        self._inside = outside <= self._loaded
        self._comes = (kept <= -rests) & ~self._inside
        self.supports = (self._comes | self._inside).sum(axis=1)
        if self._on_edges:
            self._keep_ends()
        self._fast = self._inside
        if self._inside.any():
            facing = np.where(self._outwards < 0, self._gaps, -np.inf)
            self._face = facing.argmax(axis=2)
            face = self._face[:, :, None]
            falls = (normals_W @ (fall[a] - fall[b])[:, :, None])[:, None, :, 0]
            rates = self._rates - np.minimum(falls, 0.0)
            rates = np.take_along_axis(rates, face, axis=2)[:, :, 0]
            self._fast = self._inside & (rates < -_FAST)
        inner, outer = self._loaded - outside, kept + rests
        self.slack = float(np.where(self._inside, inner, outer).min())
        if self._fast.any():
            self.slack = min(self.slack, 0.0)

    def _keep_ends(self) -> None:
        """Keeps of many points on edges those that are farthest apart."""
        which = self._comes | self._inside
        for row in np.flatnonzero(which.sum(axis=1) > _ENDS).tolist():
            points = np.flatnonzero(which[row])
            ways = self._arms[row, points] @ _EIGHTHS
            ends = {
                *ways.argmax(axis=0).tolist(),
                *ways.argmin(axis=0).tolist(),
            }
            gone = np.delete(points, [*ends])
            self._comes[row, gone] = self._inside[row, gone] = False

    def touched(self) -> list[tuple[LandingShape, LandingShape]]:
        """Returns the pairs that touch."""
        rows = np.flatnonzero(self._inside.any(axis=1))
        return [self._pairs[row] for row in rows.tolist()]

    def touching(self, pairs: set[tuple[int, ...]]) -> list[Meeting]:
        """Returns the corners of some pairs that touch, and do not come fast."""
        rows = [
            row
            for row, (a, b) in enumerate(self._pairs)
            if (a.geometry.get_value(), b.geometry.get_value()) in pairs
        ]
        which = np.zeros(self._inside.shape, bool)
        which[rows] = (self._inside & ~self._fast)[rows]
        return self._at_rest(which)

    def arriving(self) -> list[Meeting]:
        """Returns the corners that arrive."""
        found = self._at_rest(self._fast)
        for row, i in np.argwhere(self._comes).tolist():
            gaps, rates = self._gaps[row, i], self._rates[row, i]
            with np.errstate(divide="ignore", invalid="ignore"):
                times = np.where(rates < 0, np.maximum(gaps, 0) / -rates, 0.0)
            times[gaps <= self._loaded[row, 0]] = -1.0
            k = int(np.argmax(times))
            then = self._depths[row, i] + times[k] * rates
            then[k] = -np.inf
            # What slides from a tile to the next is above that already.
            if (then <= 0).all() and self._outwards[row, i, k] < 0:
                meeting = self._meeting(row, i, k)
                found.append(
                    meeting._replace(inside=float(-then.max()), lands=True)
                )
        return found

    def _at_rest(self, which: np.ndarray) -> list[Meeting]:
        found = []
        for row, i in np.argwhere(which).tolist():
            k = int(self._face[row, i])
            if self._outwards[row, i, k] < 0:
                found.append(self._meeting(row, i, k))
        return found

    def _meeting(self, row: int, i: int, k: int) -> Meeting:
        a, b = self._pairs[row]
        n_W = self._normals_W[row, k]
        p_WM = self._motion.p[a.place] + self._arms[row, i]
        p_WC = p_WM - self._radii[row, i] * n_W
        straight = self._motion.velocity(a.place, p_WM)
        straight -= self._motion.velocity(b.place, p_WM)
        bend = float(self._rates[row, i, k] - n_W @ straight)
        fall = n_W @ (self._motion.fall[a.place] - self._motion.fall[b.place])
        speed = float(fall - self._rates[row, i, k])
        gap, out = float(self._gaps[row, i, k]), float(self._outs[row, i])
        key = (
            a.geometry.get_value(),
            b.geometry.get_value(),
            i,
            int(self._on_edges),
        )
        return Meeting(a, b, p_WC, n_W, gap, False, speed, bend, out, 0.0, key)
