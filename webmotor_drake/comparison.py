"""The same scenario under several motor models, side by side."""

import contextlib
import copy
import csv
import dataclasses as dc
import functools
import io
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webmotor_drake.drake_controllers import Gains
from webmotor_drake.errors import (
    InputError,
    MotorWarning,
    SimulationError,
    one_line,
    unknown_name,
)
from webmotor_drake.metrics import (
    METRICS,
    Segment,
    motor_metrics,
    segments,
    total_metrics,
)
from webmotor_drake.models_to_compare import NAMES, Run, prepare
from webmotor_drake.motor_driver import WebotsMotorDriver
from webmotor_drake.results import Results
from webmotor_drake.scenario import Scenario, located
from webmotor_drake.whole_file import write_whole

Model = str | Callable[[Scenario], Results]

# What a row holds beside the metrics: differences to the reference model.
DIFFERENCES = ("position_difference", "velocity_difference")
# Becomes a folder's name.
_MODEL_NAME = re.compile(r"[A-Za-z0-9_][\w. +-]{0,99}", re.ASCII)


class Outcome(NamedTuple):
    """What came of one model."""

    # None: nothing was simulated.
    results: Results | None
    # Why it failed, one line; empty: it did not.
    error: str


class Difference(NamedTuple):
    """A signal of a model minus that of the reference, both shape (K,)."""

    time: np.ndarray
    value: np.ndarray


def compare(
    scenario: Scenario,
    models: Sequence[Model] | Mapping[str, Model] = ("webots", "drake_pd"),
    *,
    reference: str | None = None,
    gains: Gains | None = None,
    progress: Callable[[str, float, float], None] | None = None,
) -> "Comparison":
    """Runs a scenario under several motor models.

    A model that fails midway is reported with what it simulated; the others
    run nevertheless.

    Args:
        scenario: what to run.
        models: names of `models_to_compare.NAMES`, or functions that take the
            scenario and return Results; in a mapping, by the name to show.
        reference: the model that the others are compared with; None: the first.
        gains: kp and kd of drake_pd by "<model>/<motor>", N m/rad and N m s/rad
            or N/m and N s/m. None: matched, see `drake_controllers`.
        progress: called now and then with the model's name, the simulated time
            and the end, s.

    Raises:
        InputError: an unknown model, or one that cannot run the scenario.
    """
    run = ComparisonRun(scenario, models, reference=reference, gains=gains)
    comparison = run.run(progress=progress)
    for text in comparison.warnings:
        warnings.warn(text, MotorWarning, stacklevel=2)
    return comparison


class ComparisonRun:
    """A comparison that is ready to run: every model took the scenario.

    Args:
        scenario: see `compare`, as for the others.
        models: names, functions or both.
        reference: name of the reference model.
        gains: of drake_pd.

    Raises:
        InputError: an unknown model, or one that cannot run the scenario.
    """

    def __init__(
        self,
        scenario: Scenario,
        models: Sequence[Model] | Mapping[str, Model],
        *,
        reference: str | None = None,
        gains: Gains | None = None,
    ):
        named = _named(models)
        if reference is None:
            reference = next(iter(named))
        elif reference not in named:
            problem = unknown_name("reference model", reference, named)
            raise InputError(problem)
        check_scenario_has_targets(scenario)
        if gains and "drake_pd" not in named.values():
            raise InputError("gains are for drake_pd, which is not compared")
        self._scenario, self._reference = scenario, reference
        with _no_warnings():
            self._runs = {
                name: _prepared(model, scenario, gains)
                for name, model in named.items()
            }
        self._outcomes = {
            name: Outcome(None, "it did not run") for name in named
        }

    def run(
        self, *, progress: Callable[[str, float, float], None] | None = None
    ) -> "Comparison":
        """Runs all models, one after the other; see `compare`."""
        with _no_warnings():
            for name, run in self._runs.items():
                show = functools.partial(progress, name) if progress else None
                self._outcomes[name] = _outcome(run, show)
        return self.comparison()

    def comparison(self) -> "Comparison":
        """Returns the comparison of what has run so far."""
        return Comparison(self._scenario, self._reference, self._outcomes)


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Ignores warnings: every model has the same, and results keep them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotorWarning)
        yield


def _named(models: Sequence[Model] | Mapping[str, Model]) -> dict[str, Model]:
    """Returns the models by the name to show, checked."""
    if isinstance(models, str):
        models = [models]
    if not isinstance(models, Mapping):
        names = [m if isinstance(m, str) else _function_name(m) for m in models]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"model {name!r} is there twice; give a mapping from names"
                    " to models"
                )
        models = dict(zip(names, models, strict=True))
    if not models:
        raise InputError(f"no model to compare (known: {', '.join(NAMES)})")
    for name, model in models.items():
        if isinstance(model, str) and model not in NAMES:
            raise InputError(unknown_name("model", model, NAMES))
        if not isinstance(model, str) and not callable(model):
            raise InputError(
                f"model {name!r} is a {type(model).__name__}; a name or a"
                " function from Scenario to Results is allowed"
            )
        if not _MODEL_NAME.fullmatch(str(name)):
            raise InputError(
                f"model name {name!r}; letters, digits, spaces and _ . + - are"
                " allowed"
            )
    return dict(models)


def _function_name(model: object) -> str:
    """Returns what to call a model that is a function."""
    name = getattr(model, "__name__", type(model).__name__)
    return name.strip("<>")  # <lambda>


def check_scenario_has_targets(scenario: Scenario) -> None:
    """Raises InputError where nothing is commanded to compare."""
    drivers = {
        name: driver
        for name, driver in scenario.model_drivers.items()
        if isinstance(driver, WebotsMotorDriver)
    }
    for name, driver in drivers.items():
        if getattr(driver, "controller", ""):
            raise InputError(
                "compare runs no controllers; give the motors `commands`",
                path=("model_drivers", name, "controller"),
            )
    if not any(driver.commands for driver in drivers.values()):
        error = InputError(
            "no motor has a target to compare by; commands such as {time: 0,"
            " motor: NAME, set_position: 1} are needed",
            path=("model_drivers", *list(drivers)[:1]),
        )
        raise located(scenario, error)


def _prepared(model: Model, scenario: Scenario, gains: Gains | None) -> Run:
    """Returns what runs `model`; nobody watches these runs."""
    if not isinstance(model, str):
        return lambda progress: model(scenario)
    unseen = copy.copy(scenario)
    unseen.visualization = None
    return prepare(model, unseen, gains)


def _outcome(run: Run, progress: Callable | None) -> Outcome:
    started = time.perf_counter()
    try:
        results = run(progress)
        if not isinstance(results, Results):
            kind = type(results).__name__
            raise SimulationError(f"it returned a {kind}; Results are needed")
    except InputError:
        raise
    except Exception as error:
        partial = getattr(error, "results", None)
        text = one_line(error) or type(error).__name__
        if not isinstance(error, SimulationError):
            text = f"{type(error).__name__}: {text}"
        return Outcome(partial if isinstance(partial, Results) else None, text)
    if results.metadata.get("wall_time") is None:
        wall_time = time.perf_counter() - started
        metadata = {**results.metadata, "wall_time": wall_time}
        results = dc.replace(results, metadata=metadata)
    return Outcome(results, "")


class Comparison:
    """What several models made of a scenario.

    Attributes:
        scenario: what they ran.
        reference: the name of the model that the others are compared with.
        outcomes: by model name, in the order in which they were given.
        motors: "<model>/<motor>" of all motors.
        targets: the segments of each motor by which all models are judged.
    """

    def __init__(
        self,
        scenario: Scenario,
        reference: str,
        outcomes: Mapping[str, Outcome],
    ):
        self.scenario = scenario
        self.reference = reference
        first = _most_complete(reference, outcomes)
        self.outcomes = {
            name: outcome._replace(results=_completed(outcome.results, first))
            for name, outcome in outcomes.items()
        }
        self.motors = first.motors if first else []
        self.targets: dict[str, list[Segment]] = {
            motor: segments(first, motor) for motor in self.motors
        }

    @property
    def results(self) -> dict[str, Results]:
        """Results by model name, of those that simulated anything."""
        return {
            name: outcome.results
            for name, outcome in self.outcomes.items()
            if outcome.results is not None
        }

    @property
    def errors(self) -> dict[str, str]:
        """Why models failed, by the names of those that did."""
        return {n: o.error for n, o in self.outcomes.items() if o.error}

    @property
    def warnings(self) -> list[str]:
        """The warnings of all models, each text once."""
        texts: dict[str, None] = {}
        for results in self.results.values():
            texts.update(dict.fromkeys(results.metadata.get("warnings", {})))
        return list(texts)

    @functools.cached_property
    def metrics(self) -> dict[str, dict[str, dict[str, float]]]:
        """Metrics by model, motor and name; see `metrics.METRICS`."""
        return {
            name: {
                motor: motor_metrics(results, motor, self.targets[motor])
                for motor in self.motors
            }
            for name, results in self.results.items()
        }

    @functools.cached_property
    def totals(self) -> dict[str, dict[str, float]]:
        """Metrics of all motors together, by model and name."""
        return {
            name: total_metrics(
                motors, {m: self.results[name].units(m) for m in self.motors}
            )
            for name, motors in self.metrics.items()
        }

    def difference(self, model: str, motor: str, signal: str) -> Difference:
        """Returns how a signal of a model differs from the reference's.

        Rows at different times are compared by straight lines between them. An
        identical model differs by exactly 0. Nothing to compare: empty.

        Args:
            model: its name.
            motor: "<model>/<motor>".
            signal: as in "position".
        """
        runs = self.results
        if model not in runs or self.reference not in runs:
            return Difference(np.zeros(0), np.zeros(0))
        mine, other = runs[model], runs[self.reference]
        name = f"{motor}/{signal}"
        rows = min(len(mine.time), len(other.time))
        if np.array_equal(mine.time[:rows], other.time[:rows]):
            return Difference(
                mine.time[:rows], mine[name][:rows] - other[name][:rows]
            )
        shared = mine.time <= other.time[-1]
        there = np.interp(mine.time[shared], other.time, other[name])
        return Difference(mine.time[shared], mine[name][shared] - there)

    def largest_difference(self, model: str, motor: str, signal: str) -> float:
        """Returns the largest |difference|; NaN: nothing to compare."""
        values = self.difference(model, motor, signal).value
        return float(np.abs(values).max()) if values.size else float("nan")

    def row(self, model: str, motor: str) -> dict[str, float]:
        """Returns the metrics of a motor and its DIFFERENCES; NaN: none."""
        values = self.metrics.get(model, {}).get(motor, {})
        row = {name: values.get(name, float("nan")) for name in METRICS}
        for name in DIFFERENCES:
            signal = name.removesuffix("_difference")
            row[name] = self.largest_difference(model, motor, signal)
        return row

    def csv(self) -> str:
        """Returns a row a model and motor: model, motor, metrics, status."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["model", "motor", *METRICS, *DIFFERENCES, "status"])
        for model, outcome in self.outcomes.items():
            for motor in self.motors or [""]:
                cells = [
                    "" if np.isnan(value) else repr(float(value))
                    for value in self.row(model, motor).values()
                ]
                status = f"failed: {outcome.error}" if outcome.error else "done"
                writer.writerow([model, motor, *cells, status])
        return text.getvalue()

    def table(self) -> str:
        """Returns the most telling metrics as plain text."""
        from webmotor_drake.comparison_table import comparison_table

        return comparison_table(self)

    def html(self) -> str:
        """Returns the report, a web page of its own; needs jinja2."""
        from webmotor_drake.report import report

        return report(self)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes report.html, compare.csv and a run folder a model.

        Raises:
            InputError: the folder cannot be written, or jinja2 is missing.
        """
        page = self.html()
        for model, results in self.results.items():
            results.save(Path(folder, model))
        write_whole(Path(folder, "compare.csv"), self.csv().encode())
        write_whole(Path(folder, "report.html"), page.encode())


def _most_complete(
    reference: str, outcomes: Mapping[str, Outcome]
) -> Results | None:
    """Returns the reference's results, or the longest if that one failed.

    Only a run of which everything is known about its motors will do.
    """
    runs = {
        name: outcome.results
        for name, outcome in outcomes.items()
        if outcome.results is not None
        and outcome.results.motors
        and set(outcome.results.motors)
        <= set(outcome.results.metadata.get("motors", {}))
    }
    if reference in runs and not outcomes[reference].error:
        return runs[reference]
    return max(runs.values(), key=lambda r: r.time[-1], default=None)


def _completed(
    results: Results | None, first: Results | None
) -> Results | None:
    """Returns the results with what a model of one's own may have left out.

    Signals that are missing are NaN; targets, limits and what is known of the
    motors are taken from `first`.
    """
    if results is None or first is None:
        return None
    shared = ("target_position", "velocity_target", "mode", "effort_limit")
    signals = dict(results.signals)
    for name, values in first.signals.items():
        if name not in signals:
            signals[name] = np.full(len(results.time), np.nan)
            if name.rpartition("/")[2] in shared:
                rows = np.searchsorted(first.time, results.time - 1e-9)
                signals[name] = values[np.minimum(rows, len(values) - 1)]
    motors = {
        **first.metadata["motors"],
        **results.metadata.get("motors", {}),
    }
    return Results(
        results.time, signals, {**results.metadata, "motors": motors}
    )
