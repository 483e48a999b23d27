"""Runs a study, from its start or from an interruption to its end."""

import copy
import dataclasses as dc
import hashlib
import inspect
import itertools
import json
import math
import os
import pickle
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from pydrake.common.yaml import yaml_dump_typed

from webmotor_drake.data import version
from webmotor_drake.errors import InputError, one_line
from webmotor_drake.interrupts import interruptible, uninterrupted
from webmotor_drake.loading import as_scenario
from webmotor_drake.results.own_metrics import Metric, check_own_metrics
from webmotor_drake.results.whole_file import (
    check_regular,
    write_together,
    write_whole,
)
from webmotor_drake.scenario.directives import needed_files
from webmotor_drake.scenario.parameter_path import Keys, path_text, typed_value
from webmotor_drake.scenario.scenario import Scenario, located, without_effects
from webmotor_drake.scenario.source import metadata_of
from webmotor_drake.sweep.first_look import check_study_fits
from webmotor_drake.sweep.job import Job, Outcome, digest_of
from webmotor_drake.sweep.one_run import MODEL
from webmotor_drake.sweep.points import axes_of, points_of
from webmotor_drake.sweep.run_table import (
    PARQUET,
    RUN,
    STUDY,
    TABLE,
    TRACES,
    Row,
    RunTable,
)
from webmotor_drake.sweep.runs import SweepRuns
from webmotor_drake.sweep.study import Study, check_study
from webmotor_drake.sweep.workers import LOST, Workers, outcomes, workers_for

# The columns behind the metrics.
_LAST = RUN, "wall_time", "seed", "error"
_ABOUT_SCENARIO = ("scenario_file", "scenario_name", "scenario_text")


def run_study(
    scenario: Scenario | str | os.PathLike[str],
    study: Study,
    out: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    timeout: float | None = None,
    metrics: Mapping[str, Metric] | None = None,
) -> SweepRuns:
    """Does the runs of a study that are missing in a folder.

    Example:
        ::

            study = wm.Study(parameters={"plant_config.time_step": [0.004, 0.008]})
            runs = wm.run_study("package:two_link_arm", study, "runs/steps")
            print(runs.best(1, "overshoot"))

        A metric of one's own is a function of the results::

            def reach(results):
                return results["arm/elbow motor/position"].max()

            runs = wm.run_study(scenario, study, "runs/reach", metrics={"reach": reach})

    Args:
        scenario: scenario to vary, or the name of its file.
        study: parameters to vary, and signals to keep.
        out: the folder of the runs, made if needed.
        jobs: processes; None: one per processor.
        scheduler: address of a Dask cluster that does the runs; None: this machine.
        timeout: longest duration of a run, s; None: no limit.
        metrics: further metrics by name: functions that take a run's Results and
            return a number. If one fails, the run counts as failed.

    Returns:
        All runs, one row each; `status` says which are results.

    Raises:
        InputError: the study does not fit the scenario, or the folder cannot be
            written.
    """
    check_study(study)
    ready = StudyRun(
        as_scenario(scenario), study, out, timeout=timeout, metrics=metrics
    )
    with interruptible():
        workers = workers_for(jobs, scheduler)
        try:
            ready.run(workers)
        finally:
            workers.stop()
    return SweepRuns.load(out)


class StudyRun:
    """A validated study, ready to run.

    Args:
        scenario: scenario to vary.
        study: checked study.
        out: the folder for ``runs.csv`` and, if they are kept, the traces.
        timeout: longest duration of a run, s; None: no limit.
        metrics: metrics of one's own, by name; see `run_study`.

    Attributes:
        jobs: jobs by the run's identity, in the order of the study.
        columns: columns of the table.

    Raises:
        InputError: the study does not fit the scenario.
    """

    def __init__(
        self,
        scenario: Scenario,
        study: Study,
        out: str | os.PathLike[str],
        *,
        timeout: float | None = None,
        metrics: Mapping[str, Metric] | None = None,
    ):
        if timeout is not None and not timeout > 0:
            problem = f"{timeout:g} is not allowed; must be a time above 0 s"
            raise InputError(problem, where="--timeout")
        for name in (TABLE, STUDY, PARQUET):
            check_regular(Path(out, name))
        scenario = unseen(scenario)
        self._study, self._out = study, Path(out)
        self._seed = scenario.random_seed if study.seed is None else study.seed
        paths = [path for axis in axes_of(study) for path in axis.paths]
        check_study_fits(scenario, study)
        self._scenario, self._own = scenario, dict(metrics or {})
        self._names = [path_text(path) for path in paths]
        check_own_metrics(self._own, (*self._names, "status", *_LAST))
        self.jobs = self._jobs(timeout)
        self._metrics = [*study.kept_metrics, *self._own]
        self.columns = (*self._names, "status", *self._metrics, *_LAST)
        self._table = RunTable(self._out, self.columns)

    def run(
        self,
        workers: Workers,
        progress: Callable[[int, Outcome | None], None] | None = None,
    ) -> None:
        """Does the runs that are missing.

        Args:
            workers: processes that do them.
            progress: callback with the number of runs that were there before, and the
                outcome of each run that ends; None at the start.

        Raises:
            InputError: the table cannot be written any more.
        """
        status = self.columns.index("status")
        with self._table.opened(
            self.jobs, lambda row: row[status] in LOST
        ) as finished:
            self._write_study()
            if progress:
                progress(len(finished), None)
            missing = [j for run, j in self.jobs.items() if run not in finished]
            for job, outcome in outcomes(missing, workers):
                with uninterrupted():
                    self._keep(job, outcome)
                if progress:
                    progress(len(finished), outcome)

    def _jobs(self, timeout: float | None) -> dict[str, Job]:
        study, scenario = self._study, self._scenario
        files = tuple(
            (file, digest_of(file)) for file in map(str, needed_files(scenario))
        )
        metrics = tuple(study.kept_metrics)
        common = _common_digest(
            scenario,
            files,
            (*metrics, *itertools.starmap(_fingerprint, self._own.items())),
            traces=study.traces,
        )
        template = Job(
            run="",
            scenario=pickle.dumps(scenario),
            files=files,
            parameters=(),
            seed=0,
            metrics=metrics,
            traces=study.traces,
            timeout=timeout,
            own=_packed(self._own),
        )
        jobs = {}
        for point in points_of(study, self._seed):
            parameters = tuple(
                (p, v if p == MODEL else typed_value(scenario, p, v))
                for p, v in point.parameters.items()
            )
            run = _run_digest(common, parameters, point.seed)
            jobs[run] = dc.replace(
                template, run=run, parameters=parameters, seed=point.seed
            )
        return jobs

    def _keep(self, job: Job, outcome: Outcome) -> None:
        if outcome.traces:
            folder = self._out / TRACES / job.run
            write_together({folder / n: data for n, data in outcome.traces})
        self._table.append(_row(job, outcome, len(self._metrics)))

    def _write_study(self) -> None:
        source = metadata_of(self._scenario.source)
        about = {
            **{k: source[k] for k in _ABOUT_SCENARIO},
            "parameters": self._names,
            "metrics": self._metrics,
            "sampling": self._study.sampling,
            "seed": self._seed,
            "repetitions": self._study.repetitions,
            "runs": len(self.jobs),
        }
        text = json.dumps(about, indent=1, ensure_ascii=False)
        write_whole(self._out / STUDY, f"{text}\n".encode())


def unseen(scenario: Scenario) -> Scenario:
    """Returns the scenario for many runs at once, which nobody watches.

    Nothing is drawn, nothing goes over a network, and runs are as fast as they can be.

    Raises:
        InputError: the scenario has no end.
    """
    if math.isinf(scenario.simulation_duration):
        problem = "inf never ends; a number of seconds is needed to sweep"
        error = InputError(problem, path=("simulation_duration",))
        raise located(scenario, error)
    scenario = without_effects(scenario)
    scenario.visualization = None
    scenario.simulator_config = copy.deepcopy(scenario.simulator_config)
    scenario.simulator_config.target_realtime_rate = 0.0
    return scenario


def _packed(metrics: Mapping[str, Metric]) -> bytes:
    """Returns metrics for other processes, which may not find their module."""
    if not metrics:
        return b""
    try:
        import cloudpickle
    except ImportError:  # an older joblib brings its own
        from joblib.externals import cloudpickle
    try:
        return cloudpickle.dumps(dict(metrics))
    except (TypeError, ValueError, pickle.PicklingError) as error:
        raise InputError(
            f"the metrics cannot go to other processes: {one_line(error)}"
        ) from None


def _fingerprint(name: str, metric: Metric) -> str:
    """Returns a metric's fingerprint: if it changes, runs are done again.

    Values from outside of the function are not part of it.
    """
    try:
        text = inspect.getsource(metric)
    except (OSError, TypeError):
        text = repr(type(metric))
    return f"{name}={hashlib.sha256(text.encode()).hexdigest()}"


def _common_digest(
    scenario: Scenario,
    files: tuple[tuple[str, str], ...],
    metrics: tuple[str, ...],
    *,
    traces: bool,
) -> str:
    """Returns a digest of all that the runs of a study have in common."""
    parts = [
        yaml_dump_typed(scenario, schema=Scenario),
        *(found for _, found in files),
        *metrics,
        f"{traces=}",
        version(),
        metadata.version("drake"),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _run_digest(
    common: str, parameters: tuple[tuple[Keys, object], ...], seed: int
) -> str:
    """Returns a run's identifier: a hash of all that determines its row."""
    values = [(path_text(path), value) for path, value in parameters]
    text = json.dumps([common, sorted(values), seed])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _row(job: Job, outcome: Outcome, number: int) -> Row:
    """Returns the row of a run with `number` metrics; NaN is an empty cell."""
    metrics = outcome.metrics or (math.nan,) * number
    return (
        *(cell(value) for _, value in job.parameters),
        outcome.status,
        *map(cell, metrics),
        job.run,
        f"{outcome.wall_time:.6f}",
        str(job.seed),
        outcome.error,
    )


def cell(value: object) -> str:
    """Returns a value as text for the table, which reads back as the same value."""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
