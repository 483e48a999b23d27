"""The light and the ground of films: shadows and squares show motion."""

from pathlib import Path

import numpy as np
from pydrake.geometry import (
    Box,
    GeometryId,
    HalfSpace,
    LightParameter,
    PerceptionProperties,
    RenderEngineVtkParams,
    Rgba,
    Role,
    SceneGraph,
    Shape,
)
from pydrake.math import RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

_LIGHT_GREY = [0.95, 0.96, 0.97]

# A fixed shape at least this long and wide is a ground, m.
_GROUND = 1.5
# The side of a square, m, and how bright squares are, of 255.
_SQUARE = 0.25
_BRIGHT, _DARK = (235, 235, 232), (196, 196, 194)
# The longest side of its picture, pixels.
_PICTURE = 2048
# Drake's VTK engine draws a half space as a plane this wide, m.
_PLANE = 100.0


def film_renderer(up: RotationMatrix) -> RenderEngineVtkParams:
    """Returns how films are drawn: a lamp with shadows, another beside the camera.

    Args:
        up: the turn from z up to the world's own up.
    """
    lamp = LightParameter(
        type="directional",
        direction=(up @ np.array([-0.35, 0.25, -1.0])).tolist(),
        frame="world",
        intensity=0.85,
    )
    fill = LightParameter(
        type="directional", direction=[0, 0, 1], frame="camera", intensity=0.6
    )
    return RenderEngineVtkParams(
        lights=[lamp, fill],
        cast_shadows=True,
        shadow_map_size=1024,
        default_clear_color=_LIGHT_GREY,
    )


def checker_grounds(
    plant: MultibodyPlant, scene_graph: SceneGraph, folder: Path
) -> None:
    """Has grounds drawn in squares of 0.25 m; one with a picture of its own keeps it.

    Args:
        plant: finalized.
        scene_graph: its geometry, before a renderer is added.
        folder: where the squares are written; the renderer reads them.
    """
    inspector = scene_graph.model_inspector()
    for body in map(plant.get_body, map(BodyIndex, range(plant.num_bodies()))):
        frame = plant.GetBodyFrameIdIfExists(body.index())
        if frame is None or not plant.IsAnchored(body):
            continue
        for shape in inspector.GetGeometries(frame, Role.kPerception):
            size = _size(inspector.GetShape(shape))
            if min(size) >= _GROUND:
                file = folder / f"ground{shape.get_value()}.png"
                _checker(plant, scene_graph, shape, size, file)


def _checker(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    shape: GeometryId,
    size: tuple[float, float],
    file: Path,
) -> None:
    old = scene_graph.model_inspector().GetPerceptionProperties(shape)
    if old.HasProperty("phong", "diffuse_map"):
        return
    _write_squares(file, size)
    properties = PerceptionProperties(old)
    properties.AddProperty("phong", "diffuse_map", str(file))
    properties.UpdateProperty("phong", "diffuse", Rgba(1, 1, 1))
    source = plant.get_source_id()
    scene_graph.RemoveRole(source, shape, Role.kPerception)
    scene_graph.AssignRole(source, shape, properties)


def _size(shape: Shape) -> tuple[float, float]:
    """Returns length and width of a shape that may be a ground, m; else 0."""
    if isinstance(shape, HalfSpace):
        return _PLANE, _PLANE
    return (shape.width(), shape.depth()) if isinstance(shape, Box) else (0, 0)


def _write_squares(file: Path, size: tuple[float, float]) -> None:
    """Writes the picture of a ground.

    Args:
        file: a PNG.
        size: the ground's length and width, m.
    """
    from matplotlib import image

    columns, rows = np.ceil(np.array(size) / _SQUARE).astype(int)
    pixels = max(_PICTURE // max(columns, rows), 1)  # of a square
    dark = np.add.outer(np.arange(rows), np.arange(columns)) % 2
    picture = np.array([_BRIGHT, _DARK], dtype=np.uint8)[dark]
    image.imsave(file, picture.repeat(pixels, axis=0).repeat(pixels, axis=1))
