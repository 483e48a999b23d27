"""One run of a study, as text and a seed that a worker gets and runs."""

import contextlib
import dataclasses as dc
import functools
import gc
import hashlib
import os
import pickle
import time
import typing
from collections.abc import Callable
from pathlib import Path

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.metrics import motor_metrics, total_metrics
from webmotor_drake.results.own_metrics import own_metrics
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import (
    Scenario,
    controllers_of,
    with_robots,
)
from webmotor_drake.sweep import worker
from webmotor_drake.sweep.one_run import one_run
from webmotor_drake.sweep.study import Scalar
from webmotor_drake.sweep.worker import (
    DONE,
    FAILED,
    INVALID,
    KILLED,
    TIMEOUT,
    out_of_time,
)

# The length of the run that loads and compiles everything, s.
_SHORT = 0.02


@dc.dataclass(frozen=True)
class Outcome(worker.Outcome):
    """The outcome of a job.

    Attributes:
        metrics: values in the order of the job's metrics, then of its own; NaN: none.
        warnings: warnings of the run.
        traces: the files of the results by name, if they are kept.
    """

    metrics: tuple[float, ...] = ()
    warnings: tuple[str, ...] = ()
    traces: tuple[tuple[str, bytes], ...] = ()


@dc.dataclass(frozen=True)
class Job:
    """One run, as a worker gets it.

    Attributes:
        run: identity of the run.
        scenario: the pickled Scenario: its YAML.
        files: digests of the files that it needs, by absolute path.
        parameters: values by path.
        seed: seed of all that is random.
        metrics: names of the metrics to keep.
        traces: True if the signals are kept.
        timeout: longest duration of the run, s; None: no limit.
        own: metrics of one's own, pickled; empty: none.
    """

    run: str
    scenario: bytes
    files: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[Keys, Scalar], ...]
    seed: int
    metrics: tuple[str, ...]
    traces: bool = False
    timeout: float | None = None
    own: bytes = b""

    result: typing.ClassVar = Outcome

    def warm_up(self) -> None:
        """Loads the scenario, and compiles the code that runs need."""
        _loaded(self.scenario)

    def outcome(self) -> Outcome:
        """Does the run."""
        results, scenario = None, _loaded(self.scenario)
        try:
            check_files(self.files)
            own = pickle.loads(self.own) if self.own else {}
            results = one_run(
                scenario,
                dict(self.parameters),
                seed=self.seed,
                progress=_clock(self.timeout, scenario),
            )
            return Outcome(
                DONE,
                metrics=(
                    *kept_metrics(results, self.metrics),
                    *own_metrics(results, own).values(),
                ),
                warnings=tuple(results.metadata.get("warnings", ())),
                traces=self._traces(results),
            )
        except InputError as error:
            return Outcome(INVALID, error=one_line(error))
        except _OutOfTime:
            return Outcome(TIMEOUT, error=out_of_time(self))
        except MemoryError:
            gc.collect()
            return Outcome(KILLED, error="out of memory")
        except (Exception, SystemExit) as error:
            return Outcome(
                FAILED,
                error=one_line(error) or type(error).__name__,
                traces=self._traces(results or getattr(error, "results", None)),
            )

    def _traces(self, results: object) -> tuple[tuple[str, bytes], ...]:
        kept = self.traces and isinstance(results, Results)
        return tuple(results.files().items()) if kept else ()


class _OutOfTime(BaseException):
    """A run took too long; no handler of its errors catches this."""


def _clock(
    timeout: float | None, scenario: Scenario
) -> Callable[[float, float], None] | None:
    """Returns a progress callback that ends a run that takes too long."""
    if timeout is None or controllers_of(scenario):
        return None  # it would be reported as an error of the controllers
    deadline = time.monotonic() + timeout

    def look(now: float, end: float) -> None:
        if time.monotonic() > deadline:
            raise _OutOfTime

    return look


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
    """Raises InputError for a file that has changed."""
    for file, digest in files:
        if digest_of(file) != digest:
            raise InputError(f"{file} has changed since the study started")


def digest_of(file: str) -> str:
    """Returns a digest of a file, read again after a change; "" without a file."""
    try:
        about = os.stat(file)
        return _digest(file, about.st_mtime_ns, about.st_size, about.st_ino)
    except OSError:
        return ""


@functools.lru_cache(maxsize=1000)
def _digest(file: str, *_about: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@functools.lru_cache(maxsize=2)
def _loaded(scenario: bytes) -> Scenario:
    """Returns a scenario after a short run: a process's first run takes longer."""
    loaded = pickle.loads(scenario)
    short = with_robots(loaded, lambda d: dc.replace(d, controller=""))
    short.simulation_duration = min(_SHORT, loaded.simulation_duration)
    with contextlib.suppress(Exception, SystemExit):  # the run will report it
        one_run(short, {})
    return loaded
