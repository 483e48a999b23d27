"""A canvas for muscles and imports in pages and films, as a Meshcat is one."""

import typing
from pathlib import PurePosixPath

import numpy as np
from pydrake.geometry import (
    Ellipsoid,
    GeometryId,
    GeometryInstance,
    Meshcat,
    Rgba,
    SceneGraph,
    Shape,
    SourceId,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.systems.framework import Context

from webmotor_drake.view.film_scene import painted


class Canvas:
    """Stands for a Meshcat: muscles and imports are drawn over the robots.

    Attributes:
        poses: poses of objects, seen from their parents, by path.
        looks: properties, by path and name.
    """

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[Shape, Rgba]] = {}
        self.poses: dict[str, RigidTransform] = {}
        self.looks: dict[tuple[str, str], typing.Any] = {}
        self._changed: dict[tuple[str, str], typing.Any] = {}

    def make(self, meshcat: Meshcat) -> None:
        """Makes the shapes in a Meshcat; `poses` begins anew after that."""
        for path, shape in self._shapes.items():
            meshcat.SetObject(path, *shape)
        for path, X in self.poses.items():
            meshcat.SetTransform(path, X)
        self.poses.clear()

    def take(self) -> list[tuple[str, str, typing.Any]]:
        """Returns the changes of looks since the last call: path, name and value."""
        changed, self._changed = self._changed, {}
        return [(*key, value) for key, value in changed.items()]

    # What follows has the names that Meshcat gives it.

    def Delete(self, path: str) -> None:
        """Does nothing: a canvas begins empty."""

    def SetObject(self, path: str, shape: Shape, rgba: Rgba) -> None:
        """Makes a shape."""
        self._shapes[path] = shape, rgba

    def SetTransform(
        self, path: str, X: RigidTransform, time: float | None = None
    ) -> None:
        """Moves an object; its pose is seen from its parent."""
        self.poses[path] = X

    def SetProperty(
        self,
        path: str,
        name: str,
        value: typing.Any,
        time: float | None = None,
    ) -> None:
        """Changes how something looks."""
        if self.looks.get((path, name)) != value:
            self.looks[path, name] = self._changed[path, name] = value

    def get_mutable_recording(self) -> typing.NoReturn:
        """Raises RuntimeError: a canvas records nothing."""
        raise RuntimeError


class FilmCanvas(Canvas):
    """A canvas for a camera of a scene graph.

    A shape that changes in a Context keeps its old pose there, so that each picture
    has new ones.

    Args:
        scene_graph: scene graph to draw in.
        source: owner of the shapes.
    """

    def __init__(self, scene_graph: SceneGraph, source: SourceId):
        super().__init__()
        self._scene_graph, self._source = scene_graph, source
        self._drawn: list[GeometryId] = []

    def draw(self, context: Context) -> None:
        """Draws all that is visible in the scene graph's Context."""
        for old in self._drawn:
            self._scene_graph.RemoveGeometry(context, self._source, old)
        world = self._scene_graph.world_frame_id()
        self._drawn = [
            self._scene_graph.RegisterGeometry(
                context, self._source, world, self._instance(path)
            )
            for path in self._shapes
            if all(self._look(p, "visible", True) for p in _ancestors(path))
        ]

    def _instance(self, path: str) -> GeometryInstance:
        shape, color = self._shapes[path]
        X = RigidTransform()
        for ancestor in _ancestors(path):
            X = X @ self.poses.get(ancestor, RigidTransform())
        scale = np.asarray(self._look(path, "scale", [1.0] * 3))
        if isinstance(shape, Sphere) and (scale != 1).any():
            shape = Ellipsoid(*(shape.radius() * scale))
        color = Rgba(*self._look(f"{path}/<object>", "color", color.rgba))
        instance = GeometryInstance(X, shape, path)
        instance.set_perception_properties(painted(None, color))
        return instance

    def _look(self, path: str, name: str, usual: typing.Any) -> typing.Any:
        return self.looks.get((path, name), usual)


def _ancestors(path: str) -> list[str]:
    """Returns a path and those that it is below, from the top."""
    own = PurePosixPath(path)
    return [*map(str, reversed(own.parents)), path]
