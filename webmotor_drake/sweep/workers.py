"""Workers: processes of this machine, or a Dask cluster.

Both are executors of `concurrent.futures`, with the same call for a run. A run whose
worker died or hung is tried once more; other runs do not wait for it.
"""

import collections
import contextlib
import errno
import os
import resource
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)

from webmotor_drake.errors import InputError, MotorWarning, needing, one_line
from webmotor_drake.interrupts import uninterrupted
from webmotor_drake.results.whole_file import reason
from webmotor_drake.sweep.worker import (
    KILLED,
    TIMEOUT,
    Outcome,
    Task,
    out_of_time,
    work,
)

# The numerical libraries of a worker have one thread each: the other processors
# have workers of their own.
_ONE_THREAD = {"VECLIB_MAXIMUM_THREADS": "1"} | {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")
}
# A process that has grown by this is replaced, bytes: Drake 1.51 keeps some 100 kB of
# each diagram.
_GROWTH = 100 * 2**20
# A run with one of these ends has no result, and is tried once more.
LOST = TIMEOUT, KILLED
# Within which a scheduler has to answer, s.
_ANSWER = 5.0
# The period of asking for a cluster's size, s.
_COUNTED = 1.0
# The period in which a worker checks that its study's process still runs, s.
_LOOK = 0.5


def workers_for(number: int | None, scheduler: str | None) -> "Workers":
    """Returns processes of this machine, or the workers of a Dask scheduler.

    Args:
        number: number of processes; None: one per processor.
        scheduler: address of the scheduler; None: this machine.

    Raises:
        InputError: no workers are available.
    """
    if scheduler is not None:
        return ClusterWorkers(scheduler)
    if number is not None and number < 1:
        problem = f"{number} is not allowed; must be a whole number from 1 on"
        raise InputError(problem, where="--jobs")
    return LocalWorkers(number)


class LocalWorkers:
    """Processes of this machine, by joblib's loky.

    Each process is an executor of its own: if one dies, the others go on, and the run
    at fault is known.

    Args:
        number: count of processes; None: one per processor that we may use.

    Raises:
        InputError: joblib is not installed.
    """

    def __init__(self, number: int | None):
        with needing("joblib is missing", "'webmotor-drake[sweep]'"):
            from joblib import cpu_count
            from joblib.externals import loky
        # A killed process leaves its temporary files, which are removed here.
        self._files = tempfile.TemporaryDirectory(
            prefix="webmotor_", ignore_cleanup_errors=True
        )
        env = {**_ONE_THREAD, "TMPDIR": self._files.name}
        self._new = lambda: loky.ProcessPoolExecutor(
            max_workers=1,
            initializer=_start,
            initargs=(os.getpid(),),
            env=env,
        )
        self._number = number or cpu_count()
        self._idle: list[Executor | None] = [None] * self._number
        self._busy: dict[Future[Outcome], Executor] = {}
        # Memory of each process after its first run, bytes.
        self._first_memory: dict[Executor, int] = {}

    @property
    def room(self) -> int:
        """The number of runs at a time: one per process."""
        return self._number

    @uninterrupted()  # a process in no list would stay for ever
    def submit(self, task: Task) -> "Future[Outcome]":
        """Hands a run to an idle process, or to a new one if that died."""
        if not self._idle:  # after an interrupt, earlier runs may still go on
            wait(self._busy, return_when=FIRST_COMPLETED)
        for future in [f for f in self._busy if f.done()]:
            executor = self._busy.pop(future)
            self._idle.append(self._well(executor, future))
        executor = self._idle.pop()
        with _told_if_not_started():
            executor = executor or self._new()
            try:
                future = executor.submit(work, task)
            except BrokenExecutor:  # it died while it had nothing to do
                self._end(executor)
                executor = self._new()
                future = executor.submit(work, task)
        self._busy[future] = executor
        return future

    def _well(
        self, executor: "Executor", future: "Future[Outcome]"
    ) -> "Executor | None":
        """Returns the process that did a run if it can do others, else ends it."""
        # An interrupted process may have half an import, or a running controller.
        if not future.cancelled() and future.exception() is None:
            outcome = future.result()
            first = self._first_memory.setdefault(executor, outcome.memory)
            if outcome.status not in LOST and outcome.memory - first < _GROWTH:
                return executor
        self._end(executor)
        return None

    def _end(self, executor: "Executor") -> None:
        self._first_memory.pop(executor, None)
        executor.shutdown(wait=True, kill_workers=True)

    @uninterrupted()  # waiting for a half-ended process takes for ever
    def stop(self) -> None:
        """Ends all processes, and removes their temporary files."""
        executors = [*self._idle, *self._busy.values()]
        self._idle, self._busy = [], {}
        for executor in filter(None, executors):
            executor.shutdown(wait=True, kill_workers=True)
        self._files.cleanup()


@contextlib.contextmanager
def _told_if_not_started() -> Iterator[None]:
    """Reports in one line why the system refuses a new process."""
    try:
        yield
    except Exception as error:
        # Loky's own cleanup may fail after the system's error.
        refusal = error if isinstance(error, OSError) else error.__context__
        if not isinstance(refusal, OSError):
            raise
        few = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = f" (ulimit -n is {few})" * (refusal.errno == errno.EMFILE)
        raise InputError(
            f"cannot start a worker: {reason(refusal)}{limit}; fewer --jobs need"
            " less"
        ) from error


class ClusterWorkers:
    """The workers of a Dask scheduler, which may come and go.

    Args:
        scheduler: address of the scheduler, such as tcp://10.0.0.1:8786.

    Raises:
        InputError: dask is not installed, or nobody answers there.
    """

    def __init__(self, scheduler: str):
        with needing("dask is missing", "'webmotor-drake[cluster]'"):
            from distributed import Client
        try:
            self._client = Client(scheduler, timeout=_ANSWER)
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise InputError(
                f"no scheduler answers at {scheduler!r} within {_ANSWER:g} s"
                f" ({type(error).__name__}); an address such as"
                " tcp://10.0.0.1:8786 is needed",
                where="--scheduler",
            ) from None
        self._executor = self._client.get_executor(pure=False)
        self._counted = -_COUNTED
        self._threads = 0

    @property
    def room(self) -> int:
        """The number of runs at a time: two per thread."""
        if time.monotonic() > self._counted + _COUNTED:
            self._threads = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return 2 * max(self._threads, 1)

    def submit(self, task: Task) -> "Future[Outcome]":
        """Hands a run to the scheduler."""
        return self._executor.submit(work, task)

    def stop(self) -> None:
        """Cancels the runs that are not done; the cluster goes on."""
        with uninterrupted():
            with contextlib.suppress(Exception):  # it may be gone
                self._executor.shutdown(wait=False)
            self._client.close(timeout=_ANSWER)


Workers = LocalWorkers | ClusterWorkers


def _start(study: int) -> None:
    """Prepares a worker process; `study` is the study's process, perhaps gone."""
    warnings.simplefilter("ignore", MotorWarning)  # they are in the outcomes
    # Ctrl-C goes to all; the study ends its processes itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(study,), daemon=True).start()


def _end_with(study: int) -> None:
    """Ends this process once the study's process is gone."""
    while os.getppid() == study:
        time.sleep(_LOOK)
    os._exit(1)  # `sys.exit` would end this thread alone


def outcomes(
    tasks: Iterable[Task], workers: Workers
) -> Iterator[tuple[Task, Outcome]]:
    """Gives the outcome of each task, as they end.

    A task that is lost is tried once more; the others don't wait for it.
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
