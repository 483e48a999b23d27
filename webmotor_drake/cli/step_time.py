"""The processor time that a step may take: many bodies in one place take any."""

import _thread
import contextlib
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Generator

from webmotor_drake import limits
from webmotor_drake.cli.console import leave
from webmotor_drake.cli.exit_status import FAILED
from webmotor_drake.cli.loading_time import can_be_limited
from webmotor_drake.errors import SimulationError
from webmotor_drake.simulation.simulation import ADVANCING, Simulation

# Processor time of a step, s. The second is for what does not come back to Python,
# such as Drake's contact solver: it ends the process.
_SECONDS, _AT_MOST = 12, 14
# Time between two looks, s.
_LOOKS = 0.5


@contextlib.contextmanager
def limited_steps(
    simulation: Simulation, end: Callable[[SimulationError], object] | None
) -> Generator[None]:
    """Fails a run in the block where a step takes too much processor time.

    A thread looks at the run now and then: its steps take no longer. Other systems
    than Linux have no such limit.

    Args:
        simulation: simulation that runs in this thread.
        end: tells of the error and saves the run, from another thread, before the
            process ends; None: the process may not be ended.

    Raises:
        SimulationError: in the block.
    """
    if not can_be_limited() or not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    watch = _Watch(simulation, end)
    signal.signal(signal.SIGPROF, watch.fail)
    thread = threading.Thread(target=watch.look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        watch.done.set()
        thread.join()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)


class _Watch:
    """Looks at the steps of the main thread from another one.

    Attributes:
        done: set as soon as nobody has to look any more.
    """

    def __init__(
        self,
        simulation: Simulation,
        end: Callable[[SimulationError], object] | None,
    ):
        self._simulator, self._end = simulation.simulator, end
        self._main = threading.main_thread().ident or 0
        self.done = threading.Event()
        # Whoever gets it first tells of the end: this thread or the main one.
        self._telling = threading.Lock()

    def look(self) -> None:
        """Looks, until `done`, for a step that takes too long."""
        clock = time.pthread_getcpuclockid(self._main)
        step, began, asked = None, 0.0, False
        while not self.done.wait(_LOOKS):
            now, before = time.clock_gettime(clock), step
            step = self._time() if self._is_stepping() else None
            if step is None or step != before:
                began, asked = now, False
            elif now - began > _SECONDS and not asked:
                asked = True
                _thread.interrupt_main(signal.SIGPROF)
            elif (
                now - began > _AT_MOST
                and self._end is not None
                and self._telling.acquire(blocking=False)
            ):
                try:
                    self._end(self._error())
                finally:
                    leave(FAILED)

    def fail(self, number: int, frame: types.FrameType | None) -> None:
        """Fails the run from the main thread, once that is in Python again."""
        if self.done.is_set():
            return
        with self._telling:  # else the process ends meanwhile
            self.done.set()
        raise self._error()

    def _time(self) -> float:
        return self._simulator.get_context().get_time()

    def _is_stepping(self) -> bool:
        """Returns whether the main thread is in a step, not in a controller."""
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        frame = frames.get(self._main)
        while frame is not None and frame.f_code is not ADVANCING:
            frame = frame.f_back
        return frame is not None

    def _error(self) -> SimulationError:
        more = limits.more_than(_SECONDS, "s of processor time")
        error = SimulationError(f"at {self._time():.6g} s a step takes {more}")
        error.complete = True
        return error
