"""A scenario tried on logs that nothing is fitted to."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import SimulationError, warn
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment_spec import (
    Experiments,
    named_experiments,
)
from webmotor_drake.fitting.own_model import own_model
from webmotor_drake.fitting.preparation import experiments_for
from webmotor_drake.fitting.remarks import remarks_on
from webmotor_drake.loading import as_scenario
from webmotor_drake.scenario.scenario import Scenario


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

    Nothing is fitted: so parameters that were fitted to one log are tried on another.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            tried = wm.evaluate(scenario, "runs/robot/run.npz")
            print(tried.rms, [e.mean for e in tried.by_speed])

    Args:
        scenario: the motors, or the name of the scenario's file.
        experiments: a log of commands and measurements, or the file that has it;
            several, see `fit`.
        model: the motor model, one of those that `compare` knows; else the
            scenario's own.
        gains: kp and kd of drake_pd, see `fit`; what it found is `MotorFit.gains`.
        signals: those to look at: "position", "velocity", "effort".
        windows: number of parts that the log is cut into, each started from what was
            measured.
        between: commands between samples: "hold" or "interpolate".

    Returns:
        The errors on all; `each` has those on each of several experiments.

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
    for remark in [r for one in ready.each for r in remarks_on(one)]:
        warn(remark)
    predicted = ready.predict(np.zeros(0))
    for series, row in zip(ready.series, predicted, strict=True):
        if not np.isfinite(row[np.isfinite(series.measured)]).all():
            raise SimulationError("the predicted measurements are not finite")
    return Evaluation(ready, predicted)
