"""One run of an experiment, as a worker gets it and does it."""

import dataclasses as dc
import functools
import pickle
import typing

import numpy as np

from webmotor_drake.errors import InputError, SimulationError, one_line
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.sweep.worker import DONE, FAILED


class Prediction(typing.NamedTuple):
    """The outcome of a trial; see `worker.Outcome`."""

    status: str
    # What would have been measured, shape (series, N); None: the run failed.
    predicted: np.ndarray | None = None
    error: str = ""
    wall_time: float = 0.0  # s
    memory: int = 0  # bytes


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

    def warm_up(self) -> None:
        """Loads the experiment, which all trials of a fit share."""
        _loaded(self.experiment)

    def outcome(self) -> Prediction:
        """Does the run."""
        return prediction(_loaded(self.experiment), self.values)

    def lost(
        self, status: str, error: str, wall_time: float = 0.0
    ) -> Prediction:
        """Returns the outcome of a trial whose worker is no more."""
        return Prediction(status, error=error, wall_time=wall_time)


def prediction(experiment: Experiment, values: np.ndarray) -> Prediction:
    """Returns what a run predicts, or why it failed."""
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
    return Prediction(DONE, predicted)


@functools.lru_cache(maxsize=2)  # the part that is fitted, and what is kept out
def _loaded(experiment: bytes) -> Experiment:
    return pickle.loads(experiment)
