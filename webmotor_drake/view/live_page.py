"""A run in a page of our own: the scene, a row per motor, plots, and a pull."""

import json
import math
import time
import typing
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pydrake

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.driven_motor import DrivenMotor
from webmotor_drake.view.live import LiveView
from webmotor_drake.view.moment import moment_now
from webmotor_drake.view.page_pull import Pull
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.page_server import Message, PageServer

_FRAME = 1 / 30  # s
_HANDS = 10  # keys at a time
_HERE = Path(__file__).parent / "page_files"
_NUMBERS = (
    "position",
    "velocity",
    "effort",
    "effort_limit",
    "target_position",
    "mode",
)


class LivePage(LiveView):
    """Shows simulations in a page, and drives their motors; see `LiveView`.

    Args:
        rate: simulated seconds per second; 0: as fast as it can.
        follow: whether the camera goes along with the robots at first.
        port: where to listen; None: the first free one.
        waits: whether a run waits while no page shows it.

    Raises:
        InputError: no port is free, or the extra `page` is not installed.
    """

    over = "over; move a slider, or press go on, to go on with it; Ctrl-C ends"

    def __init__(
        self,
        *,
        rate: float = 1.0,
        follow: bool = False,
        port: int | None = None,
        waits: bool = True,
    ):
        self.ended = ""
        self._rate, self._follow, self._waits = rate, follow, waits
        self._controls: PageControls | None = None
        self._welcome: list[Message] = []
        self._server = PageServer(_files(), lambda: list(self._welcome), port)

    @property
    def address(self) -> str:
        """The page's address, for a browser on this machine."""
        return self._server.address

    def close(self) -> None:
        """Ends the server."""
        self._server.close()

    def publish(self) -> None:
        """Does nothing: the page keeps no recording."""

    def end(self) -> None:
        """Tells the page that the run is over."""
        self._tell(state="over")

    def wait_for_browser(self) -> None:
        """Waits until a page has loaded the scene."""
        while not self._server.pages:
            time.sleep(_FRAME)
            self._read()

    def tell(self, text: str) -> None:
        """Shows a line of text in the page, such as a warning."""
        message = json.dumps({"say": text})
        self._welcome.append(message)
        self._server.tell(message)

    def _show_run(self, make: Callable[[], Simulation]) -> Simulation:
        simulation = self._simulation = make()
        self._sliders = PageMotors(simulation)
        self._scene = _Drawing(self, simulation, self._sliders, self._server)
        self._controls = PageControls(self._rate)
        duration = simulation.scenario.simulation_duration
        about = {
            "motors": self._sliders.about,
            "paths": self._scene.scene.paths,
            "corners": self._scene.scene.corners.tolist(),
            "followed": self._scene.scene.followed,
            "duration": duration if math.isfinite(duration) else None,
            "rate": self._rate,
            "follow": self._follow,
        }
        self._welcome = [
            json.dumps(about),
            *self._scene.scene.messages,
            json.dumps({"complete": True}),
        ]
        for message in self._welcome:
            self._server.tell(message)
        return simulation

    def _look(self) -> None:
        self._read()
        self._sliders.update()  # also of a page that stops the run right after
        super()._look()
        self._scene.send(self._now)
        self._tell_state()

    def _tell_state(self) -> None:
        state = "paused" if self._controls.paused else "runs"
        if state != self._controls.told:
            self._controls.told = state
            self._tell(state=state, rate=self._rate)

    def _tell(self, **message: object) -> None:
        self._server.tell(json.dumps(message))

    def _read(self) -> None:
        """Does what pages have asked for since the last look."""
        while self._server.inbox:
            message = self._server.inbox.popleft()
            try:
                self._do(message)
            except (KeyError, TypeError, ValueError, IndexError):
                continue  # no page of ours has sent that

    def _do(self, message: dict[str, typing.Any]) -> None:
        if "set" in message:
            index, value = message["set"]
            self._sliders.ask(int(index), float(value))
        elif "mode" in message:
            self._sliders.ask_mode(int(message["mode"]))
        elif "run" in message:
            self._controls.press(str(message["run"]))
        elif "rate" in message:
            self._controls.rate = min(max(float(message["rate"]), 0.0), 100.0)
        elif "keys" in message:
            keys = [int(key) for key in message["keys"]]
            self._simulation.keys = keys[:_HANDS]
        elif "pull" in message:
            self._scene.pull(message["pull"], paused=self._controls.paused)
        elif message.get("left"):
            self._scene.pull(None, paused=False)
            self._simulation.keys = []
            if self._waits and not self._server.pages:
                self._controls.paused = True


class PageControls:
    """Pause, step, stop, reset and rate, as the page has them; see `RunControls`.

    Attributes:
        rate: simulated seconds per second.
        paused: whether the run waits.
        told: the state that pages were told last.
    """

    def __init__(self, rate: float):
        self.rate, self.paused, self.told = rate, False, ""
        self._pressed: list[str] = []

    def press(self, button: str) -> None:
        """Notes that a button was pressed."""
        self._pressed.append(button)

    def show_time(self, time: float) -> None:
        """Does nothing: each frame has its time."""

    def take_pause(self) -> bool:
        """Returns whether to wait."""
        if self._take("pause") % 2:
            self.paused = not self.paused
        return self.paused

    def take_steps(self) -> int:
        """Returns how many steps were asked for; who steps waits then."""
        steps = self._take("step")
        self.paused = self.paused or steps > 0
        return steps

    def take_stop(self) -> bool:
        """Returns whether the run ends here."""
        return self._take("stop") > 0

    def take_reset(self) -> bool:
        """Returns whether the run starts again."""
        return self._take("reset") > 0

    def _take(self, button: str) -> int:
        number = self._pressed.count(button)
        self._pressed = [name for name in self._pressed if name != button]
        return number


class PageMotors:
    """The motors of a simulation, as rows of the page; see `MotorSliders`.

    Attributes:
        about: of each motor what does not change, for the page.
        commands: what was commanded, as in a scenario's commands, but the motor is
            "<model>/<motor>".
    """

    def __init__(self, simulation: Simulation):
        self.commands: list[dict[str, object]] = []
        self._simulation = simulation
        self._root = simulation.simulator.get_mutable_context()
        self._motors, self._names, self._models = [], [], []
        for model, system in simulation.motors.items():
            context = system.GetMyMutableContextFromRoot(self._root)
            for i, motor in enumerate(system.devices.names):
                self._motors.append(DrivenMotor(system, i, context))
                self._names.append(f"{model}/{motor}")
                self._models.append((model, motor))
        self.about = [
            {
                "robot": model,
                "name": name,
                "offers": [
                    {
                        "low": o.low,
                        "high": o.high,
                        "unit": o.unit,
                        "step": o.step,
                    }
                    for o in motor.offers
                ],
            }
            for (model, name), motor in zip(
                self._models, self._motors, strict=True
            )
        ]
        self._asked: dict[int, float] = {}
        self._modes: list[int] = []

    def ask(self, index: int, value: float) -> None:
        """Notes what a slider was moved to."""
        if 0 <= index < len(self._motors) and math.isfinite(value):
            self._asked[index] = value

    def ask_mode(self, index: int) -> None:
        """Notes that a motor's mode is to change."""
        if 0 <= index < len(self._motors):
            self._modes.append(index)

    def update(self) -> None:
        """Commands what was asked for."""
        asked, self._asked = self._asked, {}
        modes, self._modes = self._modes, []
        now = self._root.get_time()
        for index, value in asked.items():
            motor = self._motors[index]
            given = motor.command(motor.offers[motor.mode], value)
            self._note(now, index, given)
        for index in modes:
            for given in self._motors[index].change_mode():
                self._note(now, index, given)

    def _note(self, now: float, index: int, given: tuple[str, float]) -> None:
        verb, value = given
        self.commands.append(
            {"time": now, "motor": self._names[index], verb: value}
        )

    def rows(self) -> np.ndarray:
        """Returns the numbers of a frame: `_NUMBERS` and what is commanded."""
        signals = moment_now(self._simulation).signals
        rows = np.empty((len(self._motors), len(_NUMBERS)))
        for k, (name, motor) in enumerate(
            zip(self._names, self._motors, strict=True)
        ):
            rows[k] = [signals[f"{name}/{signal}"] for signal in _NUMBERS]
            rows[k, 4] = motor.commanded(motor.offers[motor.mode].row)
        return rows


class _Drawing:
    """Sends frames, and lets the page pull bodies; see `Scene`."""

    def __init__(
        self,
        page: LivePage,
        simulation: Simulation,
        motors: PageMotors,
        server: PageServer,
    ):
        self.scene = PageScene(simulation)
        self._motors, self._server = motors, server
        self._pull = Pull(simulation)
        self._commands = motors.commands
        self._time = simulation.simulator.get_context().get_time
        self._next, self._force = -math.inf, 0.0

    def draw(self, now: float) -> None:
        """Has a pull act, at each step."""
        self._force = self._pull.act()

    def send(self, now: float) -> None:
        """Sends a frame, if one is due and a page waits for it."""
        if time.perf_counter() < self._next or not self._server.wants_frame:
            return
        self._next = time.perf_counter() + _FRAME
        self._server.show(
            self.scene.frame(now, self._force, self._motors.rows())
        )

    def pull(
        self, asked: dict[str, typing.Any] | None, *, paused: bool
    ) -> None:
        """Pulls a body, puts it down elsewhere while a run waits, or lets go."""
        if asked is None:
            if self._pull.body is not None:
                self._note(None)
            self._pull.release()
            return
        body = self.scene.bodies[self.scene.paths.index(asked["path"])]
        point, target = (
            np.array(asked[name], dtype=float) for name in ("point", "target")
        )
        if point.shape != (3,) or not np.isfinite([point, target]).all():
            raise ValueError
        self._note(asked)
        if paused:
            self._pull.put(point, target, body)
        else:
            self._pull.hold(body, point, target)

    def _note(self, asked: dict[str, typing.Any] | None) -> None:
        """Notes in the run's metadata what was pulled; None: let go."""
        self._commands.append({"time": self._time(), "pull": asked})


def _files() -> dict[str, Message]:
    """Returns what the page is made of, by path."""
    drake = Path(pydrake.__file__).parent / "share/drake/geometry"
    charts = Path(__file__).parents[1] / "comparison/templates"
    return {
        "/": (_HERE / "index.html").read_text(encoding="utf-8"),
        "/page.js": (_HERE / "page.js").read_text(encoding="utf-8"),
        "/page.css": (_HERE / "page.css").read_text(encoding="utf-8"),
        "/meshcat.js": (drake / "meshcat.js").read_bytes(),
        "/favicon.ico": (drake / "meshcat.ico").read_bytes(),
        "/uPlot.js": (charts / "uPlot.iife.min.js").read_bytes(),
        "/uPlot.css": (charts / "uPlot.min.css").read_bytes(),
    }
