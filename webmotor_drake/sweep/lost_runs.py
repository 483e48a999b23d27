"""Runs whose worker died or hung: each is tried once more."""

import collections
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from webmotor_drake.errors import one_line
from webmotor_drake.sweep.worker import (
    KILLED,
    TIMEOUT,
    Outcome,
    Task,
    out_of_time,
)
from webmotor_drake.sweep.workers import Workers

# A run that ended so is no result.
LOST = TIMEOUT, KILLED


def outcomes(
    tasks: Iterable[Task], workers: Workers
) -> Iterator[tuple[Task, Outcome]]:
    """Gives the outcome of each task, as they end.

    One that is lost is tried once more; the others don't wait for it.
    """
    waiting = collections.deque(tasks)
    running: dict[Future[Outcome], tuple[Task, float]] = {}
    tried: set[str] = set()
    while waiting or running:
        while waiting and len(running) < workers.room:
            task = waiting.popleft()
            running[workers.submit(task)] = task, time.monotonic()
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            task, started = running.pop(future)
            outcome = _outcome(future, task, time.monotonic() - started)
            if outcome.status in LOST and task.run not in tried:
                tried.add(task.run)
                waiting.append(task)
            else:
                yield task, outcome


def _outcome(future: "Future[Outcome]", task: Task, spent: float) -> Outcome:
    """Returns the outcome of a task; its worker may have died of it."""
    try:
        return future.result()
    except Exception as error:  # of loky, of dask
        text = one_line(error)
        ended_itself = task.timeout is not None and spent >= task.timeout
        if ended_itself and "SIG" not in text:  # loky names the signal
            return task.result(TIMEOUT, out_of_time(task), task.timeout)
        kind = type(error).__name__
        return task.result(KILLED, f"its worker died ({kind}: {text[:200]})")
