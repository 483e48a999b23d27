"""A run in a page of ours: the scene, a row per motor, plots, and a pull."""

import contextlib
import json
import math
import time
import typing
from collections.abc import Callable, Iterable

from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.bench import Bench
from webmotor_drake.view.beside import Beside, Ghost
from webmotor_drake.view.live_run import LOOK, Controls, LiveRun
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.page_console import PageConsole
from webmotor_drake.view.page_drawing import PageDrawing
from webmotor_drake.view.page_messages import finite, whole
from webmotor_drake.view.page_motors import PageMotors
from webmotor_drake.view.page_server import Message, server_of

_HANDS = 10  # keys at a time


class LivePage(LiveRun):
    """Shows simulations in a page of ours, and drives their motors; see `LiveRun`.

    Example:
        ::

            page = wm.LivePage()
            print(page.address)  # to be opened in a browser
            with wm.RobotSession("package:quadruped", page=page) as session:
                ...

    Args:
        rate: simulated seconds per second; 0: as fast as it can.
        port: where to listen; None: the first free one.
        show: the marks to draw over the robots, of `MARKS`.
        waits: whether a run waits while no page shows it.
        can_end: whether the page can stop the run and start it again.
        beside: makes a ghost for a simulation, which moves beside it.

    Raises:
        InputError: no port is free, or there is nothing of a name in `show`.
    """

    over = "over; move a slider, or press go on, to go on with it; Ctrl-C ends"

    def __init__(
        self,
        *,
        rate: float = 1.0,
        port: int | None = None,
        show: Iterable[str] = (),
        waits: bool = True,
        can_end: bool = True,
        beside: Callable[[], Ghost] | None = None,
    ):
        super().__init__(rate=rate)
        self._show = checked_marks(show)
        self._waits, self._can_end = waits, can_end
        self._make_ghost, self._beside = beside, None
        self._is_left, self._told, self._at_end = False, "", ""
        self._ended_at = 0.0  # s
        self._console, self._bench = PageConsole(), Bench()
        self._about: list[Message] = []
        self._server = server_of(self._welcome, port)

    @property
    def address(self) -> str:
        """The page's address, for a browser on this machine."""
        return self._server.address

    def close(self) -> None:
        """Ends the server."""
        self._server.close()

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Shows the block's output in the page, too."""
        return self._console.listening()

    def at_end(self, *, goes_on: bool = True) -> None:
        """Tells the page that the run is over, with its last moment and lines.

        Args:
            goes_on: whether it can go on.
        """
        over = "over" if goes_on else "ended"
        self._at_end = "failed" if self._simulation.failed else over
        self._tell_end()

    def wait(self) -> None:
        """Waits after the end of a run that cannot go on; shows its last moment."""
        while True:
            self._take_end()
            self._drawing.send(self._now)
            time.sleep(LOOK)

    def end(self) -> None:
        """Tells the page that nothing more comes."""
        self._at_end = "ended"
        self._tell_end()

    def _tell_end(self) -> None:
        self._ended_at = self._now
        self._drawing.finish()
        self._tell_lines()
        self._tell_state(self._at_end)

    def wait_for_browser(self) -> None:
        """Waits until a page has loaded the scene."""
        while not self._server.pages:
            time.sleep(LOOK)
            self._read()

    def _welcome(self) -> list[Message]:
        """Returns the messages for a new page; called in the server's thread."""
        if not self._about:
            return []
        lines = [*self._console.kept]
        return [
            *self._about,
            *self._drawing.looks(),
            json.dumps(
                {
                    "complete": True,
                    "state": self._told,
                    "failure": self._simulation.failure,
                    "said": lines,
                    "bench": self._bench.state(),
                }
            ),
        ]

    def _shown(
        self, simulation: Simulation
    ) -> tuple[Controls, PageMotors, PageDrawing]:
        self._bench.attach(simulation)
        root = simulation.simulator.get_mutable_context()
        motors = self._motors = PageMotors(simulation.motors, root)
        self._beside = None
        if self._make_ghost is not None:
            self._beside = Beside(self._make_ghost(), simulation)
        self._drawing = PageDrawing(
            simulation, motors, self._server, self._show, self._beside
        )
        duration = simulation.scenario.simulation_duration
        source = simulation.scenario.source
        about = {
            "kind": "run",
            "title": source.name if source else "",
            "motors": [
                {**about, "parameters": parameters.about}
                for about, parameters in zip(
                    motors.about, self._bench.motors, strict=True
                )
            ],
            "takes_keys": any(
                driver.controller
                for driver in robots_of(simulation.scenario).values()
            ),
            **self._drawing.about,
            "duration": duration if math.isfinite(duration) else None,
            "rate": self._rate,
            "can_end": self._can_end,
        }
        self._told, self._at_end = "runs", ""
        self._about = [json.dumps(about), *self._drawing.messages]
        self._server.begin(self._welcome())
        return Controls(self._rate), motors, self._drawing

    def _look(self) -> None:
        self._read()
        self._sliders.update()  # also of a page that stops the run right after
        super()._look()
        self._drawing.send(self._now)
        if not self._controls.paused or self._now > self._ended_at:
            self._at_end = ""
        waits = self._at_end or "paused"
        self._tell_state(waits if self._controls.paused else "runs")
        self._tell_lines()

    def _take_end(self) -> None:
        self._read()
        super()._take_end()

    def _tell_state(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self._tell(state=state, failure=self._simulation.failure)

    def _tell_lines(self) -> None:
        self._console.warn(self._simulation.warnings | self._of_ghost())
        if lines := self._console.take():
            self._tell(said=lines)

    def _of_ghost(self) -> dict[str, int]:
        """Returns why a ghost has stopped, as a warning; empty if it has not."""
        failure = "" if self._beside is None else self._beside.failure
        return {f"ghost of {failure}": 1} if failure else {}

    def _tell(self, **message: object) -> None:
        self._server.tell(json.dumps(message))

    def _read(self) -> None:
        while self._server.inbox:
            message = self._server.inbox.popleft()
            try:
                self._do(message)
            except (KeyError, TypeError, ValueError, OverflowError):
                continue  # no page of ours has sent that

    def _do(self, message: dict[str, typing.Any]) -> None:
        if "set" in message:
            index, value = message["set"]
            self._sliders.ask(whole(index), finite(value))
        elif "mode" in message:
            self._sliders.ask_mode(whole(message["mode"]))
        elif "run" in message:
            self._press(str(message["run"]))
        elif "rate" in message:
            self._controls.rate = min(max(finite(message["rate"]), 0.0), 100.0)
        elif "keys" in message:
            keys = message["keys"][:_HANDS]
            self._simulation.keys = [whole(key) for key in keys]
        elif "pull" in message:
            paused = self._controls.paused
            self._drawing.pull(message["pull"], paused=paused)
        elif "bench" in message:
            self._tune(message["bench"])
        elif message.get("left"):
            self._leave()
        elif message.get("loaded") and self._is_left:
            self._is_left = self._controls.paused = False

    def _tune(self, asked: typing.Any) -> None:
        """Changes a parameter, undoes that or saves; tells all pages what came of it.

        Args:
            asked: "undo", "save", or motor, parameter and value.
        """
        change = None
        if asked == "save":
            self._bench.save()
        elif asked == "undo":
            change = self._bench.undo()
        else:
            motor, at, value = asked
            given = None if value is None else finite(value)
            change = self._bench.change(whole(motor), whole(at), given)
        told: dict[str, object] = {"bench": self._bench.state()}
        if change is not None:
            self._motors.note_change(*change)
            offers = self._motors.about[change.motor]["offers"]
            told["offers"] = [change.motor, offers]
        self._tell(**told)

    def _press(self, button: str) -> None:
        if self._can_end or button not in ("stop", "reset"):
            self._controls.press(button)

    def _leave(self) -> None:
        """Has the run wait when that was the last page."""
        if self._waits and not self._server.pages and not self._controls.paused:
            self._is_left = self._controls.paused = True
