"""Running a scenario: from a Scenario to Results."""

import contextlib
import copy
import math
import time
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from pydrake.common import RandomGenerator
from pydrake.geometry import Meshcat
from pydrake.manipulation import ZeroForceDriver
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator

from webmotor_drake.counted_warnings import counted_warnings
from webmotor_drake.diagram import assemble, blame, drake_text
from webmotor_drake.errors import InputError, SimulationError, one_line
from webmotor_drake.joint_wrenches import FRAME
from webmotor_drake.motor_driver import WebotsMotorDriver
from webmotor_drake.motor_log import MotorLog
from webmotor_drake.results import Results
from webmotor_drake.run_description import description, motor_descriptions
from webmotor_drake.scenario import Scenario, located
from webmotor_drake.state_name import state_name

if typing.TYPE_CHECKING:
    from webmotor_drake.robot.controller_file import Controller

# Directives with which Build() without sampled ports takes about 0.1 s.
_MANY = 80

# How often a run looks up to report its progress, and to see that all is well.
_PARTS = 200
CHECKS = 20


def run(
    scenario: Scenario,
    *,
    progress: Callable[[float, float], None] | None = None,
) -> Results:
    """Simulates a scenario from start to end.

    Args:
        scenario: what to run.
        progress: called now and then with the simulated time and the end, s.

    Returns:
        The signals of all motors, and what the run was.

    Raises:
        InputError: the scenario cannot run.
        SimulationError: it failed midway; its attribute `results` has what was
            simulated until then.
    """
    return Simulation(scenario).run(progress=progress)


class Simulation:
    """A scenario that is ready to run.

    A warning that repeats is issued once, with its count, and counted in the
    results' metadata.

    Args:
        scenario: what to run.
        meshcat: where to draw, if anywhere.
        controllers: by model name; None: those that the scenario names.

    Attributes:
        scenario: what runs.
        plant: Drake's plant.
        motors: the motors by model name.
        simulator: of the whole diagram.

    Raises:
        InputError: the scenario cannot run.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
        controllers: "Mapping[str, Controller] | None" = None,
    ):
        self.scenario = scenario
        self._warnings: Counter[str] = Counter()
        self._wall_time = 0.0
        if controllers is None:
            controllers = _controllers(scenario)
        self._controllers = controllers
        with counted_warnings(self._warnings):
            assembly = assemble(
                scenario if meshcat else _without_samples(scenario),
                meshcat=meshcat,
            )
        self.plant = assembly.plant
        self.motors = assembly.motors
        self._check()
        self._log = MotorLog(
            assembly.builder, self.plant, self.motors, assembly.wrenches
        )
        self._has_wrenches = bool(assembly.wrenches)
        with blame(scenario):
            self.simulator = Simulator(assembly.builder.Build())
        with blame(scenario, "simulator_config"):
            ApplySimulatorConfig(scenario.simulator_config, self.simulator)
        self.simulator.get_system().SetRandomContext(
            self.simulator.get_mutable_context(),
            RandomGenerator(scenario.random_seed),
        )

    def _check(self) -> None:
        """Raises InputError for what can be built but not run."""
        problems = {}
        if math.isinf(self.scenario.simulation_duration):
            problems["inf never ends; a number of seconds is needed"] = (
                "simulation_duration",
            )
        if not self.motors:
            problems["no model has Webots motors"] = ("model_drivers",)
        periods = {model: m.period for model, m in self.motors.items()}
        for model, period in periods.items():
            first = next(iter(periods.values()))
            if period != first:
                problems[
                    f"{period:g} s differs from the {first:g} s of the other"
                    " models; a scenario has one motor period"
                ] = ("model_drivers", model, "basic_time_step")
        for problem, path in problems.items():
            raise located(self.scenario, InputError(problem, path=path))

    def run(
        self, *, progress: Callable[[float, float], None] | None = None
    ) -> Results:
        """Simulates to the end; see the function `run`."""
        with self._running():
            if self._controllers:
                from webmotor_drake.robot import run_controllers

                run_controllers(self, self._controllers, progress=progress)
            else:
                self._advance(progress)
        return self.results()

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        end = self.scenario.simulation_duration
        # The parts are the same whether somebody watches or not.
        for part in range(1, _PARTS + 1):
            self.simulator.AdvanceTo(end * part / _PARTS)
            if part % (_PARTS // CHECKS) == 0:
                self.check_state()
            if progress is not None:
                progress(self.simulator.get_context().get_time(), end)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        """Counts time and warnings of the block; tells of failures."""
        started = time.perf_counter()
        try:
            try:
                with counted_warnings(self._warnings):
                    yield
            finally:
                self._wall_time += time.perf_counter() - started
        except InputError:
            raise
        except (Exception, SystemExit) as error:  # Drake's assertions, too
            if _is_interrupt(error):
                raise KeyboardInterrupt from error
            failure = self._failure(error)
            if failure is error:
                raise
            raise failure from error

    def advance_to_step(self, step: int) -> None:
        """Simulates until motor step `step` is about to start.

        The state at its start is there; commands that are given then act in it.
        Step 0 is where a simulation starts.
        """
        if step > 0:
            motors = next(iter(self.motors.values()))
            self.simulator.AdvanceTo(motors.next_step_time(step))

    def check_state(self) -> None:
        """Raises SimulationError if the plant's state is no longer finite.

        The motors look at their own joints in every step. This is for all
        others, and takes microseconds: now and then is enough.
        """
        context = self.plant.GetMyContextFromRoot(self.simulator.get_context())
        state = self.plant.get_state_output_port().Eval(context)
        if not math.isfinite(state.sum()) and self._what_broke()[0]:
            raise SimulationError(self._what_broke()[0])

    def _what_broke(self) -> tuple[str, bool]:
        """Returns what of the plant's state is not finite; "" for nothing.

        A joint spoils its whole tree at once: the one that is told is that of
        the fastest before. With it comes whether a motor drives it.
        """
        time, state, before = self._log.first_not_finite(
            self.simulator.get_context()
        )
        bad = np.flatnonzero(~np.isfinite(state))
        if not bad.size:
            return "", False
        moving = bad[bad >= self.plant.num_positions()]
        index = bad[0]
        if moving.size:
            index = moving[np.argmax(np.abs(before[moving]))]
        driven = any(
            index in motors.position_indices or index in motors.velocity_indices
            for motors in self.motors.values()
        )
        name = state_name(self.plant, int(index))
        return f"at {time:.6g} s the {name} is {state[index]}", driven

    def results(self) -> Results:
        """Returns what has been simulated so far."""
        rows, signals = self._log.signals(self.simulator.get_context())
        wall_time = self._wall_time
        return Results(
            time=rows,
            signals=signals,
            metadata={
                **description(self.scenario),
                "plant_time_step": self.plant.time_step(),
                "motors": {
                    f"{model}/{name}": about
                    for model, motors in self.motors.items()
                    for name, about in motor_descriptions(motors).items()
                },
                "simulation_time": rows[-1],
                "wall_time": wall_time,
                "real_time_factor": rows[-1] / wall_time if wall_time else None,
                "warnings": dict(self._warnings),
                **({"reaction_forces": FRAME} if self._has_wrenches else {}),
            },
        )

    def _failure(self, error: BaseException) -> SimulationError:
        """Returns the error of a run that failed midway."""
        results = self.results()
        if isinstance(error, SimulationError) and error.complete:
            error.results = results
            return error
        broken, driven = self._what_broke()
        if broken and not driven:
            failure = SimulationError(broken)
            failure.results = results
            return failure
        text = one_line(error)
        if not isinstance(error, SimulationError):
            now = self.simulator.get_context().get_time()
            text = f"at {now:.6g} s the simulation failed: {drake_text(error)}"
        motor = self._suspect(results)
        velocity = results[f"{motor}/velocity"]
        last = np.flatnonzero(np.isfinite(velocity))[-1]
        failure = SimulationError(
            f"{text}; most likely at fault: joint"
            f" {results.motor_metadata(motor)['joint']} of motor {motor}, at"
            f" {velocity[last]:.4g} {results.units(motor).velocity} after"
            f" {results.time[last]:.6g} s"
        )
        failure.results = results
        return failure

    def _suspect(self, results: Results) -> str:
        """Returns the motor most likely at fault for a failure.

        It is the one furthest beyond its model's effort limit in the step that
        failed; else the one that moved fastest, by its max_velocity, last.
        """
        efforts, speeds = {}, {}
        root = self.simulator.get_context()
        for model, motors in self.motors.items():
            actuation = motors.next_actuation(motors.GetMyContextFromRoot(root))
            for i, (name, node) in enumerate(motors.model.motors.items()):
                motor = f"{model}/{name}"
                limit = motors.model.model_efforts[i]
                efforts[motor] = np.nan_to_num(abs(actuation[i]) / limit)
                velocity = results[f"{motor}/velocity"]
                velocity = velocity[np.isfinite(velocity)][-1]
                speeds[motor] = abs(velocity) / (node.max_velocity or 1.0)
        scores = efforts if max(efforts.values()) > 1 else speeds
        return max(scores, key=scores.get)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind `error`: compiled code may wrap it on its way."""
    if error is None:
        return False
    return (
        isinstance(error, KeyboardInterrupt)
        or "KeyboardInterrupt" in str(error)
        or _is_interrupt(error.__cause__ or error.__context__)
    )


def _controllers(scenario: Scenario) -> dict:
    """Returns the controllers that the scenario names, ready to run."""
    if not any(
        getattr(driver, "controller", "")
        for driver in scenario.model_drivers.values()
    ):
        return {}
    from webmotor_drake.robot.scenario_controllers import (
        scenario_controllers,
    )

    return scenario_controllers(scenario)


def _without_samples(scenario: Scenario) -> Scenario:
    """Returns the scenario without sampled output ports if nobody reads them.

    They cost a quarter of a plant step; our motors and log don't need them. With
    many models they stay: without them Build() is cubic in their number.
    """
    ours = WebotsMotorDriver, ZeroForceDriver
    drivers = scenario.model_drivers.values()
    if (
        scenario.visualization
        or scenario.cameras
        or not all(isinstance(driver, ours) for driver in drivers)
        or any(getattr(d, "reaction_forces", False) for d in drivers)
        or len(scenario.directives) > _MANY
    ):
        return scenario
    lean = copy.copy(scenario)
    lean.plant_config = copy.deepcopy(scenario.plant_config)
    lean.plant_config.use_sampled_output_ports = False
    return lean
