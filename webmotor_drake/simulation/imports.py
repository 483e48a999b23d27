"""Records of a supervisor's imports: their looks, and when they were there.

Their poses are in the recorded positions; a run is replayed with both.
"""

import copy
import dataclasses as dc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Rgba,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix

from webmotor_drake.simulation.spares import SOLID

# The numbers that make a shape, by its kind.
_SIZES = {
    Box: ("width", "depth", "height"),
    Sphere: ("radius",),
    Cylinder: ("radius", "length"),
    Ellipsoid: ("a", "b", "c"),
    Capsule: ("radius", "length"),
}
_KINDS = {kind.__name__: kind for kind in _SIZES}
# Sums of times differ by less, s.
_ROUNDING = 1e-9


@dc.dataclass(frozen=True)
class DrawnShape:
    """A shape that is drawn.

    Attributes:
        shape: its form and size.
        pose: its pose in the frame of its parent.
        rgba: its colour.
    """

    shape: Shape
    pose: RigidTransform
    rgba: Rgba

    def said(self) -> dict[str, Any]:
        """Returns the shape as JSON has it."""
        kind = type(self.shape)
        return {
            "kind": kind.__name__,
            "sizes": [getattr(self.shape, name)() for name in _SIZES[kind]],
            "rgba": self.rgba.rgba.tolist(),
            **pose_said(self.pose),
        }


def pose_said(X: RigidTransform) -> dict[str, list[float]]:
    """Returns a pose as JSON has it."""
    return {
        "position": X.translation().tolist(),
        "quaternion": X.rotation().ToQuaternion().wxyz().tolist(),
    }


def can_be_said(shape: Shape) -> bool:
    """Returns whether JSON has this kind of shape."""
    return type(shape) in _SIZES


class Imports:
    """Notes imports; those that come again with the same looks are noted once.

    Each import has its `model`, its `shapes`, and the `spans` of time in which it was
    there, s. A span without an end lasts.
    """

    def __init__(self) -> None:
        self._looks: dict[str, dict[str, Any]] = {}
        self._here: dict[int, dict[str, Any]] = {}
        self._begin = 0.0

    def come(
        self, key: int, model: str, shapes: Sequence[DrawnShape], time: float
    ) -> None:
        """Notes that an import came.

        Args:
            key: number that tells the import from others that are there.
            model: model in stock whose body it is on; "" for the world's.
            shapes: shapes that are drawn.
            time: time of the run, s.
        """
        said = [shape.said() for shape in shapes]
        if said:
            new = {"model": model, "spans": [], "shapes": said}
            look = self._looks.setdefault(f"{model} {said}", new)
            look["spans"].append([time - self._begin, None])
            self._here[key] = look

    def go(self, key: int, time: float) -> None:
        """Notes that an import left, if its coming was noted."""
        look = self._here.pop(key, None)
        if look is not None:
            open_span = next(s for s in look["spans"] if s[1] is None)
            open_span[1] = time - self._begin

    def forget(self, time: float) -> None:
        """Forgets all imports: the record begins anew at a time of the run, s."""
        self._begin = time
        self._looks.clear()
        self._here.clear()

    @property
    def here(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """The model and the shapes of each import that is in the world now."""
        return [(k["model"], k["shapes"]) for k in [*self._here.values()]]

    @property
    def models(self) -> list[str]:
        """The models in stock that were there, in order of their first time."""
        models = (look["model"] for look in self._looks.values())
        return list(dict.fromkeys(filter(None, models)))

    def metadata(self) -> list[dict[str, Any]]:
        """Returns the Solids that came and went, for the metadata of a run."""
        return copy.deepcopy([*self._looks.values()])


class ImportedNode:
    """An import of a run that is over.

    Attributes:
        shapes: shapes that are drawn.

    Args:
        said: entry `imported` of the run's metadata.
        names: names of the columns of the run's positions.
    """

    def __init__(self, said: Mapping[str, Any], names: Sequence[str]):
        spans = [(a, np.inf if b is None else b) for a, b in said["spans"]]
        self._spans = np.array(spans)
        self._start = None
        if said["model"]:
            self._start = names.index(f"{said['model']}_{SOLID}_qw")
        self.shapes = [_shape(one) for one in said["shapes"]]

    def is_here(self, time: float) -> bool:
        """Returns whether the import was there, from the row in which it came."""
        start, end = (self._spans - _ROUNDING).T
        return bool(np.any((start <= time) & (time < end)))

    def pose(self, positions: np.ndarray) -> RigidTransform:
        """Returns the import's pose in the world, by a row of the run's positions."""
        if self._start is None:
            return RigidTransform()
        q = positions[self._start : self._start + 7]
        return _pose(q[:4], q[4:])


def imported_nodes(metadata: Mapping[str, Any]) -> list[ImportedNode]:
    """Returns the Solids that were imported into a run, by its metadata."""
    names = metadata.get("positions", [])
    return [ImportedNode(one, names) for one in metadata.get("imported", [])]


def built_positions(metadata: Mapping[str, Any]) -> list[str]:
    """Returns the names of the positions that were there from the start.

    Positions of imports come after them.
    """
    models = {one["model"] for one in metadata.get("imported", [])} - {""}
    imported = tuple(f"{model}_{SOLID}_" for model in models)
    return [
        name
        for name in metadata.get("positions", [])
        if not name.startswith(imported)
    ]


def _shape(said: Mapping[str, Any]) -> DrawnShape:
    shape = _KINDS[said["kind"]](*said["sizes"])
    pose = _pose(np.array(said["quaternion"]), np.array(said["position"]))
    return DrawnShape(shape, pose, Rgba(*said["rgba"]))


def _pose(wxyz: np.ndarray, position: np.ndarray) -> RigidTransform:
    unit = Quaternion(wxyz / np.linalg.norm(wxyz))
    return RigidTransform(RotationMatrix(unit), position)
