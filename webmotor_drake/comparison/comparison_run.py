"""Running the same scenario under several motor models."""

import copy
import dataclasses as dc
import functools
import math
import os
import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence

from webmotor_drake.comparison.compared_runs import DIFFERENCES, Outcome
from webmotor_drake.comparison.comparison import Comparison
from webmotor_drake.comparison.known_models import ABOUT, NAMES, Run, prepare
from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import (
    InputError,
    MotorWarning,
    SimulationError,
    WebmotorError,
    one_line,
    unknown_name,
    unwarned,
)
from webmotor_drake.interrupts import RunInterrupted
from webmotor_drake.loading import as_scenario
from webmotor_drake.results.own_metrics import (
    Metric,
    MetricError,
    check_own_metrics,
    own_metrics,
)
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario, located, robots_of

Model = str | Callable[[Scenario], Results]

# Columns of the CSV, whose names a metric cannot have.
_OTHER_COLUMNS = "model", "motor", "status"
# A model's name becomes a folder's name.
_MODEL_NAME = re.compile(r"[A-Za-z0-9_][\w. +-]{0,99}", re.ASCII)


def compare(
    scenario: Scenario | str | os.PathLike[str],
    models: Sequence[Model] | Mapping[str, Model] = ("webots", "drake_pd"),
    *,
    reference: str | None = None,
    gains: Gains | None = None,
    metrics: Mapping[str, Metric] | None = None,
    progress: Callable[[str, float, float], None] | None = None,
) -> Comparison:
    """Runs a scenario under several motor models.

    A model that fails midway is reported with what it simulated; the others
    run nevertheless.

    Example:
        ::

            comparison = wm.compare("package:two_link_arm", ["webots", "drake_pd"])
            print(comparison.table())

    Args:
        scenario: a scenario, or the name of its file.
        models: names of `models_to_compare.NAMES`, or functions that take the
            scenario and return Results; in a mapping, by the name to show.
        reference: the model that the others are compared with; None: the first.
        gains: kp and kd of drake_pd by "<model>/<motor>", N m/rad and N m s/rad
            or N/m and N s/m. None: matched, see `drake_controllers`.
        metrics: functions of a run's Results by the name to show, as for
            `run_study`. If one fails, the model counts as failed.
        progress: called now and then with the model's name, the simulated time
            and the end, s.

    Raises:
        InputError: an unknown model, or one that cannot run the scenario.
    """
    run = ComparisonRun(
        as_scenario(scenario),
        models,
        reference=reference,
        gains=gains,
        metrics=metrics,
    )
    comparison = run.run(progress=progress)
    for text in comparison.warnings:
        warnings.warn(text, MotorWarning, stacklevel=2)
    return comparison


class ComparisonRun:
    """A comparison that is ready to run: every model accepted the scenario.

    Args:
        scenario: scenario that all models run.
        models: names, functions or both.
        reference: name of the reference model.
        gains: gains of drake_pd, kp and kd by "<model>/<motor>".
        metrics: functions of Results by name.

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
        metrics: Mapping[str, Metric] | None = None,
    ):
        self._metrics = dict(metrics or {})
        check_own_metrics(self._metrics, (*DIFFERENCES, *_OTHER_COLUMNS))
        if math.isinf(scenario.simulation_duration):
            problem = "inf never ends; a number of seconds is needed to compare"
            path = ("simulation_duration",)
            raise located(scenario, InputError(problem, path=path))
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
        # Every model has the same warnings, and results keep them.
        with unwarned():
            self._runs = {
                name: _prepared(model, scenario, gains)
                for name, model in named.items()
            }
        self._outcomes: dict[str, Outcome] = {}
        for name, model in named.items():
            about = [ABOUT[model]] if isinstance(model, str) else []
            self._outcomes[name] = Outcome(None, "it did not run", *about)

    def run(
        self, *, progress: Callable[[str, float, float], None] | None = None
    ) -> Comparison:
        """Runs all models, one after the other; see `compare`."""
        with unwarned():
            for name, run in self._runs.items():
                show = functools.partial(progress, name) if progress else None
                try:
                    results, error = _results_or_error(run, show)
                except RunInterrupted as interrupt:
                    self._outcomes[name] = self._outcomes[name]._replace(
                        results=interrupt.results, error=str(interrupt)
                    )
                    raise
                own: dict[str, float] = {}
                try:
                    if results is not None and not error:
                        own = own_metrics(results, self._metrics)
                except MetricError as failed:
                    error = str(failed)
                self._outcomes[name] = self._outcomes[name]._replace(
                    results=results, error=error, own=own
                )
        return self.comparison()

    def comparison(self) -> Comparison:
        """Returns the comparison of the runs so far."""
        return Comparison(self._scenario, self._reference, self._outcomes)


def _named(models: Sequence[Model] | Mapping[str, Model]) -> dict[str, Model]:
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
    name = getattr(model, "__name__", type(model).__name__)
    return name.strip("<>")  # <lambda>


def check_scenario_has_targets(scenario: Scenario) -> None:
    """Raises InputError if no motor has a command to compare."""
    drivers = robots_of(scenario)
    for name, driver in drivers.items():
        if driver.controller:
            error = InputError(
                "compare runs no controllers; give the motors `commands`",
                path=("model_drivers", name, "controller"),
            )
            raise located(scenario, error)
    if not any(driver.commands for driver in drivers.values()):
        error = InputError(
            "no motor has a target to compare by; commands such as {time: 0,"
            " motor: NAME, set_position: 1} are needed",
            path=("model_drivers", *list(drivers)[:1]),
        )
        raise located(scenario, error)


def _prepared(model: Model, scenario: Scenario, gains: Gains | None) -> Run:
    if not isinstance(model, str):
        return lambda progress: model(scenario)
    unseen = copy.copy(scenario)
    unseen.visualization = None
    return prepare(model, unseen, gains)


def _results_or_error(
    run: Run, progress: Callable | None
) -> tuple[Results | None, str]:
    started = time.perf_counter()
    try:
        results = run(progress)
        if not isinstance(results, Results):
            kind = type(results).__name__
            raise SimulationError(f"it returned a {kind}; Results are needed")
    except (Exception, SystemExit) as error:
        partial = getattr(error, "results", None)
        text = one_line(error) or type(error).__name__
        if not isinstance(error, WebmotorError):
            text = f"{type(error).__name__}: {text}"
        return partial if isinstance(partial, Results) else None, text
    if results.metadata.get("wall_time") is None:
        wall_time = time.perf_counter() - started
        metadata = {**results.metadata, "wall_time": wall_time}
        results = dc.replace(results, metadata=metadata)
    return results, ""
