"""Flat shapes around or along a joint's axis, as triangles for Meshcat."""

import math

import numpy as np
from pydrake.multibody.tree import Joint, PrismaticJoint, RevoluteJoint

# A ribbon's corners lie this close, rad.
_CORNER = math.radians(6)


def axis_of(joint: Joint) -> np.ndarray | None:
    """Returns a joint's axis, of length 1, shape (3,); None: it has no single one."""
    if isinstance(joint, RevoluteJoint):
        axis = joint.revolute_axis()
    elif isinstance(joint, PrismaticJoint):
        axis = joint.translation_axis()
    else:
        return None
    return axis / np.linalg.norm(axis)


class JointShapes:
    """Shapes to draw at a joint of one axis, in its frame on the parent.

    A revolute joint has arcs around its axis, a prismatic one bars along it.

    Attributes:
        joint: the joint.

    Args:
        joint: revolute or prismatic.
        size: radius of its arcs, m.
    """

    def __init__(self, joint: Joint, size: float):
        self.joint, self._size = joint, size
        self._is_arc = isinstance(joint, RevoluteJoint)
        self._axis = axis_of(joint)
        least = np.eye(3)[np.argmin(abs(self._axis))]
        self._out = np.cross(self._axis, least)
        self._out /= np.linalg.norm(self._out)
        self._side = np.cross(self._axis, self._out)

    def reach(
        self, low: float, high: float, *, at: float = 1.0, width: float = 0.14
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns a ribbon from position `low` to `high`, rad or m.

        Args:
            low: position at which it begins.
            high: position at which it ends; an arc is at most a turn.
            at: distance from the axis, in sizes.
            width: in sizes.

        Returns:
            Vertices, shape (3, n), m, and faces, shape (3, m).
        """
        corners = 2
        if self._is_arc:
            high = min(high, low + 2 * math.pi)
            corners = max(2, math.ceil((high - low) / _CORNER) + 1)
        rows = [
            self._point(position, self._size * out)
            for position in np.linspace(low, high, corners)
            for out in (at - width / 2, at + width / 2)
        ]
        return _ribbon(rows)

    def share(self, share: float) -> tuple[np.ndarray, np.ndarray]:
        """Returns an arrow for a share of something, from -1 to 1.

        A whole one is three quarters of a turn, or two sizes long.
        """
        whole = math.pi * 1.5 if self._is_arc else 2 * self._size
        end = share * whole
        head = math.copysign(min(abs(end) / 2, whole / 10), share)
        vertices, faces = self.reach(
            *sorted((0.0, end - head)), at=0.75, width=0.2
        )
        tip, tip_faces = self._head(end - head, end)
        joined = np.hstack([faces, tip_faces + vertices.shape[1]])
        return np.hstack([vertices, tip]), joined

    def _head(self, base: float, tip: float) -> tuple[np.ndarray, np.ndarray]:
        """Returns the triangle that ends an arrow."""
        at = [(base, 0.55), (base, 0.95), (tip, 0.75)]
        vertices = [self._point(place, out * self._size) for place, out in at]
        return np.array(vertices).T, np.array([[0], [1], [2]])

    def _point(self, position: float, out: float) -> np.ndarray:
        if not self._is_arc:
            return self._axis * position + self._out * out
        side = self._out * math.cos(position) + self._side * math.sin(position)
        return side * out

    def needle(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the needle at the joint's position, in its frame on the child."""
        if self._is_arc:
            return self.reach(-0.04, 0.04, at=1.05, width=0.4)
        thick = 0.04 * self._size
        return self.reach(-thick, thick, at=1.05, width=0.4)


def _ribbon(rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the triangles between points that are inside and outside in turn."""
    vertices = np.array(rows).T
    first = np.arange(0, len(rows) - 2)
    faces = np.array([first, first + 1, first + 2])
    return np.asfortranarray(vertices), np.asfortranarray(faces)
