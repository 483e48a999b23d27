"""The fit of a scenario's motors to logs of a robot, and its errors on others."""

import contextlib
import dataclasses as dc
import importlib
import os
import time
import typing
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from webmotor_drake.errors import (
    InputError,
    SimulationError,
    needing,
    one_line,
    warn,
)
from webmotor_drake.fitting.estimate import certainty, foreseen, with_open_sides
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment_spec import (
    Experiments,
    named_experiments,
)
from webmotor_drake.fitting.experiments import Experiments as Prepared
from webmotor_drake.fitting.faults import faults_in, remarks_on
from webmotor_drake.fitting.motor_fit import MotorFit, Part
from webmotor_drake.fitting.own_model import own_model
from webmotor_drake.fitting.preparation import (
    Options,
    Parameters,
    experiments_for,
    parts_of,
)
from webmotor_drake.fitting.runs import FitRuns, Rows, fit_workers
from webmotor_drake.fitting.search import WIDE, Progress, Search
from webmotor_drake.fitting.solve import FitSettings, solve
from webmotor_drake.fitting.start import start_errors
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.loading import as_scenario
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.sweep.workers import Workers


@with_numpys_defaults
def fit(
    scenario: Scenario | str | os.PathLike[str],
    experiments: Experiments,
    parameters: Parameters | None = None,
    *,
    model: str = "",
    gains: Mapping[str, Sequence[float]] | None = None,
    signals: Sequence[str] = ("position",),
    scales: Mapping[str, float] | None = None,
    windows: int = 1,
    between: str = "hold",
    validate: float | None = None,
    fit_start: bool = False,
    settings: FitSettings | None = None,
    jobs: int = 1,
    scheduler: str = "",
    timeout: float | None = None,
    progress: Progress = None,
) -> MotorFit:
    """Finds the parameters with which a scenario reproduces a robot's logs.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            damping = "model_drivers.arm.joints.hinge.damping_constant"
            found = wm.fit(scenario, "runs/robot/run.npz", {damping: (0, 2, 0.1)})
            print(found.estimates)

    Args:
        scenario: scenario with the motors, or the name of its file; the commands are
            those of the log.
        experiments: a log of commands and measurements, its file, or an
            `ExperimentSpec`; a list of these, or a mapping by name; or a YAML file.
        parameters: values to fit: `ParameterSpec`s, texts such as
            "PATH=LOW:HIGH:START", or a mapping from path to bounds and an optional
            start; None: all that the model has, bounded by the motors' limits. All
            experiments share a parameter, unless its path names one of them.
        model: a motor model that `compare` knows; empty: the scenario's own.
        gains: kp and kd of drake_pd by "<model>/<motor>"; * in a name stands for
            any text. Motors without an entry get gains that match them.
        signals: signals to fit to: "position", "velocity", "effort".
        scales: divisors of the residuals by signal; default: the signal's noise.
        windows: number of parts that the fitted log is cut into; each starts from its
            measured state.
        between: rule for commands between samples: "hold" or "interpolate".
        validate: share at the end of each log that is kept out of the fit. Models
            are judged by a later third of it, see `MotorFit.judged`. None: half, or
            nothing if a whole experiment is kept out.
        fit_start: True to fit the state at the log's first sample, too; else the
            measured state is used.
        settings: settings of the search.
        jobs: number of processes; 0: one per processor.
        scheduler: address of a Dask scheduler, instead of processes here.
        timeout: longest duration of a run, s; a longer run counts as failed; None:
            no limit.
        progress: callback after each point, with the runs and the least RMS residual.

    Raises:
        InputError: log, parameters and scenario do not fit each other.
        SimulationError: the run with the start values fails.
    """
    ready = FitRun(
        as_scenario(scenario),
        experiments,
        parameters,
        model=model,
        gains=gains,
        signals=signals,
        scales=scales or {},
        windows=windows,
        between=between,
        validate=validate,
        fit_start=fit_start,
        settings=settings,
    )
    for remark in ready.remarks:
        warn(remark)
    with fit_workers(jobs, scheduler, timeout) as workers:
        found = ready.run(workers, progress, timeout=timeout)
    for fault in found.faults:
        warn(fault)
    return found


class FitRun:
    """A fit that is ready to run: log, parameters and scenario fit each other.

    Takes the arguments of `fit`.

    Attributes:
        experiments: experiments to fit to.
        remarks: oddities of the logs, one line each.

    Raises:
        InputError: log, parameters and scenario do not fit each other.
    """

    def __init__(
        self,
        scenario: Scenario,
        experiments: Experiments,
        parameters: Parameters | None,
        *,
        model: str = "",
        gains: Mapping[str, Sequence[float]] | None = None,
        validate: float | None = None,
        fit_start: bool = False,
        settings: FitSettings | None = None,
        **options: typing.Unpack[Options],
    ):
        with needing("a fit needs scipy", "'webmotor-drake[fit]'"):
            importlib.import_module("scipy")
        self._settings = settings or FitSettings()
        ready = experiments_for(
            scenario,
            named_experiments(experiments),
            parameters,
            model=model or own_model(scenario),
            gains=gains or {},
            fit_start=fit_start,
            **options,
        )
        if not ready.parameters:
            raise InputError(f"no parameter to fit for the model {ready.model}")
        self.experiments, self._kept_out = parts_of(ready, validate)
        self.remarks = _remarks(ready)

    def run(
        self,
        workers: Workers | None = None,
        progress: Progress = None,
        *,
        timeout: float | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> MotorFit:
        """Searches for the parameters; see `fit`.

        Args:
            workers: processes that do the runs; None: this one.
            progress: callback after each point, with runs and least RMS residual.
            timeout: longest duration of a run, s; None: no limit.
            tell: callback before the search, with each line of its forecast.
        """
        began = time.perf_counter()
        runs = FitRuns(self.experiments, workers, timeout)
        search = Search(runs, self._settings.loss, progress)
        start = np.array([p.start for p in self.experiments.parameters])
        for line in foreseen(search, start) if tell else ():
            tell(line)
        interrupted = solve(search, start, self._settings)
        values = search.box.values(search.best.place)
        scenario, gains = self.experiments.with_values(values)
        best = search.best
        if interrupted:
            workers = timeout = None  # they are gone
        else:
            best = search.wide(best, reach=WIDE)
        found = certainty(
            self.experiments,
            best,
            self._settings.loss,
            start_errors(self.experiments, values, best),
        )
        if not interrupted:
            again = FitRuns(self.experiments, workers, timeout)
            found = with_open_sides(found, again, best, search.groups)
        kept_out = None
        if self._kept_out is not None:
            both: Sequence[Rows | None] = (None, None)
            with contextlib.suppress(KeyboardInterrupt):  # the fit is not lost
                others = FitRuns(self._kept_out, workers, timeout)
                both = others.predict([start, values])
            kept_out = Part(
                *(Evaluation(self._kept_out, rows) for rows in both),
                values,
                found.covariance,
            )
        fit = MotorFit(
            model=self.experiments.model,
            scenario=scenario,
            gains=gains,
            certainty=found,
            fitted=Part(
                *(
                    Evaluation(self.experiments, point.predicted)
                    for point in (search.first, best)
                ),
                values,
            ),
            kept_out=kept_out,
            history=search.history,
            runs=runs.number,
            failed_runs=runs.failed,
            problem=one_line(runs.problem),
            wall_time=time.perf_counter() - began,
            interrupted=interrupted,
            remarks=self.remarks,
        )
        return dc.replace(fit, faults=faults_in(fit, best))


def _remarks(ready: Prepared) -> list[str]:
    return [remark for one in ready.each for remark in remarks_on(one)]


def evaluate(
    scenario: Scenario | str | os.PathLike[str],
    experiments: Experiments,
    *,
    model: str = "",
    gains: Mapping[str, Sequence[float]] | None = None,
    signals: Sequence[str] = ("position",),
    windows: int = 1,
    between: str = "hold",
) -> Evaluation:
    """Runs a scenario with the commands of a log, and returns its errors.

    Nothing is fitted: this tries parameters that were fitted to one log on another.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            tried = wm.evaluate(scenario, "runs/robot/run.npz")
            print(tried.rms, [e.mean for e in tried.by_speed])

    Args:
        scenario: the motors, or the name of the scenario's file.
        experiments: a log of commands and measurements, or the file that has it;
            several, see `fit`.
        model: a motor model that `compare` knows; empty: the scenario's own.
        gains: kp and kd of drake_pd, see `fit`; fitted ones are `MotorFit.gains`.
        signals: signals to compare: "position", "velocity", "effort".
        windows: number of parts that the log is cut into; each starts from its
            measured state.
        between: rule for commands between samples: "hold" or "interpolate".

    Returns:
        The errors over all experiments; its `each` has one evaluation per experiment.

    Raises:
        InputError: log and scenario do not fit each other.
        SimulationError: the run fails.
    """
    scenario = as_scenario(scenario)
    ready = experiments_for(
        scenario,
        named_experiments(experiments),
        [],
        model=model or own_model(scenario),
        gains=gains or {},
        signals=signals,
        windows=windows,
        between=between,
    )
    for remark in _remarks(ready):
        warn(remark)
    predicted = ready.predict(np.zeros(0))
    if not np.isfinite(ready.residuals(predicted)).all():
        raise SimulationError("the predicted measurements are not finite")
    return Evaluation(ready, predicted)
