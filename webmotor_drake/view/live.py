"""A run that is watched and driven from browsers while it goes on."""

import math
import time
import typing
from collections.abc import Callable, Iterable

from pydrake.geometry import Meshcat
from pydrake.systems.framework import Context, EventStatus

from webmotor_drake.interrupts import RunEnded
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.motor_sliders import MotorSliders
from webmotor_drake.view.run_controls import RunControls
from webmotor_drake.view.scene import Scene

# How often the browser's controls are looked at, s.
_LOOK = 1 / 30

# A run that falls this far behind does not hurry later to catch up, s.
_LATE = 0.1


class LiveView:
    """Shows simulations in Meshcat, at the rate wanted, and drives their motors.

    A simulation that `attach` has got is paused, stepped and ended from the browser,
    wherever it is run: its monitor sees to it. All happens in the thread that runs
    it, which has to be the one that made the Meshcat.

    Attributes:
        ended: "stop" or "reset" once that was pressed, else "".

    Args:
        meshcat: where to draw.
        rate: simulated seconds per second; 0: as fast as it can.
        follow: whether the camera goes along with the robots.
        show: what to draw over the robots, of `MARKS`.
        can_end: whether Stop and Reset are offered.

    Raises:
        InputError: there is nothing of a name in `show`.
    """

    # What is told at the end of a run.
    over = (
        "over; the browser can play it again (Animations), or go on with it (pull"
        " a slider, or press Pause / go on); Ctrl-C ends"
    )

    def __init__(
        self,
        meshcat: Meshcat,
        *,
        rate: float = 1.0,
        follow: bool = False,
        show: Iterable[str] = (),
        can_end: bool = True,
    ):
        self.ended: typing.Literal["", "stop", "reset"] = ""
        self._meshcat = meshcat
        self._rate = rate
        self._follow, self._can_end = follow, can_end
        self._show = checked_marks(show)
        self._controls: RunControls | None = None

    def run(
        self,
        make: Callable[[], Simulation],
        *,
        progress: Callable[[float, float], None] | None = None,
    ) -> Results:
        """Simulates to the end, or to where Stop was pressed; after Reset again.

        Args:
            make: makes a simulation; it draws in the Meshcat.
            progress: called now and then with the simulated time and the end, s.
        """
        while True:
            simulation = self.attach(make)
            try:
                results = simulation.run(progress=progress)
            except RunEnded:
                results = simulation.results()
            finally:
                if self.ended != "reset":
                    self.end()
            if self.ended != "reset":
                return results

    def end(self) -> None:
        """Takes the controls away; the recording can be played from now on."""
        self._meshcat.DeleteAddedControls()
        self.publish()

    def publish(self) -> None:
        """Gives browsers the recording, to play when somebody wants it."""
        self._meshcat.get_mutable_recording().set_autoplay(False)
        self._meshcat.PublishRecording()

    def attach(self, make: Callable[[], Simulation]) -> Simulation:
        """Returns a new simulation, ready to be watched.

        Args:
            make: makes it; it draws in the Meshcat.
        """
        if self._controls is not None:
            self._rate = self._controls.rate
        self.ended = ""
        simulation = self._simulation = self._show_run(make)
        simulation.live_commands = self._sliders.commands
        self._step_until = -math.inf
        self._next_look = -math.inf
        self._start_clock(0.0)
        simulation.simulator.set_target_realtime_rate(0)  # it is kept here
        simulation.simulator.set_monitor(self._watch)
        return simulation

    def _show_run(self, make: Callable[[], Simulation]) -> Simulation:
        """Makes the simulation, its controls, the motors' sliders and the scene."""
        self._meshcat.DeleteAddedControls()
        simulation = make()
        self._controls = RunControls(
            self._meshcat,
            duration=simulation.scenario.simulation_duration,
            rate=self._rate,
            can_end=self._can_end,
        )
        self._sliders = MotorSliders(self._meshcat, simulation)
        self._scene = Scene(
            simulation, self._meshcat, show=self._show, follow=self._follow
        )
        return simulation

    def wait_for_browser(self) -> None:
        """Waits until one shows the Meshcat."""
        while not self._meshcat.GetNumActiveConnections():
            time.sleep(_LOOK)

    def run_on(self) -> None:
        """Waits after the end of a run, and goes on beyond it when that is wanted.

        Who pulls a motor's slider wants it, too.

        Raises:
            KeyboardInterrupt: on Ctrl-C, and when Stop or Reset was pressed.
        """
        self._controls.paused = True
        given = len(self._sliders.commands)
        while self._controls.paused and len(self._sliders.commands) == given:
            time.sleep(_LOOK)
            self._look()
        self._controls.paused = self._step_until > self._now
        self._start_clock(self._now)
        while True:
            self._simulation.advance_to(self._now + 1.0)

    def wait(self) -> None:
        """Waits after the end of a run that cannot go on."""
        while True:
            self._take_end()
            time.sleep(_LOOK)

    def _watch(self, root: Context) -> EventStatus | None:
        """Does what is to be done after a step of the simulator.

        An error would leave the simulator at odds with itself: who ends the run, in
        the browser or by Ctrl-C, has the simulation raise it when the simulator has
        stopped.
        """
        if self.ended:
            return None
        try:
            self._scene.draw(self._now)
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
        return None

    def _look(self) -> None:
        """Takes what was done in the browser."""
        self._next_look = time.perf_counter() + _LOOK
        self._take_end()
        self._sliders.update()
        self._controls.show_time(self._now)
        steps = self._controls.take_steps()
        if steps:
            start = max(self._step_until, self._now)
            self._step_until = start + steps * self._period
        rate = self._controls.rate
        if self._controls.take_pause() or rate != self._rate:
            self._rate = rate
            self._start_clock(self._now)

    def _take_end(self) -> None:
        if self._controls.take_reset():
            self.ended = "reset"
        elif self._controls.take_stop():
            self.ended = "stop"
        if self.ended:
            raise RunEnded

    def _hold(self) -> None:
        """Waits until it goes on."""
        while self._controls.paused and self._now >= self._step_until:
            time.sleep(_LOOK)
            self._look()
        self._start_clock(self._now)

    def _keep_rate(self) -> None:
        """Waits until the clock on the wall has come as far as the simulation."""
        while self._rate and not self._controls.paused:
            due = self._clock_started + (self._now - self._started) / self._rate
            early = due - time.perf_counter()
            if early < -_LATE:
                self._start_clock(self._now)
            if early <= 0:
                return
            time.sleep(min(early, _LOOK))
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
