"""The pictures of a run that is over, drawn without a screen."""

import functools
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pydrake.common.schema import Rotation, Transform
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.systems.sensors import CameraConfig

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.drawn_meshes import draw_meshes
from webmotor_drake.view.film_muscles import FilmCanvas
from webmotor_drake.view.film_scene import checker_grounds, film_renderer
from webmotor_drake.view.framing import TOWARDS_CAMERA, robot_place, upright
from webmotor_drake.view.moment import Moment, moment_at
from webmotor_drake.view.posed_muscles import PosedMuscles
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import corners_of, posable
from webmotor_drake.view.replayed_imports import FilmedSolids

# The field of view of the camera that frames the robots, rad: little distortion.
_FOV = 0.6
# The factor on the distance that it needs, and its least distance, m.
_ROOM, _NEAREST = 1.25, 0.05


class Film:
    """Draws the robots of a run, from a camera that sees them wherever they go.

    Args:
        results: of a run, with the plant's positions.
        scenario: the one that ran.
        camera: name of one of the scenario's instead.
        follow: whether the camera goes along with the robots.
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
        size: tuple[int, int] = (640, 480),
    ):
        self._results = results
        config = _film_camera(scenario, camera, size)
        with tempfile.TemporaryDirectory() as folder:
            dress = functools.partial(self._dress, Path(folder))
            puppet = Puppet(scenario, camera=config, dress=dress)
        self._puppet = posable(puppet, results)
        self._canvas.context = self._puppet.scene_context
        self._place = lambda: None  # a scenario's camera has its own
        if not camera:
            self._place = _framed(
                results, self._puppet, follow=follow, size=size
            )

    def picture(self, row: int) -> np.ndarray:
        """Returns the robots in a row of the run.

        Returns:
            Red, green and blue of each pixel, shape (height, width, 3), uint8.
        """
        return self.draw(moment_at(self._results, row))

    def draw(self, moment: Moment) -> np.ndarray:
        """Returns the robots at a moment; see `picture`."""
        self._puppet.pose(moment.positions)
        self._place()
        self._muscles.draw(moment)
        self._imported.draw(moment, self._puppet.scene_context)
        return np.array(self._puppet.picture().data[..., :3])

    def _dress(self, folder: Path, puppet: Puppet) -> None:
        plant, scene_graph = puppet.plant, puppet.scene_graph
        checker_grounds(plant, scene_graph, folder)
        draw_meshes(scene_graph, folder)
        self._canvas = FilmCanvas(scene_graph, plant.get_source_id())
        self._muscles = PosedMuscles(puppet, self._canvas)
        self._imported = FilmedSolids(
            self._results, scene_graph, plant.get_source_id()
        )


def still(results: Results, scenario: Scenario) -> bytes:
    """Returns a PNG of the robots at the end of a run, from where all of it is seen.

    Args:
        results: of a run, with the plant's positions.
        scenario: the one that ran.

    Raises:
        InputError: the results have no positions, or others than the scenario's.
    """
    from matplotlib import image

    file = io.BytesIO()
    image.imsave(file, Film(results, scenario).picture(-1), format="png")
    return file.getvalue()


def check_camera(scenario: Scenario, name: str) -> None:
    """Raises InputError if the scenario has no camera `name`; "" is one of ours."""
    if name and name not in scenario.cameras:
        raise InputError(unknown_name("camera", name, scenario.cameras))


def _film_camera(
    scenario: Scenario, name: str, size: tuple[int, int]
) -> CameraConfig:
    """Returns the scenario's camera `name`; "" for one of ours."""
    check_camera(scenario, name)
    if name:
        return scenario.cameras[name]
    width, height = size
    return CameraConfig(
        name="film",
        width=width,
        height=height,
        focal=CameraConfig.FovDegrees(y=np.degrees(_FOV)),
        X_PB=Transform(translation=[0, 0, 0], rotation=Rotation()),
        clipping_near=1e-3,
        clipping_far=1e3,
        renderer_name="film",
        renderer_class=film_renderer(upright(scenario.gravity)),
    )


def _framed(
    results: Results,
    puppet: Puppet,
    *,
    follow: bool,
    size: tuple[int, int],
) -> Callable[[], None]:
    """Returns a function that has the camera see the robots in their present pose."""
    corners = corners_of(results, puppet, follow=follow)
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    R_WC = upright(puppet.plant.gravity_field().gravity_vector()) @ _looking(
        -TOWARDS_CAMERA
    )
    p_WC = center - R_WC.col(2) * _distance(
        (corners - center) @ R_WC.matrix(), size
    )
    puppet.pose(results.positions[0])
    start = robot_place(puppet.plant, puppet.context)

    def place() -> None:
        moved = np.zeros(3)
        if follow:
            moved = robot_place(puppet.plant, puppet.context) - start
        puppet.move_camera(RigidTransform(R_WC, p_WC + moved))

    return place


def _distance(corners: np.ndarray, size: tuple[int, int]) -> float:
    """Returns how far off a camera sees all corners, m.

    Args:
        corners: in the camera's directions, from where it looks at, shape (n, 3).
        size: width and height of its picture, pixels.
    """
    width, height = size
    half = np.tan(_FOV / 2) * np.array([width / height, 1.0])
    needed = (abs(corners[:, :2]) / half).max(axis=1) - corners[:, 2]
    return _ROOM * max(float(needed.max()), _NEAREST)


def _looking(along: np.ndarray) -> RotationMatrix:
    """Returns the orientation of a camera that looks `along`, upright."""
    z = along / np.linalg.norm(along)
    x = np.cross(z, [0, 0, 1])
    x /= np.linalg.norm(x)
    return RotationMatrix(np.column_stack([x, np.cross(z, x), z]))
