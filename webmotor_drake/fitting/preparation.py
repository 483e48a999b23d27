"""From logs and a user's settings to experiments that are ready to run."""

import dataclasses as dc
import typing
from collections.abc import Mapping, Sequence

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import InputError, below
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiment_spec import ExperimentSpec
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.fitting.logged_motors import gains_of
from webmotor_drake.fitting.model_parameters import (
    parameters_for,
    rotors_at_joints,
)
from webmotor_drake.fitting.parameter import (
    Parameter,
    ParameterSpec,
    parameters_of,
    parse_option,
    paths_of,
)
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.start import start_parameters
from webmotor_drake.scenario.parameter_path import with_values
from webmotor_drake.scenario.scenario import Scenario

Parameters = Sequence[ParameterSpec | str] | Mapping[str, Sequence[float]]

# Least number of samples to fit to, and to keep out, of a log.
_FEWEST = 4
# Default share kept out of each log, unless a whole experiment is.
_VALIDATE = 0.5


class Options(typing.TypedDict, total=False):
    """The settings that all experiments share, see `Experiment`."""

    signals: Sequence[str]
    scales: Mapping[str, float]
    windows: int
    between: str


def load_logs(specs: Mapping[str, ExperimentSpec]) -> dict[str, RobotLog]:
    """Returns the log of each experiment, by its name."""
    return {
        name: spec.log
        if isinstance(spec.log, RobotLog)
        else load_log(spec.log, spec.columns)
        for name, spec in specs.items()
    }


def experiments_for(
    scenario: Scenario,
    specs: Mapping[str, ExperimentSpec],
    parameters: Parameters | None,
    *,
    model: str,
    gains: Mapping[str, Sequence[float]],
    fit_start: bool = False,
    **options: typing.Unpack[Options],
) -> Experiments:
    """Returns experiments and the parameters to fit to them.

    Args:
        scenario: common scenario of all experiments.
        specs: specifications by name.
        parameters: values to fit; None: all that the model has.
        model: the motor model.
        gains: gains of drake_pd, by pattern.
        fit_start: True if the state at the start is fitted, too.
        options: settings of all experiments.

    Raises:
        InputError: logs, parameters and scenario do not fit each other.
    """
    logs = load_logs(specs)
    known: Gains = {}
    for log in logs.values():
        known |= gains_of(scenario, log, gains, model)
    if parameters is None:
        parameters, known = parameters_for(
            scenario, list(logs.values()), model, known
        )
    wanted = _parameter_specs(parameters)

    def found() -> tuple[dict[str, tuple[Scenario, Gains]], list[Parameter]]:
        own = {}
        for name, spec in specs.items():
            there = spec.scenario_of(scenario)
            more = gains_of(there, logs[name], spec.gains, model)
            own[name] = there, known | more
        fitted = {n: own[n] for n, s in specs.items() if not s.held_out}
        return own, parameters_of(wanted, scenario, model, known, fitted)

    own, fitted = found()
    if rotors := rotors_at_joints(scenario, paths_of(fitted)):
        scenario = with_values(scenario, rotors, check=False)
        own, fitted = found()
    is_alone, each = len(specs) == 1, []
    for name, spec in specs.items():
        windows = {"windows": spec.windows} if spec.windows else {}
        with below(*(() if is_alone else ("experiments", name))):
            each += [
                Experiment(
                    own[name][0],
                    logs[name],
                    fitted,
                    model,
                    own[name][1],
                    name=name,
                    is_alone=is_alone,
                    spec=spec,
                    **(options | windows),
                )
            ]
    if fit_start:
        fitted += [
            start
            for one in each
            if not one.spec.held_out
            for start in start_parameters(one)
        ]
        each = [dc.replace(one, parameters=fitted) for one in each]
    return Experiments(each, scenario, known, rotors)


def _parameter_specs(parameters: Parameters) -> list[ParameterSpec]:
    if isinstance(parameters, Mapping):
        return [
            ParameterSpec(path, list(numbers[:2]), *numbers[2:3])
            for path, numbers in parameters.items()
        ]
    return [
        p if isinstance(p, ParameterSpec) else parse_option(p)
        for p in parameters
    ]


def parts_of(
    experiments: Experiments, validate: float | None
) -> tuple[Experiments, Experiments | None]:
    """Returns the parts to fit to and the parts that are kept out, None if none are.

    Args:
        experiments: all of them.
        validate: the share of each log's end that is kept out; None: half of it,
            unless a whole experiment is.

    Raises:
        InputError: there is nothing to fit to, or too few samples.
    """
    kept_out = [one for one in experiments.each if one.spec.held_out]
    fitted = [one for one in experiments.each if not one.spec.held_out]
    if not fitted:
        raise InputError(
            "all experiments are held out; at least one is needed to fit to"
        )
    if validate is None:  # the share of each log's end that is kept out
        validate = 0.0 if kept_out else _VALIDATE
    if not 0 <= validate < 1:
        raise InputError(
            f"validate {validate:g}; a share from 0 to below 1 is allowed"
        )
    if validate > 0:
        cuts = [_cut(one, validate) for one in fitted]
        fitted = [early for early, _ in cuts]
        kept_out = [*(late for _, late in cuts), *kept_out]
    return (
        dc.replace(experiments, each=fitted),
        dc.replace(experiments, each=kept_out) if kept_out else None,
    )


def _cut(
    experiment: Experiment, validate: float
) -> tuple[Experiment, Experiment]:
    """Returns the part to fit to, and the one that is kept out."""
    time = experiment.log.time
    begin, last = experiment.span
    cut = time[begin] + (1 - validate) * (time[last] - time[begin])
    first = int((time <= cut).sum())
    if min(first - begin, last + 1 - first) < _FEWEST:
        raise InputError(
            f"{last + 1 - begin} samples; too few to keep {validate:.0%} out of the"
            " fit; validate 0 fits to them all",
            where=experiment.log.file,
        )
    # The run goes on from the fitted part: friction would hold a start's noise. With
    # windows it starts anew here, so that errors do not accumulate.
    late = dc.replace(experiment, span=(first, last), windows=1)
    if experiment.windows > 1:
        spec = dc.replace(experiment.spec, state={})
        late = dc.replace(late, begin=first, spec=spec)
    return dc.replace(experiment, span=(begin, first - 1)), late
