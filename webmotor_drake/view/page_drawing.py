"""Draws a run in a page of ours: frames, sensors, contacts and pulls."""

import json
import math
import struct
import typing
from collections.abc import Sequence

import numpy as np

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.simulation.spares import SOLID, stock_models
from webmotor_drake.simulation.supervised import supervisors
from webmotor_drake.view.beside import Beside
from webmotor_drake.view.moment import moment_now
from webmotor_drake.view.page_contacts import ContactForces
from webmotor_drake.view.page_motors import PageMotors
from webmotor_drake.view.page_pull import Pull
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.page_sensors import PageSensors
from webmotor_drake.view.page_server import Message, PageServer, finite
from webmotor_drake.view.puppet import Robots

# Number of samples in a message, and the bytes that begin such a message.
_SAMPLES, SAMPLES = 3, b"\xc1\2\0\0"
# Nobody drags a body further than this from where it is held, m.
_FAR = 1e3


class PageDrawing:
    """Sends frames of a simulation, and lets the page pull bodies.

    Attributes:
        about: constants, for the page.
        messages: messages of Meshcat, which make the shapes.

    Args:
        simulation: made with `by_hand` if bodies can be pulled.
        motors: its motors.
        server: server of the page.
        show: the marks to draw over the robots, of `MARKS`.
        beside: ghost that follows the simulation; None without one.
    """

    def __init__(
        self,
        simulation: Simulation,
        motors: PageMotors,
        server: PageServer,
        show: Sequence[str],
        beside: Beside | None = None,
    ):
        self._simulation, self._server = simulation, server
        self._motors, self._ghosts = motors, [beside] if beside else []
        robots, plant = Robots.of(simulation), simulation.plant
        self._context = robots.context
        self._state = plant.get_state_output_port()
        self._imported: list[tuple] = []
        self._ink: list[tuple[dict, int]] = []  # what pages know
        self._scene = PageScene(
            robots,
            motors=motors,
            show=show,
            all_move=bool(supervisors(simulation.scenario)),
            stock=[
                plant.GetBodyByName(SOLID, plant.GetModelInstanceByName(model))
                for model in stock_models(simulation.scenario)
            ],
            ghosts=[own.ghost.plant for own in self._ghosts],
        )
        self._contacts = ContactForces(simulation)
        self._sensors = PageSensors(simulation)
        self._pull = Pull(simulation)
        self._force = 0.0
        self._samples: list[bytes] = []
        if self._scene.canvas.shapes:
            self._scene.mark(moment_now(simulation))
        self.messages = self._scene.messages
        self.about = {
            **self._scene.about,
            "sensors": self._sensors.about,
            "newtons_per_meter": self._contacts.newtons_per_meter,
            "pulls": self._pull.works,
            "beside": [own.ghost.name for own in self._ghosts],
        }

    def looks(self) -> list[Message]:
        """Returns how marks, imports and ink look, for a page that comes now."""
        changed = json.dumps({"changed": self._scene.canvas.all_looks})
        return [changed, self._imports(), _inked(self._here(), [])]

    def _here(self) -> list[tuple[dict, int]]:
        ink = self._simulation.ink
        return [(s, len(s["strokes"])) for s in ink if s["end"] is None]

    def _imports(self) -> Message:
        return json.dumps({"imported": self._simulation.imports.here})

    @property
    def pulls(self) -> bool:
        """True if somebody pulls a body."""
        return self._pull.body is not None

    def pull_on(self) -> None:
        """Makes a pull act in the next step."""
        self._force = self._pull.act()

    def send(self, now: float) -> None:
        """Sends samples for plots, and a frame if a page waits for it."""
        for ghost in self._ghosts:  # seen or not: they keep up with the run
            ghost.follow()
        if not self._server.pages or (rows := self._sample(now)) is None:
            return
        # Pages that draw slowly get samples, too.
        if len(self._samples) >= 2 * _SAMPLES:
            self._tell_samples()
        for values in self._sensors.values(now):
            self._server.tell(values)
        if self._server.wants_frame:
            frame = self._frame(now, rows)
            self._server.show([*self._sensors.pictures(), frame])

    def finish(self) -> None:
        """Sends the last moment to all pages, whether they wait for it or not.

        Of a run that diverged a page shows the last finite state.
        """
        now = self._simulation.time
        for message in self._sensors.last(now):
            self._server.tell(message)
        for ghost in self._ghosts:
            ghost.follow()
        if (rows := self._sample(now)) is None:
            return
        self._tell_samples()
        self._server.tell(self._frame(now, rows))

    def _sample(self, now: float) -> np.ndarray | None:
        """Keeps a sample for plots; returns its rows, None if the run diverged."""
        state = self._state.Eval(self._context)
        if not math.isfinite(state.sum()):
            return None
        numbers = (ghost.numbers for ghost in self._ghosts)
        rows = np.hstack([self._motors.rows(state), *numbers])
        self._samples += [struct.pack("<f", now), rows.astype("<f4").tobytes()]
        return rows

    def _frame(self, now: float, rows: np.ndarray) -> bytes:
        """Returns a frame; sends other changes of the scene."""
        if self._imported != (here := self._simulation.imports.here):
            self._imported = here
            self._server.tell(self._imports())
        if self._ink != (here := self._here()):
            self._server.tell(_inked(here, self._ink))
            self._ink = here
        if self._scene.canvas.shapes:
            self._scene.mark(moment_now(self._simulation))
            if changes := self._scene.canvas.take():
                self._server.tell(json.dumps({"changed": changes}))
        return self._scene.frame(
            now,
            rows,
            force=self._force,
            contacts=self._contacts.now(),
            ghosts=[ghost.pose() for ghost in self._ghosts],
        )

    def _tell_samples(self) -> None:
        self._server.tell(b"".join([SAMPLES, *self._samples]))
        self._samples.clear()

    def pull(
        self, asked: dict[str, typing.Any] | None, *, paused: bool
    ) -> None:
        """Pulls a body, puts it down elsewhere while a run waits, or lets go.

        Args:
            asked: the body's path, the point in it and the target in the world, m;
                None: lets go.
            paused: True if the run waits.
        """
        if asked is None:
            if self._pull.body is not None:
                self._note("pull", None)
            self._pull.release()
            self._force = 0.0
            return
        paths = self._scene.paths[: len(self._scene.bodies)]
        body = self._scene.bodies[paths.index(asked["path"])]
        held = _point(asked["point"], np.zeros(3))
        target = _point(asked["target"], self._pull.place(held, body))
        where = {
            "body": body.scoped_name().get_full(),
            "point": held.tolist(),
            "target": target.tolist(),
        }
        if not paused:
            self._pull.hold(body, held, target)
            self._note("pull", where)
        elif self._pull.put(held, target, body):
            self._note("put", where)

    def _note(self, verb: str, where: dict[str, typing.Any] | None) -> None:
        """Notes a pull in the run's metadata; None: the body is let go."""
        now = self._simulation.time
        self._motors.commands.append({"time": now, verb: where})


def _inked(
    here: list[tuple[dict, int]], known: list[tuple[dict, int]]
) -> Message:
    """Returns all sheets of ink, with the strokes that pages do not know."""
    since = {id(sheet): count for sheet, count in known}
    new = [
        {**sheet, "since": (k := since.get(id(sheet), 0))}
        | {"strokes": sheet["strokes"][k:count]}
        for sheet, count in here
    ]
    return json.dumps({"ink": new})


def _point(value: typing.Any, near: np.ndarray) -> np.ndarray:
    """Returns a point within reach of another, shape (3,), m; raises as `finite`."""
    found = np.array([finite(number) for number in value])
    if found.shape != (3,) or not np.abs(found - near).max() <= _FAR:
        raise ValueError
    return found
