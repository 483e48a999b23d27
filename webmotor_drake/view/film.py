"""The pictures of a run that is over, drawn without a screen."""

import tempfile
from pathlib import Path

import numpy as np
from pydrake.geometry import (
    ClippingRange,
    ColorRenderCamera,
    MakeRenderEngineVtk,
    RenderCameraCore,
)
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import GetScopedFrameByName
from pydrake.systems.sensors import CameraInfo

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.drawn_scene import DrawnScene
from webmotor_drake.view.film_scene import (
    FilmCanvas,
    FilmGround,
    film_renderer,
)
from webmotor_drake.view.framing import (
    TOWARDS_CAMERA,
    framing,
    upright,
)
from webmotor_drake.view.moment import Moment, moment_at
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import corners_of, marks_again, posable

# As in our pages: the field of view, rad, and the tangent of what is filled of it.
_FOV = np.radians(45.0)
_FILLED = 0.8 * np.tan(_FOV / 2)
# All is looked at if it is so many times as large as the robots.
_LARGER, _SMALL, _FROM_ABOVE = 1.2, 25.0, np.array([0.6, -1.0, 1.1])
_CLIPPING = ClippingRange(1e-2, 1e3)  # m
SIZE = 1280, 720


class Film:
    """Draws the robots of a run, from a camera that sees them wherever they go.

    Args:
        results: results of a run, with the plant's positions.
        scenario: the one that ran.
        camera: name of one of the scenario's instead.
        follow: True for a camera that goes along with the robots.
        size: width and height, pixels; a scenario's camera has its own.

    Raises:
        InputError: no such camera, or the results have no positions, or others
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
        ground = FilmGround(plant, size, folder)
        self._scene = scene = DrawnScene(
            self._puppet, folder, dress=ground.dress
        )
        if not ground.is_there and not self._puppet.free_bodies:
            lowest = float((corners @ up.matrix())[:, 2].min())
            floor = ground.floor(lowest, up)
            scene.scene_graph.RegisterAnchoredGeometry(scene.source, floor)
        engine = MakeRenderEngineVtk(film_renderer(up))
        scene.scene_graph.AddRenderer("film", engine)
        self._context = scene.scene_graph.CreateDefaultContext()
        self._canvas = FilmCanvas(scene.scene_graph, scene.source)

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
            mark.draw(moment)
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
        """Returns the camera's pose in the world, in the puppet's pose."""
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
    """Returns corners of all that is there, and the way to the camera, further above.

    If robots would be too small in it, the corners are their own.
    """
    both = np.vstack([corners, puppet.corners(with_others=True)])
    size, own = (np.linalg.norm(np.ptp(c, axis=0)) for c in (both, corners))
    if _LARGER < size / own < _SMALL:
        return both, _FROM_ABOVE
    return corners, TOWARDS_CAMERA
