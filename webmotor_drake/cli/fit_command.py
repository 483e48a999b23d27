"""webmotor fit: a scenario's motors, fitted to the log of a robot."""

import argparse
import dataclasses as dc
import functools
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.options import names
from webmotor_drake.cli.progress import progress_of_fit
from webmotor_drake.cli.saving import out_folder, save_somewhere
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.excitation import excitations, save_excitations
from webmotor_drake.fitting.experiment_spec import (
    ExperimentSpec,
    is_yaml,
    load_experiments,
    named_experiments,
)
from webmotor_drake.fitting.fit import FitRun, evaluate
from webmotor_drake.fitting.model_parameters import DISTINCT
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.fitting.own_model import own_model
from webmotor_drake.fitting.parameter import (
    ParameterFile,
    load_parameters,
    parse_option,
)
from webmotor_drake.fitting.preparation import load_logs
from webmotor_drake.fitting.report import REPORT, overlay_name, save
from webmotor_drake.fitting.runs import fit_workers
from webmotor_drake.fitting.solve import FitSettings
from webmotor_drake.fitting.table import evaluation_text, models_text, text
from webmotor_drake.interrupts import interrupted_status, uninterrupted
from webmotor_drake.results.whole_file import check_writable
from webmotor_drake.scenario.scenario import Scenario

ALL = "all"


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Fits a scenario's motors under one model or several; returns the exit status."""
    scenario = load(args)
    if args.excite:
        return _excite(scenario, args, notes)
    if not args.log and not args.experiment:
        return _evaluate(scenario, args, notes)
    out = out_folder(args, scenario, "-fit")
    ready = _ready(scenario, args, notes)
    overlays = [overlay_name(model, len(ready)) for model in ready]
    check_writable(*(out / file for file in (REPORT, *overlays)))
    for remark in dict.fromkeys(
        r for run in ready.values() for r in run.remarks
    ):
        notes.add(f"warning: {remark}")
    notes.show()
    status, fits = _run(ready, args)
    if not fits:
        return status
    with uninterrupted():
        failed, saved = save_somewhere(lambda folder: save(fits, folder), out)
    if not args.quiet:
        parts = [text(fit) for fit in fits.values()]
        if len(fits) > 1:
            parts.append(models_text(fits))
        failed = say("\n\n".join(parts) + f"\n{saved}") or failed
    if args.evaluate:
        fitted = {m: (fit.scenario, fit.gains) for m, fit in fits.items()}
        failed = _show_evaluations(fitted, args, notes) or failed
    return status or failed


def _excite(scenario: Scenario, args: argparse.Namespace, notes: Notes) -> int:
    made, remarks = excitations(scenario)
    save_excitations(made, Path(args.excite))
    for remark in remarks:
        notes.add(f"warning: {remark}")
    notes.show()
    lines = [f"{name}.csv: {about}" for name, (_, about) in made.items()]
    return say("\n".join([*lines, f"saved in {args.excite}"]))


def _evaluate(
    scenario: Scenario, args: argparse.Namespace, notes: Notes
) -> int:
    if not args.evaluate:
        raise InputError(
            "no log; give --log FILE or --experiment FILE to fit to it, --evaluate"
            " FILE, or --excite DIR for commands to log"
        )
    gains = {**_file(args).gains, **args.gains}
    of_models = dict.fromkeys(_models(scenario, args), (scenario, gains))
    return _show_evaluations(of_models, args, notes)


def _show_evaluations(
    of_models: Mapping[str, tuple[Scenario, Mapping[str, Sequence[float]]]],
    args: argparse.Namespace,
    notes: Notes,
) -> int:
    """Prints the errors of models, with scenario and gains, without a fit to them."""
    experiments = _experiments([args.evaluate], args)
    evaluations: dict[str, Evaluation] = {}
    problems: dict[str, InputError] = {}
    status = DONE
    for model, (scenario, gains) in of_models.items():
        try:
            evaluations[model] = evaluate(
                scenario,
                experiments,
                model=model,
                gains=gains,
                signals=args.signals,
                windows=args.windows,
                between=args.between,
            )
        except SimulationError as error:
            complain(f"{model}: {error}")
            status = FAILED
        except InputError as error:
            if args.models != ALL:
                raise
            problems[model] = error
    _note_left_out(problems, of_models, notes)
    notes.show()
    if not evaluations:
        return status
    head = f"{args.evaluate}, without a fit to it:\n"
    return say(head + evaluation_text(evaluations)) or status


def _ready(
    scenario: Scenario, args: argparse.Namespace, notes: Notes
) -> dict[str, FitRun]:
    file = _file(args)
    specs = [*file.parameters, *map(parse_option, args.parameter)] or None
    experiments = _experiments([*args.experiment, *args.log], args)
    settings = FitSettings(
        method=args.method,
        loss=args.loss,
        starts=args.starts,
        seed=args.seed,
        max_iterations=args.iterations,
    )
    gains = {**file.gains, **args.gains}
    models = _models(scenario, args)

    found: dict[str, FitRun] = {}
    problems: dict[str, InputError] = {}
    for model in models:
        try:
            found[model] = FitRun(
                scenario,
                experiments,
                specs,
                model=model,
                gains=gains,
                signals=args.signals,
                scales=args.scales,
                windows=args.windows,
                between=args.between,
                validate=args.validate,
                fit_start=args.fit_start,
                settings=settings,
            )
        except InputError as error:
            if args.models != ALL:
                raise
            problems[model] = error
    _note_left_out(problems, models, notes)
    return found


def _note_left_out(
    problems: Mapping[str, InputError], models: Collection[str], notes: Notes
) -> None:
    """Notes why models are left out; raises the first reason if all of them are."""
    if len(problems) == len(models):
        raise next(iter(problems.values()))
    for model, error in problems.items():
        notes.add(f"warning: {model} is left out: {error.problem}")


def _models(scenario: Scenario, args: argparse.Namespace) -> Sequence[str]:
    if args.models == ALL:  # those that can be this scenario's
        return DISTINCT
    return names(args.models or own_model(scenario))


def _file(args: argparse.Namespace) -> ParameterFile:
    files = [load_parameters(args.parameters)] if args.parameters else []
    files += [load_experiments(f) for f in args.experiment if is_yaml(f)]
    return ParameterFile(
        [spec for file in files for spec in file.parameters],
        {name: pair for file in files for name, pair in file.gains.items()},
    )


def _experiments(
    files: Sequence[str], args: argparse.Namespace
) -> dict[str, ExperimentSpec]:
    found = named_experiments(
        [
            file
            if is_yaml(file)
            else ExperimentSpec(log=file, columns=args.columns)
            for file in files
        ]
    )
    logs = load_logs(found)
    return {n: dc.replace(s, log=logs[n]) for n, s in found.items()}


def _run(
    ready: dict[str, FitRun], args: argparse.Namespace
) -> tuple[int, dict[str, MotorFit]]:
    fits: dict[str, MotorFit] = {}
    status = DONE
    try:
        who = args.jobs or 0, args.scheduler or "", args.timeout
        with fit_workers(*who) as workers:
            for model, run in ready.items():
                tell = functools.partial(
                    print, f"{model}:", file=sys.stderr, flush=True
                )
                try:
                    with progress_of_fit(model, quiet=args.quiet) as progress:
                        fits[model] = run.run(
                            workers,
                            progress,
                            timeout=args.timeout,
                            tell=None if args.quiet else tell,
                        )
                except SimulationError as error:
                    complain(f"{model}: {error}")
                    if args.models != ALL:
                        status = FAILED
                    continue
                if fits[model].interrupted:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        complain("interrupted")
        status = interrupted_status()
    return status if fits else status or FAILED, fits
