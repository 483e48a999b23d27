"""Marks over the robots: `--show efforts,limits,targets`, muscles and imports."""

import typing
from collections.abc import Callable, Iterable

from pydrake.geometry import Meshcat, Rgba, Shape
from pydrake.math import RigidTransform

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.imports import ImportedNode, imported_nodes
from webmotor_drake.simulation.muscles import Muscles
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Robots

IMPORTED = "/drake/imported"
# Draws something at a moment.
Mark = Callable[[Moment], None]

MARKS = ("efforts", "limits", "targets")


def checked_marks(names: Iterable[str]) -> list[str]:
    """Returns the names, each once.

    Raises:
        InputError: there is no such mark.
    """
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in MARKS:
            raise InputError(unknown_name("mark", name, MARKS))
    return names


class Canvas:
    """A stand-in for a Meshcat, to draw muscles and imports over the robots.

    Attributes:
        shapes: shapes and their colours, by path.
        poses: poses of objects, seen from their parents, by path.
        looks: properties, by path and name.
    """

    def __init__(self) -> None:
        self.shapes: dict[str, tuple[Shape, Rgba]] = {}
        self.poses: dict[str, RigidTransform] = {}
        self.looks: dict[tuple[str, str], typing.Any] = {}
        self._changed: dict[tuple[str, str], typing.Any] = {}

    def make(self, meshcat: Meshcat) -> None:
        """Makes the shapes in a Meshcat; `poses` begins anew after that."""
        for path, shape in self.shapes.items():
            meshcat.SetObject(path, *shape)
        for path, X in self.poses.items():
            meshcat.SetTransform(path, X)
        self.poses.clear()

    @property
    def all_looks(self) -> list[tuple[str, str, typing.Any]]:
        """All looks: path, name and value; any thread may read them."""
        return [(*key, value) for key, value in dict(self.looks).items()]

    def take(self) -> list[tuple[str, str, typing.Any]]:
        """Returns the changes of looks since the last call: path, name and value."""
        changed, self._changed = self._changed, {}
        return [(*key, value) for key, value in changed.items()]

    # The methods below have the names that Meshcat gives them.

    def SetObject(self, path: str, shape: Shape, rgba: Rgba) -> None:
        """Makes a shape."""
        self.shapes[path] = shape, rgba

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


def posed_muscles(robots: Robots, meshcat: Meshcat) -> Mark:
    """Returns a mark that draws the muscles of robots that are not simulated.

    Args:
        robots: owners of the muscles, in the pose of the moment. Muscles without
            signals are at rest.
        meshcat: Meshcat to draw in, or a stand-in for one.
    """
    muscles = Muscles(robots.plant, robots.motors, meshcat)
    return lambda now: muscles.draw(robots.context, now.signals, now.time)


class ImportedSolids:
    """Draws imported nodes for as long as they were there.

    Args:
        results: results of the run.
        meshcat: Meshcat to draw them in.
    """

    def __init__(self, results: Results, meshcat: Meshcat):
        self._meshcat = meshcat
        self._nodes: dict[str, ImportedNode] = {}
        self._shown: dict[str, bool] = {}
        for number, node in enumerate(imported_nodes(results.metadata)):
            path = f"{IMPORTED}/{number}"
            self._nodes[path] = node
            for i, one in enumerate(node.shapes):
                meshcat.SetObject(f"{path}/{i}", one.shape, one.rgba)
                meshcat.SetTransform(f"{path}/{i}", one.pose)

    def draw(self, moment: Moment) -> None:
        """Shows the nodes that were there at a moment, and hides the others."""
        for path, node in self._nodes.items():
            here, shown = node.is_here(moment.time), self._shown.get(path)
            if here or shown is None:  # what moves is said at first
                X_WB = node.pose(moment.positions)
                self._meshcat.SetTransform(path, X_WB, moment.time)
            if here != shown:
                self._meshcat.SetProperty(path, "visible", here, moment.time)
                self._shown[path] = here
