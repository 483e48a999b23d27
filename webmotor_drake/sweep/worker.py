"""Does one task after the other, from text and numbers.

A worker is a process here or on a cluster. It keeps loaded data for later tasks.
"""

import contextlib
import dataclasses as dc
import faulthandler
import os
import resource
import sys
import threading
import time
import typing
import warnings
from collections.abc import Iterator
from pathlib import Path

from webmotor_drake.errors import MotorWarning

# The ends of a run.
DONE = "done"
FAILED = "failed"  # the simulation failed midway
INVALID = "invalid"  # the values are not allowed
TIMEOUT = "timeout"
KILLED = "killed"

# Further time for a run that is within Drake when its time is over, where nothing
# checks the clock, s.
GRACE = 2.0

# The time that compiling, and importing Drake, may take, s.
_WARM_UP = 300.0

# All threads of a process share its warnings and seeds; a cluster's worker may have
# several threads.
_ONE_AT_A_TIME = threading.Lock()


@dc.dataclass(frozen=True)
class Outcome:
    """The outcome of a task; a kind of task adds its results.

    Attributes:
        status: end of the run, such as "done".
        error: message, one line; empty: nothing went wrong.
        wall_time: duration on the clock, s.
        memory: memory of the worker, bytes.
    """

    status: str
    error: str = ""
    wall_time: float = 0.0
    memory: int = 0


class Task(typing.Protocol):
    """A run, as a worker gets it: never a simulator.

    Attributes:
        run: identity of the run.
        timeout: longest duration of the run, s; None: no limit.
        result: class of its outcomes.
    """

    run: str
    timeout: float | None
    result: typing.ClassVar[type[Outcome]]

    def warm_up(self) -> None:
        """Loads and compiles the parts that all runs use."""

    def outcome(self) -> Outcome:
        """Does the run; the outcome reports any error."""


def work(task: Task) -> Outcome:
    """Does a task."""
    # The outcome has the warnings.
    quiet = warnings.catch_warnings(action="ignore", category=MotorWarning)
    with _ONE_AT_A_TIME, quiet:
        with _hard_limit(_WARM_UP):
            task.warm_up()
        started = time.perf_counter()
        with _hard_limit(task.timeout):
            outcome = task.outcome()
        spent = time.perf_counter() - started
        return dc.replace(outcome, wall_time=spent, memory=_memory())


def out_of_time(task: Task) -> str:
    """Returns the message for a run that took too long."""
    return f"not done after {task.timeout:g} s"


@contextlib.contextmanager
def _hard_limit(timeout: float | None) -> Iterator[None]:
    """Ends the process if it hangs, by a timer that works without the interpreter."""
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


def _memory() -> int:
    """Returns the memory of this process, bytes; its peak where that is unknown."""
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
