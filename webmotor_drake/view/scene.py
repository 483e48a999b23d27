"""Draws and records a simulation in Meshcat while it runs."""

import math

from pydrake.geometry import Meshcat
from pydrake.systems.framework import Context

from webmotor_drake.errors import warn
from webmotor_drake.simulation.extent import robot_corners
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.framing import follow_robot, look_at, robot_place
from webmotor_drake.view.replay import (
    FRAMES_PER_SECOND,
    MOST_FRAMES,
    frame_rate,
)


class Scene:
    """A simulation in Meshcat, recorded as it runs, with the camera on its robots.

    Args:
        simulation: at its start; it draws in the Meshcat.
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
        self._follow = follow
        duration = simulation.scenario.simulation_duration
        self._rate = frame_rate(duration)
        meshcat.DeleteRecording()
        meshcat.StartRecording(frames_per_second=self._rate)
        self._records = True
        self._next_frame = -math.inf
        root = simulation.simulator.get_context()
        diagram = simulation.simulator.get_system()
        for system in diagram.GetSystems():
            if type(system).__name__.startswith("Meshcat"):
                system.ForcedPublish(system.GetMyContextFromRoot(root))
        self._context = simulation.plant.GetMyContextFromRoot(root)
        robots = simulation.plant, simulation.scene_graph, self._context
        corners = robot_corners(*robots)
        gravity = simulation.scenario.gravity
        # Robots are going to move, and stay in view.
        look_at(corners, meshcat, gravity, share=0.55)
        self._start = robot_place(simulation.plant, self._context)
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
        if self._follow:
            place = robot_place(self._simulation.plant, self._context)
            gravity = self._simulation.scenario.gravity
            follow_robot(self._meshcat, gravity, place - self._start, now)
