"""The look of films: light, ground and sky as those of our pages.

Shadows and squares show motion; what is fixed to the world gets a floor.
"""

import math
import typing
from pathlib import Path, PurePosixPath

import numpy as np
from pydrake.geometry import (
    Box,
    Ellipsoid,
    GeometryId,
    GeometryInstance,
    LightParameter,
    PerceptionProperties,
    RenderEngineVtkParams,
    RenderLabel,
    Rgba,
    SceneGraph,
    Shape,
    SourceId,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.view.marks import Canvas

_SKY = [0.82, 0.88, 0.93]
# A fixed shape at least this long and wide is a ground: m, and in sizes of robots.
_GROUND, _SHARE = 1.5, 3.0
# VTK shows the square of a picture's numbers.
_MIDDLE, _CONTRAST = np.array([239, 241, 241]), 3
# The longest side of a ground's picture, pixels; our floor's, and how far from its
# middle its squares begin to fade, squares.
_PICTURE, _SQUARES, _FADING = 4096, 160, 25.0
# How far below what stands on it our floor is, and how thick, m.
_BELOW, _THICK = 1e-3, 0.02


def film_renderer(up: RotationMatrix) -> RenderEngineVtkParams:
    """Returns how films are drawn: a lamp with shadows, another beside the camera.

    Args:
        up: the turn from z up to the world's own up.
    """
    lamp = LightParameter(
        type="directional",
        direction=(up @ np.array([-0.3, 0.25, -1.0])).tolist(),
        frame="world",
        intensity=0.72,
    )
    fill = LightParameter(
        type="directional", direction=[0, 0, 1], frame="camera", intensity=0.9
    )
    return RenderEngineVtkParams(
        lights=[lamp, fill],
        cast_shadows=True,
        shadow_map_size=2048,
        default_clear_color=_SKY,
    )


class FilmGround:
    """Gives shapes their looks for cameras: squares where they are a ground.

    A ground that has a picture of its own keeps it.

    Attributes:
        is_there: True once a ground was dressed.

    Args:
        plant: owner of the bodies.
        size: size of the robots, from corner to corner, m.
        folder: gets the squares; the renderer reads them.
    """

    def __init__(self, plant: MultibodyPlant, size: float, folder: Path):
        self._plant, self._folder = plant, folder
        self._least = min(_GROUND, _SHARE * size)
        self._side = _square(size)
        self.is_there = False

    def dress(self, body: RigidBody, shape: GeometryInstance) -> None:
        """Gives a body's shape its looks for cameras; see `DrawnScene`."""
        shape.set_perception_properties(
            painted(shape.illustration_properties())
        )
        if self._plant.IsAnchored(body):
            size = _size(shape.shape())
            if min(size) >= self._least:
                self.is_there = True
                self._checker(shape, size)

    def floor(self, lowest: float, up: RotationMatrix) -> GeometryInstance:
        """Returns a floor below all, for robots that are fixed to the world.

        Args:
            lowest: place of the lowest corner along the world's own up, m.
            up: the turn from z up to that.
        """
        wide = self._side * _SQUARES
        height = min(lowest, 0.0) - _BELOW - _THICK / 2
        X_WF = RigidTransform(up, up @ np.array([0, 0, height]))
        form = Box(wide, wide, _THICK)
        shape = GeometryInstance(X_WF, form, "floor of the film")
        shape.set_perception_properties(painted(None))
        self._checker(shape, (wide, wide), fades=True)
        return shape

    def _checker(
        self,
        shape: GeometryInstance,
        size: tuple[float, float],
        *,
        fades: bool = False,
    ) -> None:
        """Paints squares on a ground, with one's corner in its middle."""
        properties = PerceptionProperties(shape.perception_properties())
        if properties.HasProperty("phong", "diffuse_map"):
            return
        file = self._folder / f"ground{shape.id().get_value()}.png"
        _write_squares(file, size, self._side, fades=fades)
        properties.UpdateProperty("phong", "diffuse_map", str(file))
        properties.UpdateProperty("phong", "diffuse", Rgba(1, 1, 1))
        shape.set_perception_properties(properties)


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
            for path in self.shapes
            if all(self._look(p, "visible", True) for p in _ancestors(path))
        ]

    def _instance(self, path: str) -> GeometryInstance:
        shape, color = self.shapes[path]
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


def painted(look: object, color: Rgba | None = None) -> PerceptionProperties:
    """Returns the looks of a shape for cameras.

    Args:
        look: its other properties, whose colours it gets; None: it has none.
        color: its colour instead.
    """
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", RenderLabel.kDontCare)
    for name in ("diffuse", "diffuse_map"):
        if look is not None and look.HasProperty("phong", name):
            value = look.GetProperty("phong", name)
            properties.AddProperty("phong", name, value)
    if color is not None:
        properties.UpdateProperty("phong", "diffuse", color)
    return properties


def _size(shape: Shape) -> tuple[float, float]:
    """Returns length and width of a shape that may be a ground, m; else 0."""
    if not isinstance(shape, Box):
        return 0.0, 0.0
    length, width, height = shape.size()
    flat = height < min(length, width) / 2
    return (length, width) if flat else (0.0, 0.0)


def _square(size: float) -> float:
    """Returns the side of squares, m: some of them go along the robots."""
    power = 10 ** math.floor(math.log10(0.35 * size))
    return next(s * power for s in (5, 2.5, 1) if s * power <= 0.35 * size)


def _write_squares(
    file: Path, size: tuple[float, float], side: float, *, fades: bool
) -> None:
    """Writes the picture of a ground; if it fades, far squares become one grey."""
    from matplotlib import image

    columns, rows = np.ceil(np.array(size) / side).clip(1, _PICTURE).astype(int)
    pixels = max(_PICTURE // max(columns, rows), 1)  # of a square
    x, y = (np.arange(n) - (n - 1) / 2 for n in (columns, rows))
    sign = 1 - 2 * (np.add.outer(np.arange(rows), np.arange(columns)) % 2)
    far = np.add.outer(y**2, x**2) / _FADING**2
    light = _CONTRAST * sign * (np.exp(-far) if fades else 1.0)
    picture = (_MIDDLE + light[..., None]).astype(np.uint8)
    image.imsave(file, picture.repeat(pixels, axis=0).repeat(pixels, axis=1))
