"""The start of a run: as parameters to fit, or as a source of error of the estimates.

Where friction holds, a joint that starts a little off stays there. That shifts the
estimates, so their intervals have to include it.
"""

import dataclasses as dc
from collections.abc import Sequence

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.experiment import QUANTITIES, Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.parameter import Parameter, paths_of
from webmotor_drake.fitting.parameter_tree import EXPERIMENTS, START
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import Point, Search

# The distance from the measurement within which a start is sought, in signal scales.
_REACH = 10.0
_MANY = 16  # starts, each of which takes a run


def start_parameters(
    experiment: Experiment, quantities: Sequence[str] = QUANTITIES
) -> list[Parameter]:
    """Returns the motors' start as parameters, with bounds around the measured one.

    Raises:
        InputError: there are several windows, each with a start of its own.
    """
    if experiment.windows > 1:
        raise InputError("the start is fitted in one window, not in several")
    log = experiment.log
    step = float(np.median(np.diff(log.time)))
    found = []
    for series in experiment.series:
        motor, reach = series.motor, _REACH * series.scale
        q, v = log.state(motor.name, experiment.cuts[0])
        if series.signal != "position" or q is None:
            continue
        known = {"position": (q, reach), "velocity": (v, reach / step)}
        for quantity in quantities:
            value, far = known[quantity]
            name = f"{series.experiment}{motor.name} {quantity} at the start"
            path = (EXPERIMENTS, experiment.name, START, motor.signal, quantity)
            bounds = value - far, value + far
            found.append(Parameter(name, (path,), *bounds, start=value))
    return found


def start_errors(
    experiments: Experiments, values: np.ndarray, best: Point
) -> np.ndarray | None:
    """Returns the changes of the residuals by the noise of each start, shape (R, K).

    None: starts are fitted or given, come from several samples, or are too many.

    Args:
        experiments: experiments that were fitted.
        values: the estimates, shape (P,).
        best: the point at the estimates.
    """
    fitted = paths_of(experiments.parameters)
    if (
        len(experiments.series) > _MANY
        or any(START in path for path in fitted)
        or any(one.spec.state or one.windows > 1 for one in experiments.each)
    ):
        return None
    starts = [
        p
        for one in experiments.each
        for p in start_parameters(one, ["position"])
    ]
    if not starts:
        return None
    each = []
    for one in experiments.each:
        scenario, gains = one.with_values(values)
        each += [
            dc.replace(one, scenario=scenario, gains=gains, parameters=starts)
        ]
    search = Search(FitRuns(dc.replace(experiments, each=each)))
    middle = np.full(len(starts), 0.5)
    found = search.derivatives(middle, best.predicted)
    rows = experiments.split_residuals(best.residuals)
    noise = [
        min(float(np.sqrt(np.mean(row**2))), 1.0) / (2 * _REACH)
        for row, series in zip(rows, experiments.series, strict=True)
        if series.signal == "position"
    ]
    priors = np.zeros((len(best.residuals) - len(found), len(starts)))
    return np.concatenate([found * noise, priors])
