"""webmotor compare: the same scenario under several motor models."""

import argparse

from webmotor_drake.cli.console import Notes, complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.progress import progress_of_models
from webmotor_drake.cli.saving import out_folder, save_somewhere
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.cli.step_time import limited_steps
from webmotor_drake.comparison.comparison import Comparison
from webmotor_drake.comparison.comparison_run import ComparisonRun
from webmotor_drake.interrupts import interrupted_status, uninterrupted
from webmotor_drake.results.whole_file import check_writable
from webmotor_drake.sweep.runs import SweepRuns, sweep_appendix


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Runs a scenario under several models; returns the exit status."""
    scenario = load(args)
    out = out_folder(args, scenario, "-compare")
    appendix = (
        sweep_appendix(SweepRuns.load(args.sweep)) if args.sweep else None
    )
    ready = ComparisonRun(scenario, args.models, gains=args.gains)
    check_writable(out / "report.html", out / "compare.csv")
    notes.show()
    status, comparison = _run_models(ready, quiet=args.quiet)
    with uninterrupted():
        failed, saved = save_somewhere(
            lambda folder: comparison.save(folder, appendix), out
        )
    for text in comparison.warnings:
        notes.add(f"warning: {text}")
    for model, error in comparison.errors.items():
        complain(f"{model} failed: {error}")
    if not args.quiet:
        failed = say(f"{comparison.table()}\n{saved}") or failed
    return status or failed


def _run_models(ready: ComparisonRun, *, quiet: bool) -> tuple[int, Comparison]:
    try:
        with limited_steps(None), progress_of_models(quiet=quiet) as progress:
            comparison = ready.run(progress=progress)
    except KeyboardInterrupt:
        complain("interrupted")
        return interrupted_status(), ready.comparison()
    return FAILED if comparison.errors else DONE, comparison
