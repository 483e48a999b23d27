"""Imports of a supervisor, in replays and in films."""

from pydrake.geometry import GeometryId, Meshcat, SceneGraph, SourceId
from pydrake.systems.framework import Context

from webmotor_drake.results.results import Results
from webmotor_drake.simulation.imports import ImportedNode, imported_nodes
from webmotor_drake.view.film_muscles import painted
from webmotor_drake.view.moment import Moment

_PREFIX = "/drake/imported"


class ImportedSolids:
    """Draws imported nodes for as long as they were there; see `Mark`.

    Args:
        results: of the run.
        meshcat: where it is drawn.
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


class FilmedSolids:
    """Shows imported nodes to a camera of the scene.

    A shape that changes in a Context keeps its old pose there, so that each picture
    has new ones.

    Args:
        results: of the run.
        scene_graph: where to draw.
        source: whose geometry they are.
    """

    def __init__(
        self, results: Results, scene_graph: SceneGraph, source: SourceId
    ):
        self._nodes = {
            f"imported {number}": node
            for number, node in enumerate(imported_nodes(results.metadata))
        }
        self._scene_graph, self._source = scene_graph, source
        self._drawn: list[GeometryId] = []

    def draw(self, moment: Moment, context: Context) -> None:
        """Draws those that were there at a moment in the scene graph's Context."""
        there = context, self._source
        for old in self._drawn:
            self._scene_graph.RemoveGeometry(*there, old)
        world = self._scene_graph.world_frame_id()
        self._drawn = [
            self._scene_graph.RegisterGeometry(
                *there,
                world,
                painted(X_WB @ one.pose, one.shape, f"{name} {i}", one.rgba),
            )
            for name, node in self._nodes.items()
            if node.is_here(moment.time)
            for X_WB in [node.pose(moment.positions)]
            for i, one in enumerate(node.shapes)
        ]
