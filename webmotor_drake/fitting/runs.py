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
from webmotor_drake.simulation.many_robots import OnePlantError
from webmotor_drake.sweep.worker import DONE, Outcome
from webmotor_drake.sweep.workers import Workers, outcomes, workers_for

# Predicted measurements, one row per series of all experiments.
Rows = list[np.ndarray]
# Values of the parameters; numbers of the experiments that are run for each.
Points = Sequence[np.ndarray]
Reached = Sequence[set[int]] | None


@dc.dataclass(frozen=True, eq=False)
class _Predictions(Outcome):
    """The outcome of a trial: `predictions`, and the `shares_plant` that is left."""

    each: tuple[np.ndarray | str, ...] = ()
    shares_plant: bool = True


@dc.dataclass(frozen=True)
class _Trial:
    """An experiment with values of its parameters; see `Task`."""

    run: str
    number: int  # index of the experiment
    chosen: Sequence[int]  # indices of the points
    experiment: bytes  # pickled
    points: tuple[np.ndarray, ...]
    timeout: float | None = None

    result: typing.ClassVar = _Predictions

    def warm_up(self) -> None:
        """Loads the experiment, which all trials of a fit share."""
        _loaded(self.experiment)

    def outcome(self) -> _Predictions:
        """Does the run."""
        experiment = _loaded(self.experiment)
        found = tuple(predictions(experiment, self.points))
        return _Predictions(
            DONE, each=found, shares_plant=experiment.shares_plant
        )


def predictions(
    experiment: Experiment, points: Sequence[np.ndarray]
) -> list[np.ndarray | str]:
    """Returns the predictions of each point, or the reason why its run failed.

    Points whose robots can share a plant are run at once. If one of them fails, each
    point is run alone, to find its own reason.
    """
    found: list[np.ndarray | str] = []
    measured = np.array([np.isfinite(s.measured) for s in experiment.series])
    room = experiment.room
    for first in range(0, len(points), room):
        own = points[first : first + room]
        try:
            together: Sequence = experiment.predict_together(own)
        except (InputError, SimulationError) as error:
            experiment.shares_plant &= not isinstance(error, OnePlantError)
            together = [_prediction(experiment, values) for values in own]
        found += [
            predicted
            if isinstance(predicted, str)
            or np.isfinite(predicted[measured]).all()
            else "its predicted measurements are not finite"
            for predicted in together
        ]
    return found


def _prediction(experiment: Experiment, values: np.ndarray) -> np.ndarray | str:
    try:
        return experiment.predict(values)
    except (InputError, SimulationError) as error:
        return str(error)
    except Exception as error:  # a fault of ours is the same anywhere
        return f"{type(error).__name__}: {one_line(error)}"


@functools.lru_cache(maxsize=64)  # what is fitted, and what is kept out
def _loaded(experiment: bytes) -> Experiment:
    return pickle.loads(experiment)


class FitRuns:
    """Does runs of experiments and counts them.

    Attributes:
        number: number of runs.
        failed: number of failed runs: values that are not allowed, a simulation that
            failed, or a worker that died or hung twice.
        problem: reason of the first failure.

    Args:
        experiments: experiments to run.
        workers: processes that do the runs; None: this one, one after the other.
        timeout: longest duration of a worker's run, s; None: no limit.
    """

    def __init__(
        self,
        experiments: Experiments,
        workers: Workers | None = None,
        timeout: float | None = None,
    ):
        self.experiments = experiments
        self._workers, self._timeout = workers, timeout
        self._pickled = [
            pickle.dumps(e) if workers else b"" for e in experiments.each
        ]
        self.number = self.failed = 0
        self.problem = ""

    def predict(
        self,
        points: Points,
        reached: Reached = None,
        others: Rows | None = None,
    ) -> list[Rows | None]:
        """Returns the predictions of each point; None where a run failed.

        Args:
            points: values of the parameters, shape (P,) each.
            reached: indices of the experiments to run, for each point; None: all.
            others: predictions to use for the experiments that are not run; None: those
                of the first point.
        """
        number = len(self.experiments.each)
        tables: list[list[np.ndarray | None]] = [
            [None] * number for _ in points
        ]
        for trial, each in self._done([*self._trials(points, reached)]):
            for i, predicted in zip(trial.chosen, each, strict=True):
                failed = isinstance(predicted, str)
                self.number += 1
                self.failed += failed
                self.problem = self.problem or (predicted if failed else "")
                tables[i][trial.number] = None if failed else predicted
        if reached is not None:
            known = self.experiments.split(others) if others else tables[0]
            for table, own in zip(tables, reached, strict=True):
                for k in set(range(number)) - own:
                    table[k] = known[k]
        return [
            None
            if any(table is None for table in some)
            else [row for table in some for row in table]
            for some in tables
        ]

    def share_plants(self, number: int) -> bool:
        """Returns whether so many points share a plant in every experiment."""
        rooms = [one.room for one in self.experiments.each]
        return self._timeout is None and number <= min(rooms)

    def _trials(self, points: Points, reached: Reached) -> Iterator[_Trial]:
        """Gives the trials of each experiment, with its points split among workers."""
        for k, pickled in enumerate(self._pickled):
            every = range(len(points))
            chosen = [i for i in every if reached is None or k in reached[i]]
            parts = min(self._workers.room if self._workers else 1, len(chosen))
            if self._timeout is not None:  # of a single run
                parts = len(chosen)
            for first in range(parts):
                part = chosen[first::parts]
                own = tuple(points[i] for i in part)
                run = f"{k}.{first}"
                yield _Trial(run, k, part, pickled, own, self._timeout)

    def _done(
        self, trials: Sequence[_Trial]
    ) -> Iterator[tuple[_Trial, Sequence[np.ndarray | str]]]:
        if self._workers is None:
            for trial in trials:
                one = self.experiments.each[trial.number]
                yield trial, predictions(one, trial.points)
            return
        try:
            for trial, outcome in outcomes(trials, self._workers):
                reasons = [outcome.error] * len(trial.chosen)
                one = self.experiments.each[trial.number]
                one.shares_plant &= outcome.shares_plant
                yield trial, outcome.each or reasons
        except BaseException:
            # Nobody waits any longer for the trials under way.
            self._workers.stop()
            raise


@contextlib.contextmanager
def fit_workers(
    jobs: int, scheduler: str = "", timeout: float | None = None
) -> Iterator[Workers | None]:
    """Gives workers that do `jobs` runs at a time; None: this process.

    Args:
        jobs: number of processes; 0: as many as there are processors. A single one
            is this process, unless there is a timeout.
        scheduler: address of a Dask scheduler, such as tcp://host:8786; empty:
            processes on this machine.
        timeout: longest duration of a run, s; None: no limit.

    Raises:
        InputError: an extra is not installed, nobody answers, or a number is not
            allowed.
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
