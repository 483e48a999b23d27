"""The runs of a fit: here, in other processes, or on a cluster."""

import contextlib
import dataclasses as dc
import functools
import pickle
import typing
from collections.abc import Iterator, Sequence

import numpy as np

from webmotor_drake.errors import InputError, SimulationError, one_line
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.sweep.lost_runs import outcomes
from webmotor_drake.sweep.worker import DONE, FAILED, Outcome
from webmotor_drake.sweep.workers import Workers, workers_for

# What would have been measured, one row per series of all experiments.
Rows = list[np.ndarray]


@dc.dataclass(frozen=True, eq=False)
class Prediction(Outcome):
    """The outcome of a trial.

    Attributes:
        predicted: predicted measurements, shape (series, N); None: the run
            failed.
    """

    predicted: np.ndarray | None = None


@dc.dataclass(frozen=True)
class Trial:
    """An experiment with values of its parameters.

    Attributes:
        run: its number among those that are done together.
        experiment: the pickled Experiment.
        values: of the parameters, shape (P,).
        timeout: the time that it may take, s; None: any.
    """

    run: str
    experiment: bytes
    values: np.ndarray
    timeout: float | None = None

    result: typing.ClassVar = Prediction

    def warm_up(self) -> None:
        """Loads the experiment, which all trials of a fit share."""
        _loaded(self.experiment)

    def outcome(self) -> Prediction:
        """Does the run."""
        return prediction(_loaded(self.experiment), self.values)


def prediction(experiment: Experiment, values: np.ndarray) -> Prediction:
    """Returns a run's predictions, or why it failed."""
    try:
        predicted = experiment.predict(values)
    except (InputError, SimulationError) as error:
        return Prediction(FAILED, error=str(error))
    except Exception as error:  # a fault of ours is the same anywhere
        return Prediction(
            FAILED, error=f"{type(error).__name__}: {one_line(error)}"
        )
    measured = [np.isfinite(series.measured) for series in experiment.series]
    if not np.isfinite(predicted[np.array(measured)]).all():
        problem = "its predicted measurements are not finite"
        return Prediction(FAILED, error=problem)
    return Prediction(DONE, predicted=predicted)


@functools.lru_cache(maxsize=64)  # what is fitted, and what is kept out
def _loaded(experiment: bytes) -> Experiment:
    return pickle.loads(experiment)


class FitRuns:
    """Does runs of experiments and counts them.

    Attributes:
        number: number of runs.
        failed: number of those that failed: the values were not allowed, the
            simulation came to nothing, or twice its worker died or hung.
        problem: reason that the first of these failed.

    Args:
        experiments: those to run.
        workers: processes that do the runs; None: this one, one after the other.
        timeout: the time that a worker's run may take, s; None: any.
    """

    def __init__(
        self,
        experiments: Experiments,
        workers: Workers | None = None,
        timeout: float | None = None,
    ):
        self.experiments = experiments
        self._workers, self._timeout = workers, timeout
        self._pickled = (
            [] if workers is None else [*map(pickle.dumps, experiments.each)]
        )
        self.number = self.failed = 0
        self.problem = ""

    def predict(
        self,
        points: Sequence[np.ndarray],
        reached: Sequence[set[int]] | None = None,
        others: Rows | None = None,
    ) -> list[Rows | None]:
        """Returns the predictions of each point; None where a run failed.

        Args:
            points: the parameters' values, shape (P,) each.
            reached: for each point the numbers of the experiments that are run; None:
                all.
            others: the predictions of experiments that are not.
        """
        each = self.experiments.each
        reached = reached or [set(range(len(each)))] * len(points)
        tasks = [(i, k) for i in range(len(points)) for k in sorted(reached[i])]
        if self._workers is None:
            done = [prediction(each[k], points[i]) for i, k in tasks]
        else:
            done = self._by_workers(points, tasks, self._workers)
        self.number += len(tasks)
        tables = [self.experiments.split(others or [])] * len(points)
        tables = [list(some) for some in tables]
        for (i, k), outcome in zip(tasks, done, strict=True):
            self.failed += outcome.status != DONE
            self.problem = self.problem or outcome.error
            tables[i][k] = outcome.predicted
        return [_rows(some) for some in tables]

    def _by_workers(
        self,
        points: Sequence[np.ndarray],
        tasks: Sequence[tuple[int, int]],
        workers: Workers,
    ) -> list[Prediction]:
        """Returns the outcome of each point in an experiment, in their order."""
        trials = [
            Trial(str(n), self._pickled[k], points[i], self._timeout)
            for n, (i, k) in enumerate(tasks)
        ]
        try:
            found = {t.run: done for t, done in outcomes(trials, workers)}
        except BaseException:
            # Nobody waits any longer for what is under way.
            workers.stop()
            raise
        return [found[trial.run] for trial in trials]


def _rows(tables: Sequence[np.ndarray | None]) -> Rows | None:
    """Returns the predictions of all experiments; None: a run failed."""
    if any(table is None for table in tables):
        return None
    return [row for table in tables for row in table]


@contextlib.contextmanager
def fit_workers(
    jobs: int, scheduler: str = "", timeout: float | None = None
) -> Iterator[Workers | None]:
    """Gives those who do `jobs` runs at a time; None: this process.

    Args:
        jobs: number of processes; 0: as many as there are processors. A single one
            is this process, unless there is a timeout.
        scheduler: address of a Dask scheduler, such as tcp://host:8786; empty:
            processes on this machine.
        timeout: see `FitRuns`.

    Raises:
        InputError: an extra is not installed, nobody answers, or such numbers are
            not allowed.
    """
    if timeout is not None and not timeout > 0:
        problem = f"{timeout:g} is not allowed; must be a time above 0 s"
        raise InputError(problem, where="--timeout")
    if jobs == 1 and not scheduler and timeout is None:
        yield None
        return
    workers = workers_for(jobs or None, scheduler or None)
    try:
        yield workers
    finally:
        workers.stop()
