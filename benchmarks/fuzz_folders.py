"""Folders of runs and of sweeps, damaged at random, read and written again.

    python benchmarks/fuzz_folders.py [--calls N] [--seed S]

Whatever was done to a folder, what reads it ends soon: it does its work, or says in
one line what is wrong. Anything else is shown, and the exit status is 1.
"""

import contextlib
import shutil
import signal
import sys
import typing
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np
from _lib.odd_files import damage
from _lib.random_calls import show
from pydrake.geometry import Meshcat, MeshcatParams

from webmotor_drake import load_scenario, run
from webmotor_drake.errors import WebmotorError
from webmotor_drake.results.plots import plot_run
from webmotor_drake.results.results import Results
from webmotor_drake.results.summary import summary_table
from webmotor_drake.sweep.runs import SweepRuns, runs_figure, sweep_appendix
from webmotor_drake.sweep.study import Study
from webmotor_drake.sweep.study_run import StudyRun
from webmotor_drake.sweep.worker import work
from webmotor_drake.view.replay import replay

# Nothing takes as long, s.
_SOON = 120
_GAIN = 'model_drivers.lift.motors."mast motor".control_pid[0]'


class HereAndNow:
    """Workers that do each run at once, in this process."""

    about, room = "this process", 1

    def submit(self, task: typing.Any) -> Future:
        """Does a run."""
        future: Future = Future()
        future.set_result(work(task))
        return future

    def stop(self) -> None:
        """Has nothing to end."""


def scenario() -> typing.Any:
    """Returns what was run."""
    short = "{simulation_duration: 0.05}"
    return load_scenario("package:vertical_lift", text=short)


def sweep(folder: Path) -> None:
    """Does, or goes on with, a sweep of two runs."""
    study = Study(parameters={_GAIN: [1.0, 2.0]}, traces=True)
    StudyRun(scenario(), study, folder).run(HereAndNow())
    SweepRuns.load(folder).save_parquet()


def read_run(folder: Path, meshcat: Meshcat) -> None:
    """Does all that is done with a run that was saved."""
    results = Results.load(folder)
    summary_table(results)
    plot_run(results, folder / "run.png")
    results.to_dataframe()
    replay(results, meshcat)
    results.save(folder)


def read_sweep(folder: Path) -> None:
    """Does all that is done with a sweep that was done."""
    runs = SweepRuns.load(folder)
    runs.best(5)
    (folder / "sweep.png").write_bytes(runs_figure(runs).picture())
    sweep_appendix(runs)


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """Raises where the block hangs."""

    def late(*_: object) -> None:
        raise TimeoutError(f"it hangs: {_SOON} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SOON)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Damages folders and reads them.

    Args:
        number: how often.
        seed: of what is done to them.
        folder: where they may be.

    Returns:
        What came of it, and what was wrong.
    """
    random = np.random.default_rng(seed)
    meshcat = Meshcat(MeshcatParams(host="127.0.0.1"))
    whole = {"run": folder / "a run", "sweep": folder / "a sweep"}
    run(scenario()).save(whole["run"])
    sweep(whole["sweep"])
    found: Counter[str] = Counter()
    wrong = []
    for i in range(number):
        kind = list(whole)[random.integers(2)]
        copy = folder / "copy"
        shutil.copytree(whole[kind], copy)
        files = sorted(
            file for file in copy.rglob("*") if file.suffix != ".png"
        )
        files = [file for file in files if file.is_file()]
        done = damage(files[random.integers(len(files))], random)
        uses: list[typing.Callable[[], None]] = [
            lambda copy=copy: read_run(copy, meshcat)
        ]
        if kind == "sweep":
            uses = [lambda copy=copy: read_sweep(copy)]
            uses.append(lambda copy=copy: sweep(copy))
        for use in uses:
            told = _outcome(use)
            found[told.partition(":")[0]] += 1
            if told.startswith("wrong"):
                wrong.append(f"{i} {kind} {done}: {told}")
        shutil.rmtree(copy)
    return found, wrong


def _outcome(use: typing.Callable[[], None]) -> str:
    """Returns what came of using a folder."""
    try:
        with soon(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use()
    except WebmotorError as error:
        return "refused" if "\n" not in str(error) else f"wrong: {error}"
    except Exception as error:
        return f"wrong: {type(error).__name__}: {error}"[:300]
    return "done"


if __name__ == "__main__":
    sys.exit(show(fuzz, __doc__))
