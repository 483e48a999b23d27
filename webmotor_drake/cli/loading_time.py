"""The time that loading a file may take: a stranger's may have no end."""

import contextlib
import signal
import threading
import types
from collections.abc import Generator

from webmotor_drake import limits
from webmotor_drake.errors import InputError

# Processor time, s. What a scenario needs is some tenths.
_SECONDS = 12.0


@contextlib.contextmanager
def limited_loading(file: str) -> Generator[None]:
    """Ends a block that takes too much processor time, until `accepted` is called.

    It looks when Python comes back from what it called, such as Drake.

    Args:
        file: name of the file, for the message.

    Raises:
        InputError: in the block.
    """
    if (
        limits.lifted()
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL  # a profiler
    ):
        yield
        return

    def end(number: int, frame: types.FrameType | None) -> None:
        more = limits.more_than(_SECONDS, "s of processor time to load")
        raise InputError(f"it takes {more}", where=file)

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS, 1.0)
    try:
        yield
    finally:
        accepted()


def accepted() -> None:
    """Lifts the limit after a file has been loaded."""
    handler = signal.getsignal(signal.SIGPROF)
    if getattr(handler, "__module__", None) == __name__:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
