"""Shows runs in Meshcat, live or again, and poses robots as they were."""

import math
import tempfile
from pathlib import Path

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform
from pydrake.systems.framework import Context

from webmotor_drake.errors import InputError, warn
from webmotor_drake.loading import is_world, scenario_in
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario, with_packages
from webmotor_drake.scenario.yaml_document import parse_document
from webmotor_drake.simulation.imports import built_positions
from webmotor_drake.simulation.run_record import position_names
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.drawn_scene import DrawnScene
from webmotor_drake.view.framing import TOWARDS_CAMERA, framing, upright
from webmotor_drake.view.marks import (
    IMPORTED,
    ImportedSolids,
    Mark,
    posed_muscles,
)
from webmotor_drake.view.moment import moment_at
from webmotor_drake.view.puppet import Puppet, Robots

# More frames per second choke browsers on long recordings, as do more in all. A short
# run has at least so many, for slow motion.
FRAMES_PER_SECOND, MOST_FRAMES, _LEAST_FRAMES = 30.0, 9000, 60
# Meshcat's own field of view, from top to bottom, rad; three.js has 75 degrees.
_FOV = math.radians(75)
# Meshcat's paths: those of the simulation and our marks, its grid and its axes.
_DRAWN, _GRID, _AXES = ("/drake", "/webmotor"), "/Grid", "/Axes"
# Number of poses that are looked at to find the room that a run takes.
_LOOKS = 50


def replay(
    results: Results,
    meshcat: Meshcat,
    *,
    scenario: Scenario | None = None,
    follow: bool = False,
) -> None:
    """Shows a run again, as a recording that the browser plays.

    Example:
        ::

            results = wm.run("package:two_link_arm")
            wm.replay(results, StartMeshcat())

    Args:
        results: results of a run, or loaded from a run's folder.
        meshcat: Meshcat to draw in.
        scenario: scenario that ran; None: as the results record it.
        follow: True for a camera that goes along with the robot.

    Raises:
        InputError: the results lack something, as those of an older version, or the
            models have changed since.
    """
    scenario = scenario or scenario_of(results)
    puppet = posable(Puppet(scenario), results)
    meshcat.Delete(IMPORTED)
    marks = marks_again(results, puppet, meshcat)
    corners = corners_of(results, puppet, follow=follow)
    puppet.pose(results.positions[0])
    camera = _Camera(meshcat, puppet, corners, share=0.9, follows=follow)
    meshcat.DeleteRecording()
    with tempfile.TemporaryDirectory(prefix="webmotor_") as folder:
        drawn = DrawnScene(puppet, Path(folder))
        draw = drawn.drawn_in(meshcat, "/drake/illustration")
        draw(puppet.context, 0.0)
    meshcat.StartRecording(frames_per_second=_frame_rate(results.time[-1]))
    for row in rows_of(results.time):
        moment = moment_at(results, row)
        puppet.pose(moment.positions)
        draw(puppet.context, moment.time)
        camera.follow(moment.time)
        for mark in marks:
            mark(moment)
    meshcat.PublishRecording()


class Scene:
    """A simulation in Meshcat, recorded as it runs, with the camera on its robots.

    Args:
        simulation: simulation at its start, which draws in the Meshcat.
        meshcat: Meshcat to draw in.
        follow: True for a camera that goes along with the robots.
    """

    def __init__(
        self,
        simulation: Simulation,
        meshcat: Meshcat,
        *,
        follow: bool = False,
    ):
        self._simulation, self._meshcat = simulation, meshcat
        duration = simulation.scenario.simulation_duration
        self._rate = _frame_rate(duration)
        meshcat.DeleteRecording()
        meshcat.StartRecording(frames_per_second=self._rate)
        self._records = True
        self._next_frame = -math.inf
        root = simulation.simulator.get_context()
        diagram = simulation.simulator.get_system()
        for system in diagram.GetSystems():
            if type(system).__name__.startswith("Meshcat"):
                system.ForcedPublish(system.GetMyContextFromRoot(root))
        robots = Robots.of(simulation)
        self._camera = _Camera(
            meshcat,
            robots,
            robots.corners(),
            share=0.55,  # robots are going to move, and stay in view
            follows=follow,
        )
        self._draw(root)
        simulation.simulator.set_monitor(self._draw)

    def publish(self) -> None:
        """Draws no more; browsers get the recording, to play when somebody wants it."""
        # The simulator would keep us, and we it, for ever.
        self._simulation.simulator.clear_monitor()
        self._meshcat.get_mutable_recording().set_autoplay(False)
        self._meshcat.PublishRecording()

    def _draw(self, root: Context) -> None:
        """Moves the camera, if a frame is due; the simulation draws the bodies."""
        now = self._simulation.time
        if now < self._next_frame:
            return
        self._next_frame = now + 1 / FRAMES_PER_SECOND
        if self._records and now * self._rate > MOST_FRAMES + 1:
            self._records = False
            self._meshcat.StopRecording()
            warn(
                f"the recording ends at {now:.0f} s: more would choke browsers"
            )
        self._camera.follow(now)


class _Camera:
    """Makes browsers look at robots, which fill a share of the window.

    Meshcat has z up, so a world with y up is turned. To follow a robot we move the
    world under it: the camera is its user's, and would keep looking at the old place.
    """

    def __init__(
        self,
        meshcat: Meshcat,
        robots: Robots,
        corners: np.ndarray,
        *,
        share: float,
        follows: bool,
    ):
        self._meshcat, self._robots = meshcat, robots
        self._start, self._follows = robots.place, follows
        gravity = robots.scenario.gravity
        self._R = R = upright(gravity).inverse()
        if not len(corners):
            corners = np.array([[-1.0] * 3, [1.0] * 3])
        if not R.IsExactlyIdentity():
            for path in (*_DRAWN, _AXES):
                meshcat.SetTransform(path, RigidTransform(R, [0, 0, 0]))
        tangent = share * math.tan(_FOV / 2)
        X_WC, target = framing(corners, TOWARDS_CAMERA, gravity, [tangent] * 2)
        meshcat.SetCameraPose(R @ X_WC.translation(), R @ target)

    def follow(self, time: float) -> None:
        """Keeps the robots where they started on the screen, if it is wanted."""
        if self._follows:
            moved = self._R @ (self._start - self._robots.place)
            for path in _DRAWN:
                X = RigidTransform(self._R, moved)
                self._meshcat.SetTransform(path, X, time)
            self._meshcat.SetTransform(_GRID, RigidTransform(moved), time)


def marks_again(
    results: Results, puppet: Puppet, canvas: Meshcat
) -> list[Mark]:
    """Returns the muscles and imports to draw besides the puppet."""
    return [posed_muscles(puppet, canvas), ImportedSolids(results, canvas).draw]


def scenario_of(results: Results) -> Scenario:
    """Returns the scenario that ran, loaded as the results record it.

    Raises:
        InputError: the results don't name it, or it can no longer be loaded.
    """
    about = results.metadata
    texts = [about.get(key) for key in ("scenario", "scenario_name")]
    folder = about.get("scenario_folder")
    if None in texts or folder is None:
        raise InputError(
            "the run does not say its scenario: it was made in a program, or by"
            " an older version; run it again"
        )
    file = about.get("scenario_file") or "scenario"
    over = (
        parse_document(about.get("scenario_text") or "{}", "--scenario_text"),
        parse_document(about.get("scenario_overlay") or "{}", "--overlay"),
    )
    if is_world(file):  # its models were made for the run
        from webmotor_drake.worlds.imported import world_scenario
        from webmotor_drake.worlds.project import Options

        options = Options.from_metadata(about.get("world_options"))
        scenario = world_scenario(Path(file), *over, options=options)
    else:
        document = parse_document(texts[0], file)
        scenario = scenario_in(document, Path(folder), over, texts[1])
    return with_packages(scenario, about.get("package_xmls") or ())


def posable(puppet: Puppet, results: Results) -> Puppet:
    """Returns the puppet if it can take the poses of the results.

    Raises:
        InputError: the results have no poses, or the models have changed since.
    """
    if results.positions is None:
        raise InputError(
            "the run has no positions of its bodies: it is of an older version,"
            " or of another motor model than webots; run it again"
        )
    names = position_names(puppet.plant)
    all_recorded = results.metadata.get("positions", [])
    recorded = built_positions(results.metadata)
    if names != recorded or results.positions.shape[1] != len(all_recorded):
        odd = sorted({*names} ^ {*recorded})
        which = f" ({', '.join(odd[:3])})" if odd else ""
        raise InputError(
            f"the models have changed since the run: its {len(recorded)}"
            f" positions are not those of today{which}; run it again"
        )
    return puppet


def _frame_rate(duration: float, most: int = MOST_FRAMES) -> float:
    """Returns the frames per second of a recording; there are `most` in all."""
    if math.isinf(duration):
        return FRAMES_PER_SECOND
    usual = max(FRAMES_PER_SECOND * duration, _LEAST_FRAMES)
    return min(usual, most) / max(duration, 1e-9)


def rows_of(time: np.ndarray, most: int = MOST_FRAMES) -> list[int]:
    """Returns the rows that make the frames of a recording; see `_frame_rate`."""
    step = 1 / _frame_rate(time[-1], most)
    return np.unique(rows_at(time, 0.0, time[-1], step)).tolist()


def rows_at(
    time: np.ndarray, start: float, end: float, step: float
) -> list[int]:
    """Returns the rows of a run each `step` seconds, and at the end."""
    frames = start + step * np.arange(int((end - start) / step + 1e-9) + 1)
    if frames[-1] < end - 1e-9:
        frames = np.append(frames, end)
    return rows_then(time, frames).tolist()


def rows_then(time: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Returns the rows of a run at some moments, s; after its end the last one."""
    return np.searchsorted(time, moments - 1e-9).clip(0, len(time) - 1)


def corners_of(results: Results, puppet: Puppet, *, follow: bool) -> np.ndarray:
    """Returns corners around the robots wherever they go.

    Args:
        results: signals of the run.
        puppet: the robots.
        follow: True for a camera that goes along: only turns and stretches count then.

    Returns:
        Points in the world, shape (n, 3), m.
    """
    step = max(1, (len(results.time) - 1) // _LOOKS)
    corners, places = [np.empty((0, 3))], []
    for positions in results.positions[::step]:
        puppet.pose(positions)
        places.append(puppet.place)
        moved = places[-1] - places[0] if follow else 0.0
        corners.append(puppet.corners() - moved)
    found = np.vstack(corners)
    return found if len(found) else np.array([[-1.0] * 3, [1.0] * 3])
