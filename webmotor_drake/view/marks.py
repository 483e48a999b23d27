"""Marks over the robots: `--show efforts,limits,targets`, muscles and imports."""

from collections.abc import Iterable
from typing import Protocol

from pydrake.geometry import Meshcat

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.imports import ImportedNode, imported_nodes
from webmotor_drake.simulation.muscles import Muscles
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Robots

_IMPORTED = "/drake/imported"

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


class Mark(Protocol):
    """Something that is drawn over the scene."""

    def draw(self, moment: Moment) -> None:
        """Draws it as it is at a moment; recorded if Meshcat records."""


class PosedMuscles:
    """Draws muscles over robots that are not simulated; see `Mark`.

    Args:
        robots: owners of the muscles, in the pose of the moment.
        meshcat: Meshcat to draw in, or what stands for one.
    """

    def __init__(self, robots: Robots, meshcat: Meshcat):
        self._robots = robots
        self._muscles = Muscles(robots.plant, robots.motors, meshcat)

    def draw(self, moment: Moment) -> None:
        """Draws them as they were at a moment; at rest where it has no signals."""
        self._muscles.draw(self._robots.context, moment.signals, moment.time)


class ImportedSolids:
    """Draws imported nodes for as long as they were there; see `Mark`.

    Args:
        results: results of the run.
        meshcat: Meshcat that it is drawn in.
    """

    def __init__(self, results: Results, meshcat: Meshcat):
        self._meshcat = meshcat
        meshcat.Delete(_IMPORTED)
        self._nodes: dict[str, ImportedNode] = {}
        self._shown: dict[str, bool] = {}
        for number, node in enumerate(imported_nodes(results.metadata)):
            path = f"{_IMPORTED}/{number}"
            self._nodes[path] = node
            for i, one in enumerate(node.shapes):
                meshcat.SetObject(f"{path}/{i}", one.shape, one.rgba)
                meshcat.SetTransform(f"{path}/{i}", one.pose)

    def draw(self, moment: Moment) -> None:
        """Shows those that were there at a moment, and hides the others."""
        for path, node in self._nodes.items():
            here, shown = node.is_here(moment.time), self._shown.get(path)
            if here or shown is None:  # what moves is said at first
                X_WB = node.pose(moment.positions)
                self._meshcat.SetTransform(path, X_WB, moment.time)
            if here != shown:
                self._meshcat.SetProperty(path, "visible", here, moment.time)
                self._shown[path] = here
