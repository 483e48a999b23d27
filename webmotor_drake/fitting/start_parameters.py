"""The state that an experiment starts from, as parameters to fit."""

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.parameter_tree import EXPERIMENTS, START
from webmotor_drake.fitting.start_state import QUANTITIES

# The distance from the measurement within which a start is sought, in signal scales.
_REACH = 10.0


def start_parameters(experiment: Experiment) -> list[Parameter]:
    """Returns the motors' start as parameters, with bounds around the measured one.

    Raises:
        InputError: there are several windows, each with a start of its own.
    """
    if experiment.windows > 1:
        raise InputError("the start is fitted in one window, not in several")
    first, log = experiment.cuts[0], experiment.log
    step = float(np.median(np.diff(log.time)))
    found = []
    for series in experiment.series:
        if series.signal != "position":
            continue
        motor, reach = series.motor, _REACH * series.scale
        state = first.state(log, motor.name)
        for quantity, value, far in zip(
            QUANTITIES, state, (reach, reach / step), strict=True
        ):
            name = f"{series.experiment}{motor.name} {quantity} at the start"
            path = (EXPERIMENTS, experiment.name)
            paths = ((*path, START, motor.signal, quantity),)
            bounds = value - far, value + far
            found.append(Parameter(name, paths, *bounds, start=value))
    return found
