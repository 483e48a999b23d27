"""A run that is watched and driven while it goes on: paused, stepped, ended."""

import abc
import contextlib
import math
import time
import typing
import weakref
from collections.abc import Callable

from pydrake.systems.framework import Context, EventStatus

from webmotor_drake.interrupts import RunEnded, is_interrupted
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.page_drawing import PageDrawing
from webmotor_drake.view.page_motors import PageMotors

# The period in which a browser's events are looked at, s.
LOOK = 1 / 30

# A run that falls this far behind does not hurry later to catch up, s.
_LATE = 0.1


class Controls:
    """Pause, step, stop, reset and rate of a run.

    Attributes:
        paused: True if the run waits.
        rate: simulated seconds per second; 0: as fast as it can.

    Args:
        rate: see above.
    """

    def __init__(self, rate: float):
        self.paused, self.rate = False, rate
        self._pressed: list[str] = []

    def press(self, button: str) -> None:
        """Notes that a button was pressed."""
        self._pressed.append(button)

    def take_pause(self) -> bool:
        """Returns whether to wait, by the buttons pressed since the last look."""
        if self._take("pause") % 2:
            self.paused = not self.paused
        return self.paused

    def take_steps(self) -> int:
        """Returns how many steps were asked for; who steps waits then."""
        steps = self._take("step")
        self.paused = self.paused or steps > 0
        return steps

    def take_end(self) -> typing.Literal["", "stop", "reset"]:
        """Returns which button ends the run here; "" if none does."""
        reset, stop = self._take("reset"), self._take("stop")
        return "reset" if reset else "stop" if stop else ""

    def _take(self, button: str) -> int:
        """Returns how often a button was pressed since the last look."""
        number = self._pressed.count(button)
        self._pressed = [name for name in self._pressed if name != button]
        return number


class LiveRun(abc.ABC):
    """Shows simulations at the rate wanted, and drives their motors.

    A simulation that `attach` has got is paused, stepped and ended from where it is
    shown, wherever it is run: its monitor sees to it. All happens in the thread that
    runs it.

    Attributes:
        ended: "stop" or "reset" once that was pressed, else "".
        over: what is told at the end of a run.

    Args:
        rate: simulated seconds per second; 0: as fast as it can.
    """

    over: str

    def __init__(self, *, rate: float = 1.0):
        self.ended: typing.Literal["", "stop", "reset"] = ""
        self._rate = rate
        self._controls: Controls | None = None

    def run(
        self,
        make: Callable[[], Simulation],
        *,
        progress: Callable[[float, float], None] | None = None,
    ) -> Results:
        """Simulates to the end, or to where Stop was pressed; after Reset again.

        Args:
            make: makes a simulation.
            progress: called now and then with the simulated time and the end, s.
        """
        while True:
            simulation = self.attach(make)
            try:
                with self.listening():
                    results = simulation.run(progress=progress)
            except RunEnded:
                results = simulation.results()
            finally:
                if self.ended != "reset":
                    self.end()
            if self.ended != "reset":
                return results

    @abc.abstractmethod
    def end(self) -> None:
        """Tells whoever looks that the run is over for good."""

    @abc.abstractmethod
    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Shows the block's output, too."""

    def attach(self, make: Callable[[], Simulation]) -> Simulation:
        """Returns a new simulation, ready to be watched.

        Args:
            make: makes it.
        """
        if self._controls is not None:
            self._rate = self._controls.rate
        self.ended = ""
        simulation = self._simulation = make()
        self._controls, self._sliders, self._scene = self._shown(simulation)
        simulation.live_commands = self._sliders.commands
        # Drake's simulator keeps what it is given, and would keep a page for ever.
        simulation.pause = _while_alive(self._pause)
        self._step_until = -math.inf
        self._next_look = -math.inf
        self._only_looks = False
        self._start_clock(0.0)
        simulation.simulator.set_target_realtime_rate(0)  # it is kept here
        simulation.simulator.set_monitor(_while_alive(self._watch))
        return simulation

    def forget_end(self) -> None:
        """Forgets which button ended the run."""
        self.ended = ""

    @abc.abstractmethod
    def _shown(
        self, simulation: Simulation
    ) -> tuple[Controls, PageMotors, PageDrawing]:
        """Shows a new simulation; returns its controls, motors and picture."""

    def run_on(self) -> None:
        """Waits after the end of a run, and goes on beyond it when that is wanted.

        Who pulls a motor's slider wants it, too.

        Raises:
            KeyboardInterrupt: on Ctrl-C, and when Stop or Reset was pressed.
        """
        self._controls.paused = True
        given = len(self._sliders.commands)
        while (
            self._controls.paused
            and self._step_until <= self._now
            and len(self._sliders.commands) == given
        ):
            time.sleep(LOOK)
            self._look()
        self._controls.paused = self._step_until > self._now
        self._start_clock(self._now)
        while True:
            self._simulation.advance_to(self._now + 1.0)

    def wait(self) -> None:
        """Waits after the end of a run that cannot go on."""
        while True:
            self._take_end()
            time.sleep(LOOK)

    def _watch(self, root: Context) -> EventStatus | None:
        """Does the work after a step of the simulator.

        An error would leave the simulator at odds with itself: who ends the run, in
        the browser or by Ctrl-C, has the simulation raise it when the simulator has
        stopped.
        """
        early = time.perf_counter() < self._next_look
        if early and self._only_looks and not self._controls.paused:
            return None
        if self.ended:
            return None
        try:
            self._scene.step()
            if time.perf_counter() >= self._next_look:
                self._look()
            if self._controls.paused:
                self._hold()
            else:
                self._keep_rate()
        except KeyboardInterrupt as interruption:
            self._simulation.interruption = interruption
            diagram = self._simulation.simulator.get_system()
            return EventStatus.ReachedTermination(diagram, "ended")
        self._only_looks = not self._rate and not self._scene.acts_each_step
        return None

    def _look(self) -> None:
        """Handles the user's input in the browser."""
        self._next_look = time.perf_counter() + LOOK
        self._take_end()
        self._sliders.update()
        steps = self._controls.take_steps()
        if steps:
            start = max(self._step_until, self._now)
            self._step_until = start + steps * self._period
        rate = self._controls.rate
        if self._controls.take_pause() or rate != self._rate:
            self._rate = rate
            self._start_clock(self._now)

    def _take_end(self) -> None:
        self.ended = self._controls.take_end() or self.ended
        if self.ended:
            raise RunEnded

    def _pause(self) -> None:
        """Waits after the present step, as after a press of the button."""
        self._controls.paused = True

    def _hold(self) -> None:
        """Waits until it goes on."""
        while self._controls.paused and self._now >= self._step_until:
            if is_interrupted():  # controllers step in threads of their own
                return
            time.sleep(LOOK)
            self._look()
        self._start_clock(self._now)

    def _keep_rate(self) -> None:
        """Waits until the clock on the wall has come as far as the simulation."""
        while self._rate and not self._controls.paused and not is_interrupted():
            due = self._clock_started + (self._now - self._started) / self._rate
            early = due - time.perf_counter()
            if early < -_LATE:
                self._start_clock(self._now)
            if early <= 0:
                return
            time.sleep(min(early, LOOK))
            if time.perf_counter() >= self._next_look:
                self._look()

    def _start_clock(self, now: float) -> None:
        """Compares simulated and real time from now on."""
        self._started, self._clock_started = now, time.perf_counter()

    @property
    def _now(self) -> float:
        return self._simulation.time

    @property
    def _period(self) -> float:
        """The motor period, s; half a plant step less ends the step in time."""
        motors = self._simulation.motors.values()
        step = self._simulation.plant.time_step()
        return next((m.period for m in motors), step or 1e-3)


def _while_alive(
    method: Callable[..., typing.Any],
) -> Callable[..., typing.Any]:
    """Returns a function that calls a method, and does not keep its object alive."""
    alive = weakref.WeakMethod(method)

    def call(*args: typing.Any) -> typing.Any:
        return found(*args) if (found := alive()) else None

    return call
