"""The scene of a simulation, for the live page: its shapes once, then its poses."""

import base64
import re
import struct

import numpy as np
from pydrake.geometry import MeshcatVisualizer, MeshcatVisualizerParams
from pydrake.multibody.tree import BodyIndex

from webmotor_drake.simulation.extent import robot_corners
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.framing import free_bodies
from webmotor_drake.view.server import start_meshcat

PREFIX = "/drake/shapes"
_PARTS = re.compile(rb"octet-binary;base64,([A-Za-z0-9+/=]+)")
# Begins a frame of ours; no message of Meshcat does.
_FRAME = b"\xc1"


class PageScene:
    """The bodies of a simulation as Meshcat's viewer draws them.

    Attributes:
        messages: of Meshcat, which make the shapes.
        paths: of the bodies that move, in the viewer's scene.
        bodies: these bodies.
        corners: of the boxes around the robots at the start, shape (n, 3), m.
        followed: the indices in `paths` of the robots' free bodies.
    """

    def __init__(self, simulation: Simulation):
        plant, scene_graph = simulation.plant, simulation.scene_graph
        root = simulation.simulator.get_context()
        self._context = plant.GetMyContextFromRoot(root)
        self._plant = plant
        self.messages = _messages(simulation)
        sent = b"".join(self.messages)
        self.bodies, self.paths = [], []
        for index in range(1, plant.num_bodies()):
            body = plant.get_body(BodyIndex(index))
            name = body.scoped_name().get_full().replace("::", "/")
            path = f"{PREFIX}/{name}"
            if path.encode() in sent and not plant.IsAnchored(body):
                self.bodies.append(body)
                self.paths.append(path)
        self.corners = robot_corners(plant, scene_graph, self._context)
        free = {int(body.index()) for body in free_bodies(plant)}
        self.followed = [
            i for i, b in enumerate(self.bodies) if int(b.index()) in free
        ]

    def frame(self, time: float, force: float, rows: np.ndarray) -> bytes:
        """Returns a frame for the page.

        Args:
            time: the simulated time, s.
            force: of who pulls a body, N.
            rows: numbers of the motors, shape (motors, 6).
        """
        poses = np.empty((len(self.bodies), 4, 4), dtype="<f4")
        for i, body in enumerate(self.bodies):
            X_WB = self._plant.EvalBodyPoseInWorld(self._context, body)
            poses[i] = X_WB.GetAsMatrix4().T  # column by column
        head = struct.pack("<xxxdIf", time, len(self.bodies), force)
        return _FRAME + head + poses.tobytes() + rows.astype("<f4").tobytes()


def _messages(simulation: Simulation) -> list[bytes]:
    """Returns what a Meshcat sends of the scene; it is closed again at once."""
    meshcat = start_meshcat()
    visualizer = MeshcatVisualizer(
        meshcat,
        MeshcatVisualizerParams(prefix=PREFIX, enable_alpha_slider=False),
    )
    own = visualizer.CreateDefaultContext()
    scene_graph = simulation.scene_graph
    context = scene_graph.GetMyContextFromRoot(
        simulation.simulator.get_context()
    )
    query = scene_graph.get_query_output_port().EvalAbstract(context)
    visualizer.query_object_input_port().FixValue(own, query)
    visualizer.ForcedPublish(own)
    page = meshcat.StaticHtml().encode()
    return [base64.b64decode(part) for part in _PARTS.findall(page)]
