"""The fit of a scenario's motors to the log of a robot."""

import dataclasses as dc
import os
import time
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, one_line, warn
from webmotor_drake.fitting.estimate import certainty, doubt
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.fitting.logged_motors import gains_of
from webmotor_drake.fitting.model_parameters import parameters_for
from webmotor_drake.fitting.motor_fit import MotorFit, Part
from webmotor_drake.fitting.own_model import own_model
from webmotor_drake.fitting.parameter import (
    ParameterSpec,
    parameters_of,
    parse_option,
    paths_of,
)
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.rotors import rotors_at_joints
from webmotor_drake.fitting.runs import FitRuns, fit_workers
from webmotor_drake.fitting.search import Progress, Search
from webmotor_drake.fitting.solve import FitSettings, solve
from webmotor_drake.scenario.parameter_path import with_values
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.sweep.workers import Workers
from webmotor_drake.worlds.load import as_scenario

Parameters = Sequence[ParameterSpec | str] | Mapping[str, Sequence[float]]

# A part of a log that is kept out of the fit has to have so many samples.
_FEWEST = 4


def fit(
    scenario: Scenario | str | os.PathLike[str],
    log: RobotLog | str | os.PathLike[str],
    parameters: Parameters | None = None,
    *,
    model: str = "",
    gains: Mapping[str, Sequence[float]] | None = None,
    signals: Sequence[str] = ("position",),
    scales: Mapping[str, float] | None = None,
    windows: int = 1,
    between: str = "hold",
    validate: float = 0.5,
    fit_start: bool = False,
    settings: FitSettings | None = None,
    jobs: int = 1,
    scheduler: str = "",
    timeout: float | None = None,
    progress: Progress = None,
) -> MotorFit:
    """Finds the parameters with which a scenario reproduces a robot's log.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            damping = "model_drivers.arm.joints.hinge.damping_constant"
            found = wm.fit(scenario, "runs/robot/run.npz", {damping: (0, 2, 0.1)})
            print(found.estimates)

    Args:
        scenario: the motors, or the name of the scenario's file; what they are
            commanded is in the log.
        log: what was commanded and measured, or the file that has it.
        parameters: what is fitted: `ParameterSpec`s, or texts such as
            "PATH=LOW:HIGH:START", or by path the bounds and perhaps the start; None:
            what the model has, within bounds that the motors' limits give.
        model: the motor model, one of those that `compare` knows; else the
            scenario's own.
        gains: kp and kd of drake_pd by "<model>/<motor>"; * in a name stands for
            any text. Matched to the motors where it says nothing.
        signals: which of "position", "velocity" and "effort" are fitted to.
        scales: by signal what residuals are divided by; else the signal's noise.
        windows: how many parts the fitted log is cut into, each started from what
            was measured.
        between: what commands are between samples: "hold" or "interpolate".
        validate: the share of the log, its end, that is kept out of the fit. Models
            are judged by a later third of it, see `MotorFit.judged`.
        fit_start: whether the state at the log's first sample is fitted, too; else it
            is what was measured.
        settings: how to search.
        jobs: how many processes; 0: one per processor.
        scheduler: address of a Dask scheduler, instead of processes here.
        timeout: the time that a run may take, s, which then counts as failed;
            None: any.
        progress: called after each look with the runs and the least RMS residual.

    Raises:
        InputError: log, parameters and scenario do not fit each other.
        SimulationError: the run with the start values fails.
    """
    ready = FitRun(
        as_scenario(scenario),
        log,
        parameters,
        model=model,
        gains=gains,
        signals=signals,
        scales=scales,
        windows=windows,
        between=between,
        validate=validate,
        fit_start=fit_start,
        settings=settings,
    )
    for remark in ready.remarks:
        warn(remark)
    with fit_workers(jobs, scheduler, timeout) as workers:
        return ready.run(workers, progress, timeout=timeout)


class FitRun:
    """A fit that is ready to run: log, parameters and scenario fit each other.

    Its arguments are those of `fit`.

    Attributes:
        remarks: what is odd about the log, one line each.

    Raises:
        InputError: log, parameters and scenario do not fit each other.
    """

    def __init__(
        self,
        scenario: Scenario,
        log: RobotLog | str | os.PathLike[str],
        parameters: Parameters | None,
        *,
        model: str,
        gains: Mapping[str, Sequence[float]] | None = None,
        signals: Sequence[str] = ("position",),
        scales: Mapping[str, float] | None = None,
        windows: int = 1,
        between: str = "hold",
        validate: float = 0.5,
        fit_start: bool = False,
        settings: FitSettings | None = None,
    ):
        log = log if isinstance(log, RobotLog) else load_log(log)
        self._settings = settings or FitSettings()
        model = model or own_model(scenario)
        gains = gains_of(scenario, log, gains or {}, model)
        if parameters is None:
            parameters, gains = parameters_for(scenario, log, model, gains)
        specs = _specs(parameters)
        found = parameters_of(specs, scenario, model, gains)
        if rotors := rotors_at_joints(scenario, paths_of(found)):
            scenario = with_values(scenario, rotors, check=False)
            found = parameters_of(specs, scenario, model, gains)
        if not found:
            raise InputError(f"no parameter to fit for the model {model}")
        early, late = _spans(log, validate)
        experiment = Experiment(
            scenario,
            log,
            found,
            model=model,
            gains=gains,
            signals=tuple(signals),
            scales=dict(scales or {}),
            windows=windows,
            between=between,
            span=early,
        )
        if fit_start:
            starts = experiment.start_parameters()
            experiment = dc.replace(experiment, parameters=[*found, *starts])
        self._kept_out = None
        if late is not None:
            # The run goes on: measurements to start from have noise, which stays
            # where friction holds. Errors that accumulate start anew, as in windows.
            begin = 0 if windows == 1 else None
            self._kept_out = dc.replace(
                experiment, span=late, windows=1, begin=begin
            )
        self._experiment = experiment
        self.remarks = [*log.remarks(), *experiment.remarks()]

    def run(
        self,
        workers: Workers | None = None,
        progress: Progress = None,
        *,
        timeout: float | None = None,
    ) -> MotorFit:
        """Searches; see `fit`.

        Args:
            workers: who does the runs; None: this process.
            progress: see `fit`.
            timeout: see `fit`.
        """
        began = time.perf_counter()
        runs = FitRuns(self._experiment, workers, timeout)
        search = Search(runs, self._settings.loss, progress)
        start = np.array([p.start for p in self._experiment.parameters])
        solution = solve(search, start, self._settings)
        values = search.box.values(solution.best.place)
        scenario, gains = self._experiment.with_values(values)
        if solution.interrupted:
            workers = timeout = None  # they are gone
        found = certainty(self._experiment, solution.best, self._settings.loss)
        kept_out = self._validated(
            start, values, found.covariance, workers, timeout
        )
        return MotorFit(
            model=self._experiment.model,
            scenario=scenario,
            gains=gains,
            certainty=found,
            fitted=Part(
                Evaluation(self._experiment, solution.start.predicted),
                Evaluation(self._experiment, solution.best.predicted),
            ),
            kept_out=kept_out,
            history=solution.history,
            costs=solution.costs,
            runs=runs.number,
            failed_runs=runs.failed,
            problem=one_line(runs.problem),
            wall_time=time.perf_counter() - began,
            interrupted=solution.interrupted,
            remarks=self.remarks,
        )

    def _validated(
        self,
        start: np.ndarray,
        values: np.ndarray,
        covariance: np.ndarray,
        workers: Workers | None,
        timeout: float | None,
    ) -> Part | None:
        """Returns the errors on the data kept out, before and after the fit."""
        if self._kept_out is None:
            return None
        runs = FitRuns(self._kept_out, workers, timeout)
        before, point = None, None
        try:
            (before,) = runs.predict([start])
            search = Search(runs)
            point = search.look(search.box.place(values))
        except KeyboardInterrupt:  # what was fitted is not lost
            pass
        after = Evaluation(self._kept_out, point and point.predicted)
        return Part(
            Evaluation(self._kept_out, before),
            after,
            {} if point is None else doubt(after, point, covariance),
        )


def _specs(parameters: Parameters) -> list[ParameterSpec]:
    if isinstance(parameters, Mapping):
        return [
            ParameterSpec(path, list(numbers[:2]), *numbers[2:3])
            for path, numbers in parameters.items()
        ]
    return [
        p if isinstance(p, ParameterSpec) else parse_option(p)
        for p in parameters
    ]


def _spans(
    log: RobotLog, validate: float
) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Returns the first and last sample to fit to, and those that are kept out.

    Raises:
        InputError: one of these parts has too few samples.
    """
    last = len(log.time) - 1
    if not 0 <= validate < 1:
        raise InputError(
            f"validate {validate:g}; a share from 0 to below 1 is allowed"
        )
    if validate == 0:
        return (0, last), None
    cut = log.time[0] + (1 - validate) * (log.time[-1] - log.time[0])
    first = int((log.time <= cut).sum())
    if min(first, last + 1 - first) < _FEWEST:
        raise InputError(
            f"{last + 1} samples; too few to keep {validate:.0%} out of the"
            " fit; validate 0 fits to them all",
            where=log.file,
        )
    return (0, first - 1), (first, last)
