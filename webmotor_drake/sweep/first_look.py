"""Checks a study against its scenario, before anything runs."""

from webmotor_drake.comparison.comparison_run import check_scenario_has_targets
from webmotor_drake.comparison.known_models import NAMES
from webmotor_drake.errors import InputError, unknown_name, unwarned
from webmotor_drake.scenario.parameter_path import (
    Keys,
    typed_value,
    value_at,
    with_values,
)
from webmotor_drake.scenario.scenario import Scenario, robots_of
from webmotor_drake.sweep.one_run import MODEL, prepared, varied_scenario
from webmotor_drake.sweep.points import Axis, axes_of
from webmotor_drake.sweep.study import Study, located_in, paths_of

# Number of a parameter's values, from one end to the other, that are tried until one
# can be built.
_TRIED = 5


def check_study_fits(scenario: Scenario, study: Study) -> None:
    """Checks all paths, types and names, and that the scenario can be built.

    A value that is not allowed fails its own runs only, unless no value is allowed.

    Raises:
        InputError: all runs would fail for the same reason.
    """
    axes = axes_of(study)
    if not axes and study.repetitions == 1:
        raise InputError(
            "nothing is varied; a sweep needs parameters (--vary PATH=VALUES, or"
            " a --study with parameters or a table) or repetitions above 1"
        )
    _check_metrics(scenario, study)
    for axis in axes:
        for i, path in enumerate(axis.paths):
            try:
                _check_path(scenario, axis, i, path)
            except InputError as error:
                raise _told_in_study(study, path, error) from None
    # Checked with entries for the bodies and joints that paths name.
    paths = [path for axis in axes for path in axis.paths if path != MODEL]
    own = {path: value_at(scenario, path) for path in paths}
    prepared(with_values(scenario, own), None)
    for axis in axes:
        _check_some_value(scenario, study, axis)


def _check_metrics(scenario: Scenario, study: Study) -> None:
    motors = [
        f"{model}/{motor}"
        for model, driver in robots_of(scenario).items()
        for motor in driver.motors
    ]
    for i, name in enumerate(study.metrics):
        motor = name.rpartition("/")[0]
        if motor and motor not in motors:
            problem = unknown_name("motor", motor, motors)
            raise located_in(study, InputError(problem, path=("metrics", i)))
    if not motors:
        raise InputError("the scenario has no Webots motors to measure")


def _check_path(scenario: Scenario, axis: Axis, i: int, path: Keys) -> None:
    values = [axis.at(0.5)] if axis.values is None else axis.values
    if path != MODEL:
        for value in values:
            typed_value(scenario, path, value[i])
        return
    check_scenario_has_targets(scenario)
    for value in values:
        if value[i] not in NAMES:
            raise InputError(unknown_name("model", value[i], NAMES), path=MODEL)


def _told_in_study(study: Study, path: Keys, error: InputError) -> InputError:
    """Returns an error with the place where the study has the parameter."""
    texts = paths_of(study)
    if path not in texts:
        return error
    text, key = texts[path], ("parameters", texts[path])
    option = study.options.get(key)
    if option is None and study.document is None:
        return error
    where = option or study.document.locate(key)
    # If the study's value is at fault, the scenario's place is not shown.
    own = any(path[: len(at)] == at for at in (error.path, error.path[1:]))
    problem = error.problem if own else error
    return InputError(f"{text}: {problem}", where=where)


def _check_some_value(scenario: Scenario, study: Study, axis: Axis) -> None:
    """Refuses parameters none of whose values can be built."""
    first = None
    for i in range(_TRIED):
        values = axis.at((i + 0.5) / _TRIED)
        parameters = dict(zip(axis.paths, values, strict=True))
        try:
            with unwarned():
                prepared(*varied_scenario(scenario, parameters))
        except InputError as error:
            first = first or error
        else:
            return
    are_all = axis.values is None or len(axis.values) <= _TRIED
    if first is not None and are_all:
        raise _told_in_study(study, axis.paths[0], first)
