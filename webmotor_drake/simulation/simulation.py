"""A scenario that is ready to run, and its way to Results."""

import contextlib
import itertools
import math
import time
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pydrake.common import RandomGenerator
from pydrake.geometry import Meshcat
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator
from pydrake.systems.framework import Context

from webmotor_drake.drive.joint_wrenches import FRAME
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import (
    InputError,
    SimulationError,
    counted_warnings,
    noted_warnings,
)
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, located
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.episodes import Episodes, go_back
from webmotor_drake.simulation.failure import (
    FAILURES,
    failure_of,
    is_interrupt,
    what_broke,
)
from webmotor_drake.simulation.fallen import warn_of_fallen
from webmotor_drake.simulation.metadata import (
    joint_descriptions,
    motor_descriptions,
    position_names,
    run_metadata,
)
from webmotor_drake.simulation.motor_log import MotorLog
from webmotor_drake.simulation.sampled_ports import without_samples
from webmotor_drake.simulation.spares import hold, spare_models
from webmotor_drake.simulation.supervised import supervisors

# How often a run looks up to report its progress, and to see that all is well.
_PARTS = 200
CHECKS = 20


class Simulation:
    """A scenario that is ready to run.

    A warning that repeats is issued once, with its count, and counted in the
    results' metadata.

    Args:
        scenario: what to run.
        meshcat: where to draw, if anywhere.

    Attributes:
        scenario: what runs.
        plant: Drake's plant.
        motors: the motors by model name.
        poses: the bodies whose poses are recorded.
        contacts: how each collision shape touches others, and why.
        simulator: of the whole diagram. Its time starts at 0 again with each
            reset; `time` goes on.
        exit_status: what a supervisor has ended the run with; None: nothing.
        live_commands: what somebody commanded by hand meanwhile, for the metadata.
        interruption: what to raise as soon as the simulator has stopped, for a
            monitor of it that ended the run.
        labels: what a supervisor has written beside the picture, by its number.
        start: the Context at the start of a run with a supervisor; None: of a run
            without one, which cannot be reset.

    Raises:
        InputError: the scenario cannot run.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
    ):
        self.scenario = scenario
        self.live_commands: list[dict[str, typing.Any]] = []
        self.interruption: KeyboardInterrupt | None = None
        self._warnings: Counter[str] = Counter()
        self._wall_time = 0.0
        self._broken: SimulationError | None = None
        with counted_warnings(self._warnings):
            assembly = assemble(
                scenario if meshcat else without_samples(scenario),
                meshcat=meshcat,
            )
        self.plant = assembly.plant
        self._scene_graph = assembly.scene_graph
        self.motors = assembly.motors
        self.poses, self.contacts = assembly.poses, assembly.contacts
        check_can_run(scenario, self.motors)
        self._log = MotorLog(
            assembly.builder,
            self.plant,
            self.motors,
            assembly.wrenches,
            assembly.poses,
        )
        self._has_wrenches = bool(assembly.wrenches)
        with counted_warnings(self._warnings), blame(scenario):
            self.simulator = Simulator(assembly.builder.Build())
        with blame(scenario, "simulator_config"):
            ApplySimulatorConfig(scenario.simulator_config, self.simulator)
        self.simulator.get_system().SetRandomContext(
            self.simulator.get_mutable_context(),
            RandomGenerator(scenario.random_seed),
        )
        self.exit_status: int | None = None
        self.labels: dict[int, str] = {}
        self._episodes = Episodes(self._log)
        self._starts_anew = False
        self.start: Context | None = None
        for model in spare_models(scenario):
            hold(self.plant, self._plant_context, model)
        if supervisors(scenario):
            self.start = self.simulator.get_context().Clone()

    @property
    def _plant_context(self) -> Context:
        root = self.simulator.get_mutable_context()
        return self.plant.GetMyMutableContextFromRoot(root)

    @property
    def time(self) -> float:
        """The simulated time, s, over all resets."""
        return self._episodes.start + self.simulator.get_context().get_time()

    def reset(self) -> None:
        """Goes back to the start: the plant, the motors and the time.

        What was recorded is kept. Only a scenario with a supervisor can.

        Raises:
            InputError: there is none.
        """
        if self.start is None:
            raise InputError("only a run with a supervisor can be reset")
        context = self.simulator.get_mutable_context()
        self._episodes.close(context)
        go_back(self.simulator.get_system(), context, self.start)
        if self.plant.time_step() == 0:  # the integrator remembers its step
            rate = self.simulator.get_target_realtime_rate()
            config = self.scenario.simulator_config
            ApplySimulatorConfig(config, self.simulator)
            self.simulator.set_target_realtime_rate(rate)
        # What is commanded until then acts in the first step, as at the start.
        self._starts_anew = True

    def run(
        self, *, progress: Callable[[float, float], None] | None = None
    ) -> Results:
        """Simulates to the end.

        Args:
            progress: called now and then with the simulated time and the end, s.

        Returns:
            The signals of all motors, and what the run was.

        Raises:
            SimulationError: it failed midway; its attribute `results` has what
                was simulated until then.
        """
        with self._running():
            self._advance(progress)
        return self.results()

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        """Takes the simulation to its end; without one, until it is interrupted."""
        end = self.scenario.simulation_duration
        # The parts are the same whether somebody watches or not.
        for part, until in enumerate(_parts(end), start=1):
            self.advance_to(until)
            if part % (_PARTS // CHECKS) == 0:
                self.check_state()
            if progress is not None:
                progress(self.time, end)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        """Counts time and warnings of the block; tells of failures."""
        started = time.perf_counter()
        try:
            try:
                with counted_warnings(self._warnings):
                    yield
                    warn_of_fallen(
                        self.plant, self._scene_graph, self._plant_context
                    )
            finally:
                self._wall_time += time.perf_counter() - started
        except InputError:
            raise
        except FAILURES as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            self._fail(error)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Counts time and warnings of the block, which are shown as they come."""
        started = time.perf_counter()
        try:
            with noted_warnings(self._warnings):
                yield
        finally:
            self._wall_time += time.perf_counter() - started

    def advance_to(self, time: float) -> None:
        """Simulates until `time`, s, over all resets.

        Raises:
            SimulationError: it failed, now or before.
        """
        self._advance_simulator(self._episodes.own_time(time))

    def _advance_simulator(self, time: float) -> None:
        """Simulates until `time` of the simulator, s."""
        if self._broken is not None:
            raise self._broken
        try:
            if self._starts_anew:
                self.simulator.Initialize()
                self._starts_anew = False
            self.simulator.AdvanceTo(time)
        except FAILURES as error:
            if is_interrupt(error):
                raise
            self._fail(error)
        if self.interruption is not None:
            interruption, self.interruption = self.interruption, None
            raise interruption

    def _fail(self, error: BaseException) -> typing.NoReturn:
        """Raises what tells of `error`, which ended the run early."""
        self._broken = failure_of(
            error,
            self.plant,
            self.motors,
            self._log,
            self.simulator.get_context(),
            self.results(),
        )
        if self._broken is error:
            raise error
        raise self._broken from error

    def advance_to_step(self, step: int) -> None:
        """Simulates until motor step `step` is about to start.

        The state at its start is there; commands that are given then act in it.
        Step 0 is where a simulation starts; it is counted from the last reset.
        """
        if step > 0:
            motors = next(iter(self.motors.values()))
            self._advance_simulator(motors.next_step_time(step))

    def check_state(self) -> None:
        """Raises SimulationError if the plant's state is no longer finite.

        The motors look at their own joints in every step. This is for all
        others, and takes microseconds: now and then is enough.
        """
        root = self.simulator.get_context()
        context = self.plant.GetMyContextFromRoot(root)
        state = self.plant.get_state_output_port().Eval(context)
        if not math.isfinite(state.sum()):
            broken, _ = what_broke(self.plant, self.motors, self._log, root)
            if broken:
                self._fail(SimulationError(broken))

    def results(self) -> Results:
        """Returns what has been simulated so far."""
        rows, signals, positions = self._episodes.joined(
            self.simulator.get_context()
        )
        metadata = run_metadata(
            self.scenario,
            motor_descriptions(self.motors),
            simulated=rows[-1],
            wall_time=self._wall_time,
            warnings=self._warnings,
        )
        metadata["positions"] = position_names(self.plant)
        if self.live_commands:
            metadata["live_commands"] = self.live_commands
        if self._log.joints:
            metadata["joints"] = joint_descriptions(self._log.joints)
        if self._has_wrenches:
            metadata["reaction_forces"] = FRAME
        if self._episodes.resets:
            metadata["resets"] = self._episodes.resets
        if self.exit_status is not None:
            metadata["exit_status"] = self.exit_status
        if self.labels:
            metadata["labels"] = {str(i): t for i, t in self.labels.items()}
        return Results(
            time=rows, signals=signals, metadata=metadata, positions=positions
        )


def release(simulation: Simulation) -> None:
    """Frees the memory of a simulation that is over; it cannot be used again.

    Systems in Python are held by their own callbacks, in C++, where Python does not
    find the circle; without what they hold the rest goes.
    """
    for system in simulation.simulator.get_system().GetSystems():
        getattr(system, "__dict__", {}).clear()


def check_can_run(
    scenario: Scenario, motors: Mapping[str, MotorSystem]
) -> None:
    """Raises InputError for what can be built but not run."""
    problems = {}
    periods = {model: system.period for model, system in motors.items()}
    for model, period in periods.items():
        first = next(iter(periods.values()))
        if period != first:
            problems[
                f"{period:g} s differs from the {first:g} s of the other"
                " models; a scenario has one motor period"
            ] = ("model_drivers", model, "basic_time_step")
    for problem, path in problems.items():
        raise located(scenario, InputError(problem, path=path))


def _parts(end: float) -> Iterator[float]:
    """Gives the ends of the parts of a run, s; no last one for an infinite run."""
    if math.isinf(end):
        return map(float, itertools.count(1))
    return (end * part / _PARTS for part in range(1, _PARTS + 1))
