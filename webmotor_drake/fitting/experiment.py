"""Compares the motion of a scenario with given parameters to that of the log."""

import dataclasses as dc
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from webmotor_drake.comparison.known_models import NAMES
from webmotor_drake.drive.many_robots import OWN_OF_ROBOTS
from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import (
    InputError,
    SimulationError,
    below,
    unknown_name,
)
from webmotor_drake.fitting.experiment_spec import ExperimentSpec
from webmotor_drake.fitting.logged_motors import (
    LoggedMotor,
    Series,
    fresh,
    logged_motors,
    scale_of,
)
from webmotor_drake.fitting.own_model import OWN, with_fitted_model
from webmotor_drake.fitting.parameter import Parameter, with_parameters
from webmotor_drake.fitting.parameter_tree import START, paths_in
from webmotor_drake.fitting.replay import (
    BETWEEN,
    Script,
    by_effort,
    motor_commands,
    replay,
    replay_together,
)
from webmotor_drake.fitting.robot_log import MEASURED, RobotLog, Window
from webmotor_drake.motor.driver_checks import expanded, motor_period
from webmotor_drake.scenario.blame import DRAKE_ERRORS
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario, robots_of, with_robots

# Quantities of a motor's state at the start.
QUANTITIES = ("position", "velocity")
# Most motors in one plant: with more, the cost per motor rises.
_MOST_MOTORS = 32
# The sensor offsets and the signals of a run.
_Run = tuple[dict[str, float], dict[str, np.ndarray]]

# More motor steps are refused: each run would take many minutes.
_MOST_STEPS = 1_000_000


@dc.dataclass
class Experiment:
    """A log, and a scenario that should reproduce it under a motor model.

    Args:
        scenario: scenario with the motors; its commands are ignored.
        log: commands and measurements.
        parameters: values that may change.
        model: a motor model that `compare` knows, or "own".
        gains: gains of drake_pd, see `PdEngine`.
        signals: measured signals that count; those that the log lacks are skipped.
        scales: divisors of the residuals by signal, in its unit; default: the
            estimated noise of the signal.
        windows: number of equal parts that the log is cut into; each starts from
            the state measured there.
        between: rule for commands between two samples, see `step_values`.
        span: first and last sample of the log that count; None: those of the spec.
            Delayed commands from before act all the same.
        begin: the sample that runs start from; None: the first one that counts.
        name: name among several experiments.
        is_alone: True if it is the only one: remarks then omit its name.
        spec: differences from other experiments that the scenario does not have.

    Raises:
        InputError: log and scenario do not fit each other.
    """

    scenario: Scenario
    log: RobotLog
    parameters: list[Parameter]
    model: str = "webots"
    gains: Gains = dc.field(default_factory=dict)
    signals: tuple[str, ...] = ("position",)
    scales: dict[str, float] = dc.field(default_factory=dict)
    windows: int = 1
    between: str = "hold"
    span: tuple[int, int] | None = None
    begin: int | None = None
    name: str = ""
    is_alone: bool = True
    spec: ExperimentSpec = dc.field(default_factory=ExperimentSpec)

    def __post_init__(self) -> None:
        """Finds the motors and cuts the log."""
        # As long as nothing else speaks against it.
        self.shares_plant = "effort" not in self.signals and all(
            _is_of_robot(path) for paths in self.places for path in paths
        )
        self._check()
        self.span = self.span or self.log.span(self.spec.begin, self.spec.end)
        if self.begin is None:
            self.begin = self.span[0]
        self.motors = logged_motors(self.scenario, self.log)
        self._state = self._told_state()
        self._factors = self.spec.places_of_factors()
        driver, *_ = robots_of(self.scenario).values()
        self.period = motor_period(driver, self.scenario.plant_config.time_step)
        self.series = self._measured_series()
        self._scenario = with_robots(  # the log has commands instead
            self.scenario,
            lambda d: dc.replace(d, commands=[]),
            {motor.model for motor in self.motors},
        )
        whole = self.begin, self.span[1]
        self.cuts = self.log.windows(whole, self.windows)
        self._commands = [self._commands_in(window) for window in self.cuts]

    def _check(self) -> None:
        for kind, names, known in (
            ("model", [self.model], (*NAMES, OWN)),
            ("way between samples", [self.between], BETWEEN),
            ("signal", [*self.signals, *self.scales], MEASURED),
        ):
            for name in names:
                if name not in known:
                    raise InputError(unknown_name(kind, name, known))
        positive = [("weight", self.spec.weight)]
        positive += [("scale", scale) for scale in self.scales.values()]
        for kind, value in positive:
            if not 0 < value < math.inf:
                raise InputError(
                    f"the {kind} {value:g} is not allowed; must be above 0"
                )

    def _told_state(self) -> dict[tuple[str, str], float]:
        """Returns the start values that the user gave, by motor and quantity."""
        signals = {motor.name: motor.signal for motor in self.motors}
        found: dict[tuple[str, str], float] = {}
        with below("state"):
            for name, values in self.spec.state.items():
                if name not in signals:
                    raise InputError(unknown_name("joint", name, signals))
                if len(values) != 2 or not np.isfinite(values).all():
                    raise InputError(
                        f"{list(values)}; a position and a velocity are needed",
                        path=(name,),
                    )
                for quantity, value in zip(QUANTITIES, values, strict=True):
                    found[signals[name], quantity] = float(value)
        return found

    def _measured_series(self) -> list[Series]:
        first, last = self.span
        samples = np.arange(len(self.log.time))
        counts = (samples >= first) & (samples <= last)
        series = []
        for motor, signal in itertools.product(self.motors, self.signals):
            values = self.log.get(motor.name, signal)
            if values is None or not np.isfinite(values[counts]).any():
                continue
            values, repeated = fresh(values)
            scale = self.scales.get(signal) or scale_of(
                values[np.isfinite(values)]
            )
            series.append(
                Series(
                    motor,
                    signal,
                    np.where(counts, values, np.nan),
                    scale / math.sqrt(self.spec.weight),
                    self.prefix,
                    repeated,
                )
            )
        if not series:
            raise InputError(
                f"{' and '.join(self.signals)} of no motor was measured",
                where=self.log.file,
            )
        return series

    @property
    def prefix(self) -> str:
        """The name and ": " for remarks on the experiment; empty if it is alone."""
        return "" if self.is_alone else f"{self.name}: "

    def _commands_in(self, window: Window) -> dict[str, dict]:
        start = self.log.time[window[0]]
        before = 0 if window[0] == 0 else self._lead
        steps = np.arange(-before, self._steps(window) + 1)
        edges = start + self.period * steps
        commands: dict[str, dict] = {}
        for motor in self.motors:
            of_model = commands.setdefault(motor.model, {})
            if motor.commanded:
                told = motor_commands(self.log, motor, edges, self.between)
                for step, own in told.items():
                    of_model.setdefault(step - before, []).extend(own)
        return commands

    @property
    def _lead(self) -> int:
        """The number of motor steps by which commands may precede their window."""
        delays = [driver.delay for driver in robots_of(self.scenario).values()]
        delays += [
            parameter.high
            for parameter, paths in zip(
                self.parameters, self.places, strict=True
            )
            if any(path[-1] == "delay" for path in paths)
        ]
        return math.ceil(max(delays) / self.period) + 1

    def _steps(self, window: Window) -> int:
        start, end = self.log.time[[*window]]
        time = end - start
        steps = math.ceil(time / self.period - 1e-6)
        if steps > _MOST_STEPS:
            raise InputError(
                f"it lasts {time:.6g} s, {steps} motor steps of {self.period:g} s; at"
                f" most {_MOST_STEPS} are allowed: is the unit of its times another,"
                " or is a part of it enough?",
                where=self.log.file,
            )
        return max(steps, 1)

    @property
    def places(self) -> list[list[Keys]]:
        """The paths of each parameter in this experiment; [] if it has none here."""
        return [paths_in(p.paths, self.name) for p in self.parameters]

    def _values_here(self, values: np.ndarray) -> dict[Keys, float]:
        """Returns the parameters' values by their paths in this experiment."""
        return {
            path: float(value) * self._factors.get(path, 1.0)
            for paths, value in zip(self.places, values, strict=True)
            for path in paths
        }

    def with_values(self, values: np.ndarray) -> tuple[Scenario, Gains]:
        """Returns scenario and gains with the parameters' values, shape (P,).

        The scenario's motors get the motor model, if a scenario can name it.
        """
        here = self._values_here(values)
        scenario, gains = with_parameters(self.scenario, self.gains, here)
        return with_fitted_model(scenario, self.model), gains

    @property
    def room(self) -> int:
        """The number of points whose robots may stand in one plant."""
        return (
            max(_MOST_MOTORS // len(self.motors), 1) if self.shares_plant else 1
        )

    def predict(self, values: np.ndarray) -> np.ndarray:
        """Returns the predicted measurements, shape (series, N).

        Args:
            values: values of the parameters, shape (P,).

        Raises:
            InputError: the scenario cannot have these values.
            SimulationError: the run failed.
        """
        return self.predict_together([values])[0]

    def predict_together(
        self, points: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Returns predictions of several points, whose robots share a plant.

        Args:
            points: values of the parameters, shape (P,) each, not above `room`.

        Raises:
            InputError: the robots cannot share a plant, or a value is not allowed.
            SimulationError: the run of a point failed.
        """
        shape = len(self.series), len(self.log.time)
        predicted = [np.full(shape, np.nan) for _ in points]
        for part, steps, runs in self._runs(points):
            time = self.log.time[part] - self.log.time[part.start]
            for table, (offsets, signals) in zip(predicted, runs, strict=True):
                for row, series in zip(table, self.series, strict=True):
                    motor = series.motor.signal
                    there = signals[f"{motor}/{series.signal}"]
                    row[part] = np.interp(time, steps, there)
                    if series.signal == "position":
                        row[part] += offsets[motor]
        return predicted

    def signals_at_samples(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Returns the signals of a run at the samples, each of shape (N,).

        Args:
            values: values of the parameters, shape (P,).

        Returns:
            Values in the step at each sample, by "<model>/<motor>/<signal>"; NaN
            outside of the part that counts.
        """
        found: dict[str, np.ndarray] = {}
        for part, steps, [(_, signals)] in self._runs([values]):
            time = self.log.time[part] - self.log.time[part.start]
            step = np.searchsorted(steps, time, side="right") - 1
            for name, row in signals.items():
                own = found.setdefault(
                    name, np.full(len(self.log.time), np.nan)
                )
                own[part] = row[step]
        return found

    def is_off(self, motor: LoggedMotor) -> np.ndarray:
        """Returns True for the samples at which a motor's torque is off, shape (N,)."""
        effort = self.log.get(motor.name, "target_effort")
        off = by_effort(self.log, motor, self.log.time)
        return off if effort is None else off & (effort == 0)

    def _runs(
        self, points: Sequence[np.ndarray]
    ) -> Iterator[tuple[slice, np.ndarray, list[_Run]]]:
        """Gives each window's samples, its step times, and a run per point."""
        here = [self._values_here(values) for values in points]
        made = [  # `replay` checks
            with_parameters(self._scenario, self.gains, values, check=False)
            for values in here
        ]
        offsets = [
            {m.signal: offset_of(scenario, m) for m in self.motors}
            for scenario, _ in made
        ]
        starts = [
            self._state
            | {path[1:]: v for path, v in values.items() if path[0] == START}
            for values in here
        ]
        for window, commands in zip(self.cuts, self._commands, strict=True):
            scripts = [
                self._script(window, commands, *own)
                for own in zip(offsets, starts, strict=True)
            ]
            try:
                signals = self._replay(made, scripts)
            except (ArithmeticError, *DRAKE_ERRORS) as error:
                raise SimulationError(str(error)) from error
            part = slice(window[0], window[1] + 1)
            steps = self.period * np.arange(scripts[0].steps + 1)
            yield part, steps, list(zip(offsets, signals, strict=True))
            # Later windows start from their measured states.
            starts = [{} for _ in points]

    def _script(
        self,
        window: Window,
        commands: dict[str, dict],
        offsets: dict[str, float],
        starts: dict[tuple[str, str], float],
    ) -> Script:
        positions: dict[str, dict[str, float]] = {}
        velocities: dict[str, float] = {}
        for motor in self.motors:
            q, v = self.log.state(motor.name, window)
            q = starts.get((motor.signal, "position"), q)
            if q is not None:
                of_model = positions.setdefault(motor.model, {})
                of_model[motor.joint] = q - offsets[motor.signal]
            velocities[motor.signal] = starts.get((motor.signal, "velocity"), v)
        return Script(self._steps(window), commands, positions, velocities)

    def _replay(
        self, made: Sequence[tuple[Scenario, Gains]], scripts: Sequence[Script]
    ) -> list[dict[str, np.ndarray]]:
        if len(made) > 1:
            scenarios = [scenario for scenario, _ in made]
            return replay_together(scenarios, self.model, scripts)
        [(scenario, gains)], [script] = made, scripts
        return [replay(scenario, self.model, gains or None, script)]


def offset_of(scenario: Scenario, motor: LoggedMotor) -> float:
    """Returns the offset of a motor's position sensor, rad or m; 0 without one."""
    if motor.sensor is None:
        return 0.0
    _, model, _, name = motor.sensor
    return expanded(scenario.model_drivers[model]).position_sensors[name].offset


def _is_of_robot(path: Keys) -> bool:
    """Returns whether the robots of one plant may differ in the value at a path."""
    if path[0] == "model_drivers":
        return len(path) > 2 and path[2] in OWN_OF_ROBOTS
    return path[0] in ("bodies", "initial_position", START)
