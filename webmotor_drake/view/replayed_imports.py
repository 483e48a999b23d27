"""Imports of a supervisor, in replays and in films."""

from pydrake.geometry import Meshcat

from webmotor_drake.results.results import Results
from webmotor_drake.simulation.imports import ImportedNode, imported_nodes
from webmotor_drake.view.moment import Moment

_PREFIX = "/drake/imported"


class ImportedSolids:
    """Draws imported nodes for as long as they were there; see `Mark`.

    Args:
        results: of the run.
        meshcat: Meshcat that it is drawn in.
    """

    def __init__(self, results: Results, meshcat: Meshcat):
        self._meshcat = meshcat
        meshcat.Delete(_PREFIX)
        self._nodes: dict[str, ImportedNode] = {}
        self._shown: dict[str, bool] = {}
        for number, node in enumerate(imported_nodes(results.metadata)):
            path = f"{_PREFIX}/{number}"
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
