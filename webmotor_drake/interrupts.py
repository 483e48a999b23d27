"""Ctrl-C, SIGTERM and SIGHUP end the work without losing it.

The first signal raises KeyboardInterrupt. Signals that come while results are saved
wait, since an impatient user presses Ctrl-C again and again.
"""

import contextlib
import math
import signal
import threading
import time
import typing
from collections.abc import Generator, Iterable

# The signals that ask a program to end. There is no SIGHUP on Windows.
ENDING = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
]

# Signals within this time after one that was raised are the same wish, s.
_SAME = 1.0


class RunEnded(KeyboardInterrupt):
    """Somebody who watches a run ended it: it goes no further, as after Ctrl-C."""


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a run.

    Attributes:
        results: the `Results` until then.
    """

    def __init__(self, results: typing.Any):
        super().__init__(f"interrupted at {results.time[-1]:g} s")
        self.results = results


class _Interrupts:
    """Handles the signals of a block."""

    def __init__(self):
        self.number: int | None = None  # the first that came
        self.holders = 0
        self._raised_at = -math.inf
        self._waiting = False

    def __call__(self, number: int, frame: object) -> None:
        """Raises KeyboardInterrupt, or notes that `go_on` has to raise it."""
        self.number = self.number or number
        if self.holders:
            self._waiting = True
        elif time.monotonic() > self._raised_at + _SAME:
            self._raised_at = time.monotonic()
            raise KeyboardInterrupt

    def go_on(self) -> None:
        """Raises KeyboardInterrupt if a signal waited, once no block holds it off."""
        if self._waiting and not self.holders:
            self._waiting, self._raised_at = False, time.monotonic()
            raise KeyboardInterrupt


# The present handler of the signals.
_present: _Interrupts | None = None


@contextlib.contextmanager
def interruptible(signals: Iterable[int] = (signal.SIGINT,)) -> Generator[None]:
    """Makes signals raise KeyboardInterrupt in the block, except if `uninterrupted`.

    Signals that somebody else handles, or that are ignored as in a background job, stay
    so. A block within a block keeps the outer block's handlers.

    Args:
        signals: numbers of the signals.
    """
    global _present
    if _present or threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = signal.SIG_DFL, signal.default_int_handler
    before = {
        number: handler
        for number in signals
        if (handler := signal.getsignal(number)) in ours
    }
    _present = _Interrupts()
    try:
        for number in before:
            signal.signal(number, _present)
        yield
    finally:
        _present = None
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def uninterrupted() -> Generator[None]:
    """Delays the signals of the `interruptible` block around it to its own end."""
    present = _present
    if not present or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    present.holders += 1
    try:
        yield
    finally:
        present.holders -= 1
    present.go_on()


def is_interrupted() -> bool:
    """Returns whether a signal has come in the `interruptible` block.

    For code that waits in another thread, where no KeyboardInterrupt arrives.
    """
    return _present is not None and _present.number is not None


def interrupted_status() -> int:
    """Returns the exit status after the signal of the `interruptible` block.

    It is 128 + signal.
    """
    return 128 + ((_present and _present.number) or signal.SIGINT)
