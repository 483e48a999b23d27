"""The runs of a fit: many at a time, in processes here or on a cluster.

A run is the same wherever it is done, so a fit is the same on any number of
processes.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence

import numpy as np

from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.fitting.experiment import Experiment

# One thread each: the numerical libraries' own would be in each other's way.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


class Runs:
    """Does runs of an experiment and counts them.

    Attributes:
        number: how many were done.
        failed: how many of them failed: the values were not allowed, or the
            simulation came to nothing.
        problem: what was wrong with the first that failed.

    Args:
        experiment: what is run.
        parallel: joblib's, as `processes` gives it; None: one after the other.
    """

    def __init__(self, experiment: Experiment, parallel: object = None):
        self.experiment = experiment
        self._parallel = parallel
        self.number = self.failed = 0
        self.problem = ""

    def predict(self, points: Sequence[np.ndarray]) -> list[np.ndarray | None]:
        """Returns what each point's run would measure; None: it failed."""
        if self._parallel is None or len(points) == 1:
            outcomes = [_outcome(self.experiment, point) for point in points]
        else:
            from joblib import delayed

            outcomes = self._parallel(
                delayed(_outcome)(self.experiment, point) for point in points
            )
        self.number += len(points)
        for _, problem in outcomes:
            self.failed += bool(problem)
            self.problem = self.problem or problem
        return [predicted for predicted, _ in outcomes]


def _outcome(
    experiment: Experiment, values: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """Returns what a run predicts, and why it failed if it did."""
    try:
        predicted = experiment.predict(values)
    except (InputError, SimulationError) as error:
        return None, str(error)
    measured = [np.isfinite(series.measured) for series in experiment.series]
    if not np.isfinite(predicted[np.array(measured)]).all():
        return None, "what it would have measured is not finite"
    return predicted, ""


@contextlib.contextmanager
def processes(jobs: int, scheduler: str = "") -> Iterator[object]:
    """Gives joblib's way to do `jobs` runs at a time; None for one.

    Args:
        jobs: how many processes; 0: as many as there are cores.
        scheduler: address of a Dask scheduler, such as tcp://host:8786; empty:
            processes on this machine.

    Raises:
        InputError: an extra is not installed, or nobody answers.
    """
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 and not scheduler:
        yield None
        return
    try:
        from joblib import Parallel, parallel_config
    except ModuleNotFoundError:
        raise InputError(
            "more than one process needs joblib: pip install"
            " 'webmotor-drake[fit]'"
        ) from None
    if scheduler:
        with _cluster(scheduler), parallel_config(backend="dask"):
            yield Parallel()
        return
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)  # for processes that start now
    try:
        with Parallel(n_jobs=jobs) as parallel:
            yield parallel
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _cluster(scheduler: str) -> object:
    """Returns the client of a Dask scheduler."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise InputError(
            "a scheduler needs Dask: pip install 'webmotor-drake[cluster]'"
        ) from None
    try:
        return Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(f"scheduler {scheduler}: {error}") from None
