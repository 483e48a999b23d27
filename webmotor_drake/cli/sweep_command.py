"""webmotor sweep: many variations of a scenario."""

import argparse
import collections
from pathlib import Path

from webmotor_drake.cli.console import Notes, complain, say
from webmotor_drake.cli.exit_status import DONE, FAILED
from webmotor_drake.cli.progress import progress_of_runs
from webmotor_drake.cli.saving import out_folder
from webmotor_drake.cli.scenario_arguments import load
from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import interrupted_status
from webmotor_drake.results.whole_file import check_writable, write_whole
from webmotor_drake.sweep.job import Outcome
from webmotor_drake.sweep.run_table import TABLE
from webmotor_drake.sweep.runs import SweepRuns, runs_figure, traces_figure
from webmotor_drake.sweep.study import (
    RANDOM,
    Study,
    check_study,
    load_study,
    parse_vary,
)
from webmotor_drake.sweep.study_run import StudyRun
from webmotor_drake.sweep.worker import DONE as RUN_DONE
from webmotor_drake.sweep.workers import workers_for

_BEST = 5  # runs that are shown
_TRACES_PLOT, _PLOT = "traces.png", "sweep.png"


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Runs a study; returns the exit status."""
    scenario = load(args)
    out = out_folder(args, scenario, "-sweep")
    study = _study(args)
    ready = StudyRun(scenario, study, out, timeout=args.timeout)
    plots = [out / _PLOT, out / _TRACES_PLOT][: 1 + study.traces]
    check_writable(out / TABLE, *(plots if args.plot else ()))
    notes.show()
    tally = _Tally(len(ready.jobs))
    status = _run(ready, tally, args)
    for text in tally.notes():
        notes.add(text)
    try:
        failed = _show(out, study, tally, args)
    except InputError as error:  # the runs are done all the same
        complain(error)
        failed = FAILED
    return status or failed


def _show(
    out: Path, study: Study, tally: "_Tally", args: argparse.Namespace
) -> int:
    status = DONE
    runs = SweepRuns.load(out)
    runs.save_parquet()
    if not args.quiet:
        status = say(
            f"{tally.summary()}; saved in {out / TABLE}\n{runs.best(_BEST)}"
        )
    if args.plot:
        write_whole(out / _PLOT, runs_figure(runs).picture())
        if study.traces:
            write_whole(out / _TRACES_PLOT, traces_figure(runs).picture())
    return status


def _study(args: argparse.Namespace) -> Study:
    study = load_study(args.study) if args.study else Study()
    options = {}
    for text in args.vary:
        path, values = parse_vary(text)
        study.parameters[path] = values
        options["parameters", path] = "--vary"
    if args.random is not None:
        study.sampling, study.samples = RANDOM, args.random
        options["samples",] = "--random"
    for field in ("seed", "repetitions", "metrics"):
        if getattr(args, field) is not None:
            setattr(study, field, getattr(args, field))
            options[field,] = f"--{field}"
    study.traces = study.traces or args.traces
    study.options = options  # pyright: ignore[reportAttributeAccessIssue]
    check_study(study)
    return study


def _run(ready: StudyRun, tally: "_Tally", args: argparse.Namespace) -> int:
    workers = workers_for(args.jobs, args.scheduler)
    try:
        with progress_of_runs(len(ready.jobs), quiet=args.quiet) as show:

            def progress(before: int, outcome: Outcome | None) -> None:
                tally.add(before, outcome)
                if show:
                    show(tally.done, tally.failed)

            ready.run(workers, progress)
    except KeyboardInterrupt:
        complain(f"interrupted; {tally.summary()}; the same command goes on")
        return interrupted_status()
    except InputError as error:  # a full disk, or a cluster that left
        complain(error)
        return FAILED
    finally:
        workers.stop()
    return FAILED if tally.failed else DONE


class _Tally:
    """Counts of the runs so far: with a row, and without results among these."""

    def __init__(self, total: int):
        self._total = total
        self.done = self.failed = 0
        self._before = 0
        self._memory = 0
        self._warnings: collections.Counter[str] = collections.Counter()

    def add(self, before: int, outcome: Outcome | None) -> None:
        """Counts an outcome."""
        self._before = before
        if outcome is None:
            self.done = before
            return
        self.done += 1
        self.failed += outcome.status != RUN_DONE
        self._memory = max(self._memory, outcome.memory)
        self._warnings.update(outcome.warnings)

    def notes(self) -> list[str]:
        """Returns the warnings of the runs."""
        return [
            f"warning: {text} (in {number} of {self._total} runs)"
            for text, number in self._warnings.items()
        ]

    def summary(self) -> str:
        """Returns how many runs there are, in words."""
        text = f"{self.done} of {self._total} runs done"
        if self._before:
            text += f", {self._before} of them before"
        if self.failed:
            text += f", {self.failed} failed"
        if self._memory:
            text += f"; at most {self._memory / 2**20:.0f} MiB per worker"
        return text
