"""Muscles in films: shapes of the scene that change from picture to picture."""

from pydrake.geometry import (
    Ellipsoid,
    GeometryId,
    GeometryInstance,
    PerceptionProperties,
    RenderLabel,
    Rgba,
    SceneGraph,
    Shape,
    SourceId,
)
from pydrake.math import RigidTransform
from pydrake.systems.framework import Context


def painted(
    X_WG: RigidTransform, shape: Shape, name: str, color: Rgba
) -> GeometryInstance:
    """Returns a shape in the world as cameras see it."""
    instance = GeometryInstance(X_WG, shape, name)
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", RenderLabel.kDontCare)
    properties.AddProperty("phong", "diffuse", color)
    instance.set_perception_properties(properties)
    return instance


class FilmCanvas:
    """Draws muscles for a camera of the scene; see `simulation.muscles.Canvas`.

    A shape that changes in a Context keeps its old pose there, so that each picture
    has new ones.

    Attributes:
        context: the scene graph's, in which they are drawn; set before `show`.

    Args:
        scene_graph: where to draw.
        source: whose geometry they are.
    """

    def __init__(self, scene_graph: SceneGraph, source: SourceId):
        self.context: Context | None = None
        self._scene_graph, self._source = scene_graph, source
        self._shapes: dict[str, GeometryId] = {}

    def add(self, path: str) -> None:
        """Adds a muscle, drawn once it is shown; see `Canvas`."""

    def show(
        self,
        path: str,
        X_WM: RigidTransform,
        size: tuple[float, float, float],
        color: tuple[float, float, float],
        time: float,
    ) -> None:
        """Draws a muscle; see `Canvas`."""
        there = self.context, self._source
        old = self._shapes.get(path)
        if old is not None:
            self._scene_graph.RemoveGeometry(*there, old)
        shape = painted(X_WM, Ellipsoid(*size), path, Rgba(*color))
        self._shapes[path] = self._scene_graph.RegisterGeometry(
            *there, self._scene_graph.world_frame_id(), shape
        )
