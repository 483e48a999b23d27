"""What a worker does: one run after the other, from text and a seed.

It may be a process of this machine or of a cluster. It keeps what it has loaded.
"""

import contextlib
import copy
import dataclasses as dc
import faulthandler
import functools
import gc
import hashlib
import os
import pickle
import resource
import sys
import threading
import time
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.errors import InputError, MotorWarning, one_line
from webmotor_drake.results.metrics import motor_metrics, total_metrics
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.sweep.one_run import one_run
from webmotor_drake.sweep.study import Scalar

# How a run ended.
DONE = "done"
FAILED = "failed"  # the simulation did, midway
INVALID = "invalid"  # the values are not allowed
TIMEOUT = "timeout"
KILLED = "killed"

# How much longer than its time a run may be within Drake, where nobody looks at
# the clock, s.
GRACE = 2.0

# How long it may take to compile, and to import Drake, s.
_WARM_UP = 300.0
# What is simulated to have everything at hand, s.
_SHORT = 0.02

# Warnings and seeds are the process', of which a cluster's worker may have several
# threads.
_ONE_AT_A_TIME = threading.Lock()


@dc.dataclass(frozen=True)
class Job:
    """One run, as a worker gets it.

    Attributes:
        run: what identifies the run.
        scenario: the pickled Scenario: its YAML.
        files: digests of the files that it needs, by absolute path.
        parameters: values by path.
        seed: of what is random.
        metrics: names of those to keep.
        traces: whether the signals are kept.
        timeout: the time that it may take, s; None: any.
    """

    run: str
    scenario: bytes
    files: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[Keys, Scalar], ...]
    seed: int
    metrics: tuple[str, ...]
    traces: bool = False
    timeout: float | None = None


class Outcome(typing.NamedTuple):
    """What came of a job."""

    status: str
    # In the order of the job's metrics; NaN: there is none.
    metrics: tuple[float, ...] = ()
    # One line; empty: nothing went wrong.
    error: str = ""
    wall_time: float = 0.0  # s
    # Of the worker, bytes.
    memory: int = 0
    warnings: tuple[str, ...] = ()
    # The files of the results by name, if they are kept.
    traces: tuple[tuple[str, bytes], ...] = ()


class _OutOfTime(BaseException):
    """A run took too long; nothing that handles its errors handles this."""


def work(job: Job) -> Outcome:
    """Runs a job; whatever goes wrong is told in the outcome."""
    with _ONE_AT_A_TIME, _quiet():
        with _hard_limit(_WARM_UP):
            scenario = _loaded(job.scenario)
        started = time.perf_counter()
        with _hard_limit(job.timeout):
            outcome = _outcome(job, scenario)
        return outcome._replace(
            wall_time=time.perf_counter() - started, memory=_memory()
        )


def _outcome(job: Job, scenario: Scenario) -> Outcome:
    try:
        check_files(job.files)
        results = one_run(
            scenario,
            dict(job.parameters),
            seed=job.seed,
            progress=_clock(job, scenario),
        )
        return Outcome(
            DONE,
            kept_metrics(results, job.metrics),
            warnings=tuple(results.metadata.get("warnings", ())),
            traces=_traces(results) if job.traces else (),
        )
    except InputError as error:
        return Outcome(INVALID, error=one_line(error))
    except _OutOfTime:
        return Outcome(TIMEOUT, error=out_of_time(job))
    except MemoryError:
        gc.collect()
        return Outcome(KILLED, error="out of memory")
    except (Exception, SystemExit) as error:
        partial = getattr(error, "results", None)
        kept = job.traces and isinstance(partial, Results)
        return Outcome(
            FAILED,
            error=one_line(error) or type(error).__name__,
            traces=_traces(partial) if kept else (),
        )


def _clock(
    job: Job, scenario: Scenario
) -> Callable[[float, float], None] | None:
    """Returns what ends a run that takes too long.

    Not with controllers: it would be their error to tell of.
    """
    drivers = scenario.model_drivers.values()
    controlled = any(getattr(driver, "controller", "") for driver in drivers)
    if job.timeout is None or controlled:
        return None
    deadline = time.monotonic() + job.timeout

    def look(now: float, end: float) -> None:
        if time.monotonic() > deadline:
            raise _OutOfTime

    return look


def out_of_time(job: Job) -> str:
    """Returns what is said of a run that took too long."""
    return f"not done after {job.timeout:g} s"


def kept_metrics(results: Results, names: tuple[str, ...]) -> tuple[float, ...]:
    """Returns metrics of a run.

    Args:
        results: the run.
        names: "<model>/<motor>/<metric>", or "<metric>" of all motors together.
    """
    motors = {motor: motor_metrics(results, motor) for motor in results.motors}
    units = {motor: results.units(motor) for motor in results.motors}
    motors[""] = total_metrics(motors, units)
    values = []
    for name in names:
        motor, _, metric = name.rpartition("/")
        values.append(float(motors[motor][metric]))
    return tuple(values)


def check_files(files: tuple[tuple[str, str], ...]) -> None:
    """Raises InputError for a file that is no longer what it was."""
    for file, digest in files:
        if _digest_of(file) != digest:
            raise InputError(f"{file} has changed since the study started")


def digest(file: Path) -> str:
    """Returns what tells the content of a file from others; empty: there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _digest_of(file: str) -> str:
    """Returns a file's digest, read again only when the file is another."""
    try:
        about = os.stat(file)
    except OSError:
        return ""
    return _known_digest(file, about.st_mtime_ns, about.st_size, about.st_ino)


@functools.lru_cache(maxsize=1000)
def _known_digest(file: str, *about: int) -> str:
    return digest(Path(file))


@functools.lru_cache(maxsize=2)
def _loaded(scenario: bytes) -> Scenario:
    """Returns a scenario, once compiled code and the like are there for it.

    The first run of a process takes seconds more, which are not that run's.
    """
    loaded = pickle.loads(scenario)
    short = copy.copy(loaded)
    short.simulation_duration = min(_SHORT, loaded.simulation_duration)
    short.model_drivers = {
        name: dc.replace(driver, controller="")
        if getattr(driver, "controller", "")
        else driver
        for name, driver in loaded.model_drivers.items()
    }
    with contextlib.suppress(Exception, SystemExit):  # the run itself will tell
        one_run(short, {})
    return loaded


def _traces(results: Results) -> tuple[tuple[str, bytes], ...]:
    return tuple(results.files().items())


@contextlib.contextmanager
def _hard_limit(timeout: float | None) -> Iterator[None]:
    """Ends the process where it hangs: the watch needs no Python to run."""
    if timeout is None:
        yield
        return
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(
            timeout + GRACE, exit=True, file=nowhere
        )
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Shows no warnings: they are in the outcome."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotorWarning)
        yield


def _memory() -> int:
    """Returns the memory of this process, bytes; its peak where that is unknown."""
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
