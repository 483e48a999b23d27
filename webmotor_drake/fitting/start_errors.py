"""The noise of the measurement that a run starts from, as an error of all that follows.

Where friction holds, a joint that starts a little beside stays there: estimates take
part in that, and their intervals have to know.
"""

import dataclasses as dc

import numpy as np

from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.fitting.estimate import split
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.parameter_tree import START
from webmotor_drake.fitting.search import Point

_MANY = 16  # starts, each of which takes a run


def start_errors(
    experiments: Experiments, values: np.ndarray, best: Point
) -> np.ndarray | None:
    """Returns the changes of the residuals by the noise of each start, shape (R, K).

    None: starts are fitted or told, taken from several samples, or too many.

    Args:
        experiments: those that were fitted.
        values: the estimates, shape (P,).
        best: the point of these.
    """
    paths = [path for p in experiments.parameters for path in p.paths]
    if (
        len(experiments.series) > _MANY
        or any(START in path for path in paths)
        or any(one.state or one.windows > 1 for one in experiments.each)
    ):
        return None
    left = [
        float(np.sqrt(np.mean(part**2)))
        for part in split(experiments, best.residuals)
    ]
    tables = experiments.split(best.predicted)
    columns = []
    for series, owner, size in zip(
        experiments.series, experiments.owners, left, strict=True
    ):
        one, motor = experiments.each[owner], series.motor
        q, v = one.cuts[0].state(one.log, motor.name)
        if series.signal != "position" or q is None:
            continue
        state = {motor.name: [q + series.scale * min(size, 1.0), v]}
        rows = list(tables)
        try:
            rows[owner] = dc.replace(one, state=state).predict(values)
        except (InputError, SimulationError):
            return None
        moved = experiments.residuals([row for table in rows for row in table])
        change = moved - best.residuals[: len(moved)]
        priors = np.zeros(len(best.residuals) - len(moved))
        columns.append(np.concatenate([change, priors]))
    return np.array(columns).T if columns else None
