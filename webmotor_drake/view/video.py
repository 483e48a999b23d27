"""A run as a film, drawn without a screen."""

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pydrake.common.schema import Rotation, Transform
from pydrake.common.value import Value
from pydrake.geometry import Rgba
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, DiagramBuilder, LeafSystem
from pydrake.systems.sensors import CameraConfig, ImageRgba8U
from pydrake.visualization import VideoWriter

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.framing import TOWARDS_CAMERA, robot_place
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import corners_of, posable, scenario_of

# What writes files of which ending, and at how many frames per second: those of a
# GIF last a multiple of 10 ms.
_WRITERS = {".gif": ("PIL", 20.0), ".mp4": ("cv2", 30.0)}

# The field of view of the camera that frames the robots, rad: little distortion.
_FOV = 0.6
# How much further off it stands than it has to, and at least, m.
_ROOM, _NEAREST = 1.1, 0.05
_LIGHT_GREY = Rgba(0.95, 0.96, 0.97)


def write_video(
    results: Results,
    file: str | Path,
    *,
    scenario: Scenario | None = None,
    camera: str = "",
    follow: bool = False,
    size: tuple[int, int] = (640, 480),
) -> None:
    """Draws a run as a film, from a camera that sees the robots wherever they go.

    Args:
        results: of a run.
        file: ends in .gif or .mp4.
        scenario: what ran; None: what the results say of it.
        camera: name of one of the scenario's instead.
        follow: whether the camera goes along with the robots.
        size: width and height, pixels.

    Raises:
        InputError: the file cannot be written, there is nothing to write such a
            file, no such camera, or no positions in the results.
    """
    backend, rate = check_video(file)
    scenario = scenario or scenario_of(results)
    config = film_camera(scenario, camera, size)
    puppet = posable(Puppet(scenario, camera=config), results)
    place = _nothing
    if not camera:
        place = framed(results, puppet, follow=follow, size=size)

    def picture(time: float) -> ImageRgba8U:
        row = int(np.searchsorted(results.time, time - 1e-9))
        puppet.pose(results.positions[min(row, len(results.time) - 1)])
        place()
        return puppet.picture()

    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder, f"film{Path(file).suffix.lower()}")
        builder = DiagramBuilder()
        frames = builder.AddSystem(_Frames(picture, config))
        writer = VideoWriter(filename=str(film), fps=rate, backend=backend)
        builder.AddSystem(writer)
        builder.Connect(frames.get_output_port(), writer.get_input_port())
        Simulator(builder.Build()).AdvanceTo(float(results.time[-1]))
        writer.Save()
        write_whole(file, film.read_bytes())


def check_video(file: str | Path) -> tuple[str, float]:
    """Returns what writes such a file, and its frames per second.

    Raises:
        InputError: nothing does.
    """
    ending = Path(file).suffix.lower()
    if ending not in _WRITERS:
        raise InputError(f"cannot write {file}: .mp4 or .gif is needed")
    backend, rate = _WRITERS[ending]
    try:
        importlib.import_module(backend)
    except ImportError as error:
        raise InputError(
            f"cannot write {file}: no encoder; pip install 'webmotor-drake[video]',"
            " or write a .gif"
        ) from error
    return backend, rate


def check_camera(scenario: Scenario, name: str) -> None:
    """Raises InputError if the scenario has no camera `name`; "" is one of ours."""
    if name and name not in scenario.cameras:
        raise InputError(unknown_name("camera", name, scenario.cameras))


class _Frames(LeafSystem):
    """The pictures of a film, by the time of its Context."""

    def __init__(
        self, picture: Callable[[float], ImageRgba8U], config: CameraConfig
    ):
        super().__init__()
        self._picture = picture
        blank = ImageRgba8U(config.width, config.height)
        self.DeclareAbstractOutputPort(
            "color_image", lambda: Value(blank), self._calc
        )

    def _calc(self, context: Context, output: Value) -> None:
        output.set_value(self._picture(context.get_time()))


def film_camera(
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
        background=_LIGHT_GREY,
    )


def framed(
    results: Results,
    puppet: Puppet,
    *,
    follow: bool,
    size: tuple[int, int],
) -> Callable[[], None]:
    """Returns what puts the camera where it sees the robots in their present pose."""
    corners = corners_of(results, puppet, follow=follow)
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    R_WC = _looking(-TOWARDS_CAMERA)
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


def _nothing() -> None:
    """Places a camera that has its own place."""
