"""A run in a page of ours: the scene, a row per motor, plots, and a pull."""

import contextlib
import json
import math
import time
import typing
from collections.abc import Callable, Iterable

from pydrake.systems.framework import Context, EventStatus

from webmotor_drake.interrupts import RunEnded, is_interrupted
from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.bench import Bench
from webmotor_drake.view.beside import Beside, Ghost
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.pace import Pace
from webmotor_drake.view.page_console import PageConsole
from webmotor_drake.view.page_drawing import PageDrawing
from webmotor_drake.view.page_motors import PageMotors
from webmotor_drake.view.page_server import (
    Message,
    ServedPage,
    finite,
    number_of,
    while_alive,
    whole,
)

# Period of the look at pages, s.
_LOOK = 1 / 30
_HANDS = 10  # keys at a time


class LivePage(ServedPage):
    """Shows simulations in a page of ours, and drives their motors.

    The page pauses, steps and ends the simulation that `attach` makes, by a monitor of
    Drake's simulator. All happens in the thread that runs the simulation.

    Example:
        ::

            page = wm.LivePage()
            print(page.address)  # to be opened in a browser
            with wm.RobotSession("package:quadruped", page=page) as session:
                ...

    Args:
        rate: simulated seconds per second; 0: as fast as it can.
        port: port to listen at; None: the first free one.
        show: the marks to draw over the robots, of `MARKS`.
        waits: True for runs that wait while no page shows them.
        can_end: True for a page that can stop the run and start it again.
        beside: function that makes a ghost, which moves beside a simulation.

    Raises:
        InputError: no port is free, or there is nothing of a name in `show`.
    """

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
        self._pace = Pace(rate)
        self._show = checked_marks(show)
        self._waits, self._can_end = waits, can_end
        self._make_ghost, self._beside = beside, None
        self._is_left, self._told, self._at_end = False, "", ""
        self._ended_at = 0.0  # s
        self._console, self._bench = PageConsole(), Bench()
        self._about: list[Message] = []
        super().__init__(port)

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Shows the block's output in the page, too."""
        return self._console.listening()

    def at_end(self, *, goes_on: bool = True) -> None:
        """Tells the page that the run is over, with its last moment and lines.

        Args:
            goes_on: True if it can go on.
        """
        over = "over" if goes_on else "ended"
        self._at_end = "failed" if self._simulation.failed else over
        self._ended_at = self._now
        self._drawing.finish()
        self._tell_lines()
        self._tell_state(self._at_end)

    def attach(self, make: Callable[[], Simulation]) -> Simulation:
        """Returns a new simulation, ready to be watched.

        Args:
            make: function that makes the simulation.
        """
        simulation = self._simulation = make()
        motors = simulation.motors.values()
        # Without motors the page steps by plant steps.
        step = simulation.plant.time_step() or 1e-3
        period = next((m.period for m in motors), step)
        self._pace.begin(0.0, period)
        self._show_simulation(simulation)
        # Drake's simulator keeps its monitor, which must not keep a page for ever.
        simulation.pause = while_alive(self._pause)
        simulation.live_commands = self._motors.commands
        self._next_look, self._asleep_until = -math.inf, [-math.inf]
        simulation.simulator.set_target_realtime_rate(0)  # it is kept here
        asleep, watch = self._asleep_until, while_alive(self._watch)
        clock = time.perf_counter
        simulation.simulator.set_monitor(
            lambda root: None if clock() < asleep[0] else watch(root)
        )
        return simulation

    @property
    def ended(self) -> typing.Literal["", "stop", "reset"]:
        """The button that ended the run; "" if none did."""
        return self._pace.ended

    def run_on(self) -> None:
        """Waits after the end of a run, and goes on beyond it if a user wants that.

        A button or a motor's slider says so.

        Raises:
            KeyboardInterrupt: on Ctrl-C, and when Stop or Reset was pressed.
        """
        pace, given = self._pace, len(self._motors.commands)
        pace.paused, pace.ended = True, ""
        while pace.holds(self._now) and len(self._motors.commands) == given:
            time.sleep(_LOOK)
            self._look()
        pace.paused = pace.paused and not pace.holds(self._now)
        pace.start_clock(self._now)
        while True:
            self._simulation.advance_to(self._now + 1.0)

    def wait(self) -> None:
        """Waits after the end of a run that cannot go on; shows its last moment."""
        self._pace.ended = ""
        while True:
            self._take_end()
            self._drawing.send(self._now)
            time.sleep(_LOOK)

    def wait_for_browser(self) -> None:
        """Waits until a page has loaded the scene; its messages wait for the run."""
        while not self._server.pages:
            time.sleep(_LOOK)

    def _welcome(self) -> list[Message]:
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

    def _show_simulation(self, simulation: Simulation) -> None:
        root = simulation.simulator.get_mutable_context()
        motors = self._motors = PageMotors(simulation.motors, root)
        self._bench.attach(simulation.scenario, motors)
        self._beside = None
        if self._make_ghost is not None:
            self._beside = Beside(self._make_ghost(), simulation)
        self._drawing = PageDrawing(
            simulation, motors, self._server, self._show, self._beside
        )
        duration = simulation.scenario.simulation_duration
        about = {
            **self._drawing.about,
            "kind": "run",
            "motors": motors.about,
            "takes_keys": any(
                driver.controller
                for driver in robots_of(simulation.scenario).values()
            ),
            "duration": duration if math.isfinite(duration) else None,
            "rate": self._pace.rate,
            "can_end": self._can_end,
        }
        self._told, self._at_end = "runs", ""
        self._about = [json.dumps(about), *self._drawing.messages]
        self._server.begin(self._welcome())

    def _watch(self, root: Context) -> EventStatus | None:
        """Does the page's work after a step of the simulator.

        An exception here would leave the simulator inconsistent. So if the browser or
        Ctrl-C ends the run, the simulation raises the exception once the simulator has
        stopped.
        """
        pace = self._pace
        if pace.ended:
            return None
        try:
            if self._drawing.pulls:
                self._drawing.pull_on()
            if time.perf_counter() >= self._next_look:
                self._look()
            if pace.paused:
                self._hold()
            else:
                self._keep_rate()
        except KeyboardInterrupt as interruption:
            self._simulation.interruption = interruption
            diagram = self._simulation.simulator.get_system()
            return EventStatus.ReachedTermination(diagram, "ended")
        # Each step pays for this: with nothing to do only the clock is read.
        busy = pace.rate or pace.paused or self._drawing.pulls
        self._asleep_until[0] = -math.inf if busy else self._next_look
        return None

    def _look(self) -> None:
        self._next_look = time.perf_counter() + _LOOK
        self._read()
        self._take_end()
        self._drawing.send(self._now)
        paused = self._pace.paused
        if not paused or self._now > self._ended_at:
            self._at_end = ""
        self._tell_state(self._at_end or "paused" if paused else "runs")
        self._tell_lines()

    def _take_end(self) -> None:
        self._read()
        if self._pace.ended:
            raise RunEnded

    def _pause(self) -> None:
        """Waits after the present step, as after a press of the button."""
        self._pace.paused, self._asleep_until[0] = True, -math.inf

    def _hold(self) -> None:
        while self._pace.holds(self._now):
            if is_interrupted():  # controllers step in threads of their own
                return
            time.sleep(_LOOK)
            self._look()
        self._pace.start_clock(self._now)

    def _keep_rate(self) -> None:
        while (early := self._pace.early(self._now)) and not is_interrupted():
            time.sleep(min(early, _LOOK))
            if time.perf_counter() >= self._next_look:
                self._look()

    @property
    def _now(self) -> float:
        return self._simulation.time

    def _tell_state(self, state: str) -> None:
        if state != self._told:
            self._told = state
            self._tell(state=state, failure=self._simulation.failure)

    def _tell_lines(self) -> None:
        warnings = dict(self._simulation.warnings)
        if self._beside is not None and self._beside.failure:
            warnings[f"ghost of {self._beside.failure}"] = 1
        self._console.warn(warnings)
        if lines := self._console.take():
            self._tell(said=lines)

    def _tell(self, **message: object) -> None:
        self._server.tell(json.dumps(message))

    def _do(self, message: dict[str, typing.Any]) -> None:
        motors = self._motors
        if "set" in message:
            index, value = message["set"]
            motors.command(number_of(index, motors.driven), finite(value))
        elif "mode" in message:
            motors.change_mode(number_of(message["mode"], motors.driven))
        elif "run" in message:
            self._press(str(message["run"]))
        elif "rate" in message:
            rate = min(max(finite(message["rate"]), 0.0), 100.0)
            self._pace.set_rate(rate, self._now)
        elif "keys" in message:
            keys = message["keys"][:_HANDS]
            self._simulation.keys = [whole(key) for key in keys]
        elif "pull" in message:
            paused = self._pace.paused
            self._drawing.pull(message["pull"], paused=paused)
        elif "bench" in message:
            self._tune(message["bench"])
        elif message.get("left"):
            self._leave()
        elif message.get("loaded") and self._is_left:
            self._is_left = self._pace.paused = False

    def _tune(self, asked: typing.Any) -> None:
        change = None
        if asked == "save":
            self._bench.save()
        elif asked == "undo":
            change = self._bench.undo()
        else:
            motor, at, value = asked
            motor = number_of(motor, self._bench.motors)
            at = number_of(at, self._bench.motors[motor].paths)
            given = None if value is None else finite(value)
            change = self._bench.change(motor, at, given)
        told: dict[str, object] = {"bench": self._bench.state()}
        if change is not None:
            motor, at = change
            parameters = self._bench.motors[motor]
            name = parameters.about[at]["name"]
            self._motors.note_change(motor, name, parameters.value(at))
            told["offers"] = [motor, self._motors.about[motor]["offers"]]
        self._tell(**told)

    def _press(self, button: str) -> None:
        if self._can_end or button not in ("stop", "reset"):
            self._pace.press(button, self._now)

    def _leave(self) -> None:
        """Pauses the run if the last page has left."""
        if self._waits and not self._server.pages and not self._pace.paused:
            self._is_left = self._pace.paused = True
