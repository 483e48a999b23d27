"""One run of a scenario with some of its values replaced."""

import dataclasses as dc
import functools
from collections.abc import Callable, Mapping

from webmotor_drake.comparison.known_models import NAMES, prepare
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.runner import ready
from webmotor_drake.scenario.parameter_path import (
    Keys,
    Value,
    path_text,
    with_values,
)
from webmotor_drake.scenario.robot_controllers import connected_robots
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.release import run_and_release

# The one parameter that is not in the scenario: a motor model that `compare`
# knows.
MODEL = ("model",)
_SEED = ("random_seed",)

Progress = Callable[[float, float], None] | None
Parameters = Mapping[Keys, Value]


def one_run(
    scenario: Scenario,
    parameters: Parameters,
    *,
    seed: int | None = None,
    progress: Progress = None,
) -> Results:
    """Runs a scenario with other values; equal arguments give equal signals.

    Args:
        scenario: checked scenario, which is not changed.
        parameters: values by path; `MODEL` is the motor model.
        seed: seed of all that is random, unless `random_seed` is a parameter; None: the
            scenario's.
        progress: callback of `runner.run`.

    Returns:
        The results; their metadata has the parameters and the seed.

    Raises:
        InputError: the values are not allowed.
        SimulationError: the run failed midway; see `runner.run`.
    """
    varied, model = varied_scenario(scenario, parameters, seed=seed)
    run = prepared(varied, model)
    results = run(progress)
    metadata = {
        **results.metadata,
        "parameters": {path_text(p): v for p, v in parameters.items()},
    }
    return dc.replace(results, metadata=metadata)


def varied_scenario(
    scenario: Scenario, parameters: Parameters, *, seed: int | None = None
) -> tuple[Scenario, str | None]:
    """Returns the scenario of a run, checked, and its motor model; see `one_run`."""
    values = dict(parameters)
    model = values.pop(MODEL, None)
    if seed is not None:
        values.setdefault(_SEED, seed)
    return with_values(scenario, values), model


def prepared(
    scenario: Scenario, model: str | None
) -> Callable[[Progress], Results]:
    """Returns a function that runs a scenario with a motor model, None for its own.

    Raises:
        InputError: an unknown model, or a scenario that cannot run.
    """
    if model is None:
        for robot, program in connected_robots(scenario).items():
            if program is None:
                raise InputError(
                    "<extern>: runs of a sweep cannot wait; give a program"
                    " that they start",
                    path=("model_drivers", robot, "controller"),
                )
        return functools.partial(run_and_release, ready(scenario, port=0))
    if model not in NAMES:
        raise InputError(unknown_name("model", model, NAMES), path=MODEL)
    return prepare(model, scenario, None)
