"""The pictures of a run that is over, drawn without a screen by Drake's VTK.

Light, ground and sky are those of our pages: shadows and squares show motion; robots
that are fixed to the world get a floor.
"""

import math
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from pydrake.geometry import (
    Box,
    ClippingRange,
    ColorRenderCamera,
    Ellipsoid,
    GeometryId,
    GeometryInstance,
    LightParameter,
    MakeRenderEngineVtk,
    PerceptionProperties,
    RenderCameraCore,
    RenderEngineVtkParams,
    RenderLabel,
    Rgba,
    SceneGraph,
    SourceId,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import GetScopedFrameByName
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context
from pydrake.systems.sensors import CameraInfo

from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.drawn_scene import DrawnScene
from webmotor_drake.view.framing import TOWARDS_CAMERA, framing, upright
from webmotor_drake.view.marks import Canvas
from webmotor_drake.view.moment import Moment, moment_at
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import corners_of, marks_again, posable

# As in our pages: the field of view, rad, and the tangent of the part that is filled.
_FOV = np.radians(45.0)
_FILLED = 0.8 * np.tan(_FOV / 2)
# The whole scene is shown if its size, in robots, is between these two; from above.
_LARGER, _SMALL, _FROM_ABOVE = 1.2, 25.0, np.array([0.6, -1.0, 1.1])
_CLIPPING = ClippingRange(1e-2, 1e3)  # m
SIZE = 1280, 720
_SKY = [0.82, 0.88, 0.93]
# A fixed shape at least this long and wide is a ground: m, and in sizes of robots.
_GROUND, _SHARE = 1.5, 3.0
# VTK shows the square of a picture's numbers.
_MIDDLE, _CONTRAST = np.array([239, 241, 241]), 3
# The longest side of a ground's picture, pixels; the side of our floor, and the
# distance from its middle at which it begins to fade, squares.
_PICTURE, _SQUARES, _FADING = 4096, 160, 25.0
# Distance of our floor below the lowest shape, and its thickness, m.
_BELOW, _THICK = 1e-3, 0.02


class Film:
    """Draws the robots of a run, from a camera that sees them wherever they go.

    Args:
        results: results of a run, with the plant's positions.
        scenario: scenario that ran.
        camera: name of a camera of the scenario that is used instead.
        follow: True for a camera that goes along with the robots.
        size: width and height, pixels; a scenario's camera has its own.

    Raises:
        InputError: there is no such camera, or the results have no positions, or others
            than the scenario's.
    """

    def __init__(
        self,
        results: Results,
        scenario: Scenario,
        *,
        camera: str = "",
        follow: bool = False,
        size: tuple[int, int] = SIZE,
    ):
        self._results, self._follow = results, follow
        self._puppet = puppet = posable(Puppet(scenario), results)
        corners = corners_of(results, puppet, follow=follow)
        puppet.pose(results.positions[0])
        corners, towards = _workspace(corners, puppet)
        with (
            tempfile.TemporaryDirectory(prefix="webmotor_") as folder,
            blame(scenario),
        ):
            self._draw_scene(corners, Path(folder))
        self._marks = marks_again(results, puppet, self._canvas)
        if results.metadata.get("ink"):
            warn("films that no browser draws do not show the ink of Pens")
        self._start = puppet.place
        self._config = scenario.cameras.get(camera)
        if self._config is None:
            info = CameraInfo(*size, _FOV)
            core = RenderCameraCore("", info, _CLIPPING, RigidTransform())
            gravity = puppet.plant.gravity_field().gravity_vector()
            tangents = _FILLED * np.array([size[0] / size[1], 1.0])
            self._X_WC, _ = framing(corners, towards, gravity, tangents)
        else:
            core = self._config.MakeCameras()[0].core()
        self._camera = ColorRenderCamera(
            RenderCameraCore(
                "film",
                core.intrinsics(),
                core.clipping(),
                core.sensor_pose_in_camera_body(),
            )
        )

    def _draw_scene(self, corners: np.ndarray, folder: Path) -> None:
        plant = self._puppet.plant
        size = float(np.linalg.norm(np.ptp(corners, axis=0)))
        up = upright(plant.gravity_field().gravity_vector())
        ground = _FilmGround(plant, size, folder)
        self._scene = scene = DrawnScene(
            self._puppet, folder, dress=ground.dress
        )
        if not ground.is_there and not self._puppet.free_bodies:
            lowest = float((corners @ up.matrix())[:, 2].min())
            floor = ground.floor(lowest, up)
            scene.scene_graph.RegisterAnchoredGeometry(scene.source, floor)
        engine = MakeRenderEngineVtk(_renderer(up))
        scene.scene_graph.AddRenderer("film", engine)
        self._context = scene.scene_graph.CreateDefaultContext()
        self._canvas = _FilmCanvas(scene.scene_graph, scene.source)

    def picture(self, row: int) -> np.ndarray:
        """Returns the robots in a row of the run.

        Returns:
            Red, green and blue of each pixel, shape (height, width, 3), uint8.
        """
        return self.draw(moment_at(self._results, row))

    def draw(self, moment: Moment) -> np.ndarray:
        """Returns the robots at a moment; see `picture`."""
        self._puppet.pose(moment.positions)
        self._scene.pose(self._context, self._puppet.context)
        for mark in self._marks:
            mark(moment)
        self._canvas.draw(self._context)
        scene_graph = self._scene.scene_graph
        query = scene_graph.get_query_output_port().Eval(self._context)
        picture = query.RenderColorImage(
            camera=self._camera,
            parent_frame=scene_graph.world_frame_id(),
            X_PC=self._place()
            @ self._camera.core().sensor_pose_in_camera_body(),
        )
        return np.array(picture.data[..., :3])

    def _place(self) -> RigidTransform:
        plant, context = self._puppet.plant, self._puppet.context
        if self._config is not None:
            X_PB = self._config.X_PB
            base = GetScopedFrameByName(plant, X_PB.base_frame or "world")
            X_WP = base.CalcPoseInWorld(context)
            return X_WP @ X_PB.GetDeterministicValue()
        moved = np.zeros(3)
        if self._follow:
            moved = self._puppet.place - self._start
        return RigidTransform(moved) @ self._X_WC


def check_camera(scenario: Scenario, name: str) -> None:
    """Raises InputError if the scenario has no camera `name`; "" is one of ours."""
    if name and name not in scenario.cameras:
        raise InputError(unknown_name("camera", name, scenario.cameras))


def _workspace(
    corners: np.ndarray, puppet: Puppet
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the corners of the whole scene, and the direction to a camera above it.

    If robots would be too small in it, the corners are the robots'.
    """
    both = np.vstack([corners, puppet.corners(with_others=True)])
    size, own = (np.linalg.norm(np.ptp(c, axis=0)) for c in (both, corners))
    if _LARGER < size / own < _SMALL:
        return both, _FROM_ABOVE
    return corners, TOWARDS_CAMERA


def _renderer(up: RotationMatrix) -> RenderEngineVtkParams:
    """Returns the renderer's parameters: a lamp with shadows, one beside the camera."""
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


class _FilmGround:
    """Gives shapes their looks for cameras: squares where they are a ground.

    A ground that has a picture of its own keeps it.
    """

    def __init__(self, plant: MultibodyPlant, size: float, folder: Path):
        self._plant, self._folder = plant, folder
        self._least = min(_GROUND, _SHARE * size)
        # The robots are a few squares long.
        power = 10 ** math.floor(math.log10(0.35 * size))
        self._side = next(
            s * power for s in (5, 2.5, 1) if s * power <= 0.35 * size
        )
        self.is_there = False

    def dress(self, body: RigidBody, shape: GeometryInstance) -> None:
        """Gives a body's shape its looks for cameras; see `DrawnScene`."""
        given = shape.illustration_properties()
        look = {
            name: given.GetProperty("phong", name)
            for name in ("diffuse", "diffuse_map")
            if given.HasProperty("phong", name)
        }
        form = shape.shape()
        if self._plant.IsAnchored(body) and isinstance(form, Box):
            length, width, height = form.size()
            least = min(length, width)
            if least >= self._least and height < least / 2:
                self.is_there = True
                if "diffuse_map" not in look:
                    look = self._squares(shape, (length, width))
        shape.set_perception_properties(_painted(look))

    def floor(self, lowest: float, up: RotationMatrix) -> GeometryInstance:
        """Returns a floor below the lowest corner, for robots that are fixed."""
        wide = self._side * _SQUARES
        height = min(lowest, 0.0) - _BELOW - _THICK / 2
        X_WF = RigidTransform(up, up @ np.array([0, 0, height]))
        form = Box(wide, wide, _THICK)
        shape = GeometryInstance(X_WF, form, "floor of the film")
        look = self._squares(shape, (wide, wide), fades=True)
        shape.set_perception_properties(_painted(look))
        return shape

    def _squares(
        self,
        shape: GeometryInstance,
        size: tuple[float, float],
        *,
        fades: bool = False,
    ) -> dict[str, object]:
        """Returns the look of a ground of some size, m: light and dark squares.

        With `fades`, squares far from the middle blend into one grey.
        """
        from PIL import Image

        columns, rows = np.ceil(np.array(size) / self._side)
        columns, rows = np.clip([columns, rows], 1, _PICTURE).astype(int)
        pixels = max(_PICTURE // max(columns, rows), 1)  # of a square
        x, y = (np.arange(n) - (n - 1) / 2 for n in (columns, rows))
        sign = 1 - 2 * (np.add.outer(np.arange(rows), np.arange(columns)) % 2)
        far = np.add.outer(y**2, x**2) / _FADING**2
        light = _CONTRAST * sign * (np.exp(-far) if fades else 1.0)
        picture = (_MIDDLE + light[..., None]).astype(np.uint8)
        file = self._folder / f"ground{shape.id().get_value()}.png"
        large = picture.repeat(pixels, axis=0).repeat(pixels, axis=1)
        # It is read once: to pack it well takes longer than that.
        Image.fromarray(large).save(file, compress_level=1)
        return {"diffuse": Rgba(1, 1, 1), "diffuse_map": str(file)}


class _FilmCanvas(Canvas):
    """A canvas for a camera of a scene graph.

    A shape that changes in a Context keeps its old pose there, so each picture gets new
    shapes.
    """

    def __init__(self, scene_graph: SceneGraph, source: SourceId):
        super().__init__()
        self._scene_graph, self._source = scene_graph, source
        self._drawn: list[GeometryId] = []

    def draw(self, context: Context) -> None:
        """Draws all that is visible in the scene graph's Context."""
        for old in self._drawn:
            self._scene_graph.RemoveGeometry(context, self._source, old)
        self._drawn = []
        own, world = self._source, self._scene_graph.world_frame_id()
        for path, (shape, color) in self.shapes.items():
            parent = path.rpartition("/")[0]
            if not self.looks.get((parent, "visible"), True):
                continue
            X_WP, X_PS = (
                self.poses.get(p, RigidTransform()) for p in (parent, path)
            )
            if scale := self.looks.get((path, "scale")):  # of a muscle
                shape = Ellipsoid(*scale)
            rgba = self.looks.get((f"{path}/<object>", "color"), color.rgba)
            instance = GeometryInstance(X_WP @ X_PS, shape, path)
            look = {"diffuse": Rgba(*rgba)}
            instance.set_perception_properties(_painted(look))
            new = self._scene_graph.RegisterGeometry(
                context, own, world, instance
            )
            self._drawn.append(new)


def _painted(look: Mapping[str, object]) -> PerceptionProperties:
    properties = PerceptionProperties()
    properties.AddProperty("label", "id", RenderLabel.kDontCare)
    for name, value in look.items():
        properties.AddProperty("phong", name, value)
    return properties
