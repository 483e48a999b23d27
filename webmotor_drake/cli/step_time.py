"""The limit on the processor time of a step: many bodies in one place may take any."""

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

# Processor time of a step, s. The second limit ends the process: it is for code that
# does not come back to Python, such as Drake's contact solver.
_SECONDS, _AT_MOST = 12, 14
# Time between two looks, s.
_LOOKS = 0.5
_PAGE = "webmotor_drake.view.live_page"


@contextlib.contextmanager
def limited_steps(
    end: Callable[[SimulationError], object] | None,
) -> Generator[None]:
    """Fails a run in the block where a step takes too much processor time.

    A thread looks at the run now and then, which does not slow its steps down. Other
    systems than Linux have no such limit.

    Args:
        end: function that reports the error and saves the run, from another thread,
            before the process ends; None: the process may not be ended.

    Raises:
        SimulationError: a step in the block takes too long.
    """
    if not can_be_limited() or not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    watch = _Watch(end)
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
    """Looks at the steps of the main thread from another one, until `done`."""

    def __init__(self, end: Callable[[SimulationError], object] | None):
        self._end = end
        # The simulation that the main thread steps, and its time, s.
        self._step: tuple[Simulation, float] | None = None
        self._main = threading.main_thread().ident or 0
        self.done = threading.Event()
        # The thread that gets it first reports the end: this one or the main one.
        self._telling = threading.Lock()

    def look(self) -> None:
        """Looks, until `done`, for a step that takes too long."""
        clock = time.pthread_getcpuclockid(self._main)
        began, asked = 0.0, False
        while not self.done.wait(_LOOKS):
            now, before = time.clock_gettime(clock), self._step
            self._step = self._found_step()
            if self._step is None or self._step != before:
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

    def _found_step(self) -> tuple[Simulation, float] | None:
        """Returns the step that the main thread is in.

        None: it is in a controller, or in a page, which may be paused for hours.
        """
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        frame = frames.get(self._main)
        while frame is None or frame.f_code is not ADVANCING:
            if frame is None or frame.f_globals.get("__name__") == _PAGE:
                return None
            frame = frame.f_back
        simulation: Simulation = frame.f_locals["self"]
        return simulation, simulation.simulator.get_context().get_time()

    def _error(self) -> SimulationError:
        more = limits.more_than(_SECONDS, "s of processor time")
        now = self._step[1] if self._step else 0.0
        error = SimulationError(f"at {now:.6g} s a step takes {more}")
        error.complete = True
        return error
