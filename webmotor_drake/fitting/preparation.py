"""From logs and a user's settings to experiments that are ready to run."""

import dataclasses as dc
import typing
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import InputError, below
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiment_spec import ExperimentSpec
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.fitting.logged_motors import gains_of
from webmotor_drake.fitting.model_parameters import parameters_for
from webmotor_drake.fitting.parameter import (
    Parameter,
    ParameterSpec,
    parameters_of,
    parse_option,
    paths_of,
)
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.rotors import rotors_at_joints
from webmotor_drake.fitting.start_parameters import start_parameters
from webmotor_drake.scenario.parameter_path import with_values
from webmotor_drake.scenario.scenario import Scenario

Parameters = Sequence[ParameterSpec | str] | Mapping[str, Sequence[float]]
Logs = Mapping[str, RobotLog]

# A part of a log that is kept out of the fit has to have so many samples.
_FEWEST = 4
# Of a single log, or of several of which none is kept out whole.
_VALIDATE = 0.5


class Options(typing.TypedDict, total=False):
    """The settings of all experiments, see `fit`."""

    model: str
    gains: Mapping[str, Sequence[float]]
    signals: Sequence[str]
    scales: Mapping[str, float]
    windows: int
    between: str
    fit_start: bool


_DEFAULTS = Options(
    gains={},
    signals=("position",),
    scales={},
    windows=1,
    between="hold",
    fit_start=False,
)


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
    **given: typing.Unpack[Options],
) -> Experiments:
    """Returns experiments and the parameters to fit to them.

    Args:
        scenario: that of all.
        specs: by name.
        parameters: values to fit; None: those that the model has.
        given: settings of all, with the `model`.

    Raises:
        InputError: they do not fit each other.
    """
    options = Options(**{**_DEFAULTS, **given})
    logs, model = load_logs(specs), options["model"]
    gains: Gains = {}
    for log in logs.values():
        gains |= gains_of(scenario, log, options["gains"], model)
    if parameters is None:
        parameters, gains = parameters_for(
            scenario, list(logs.values()), model, gains
        )
    wanted = parameter_specs(parameters)

    def found() -> tuple[dict[str, tuple[Scenario, Gains]], list[Parameter]]:
        own = {
            name: _own(scenario, spec, logs[name], gains, model)
            for name, spec in specs.items()
        }
        fitted = {n: own[n] for n, s in specs.items() if not s.held_out}
        return own, parameters_of(wanted, scenario, model, gains, fitted)

    own, fitted = found()
    if rotors := rotors_at_joints(scenario, paths_of(fitted)):
        scenario = with_values(scenario, rotors, check=False)
        own, fitted = found()
    each = [
        _experiment(
            spec,
            logs[name],
            own[name],
            parameters=fitted,
            options=options,
            name=name,
            is_alone=len(specs) == 1,
        )
        for name, spec in specs.items()
    ]
    if options["fit_start"]:
        fitted = [
            *fitted,
            *(
                p
                for one in each
                if not one.is_whole
                for p in start_parameters(one)
            ),
        ]
        each = [dc.replace(one, parameters=fitted) for one in each]
    return Experiments(each, scenario, gains)


def _own(
    scenario: Scenario,
    spec: ExperimentSpec,
    log: RobotLog,
    gains: Gains,
    model: str,
) -> tuple[Scenario, Gains]:
    """Returns scenario and gains of one experiment."""
    own = spec.scenario_of(scenario)
    return own, {**gains, **gains_of(own, log, spec.gains, model)}


def _experiment(
    spec: ExperimentSpec,
    log: RobotLog,
    own: tuple[Scenario, Gains],
    *,
    parameters: list[Parameter],
    options: Options,
    name: str,
    is_alone: bool,
) -> Experiment:
    scenario, gains = own
    with below(*(() if is_alone else ("experiments", name))):
        return Experiment(
            scenario,
            log,
            parameters,
            model=options["model"],
            gains=gains,
            signals=tuple(options["signals"]),
            scales=dict(options["scales"]),
            windows=spec.windows or options["windows"],
            between=options["between"],
            span=_span(spec, log),
            name=name,
            is_alone=is_alone,
            is_whole=spec.held_out,
            weight=spec.weight,
            factors=spec.places_of_factors(),
            state=spec.state,
        )


def parameter_specs(parameters: Parameters) -> list[ParameterSpec]:
    """Returns parameters as `ParameterSpec`s, however they were given."""
    if isinstance(parameters, Mapping):
        return [
            ParameterSpec(path, list(numbers[:2]), *numbers[2:3])
            for path, numbers in parameters.items()
        ]
    return [
        p if isinstance(p, ParameterSpec) else parse_option(p)
        for p in parameters
    ]


def _span(spec: ExperimentSpec, log: RobotLog) -> tuple[int, int]:
    """Returns the first and the last sample that count.

    Raises:
        InputError: there are fewer than two.
    """
    begin = -np.inf if spec.begin is None else spec.begin
    end = np.inf if spec.end is None else spec.end
    inside = np.flatnonzero((log.time >= begin) & (log.time <= end))
    if len(inside) < 2:
        raise InputError(
            f"{len(inside)} samples from {begin:g} to {end:g} s; the log lasts from"
            f" {log.time[0]:g} to {log.time[-1]:g} s",
            where=log.file,
        )
    return int(inside[0]), int(inside[-1])


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
    whole = [one for one in experiments.each if one.is_whole]
    others = [one for one in experiments.each if not one.is_whole]
    if not others:
        raise InputError(
            "all experiments are held out; at least one is needed to fit to"
        )
    if validate is None:
        validate = 0.0 if whole else _VALIDATE
    if not 0 <= validate < 1:
        raise InputError(
            f"validate {validate:g}; a share from 0 to below 1 is allowed"
        )
    fitted, kept_out = others, whole
    if validate > 0:
        cuts = [_cut(one, validate) for one in others]
        fitted = [early for early, _ in cuts]
        kept_out = [*(late for _, late in cuts), *whole]
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
    # The run goes on: measurements to start from have noise, which stays
    # where friction holds. Errors that accumulate start anew, as in windows.
    late = dc.replace(experiment, span=(first, last), windows=1)
    late = (
        dc.replace(late, begin=begin)
        if experiment.windows == 1
        else dc.replace(late, state={})
    )
    return dc.replace(experiment, span=(begin, first - 1)), late
