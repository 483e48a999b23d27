"""A simulation in the rhythm of its basic steps, for clients that command robots."""

import contextlib
import math
import threading
import time
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.host.senses.sampling import Sampler, measure_due
from webmotor_drake.host.senses.surroundings import Surroundings
from webmotor_drake.host.world_changes import Rhythm, WorldChanges
from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.simulation.simulation import CHECKS, Simulation
from webmotor_drake.simulation.spares import spare_robots

# The longest stretch, in basic steps, without a look at whether to stop.
_STRETCH = 100

# The time that a stretch should take, s: an interrupted run waits for its end.
_PATIENCE = 0.2

# The number of progress reports in a run.
_REPORTS = 200
# The number of looks in a run at which shapes touch.
_LOOKS = 200
# The length taken for a run without an end, s.
_ENDLESS = 200.0


class SteppedSimulation:
    """A simulation, seen in basic steps.

    If lazy, it puts off steps while no sensor is on, no command is given, nothing is
    drawn and no real time is kept, and simulates them later in one stretch. The
    results are the same.

    Attributes:
        simulation: simulation that runs.
        basic_time_step: the motor period, ms.
        now: the number of basic steps done, over all resets.
        started: number of the step at which the simulation was reset last.
        idle_reloads: number of reloads in a row while no time passed.
        last_step: number of steps to the end of the scenario; may be infinite.
        samplers: the sensors that are on.
        sampled: plant's [q, v] at the last measurement; always the same list.
        lock: lock that a thread holds while it simulates or reads; others wait.
        stopped: True if the simulation was asked to stop.
        plant_context: the plant's Context.
        drawn: True if something draws the simulation while it runs.
        lazy: True if steps may be put off.
        surroundings: shapes, lights and radio that devices sense.
        progress: called with the simulated time and the end, s, now and then.
        changes: changes to the world that supervisors have asked for.
        absent: the robots that are out of the world, see `spare_robots`.
        custom_data: Webots' Robot.customData, for this run, by model name.
        scene: the world as supervisors see it, once one has looked.
        noted: maker of the context manager for steps and commands, or None.
        rhythm: loop that steps it, once there is one.

    Args:
        noted: True if the simulation notes time and warnings of steps and commands.
    """

    def __init__(
        self,
        simulation: Simulation,
        progress: Callable[[float, float], None] | None = None,
        *,
        lazy: bool = False,
        noted: bool = False,
    ):
        self.simulation = simulation
        self.progress = progress
        period = next(iter(simulation.motors.values())).period
        self.basic_time_step = round(period * 1000, 9)
        self.now = round(simulation.simulator.get_context().get_time() / period)
        self.end = simulation.scenario.simulation_duration
        self.last_step, self._pace = math.inf, round(_ENDLESS / period)
        if math.isfinite(self.end):
            self.last_step = self._pace = math.floor(self.end / period + 1e-9)
        self.samplers: list[Sampler] = []
        self.sampled: list[float] = []
        self.lock = threading.RLock()
        self.stopped = False
        self.surroundings = Surroundings(self)
        self.started = 0
        self.idle_reloads = 0
        self._forget_supervisors()
        self.absent = set(spare_robots(simulation.scenario))
        self.rhythm: Rhythm
        self.noted: (
            Callable[[], contextlib.AbstractContextManager[typing.Any]] | None
        ) = simulation.noted if noted else None
        self._open = False
        self._done = self.now
        self._next_report = self._next_check = self._next_look = 0
        plant = simulation.plant
        self._is_discrete = plant.time_step() > 0
        self._stretch = 1 if self._is_discrete else _STRETCH
        self._state_port = plant.get_state_output_port()
        self.plant_context = plant.GetMyContextFromRoot(
            simulation.simulator.get_context()
        )
        # Drake updates a discrete state in place; reading the port would take a µs.
        self._state: np.ndarray | None = None
        if self._is_discrete:
            self._state = self.plant_context.get_discrete_state(0).get_value()
        self.drawn = is_drawn(simulation)
        rate = simulation.simulator.get_target_realtime_rate()
        self.lazy = lazy and not self.drawn and rate == 0

    def lend(self) -> None:
        """Notes that user code may change the plant's Context between steps."""
        self._open = True

    def keep_up(self) -> None:
        """Puts off no step from now on."""
        self.lazy = False

    def stay_in_thread(self) -> None:
        """Keeps the simulation in the thread that draws it."""
        self.drawn = True

    def sample(
        self, sampler: Sampler, steps: int, *, first: bool = False
    ) -> None:
        """Makes a sampler measure every so many steps from now on; 0 stops it.

        Args:
            sampler: the sampler.
            steps: period in basic steps.
            first: True to measure before all samplers that are on already.
        """
        sampler.enable(steps, self.now)
        if not steps and sampler in self.samplers:
            self.samplers.remove(sampler)
        elif steps and sampler not in self.samplers:
            place = 0 if first else len(self.samplers)
            self.samplers.insert(place, sampler)

    def move_robot(self, model: str, *, here: bool) -> None:
        """Notes that a robot has entered or left the world, and calls `at_robot`."""
        (self.absent.discard if here else self.absent.add)(model)
        for tell in tuple(self.changes.at_robot):
            tell(model)

    def stop(self) -> None:
        """Stops the simulation at the end of the present step."""
        self.stopped = True

    def time_of(self, step: float) -> float:
        """Returns the start of a step, s; a reset sets the time to 0."""
        return (step - self.started) * self.basic_time_step / 1000

    @property
    def elapsed(self) -> float:
        """The start of the present step, s from the start of the run."""
        return self.now * self.basic_time_step / 1000

    @property
    def busy(self) -> bool:
        """True if another thread simulates or reads."""
        return is_held(self.lock)

    @property
    def over(self) -> bool:
        """True if the scenario has no further step."""
        return self.now >= self.last_step

    def advance(
        self, step: float, listen: Callable[[], bool] | None = None
    ) -> None:
        """Simulates until the start of `step`, or the end; sensors measure.

        Args:
            step: number of basic steps done at the end.
            listen: function called on the way; `advance` stops if it returns True.
        """
        if step > self.last_step:
            step = self.last_step
        with self.lock:
            while self.now < step and not self.stopped:
                changes = self.changes
                if changes.waiting:
                    self.catch_up()
                    changes.apply()
                single = changes.reset or changes.at_end
                latest = self._done + (1 if single else self._stretch)
                stop = self.now + 1
                if stop < step and stop < latest:
                    due = [each.last + each.period for each in self.samplers]
                    stop = max(min(step, latest, *due), stop)
                self.now = stop
                if self.samplers or not self.lazy or stop >= latest:
                    self._simulate()
                    anew = single and changes.end_step()
                    if anew:
                        self.reset()
                    self._measure()
                    for sampler in self.samplers if anew else ():
                        sampler.restart()
                if listen is not None and self.now < step and listen():
                    return

    def reset(self, seed: int | None = None) -> None:
        """Goes back to the start; the present step is step 0 then.

        Args:
            seed: seed of a new random start; None: the first start.
        """
        self.catch_up()
        self.simulation.reset(seed)
        self.started = self.now
        for change in self.changes.at_reset:
            change()

    def begin_episode(self, seed: int | None = None) -> None:
        """Goes back to the start; the scenario's duration begins anew.

        Args:
            seed: seed of a new random start; None: the first start.
        """
        with self.lock:
            if self.simulation.failed:
                self._done = self.now  # delayed steps are lost
            self.changes.end_step()
            self.reset(seed)
            self.stopped = False
            if math.isfinite(self.last_step):
                self.last_step = self.now + self._pace

    def restart_time(self) -> int:
        """Sets the time to 0, as another loop has reset; returns the present step."""
        self.started = self.now
        return self.now

    def take_over(self, step: int) -> None:
        """Takes over the steps of another loop up to `step`; sensors measure."""
        self.now = self._done = step
        self._measure()

    def measure_start(self) -> None:
        """Makes enabled sensors measure the start of an episode."""
        with self.lock:
            state = self._state_port.Eval(self.plant_context)
            self.sampled[:] = state.tolist()
            self.surroundings.begin_episode()
            for sampler in self.samplers:
                sampler.restart()
                sampler.last = self.now - sampler.period  # all are due
            for sampler in self.samplers:
                sampler.measure_start(self.now)
                sampler.restart()

    def reload(self) -> None:
        """Goes back to the start as if the world were loaded again.

        All changes by controllers and supervisors are undone.
        """
        idle = self.now == self.started
        self.idle_reloads = self.idle_reloads + 1 if idle else 0
        self.samplers.clear()
        if self.scene is not None:
            self.scene.undo()
        self._forget_supervisors()
        self.simulation.labels.clear()
        self.surroundings.forget_clients()
        self.stopped = False
        self.reset()

    def _forget_supervisors(self) -> None:
        self.changes = WorldChanges()
        self.scene: typing.Any = None
        robots = robots_of(self.simulation.scenario)
        self.custom_data = {m: d.custom_data for m, d in robots.items()}

    def pause(self) -> str:
        """Pauses a run that somebody watches; returns why it goes on, or ""."""
        if self.simulation.pause is None:
            return "there is nobody to end a pause; it goes on"
        self.catch_up()
        self.simulation.pause()
        return ""

    def set_real_time_rate(self, rate: float) -> None:
        """Sets the simulation's speed as a multiple of real time; 0: no limit."""
        self.catch_up()
        self.lazy = self.lazy and rate == 0
        self.simulation.simulator.set_target_realtime_rate(rate)
        self.simulation.simulator.ResetStatistics()

    def end_run(self) -> None:
        """Makes the present the end of the scenario."""
        self.catch_up()
        self.last_step = self.now
        self.end = min(self.end, self.now * self.basic_time_step / 1000)

    def _measure(self) -> None:
        if self.samplers:
            state = self._state
            if state is None:
                state = self._state_port.Eval(self.plant_context)
            self.sampled[:] = state.tolist()
            measure_due(self.samplers, self.now)

    def catch_up(self) -> None:
        """Simulates the steps that have been put off."""
        if self._done != self.now:
            with self.lock:
                self._simulate()

    def _simulate(self) -> None:
        started, now = time.perf_counter(), self.now
        if self._open:
            self.simulation.stepper.read_plant()
        if self.noted is None:
            self.simulation.advance_to_step(now - self.started)
        else:
            with self.noted():
                self.simulation.advance_to_step(now - self.started)
        seconds = time.perf_counter() - started
        steps, self._done = now - self._done, now
        # A continuous plant's last bits depend on where it stops: keep its stretches.
        if self._is_discrete and (
            seconds > _PATIENCE or steps == self._stretch
        ):
            longest = min(4 * self._stretch, _STRETCH)
            fitting = int(steps * _PATIENCE / max(seconds, 1e-9))
            self._stretch = max(min(fitting, longest), 1)
        if self.progress is not None and now >= self._next_report:
            self.progress(self.elapsed, self.end)
            self._next_report = now + self._pace // _REPORTS
        if now >= self._next_look:
            self.simulation.look_at_contacts()
            self._next_look = now + max(self._pace // _LOOKS, 1)
        if now >= self._next_check:
            self.simulation.check_state()
            self._next_check = now + self._pace // CHECKS

    def finish(self) -> None:
        """Simulates to the end or, if it was stopped, to the end of the step.

        Afterwards the recordings are complete.
        """
        self.advance(self.last_step)
        self.catch_up()
        end = self.elapsed if self.stopped else self.end
        if end > self.simulation.time:
            self.simulation.advance_to(end)
        self.simulation.check_state()
        if self.progress is not None:
            self.progress(end, self.end)

    def state(self) -> np.ndarray:
        """Returns the plant's [q, v]."""
        with self.lock:
            self.catch_up()
            return self._state_port.Eval(self.plant_context)


def is_held(lock: typing.Any) -> bool:
    """Returns whether another thread holds a lock."""
    free = lock.acquire(blocking=False)
    if free:
        lock.release()
    return not free


def is_drawn(simulation: Simulation) -> bool:
    """Returns whether the simulation is drawn, or watched, while it runs."""
    systems = simulation.simulator.get_system().GetSystems()
    return (
        bool(simulation.scenario.cameras)
        or simulation.simulator.get_monitor() is not None
        or any(type(s).__name__.startswith("Meshcat") for s in systems)
    )
