"""The time and memory that loading a file may take: a stranger's may have no end."""

import contextlib
import ctypes
import resource
import shlex
import signal
import struct
import sys
import threading
import time
import types
from collections.abc import Generator
from pathlib import Path

from webmotor_drake import limits
from webmotor_drake.cli.exit_status import WRONG_INPUT
from webmotor_drake.errors import InputError

# Processor time, s; a scenario needs some tenths. The second limit ends the process: it
# is for code that does not come back to Python, such as Drake reading a mesh.
_SECONDS, _AT_MOST = 12.0, 14.0

# POSIX's timers: a thread of the system's calls a function, which needs no Python.
_IN_A_THREAD = 2  # SIGEV_THREAD
# Linux's `struct sigevent` (value, signal, kind, function, attributes, rest) and
# `struct itimerspec` (s and ns, of the repetition and until the first).
_EVENT, _TIMES = struct.Struct("PiiPP32x"), struct.Struct("4l")
# Time from the message to the process's end, s.
_APART = 0.2
# The timers that run, and the command of one, which has to stay in memory.
_TIMERS: list[ctypes.c_void_p] = []
_COMMANDS: list[object] = []


def _end_after(seconds: float, line: str, status: int) -> None:
    """Has this process end with a line, after some processor time; on Linux only."""
    _forget_end()
    if not sys.platform.startswith("linux"):
        return
    shown = line.encode(errors="backslashreplace").replace(b"\0", b"")
    text = shlex.quote(shown.decode(errors="replace")).encode()
    command = ctypes.create_string_buffer(b"printf '%s\\n' " + text + b" >&2")
    _COMMANDS[:] = [command]
    _start_timer("system", ctypes.addressof(command), seconds)
    _start_timer("_exit", status, seconds + _APART)


def _forget_end() -> None:
    while _TIMERS:
        ctypes.CDLL(None).timer_delete(_TIMERS.pop())


def _start_timer(function: str, argument: int, seconds: float) -> None:
    library = ctypes.CDLL(None)
    place = ctypes.cast(getattr(library, function), ctypes.c_void_p).value
    event = _EVENT.pack(argument, 0, _IN_A_THREAD, place, 0)
    timer, clock = ctypes.c_void_p(), time.CLOCK_PROCESS_CPUTIME_ID
    if library.timer_create(clock, event, ctypes.byref(timer)):
        return  # a system without such clocks
    _TIMERS.append(timer)
    times = _TIMES.pack(0, 0, int(seconds), round(1e9 * (seconds % 1)))
    library.timer_settime(timer, 0, times, None)


# The limits on the address space, bytes, that this process had before.
_BEFORE: list[tuple[int, int]] = []


@contextlib.contextmanager
def limited_loading(
    file: str, *, owns_process: bool = False
) -> Generator[None]:
    """Ends a block that takes too much time or memory, until `accepted` is called.

    Args:
        file: name of the file, for the message.
        owns_process: True if the process may be ended where there is no other way.

    Raises:
        InputError: the block takes too much.
    """
    if not can_be_limited():
        yield
        return
    more = limits.more_than(_SECONDS, "s of processor time to load")

    def end(number: int, frame: types.FrameType | None) -> None:
        raise InputError(f"it takes {more}", where=file)

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS, 1.0)
    if owns_process:
        line = f"webmotor: {file}: it takes {more}"
        _end_after(_AT_MOST, line, WRONG_INPUT)
    _limit_space()
    try:
        yield
    except MemoryError:
        raise InputError(limits.out_of_memory(), where=file) from None
    finally:
        accepted()


def can_be_limited() -> bool:
    """Returns whether this thread's time can be limited, and may be."""
    return (
        not limits.lifted()
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGPROF) is signal.SIG_DFL  # no profiler
    )


def _limit_space() -> None:
    """Limits the address space of this process, where the system tells of it."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        now = int(pages.read_text().split()[0]) * resource.getpagesize()
        most = now + int(limits.MEMORY * 1e9)
        before = resource.getrlimit(resource.RLIMIT_AS)
        if all(n == resource.RLIM_INFINITY or n > most for n in before):
            _BEFORE.append(before)
            resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
            limits.MEMORY_IS_LIMITED.set(True)


def accepted() -> None:
    """Lifts the limits after a file has been loaded."""
    handler = signal.getsignal(signal.SIGPROF)
    if getattr(handler, "__module__", None) == __name__:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _forget_end()
        while _BEFORE:
            resource.setrlimit(resource.RLIMIT_AS, _BEFORE.pop())
            limits.MEMORY_IS_LIMITED.set(False)
