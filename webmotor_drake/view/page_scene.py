"""The scene of a page of ours: its shapes once, then its poses."""

import base64
import logging
import re
import struct
import tempfile
import typing
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from pydrake.geometry import Meshcat, MeshcatParams
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.errors import InputError
from webmotor_drake.view.drawn_scene import DrawnScene
from webmotor_drake.view.framing import upright
from webmotor_drake.view.marks import Canvas, Mark, posed_muscles
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.page_motors import PageMotors
from webmotor_drake.view.page_server import FIRST_PORT, LAST_PORT
from webmotor_drake.view.page_tree import tree_of
from webmotor_drake.view.puppet import Robots

PREFIX, GHOSTS = "/drake/shapes", "/drake/ghosts"
_PARTS = re.compile(rb"octet-binary;base64,([A-Za-z0-9+/=]+)")
# First byte of our messages, and of none of Meshcat's. The next byte is the kind.
_OURS, _FRAME = b"\xc1", b"\0"


class PageScene:
    """The bodies of a plant, and marks over them, as Meshcat's viewer draws them.

    Attributes:
        about: the part of the scene that does not change, for the page.
        messages: messages of Meshcat, which make the shapes.
        paths: paths of moving things in the viewer's scene: bodies, ghosts, then marks.
        bodies: bodies that may move.
        canvas: the marks.
        followed: the indices in `paths` of the robots' free bodies.

    Args:
        robots: owners of the bodies, whose pose is read for each frame.
        marks: function that makes the marks on a canvas; None: the robots' muscles.
        motors: the robots' motors.
        show: marks to draw over the robots, of `MARKS`.
        all_move: True if bodies that are fixed to the world may go elsewhere.
        stock: bodies that get shapes later, which are drawn elsewhere.
        ghosts: plants of the same robots, drawn a second time.
        light: True for meshes of fewer triangles.
    """

    def __init__(
        self,
        robots: Robots,
        marks: Callable[[Canvas], list[Mark]] | None = None,
        *,
        motors: PageMotors | None = None,
        show: Sequence[str] = (),
        all_move: bool = False,
        stock: Sequence[RigidBody] = (),
        ghosts: Sequence[MultibodyPlant] = (),
        light: bool = False,
    ):
        plant, context = robots.plant, robots.context
        self._robots, self._motors = robots, motors
        self._targets = None
        if motors is not None and "targets" in show:
            self._targets = plant.CreateDefaultContext()
            ghosts = [*ghosts, plant]
        gravity = plant.gravity_field().gravity_vector()
        meshcat = start_meshcat()
        self.canvas = Canvas()
        marks = marks or (lambda canvas: [posed_muscles(robots, canvas)])
        self._marks = marks(self.canvas)
        self.canvas.make(meshcat)
        with tempfile.TemporaryDirectory(prefix="webmotor_") as folder:
            scene = DrawnScene(robots, Path(folder), light=light)
            scene.drawn_in(meshcat, PREFIX)(context, 0.0)
        page = meshcat.StaticHtml().encode()
        self.messages = [base64.b64decode(p) for p in _PARTS.findall(page)]
        world = plant.world_body()
        drawn = [body for body in scene.bodies if body is not world]
        self.bodies = [
            body for body in drawn if all_move or not plant.IsAnchored(body)
        ]
        self.paths = [f"{PREFIX}/{_name(body)}" for body in self.bodies]
        own = [*enumerate(self.bodies)]
        self.followed = [i for i, b in own if b in robots.free_bodies]
        fixed = [i for i, b in own if plant.IsAnchored(b)]
        driven = (i for i, b in own if plant.num_actuators(b.model_instance()))
        moving = [i for i in driven if i not in fixed]
        doubled = [*range(len(self.bodies))] * len(ghosts)
        self._ghosts = [
            [_same(plant, body) for body in self.bodies] for plant in ghosts
        ]
        self.bodies += stock
        self.paths += [f"{PREFIX}/{_name(body)}" for body in stock]
        for k, bodies in enumerate(self._ghosts):
            self.paths += [f"{GHOSTS}/{k}/{_name(body)}" for body in bodies]
        self._unmarked = len(self.paths)
        source = robots.scenario.source
        by_path = {f"{PREFIX}/{_name(body)}": body for body in drawn}
        self.about: dict[str, typing.Any] = {
            "title": source.name if source else "",
            "rate": 1.0,
            "can_end": False,
            "show": [*show],
            "tree": tree_of(robots, by_path),
            "paths": self.paths,
            "turn": upright(gravity).inverse().matrix().tolist(),
            "bodies": len(self.bodies),
            "corners": robots.corners().tolist(),
            "followed": self.followed,
            "framed": moving or [*range(len(own))],
            "fixed": fixed,
            "ghosts": doubled,
        }

    def mark(self, moment: Moment) -> None:
        """Draws the marks as they are at a moment; the first time adds their paths."""
        for mark in self._marks:
            mark(moment)
        if len(self.paths) == self._unmarked:
            self.paths += list(self.canvas.poses)

    def frame(
        self,
        time: float,
        rows: np.ndarray,
        *,
        force: float = 0.0,
        contacts: np.ndarray | None = None,
        ghosts: Sequence[Context] = (),
    ) -> bytes:
        """Returns a frame for the page.

        Args:
            time: the simulated time, s.
            rows: `NUMBERS` of the motors, with ghosts `GHOST_NUMBERS`, too.
            force: force of the pull on a body, N.
            contacts: points, m, and forces, N, in the world, shape (n, 6).
            ghosts: the plant of each ghost, in its pose.
        """
        poses = np.empty((len(self.paths), 4, 4), dtype="<f4")
        robots = self._robots
        pose, context = robots.plant.EvalBodyPoseInWorld, robots.context
        if self._targets is not None:
            targets = self._motors.targets(rows, robots.positions)
            robots.plant.SetPositions(self._targets, targets)
            ghosts = [*ghosts, self._targets]
        for i, body in enumerate(self.bodies):
            poses[i] = pose(context, body).GetAsMatrix4().T  # column by column
        first = len(self.bodies)
        for bodies, own in zip(self._ghosts, ghosts, strict=True):
            for body in bodies:
                poses[first] = body.EvalPoseInWorld(own).GetAsMatrix4().T
                first += 1
        for i, path in enumerate(self.paths[first:]):
            poses[first + i] = self.canvas.poses[path].GetAsMatrix4().T
        head = struct.pack("<dIf", time, len(poses), force)
        parts = [_OURS, _FRAME, b"\0\0", head, poses.tobytes()]
        parts.append(rows.astype("<f4").tobytes())
        if contacts is not None:
            parts.append(contacts.astype("<f4").tobytes())
        return b"".join(parts)


def start_meshcat() -> Meshcat:
    """Returns a Meshcat that listens on 127.0.0.1, at the first free port.

    Raises:
        InputError: no port is free.
    """
    drake = logging.getLogger("drake")
    level = drake.level
    drake.setLevel(logging.WARNING)  # the command line tells the address
    try:
        return Meshcat(MeshcatParams(host="127.0.0.1"))
    except RuntimeError as error:
        raise InputError(
            f"no port from {FIRST_PORT} to {LAST_PORT} is free for Meshcat"
        ) from error
    finally:
        drake.setLevel(level)


def _same(plant: MultibodyPlant, body: RigidBody) -> RigidBody:
    """Returns the body of the same name in another plant."""
    model = body.GetParentPlant().GetModelInstanceName(body.model_instance())
    return plant.GetBodyByName(body.name(), plant.GetModelInstanceByName(model))


def _name(body: RigidBody) -> str:
    return body.scoped_name().get_full().replace("::", "/")
