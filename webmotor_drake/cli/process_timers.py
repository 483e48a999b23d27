"""Timers of the system that end this process, also where it is outside of Python."""

import ctypes
import shlex
import sys
import time

# POSIX's timers: a thread of the system's calls a function, which needs no Python.
_IN_A_THREAD = 2  # SIGEV_THREAD
# From the message to the end, s.
_APART = 0.2


class _Event(ctypes.Structure):
    """A `struct sigevent` of Linux."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("rest", ctypes.c_byte * 32),
    )


class _Times(ctypes.Structure):
    """A `struct itimerspec`: s and ns, of the repetition and until the first."""

    _fields_ = tuple(
        (name, ctypes.c_long)
        for name in ("again", "again_ns", "first", "first_ns")
    )


class ProcessTimers:
    """A line and the end of this process, after some processor time.

    Other systems than Linux have none.
    """

    def __init__(self):
        self._timers: list[ctypes.c_void_p] = []
        self._command: object = None  # it has to stay in memory

    def end_after(self, seconds: float, line: str, status: int) -> None:
        """Has the process end with a line on its standard error.

        Args:
            seconds: processor time from now on.
            line: the line.
            status: exit status.
        """
        self.stop()
        if not sys.platform.startswith("linux"):
            return
        shown = line.encode(errors="backslashreplace").replace(b"\0", b"")
        text = shlex.quote(shown.decode(errors="replace")).encode()
        self._command = command = ctypes.create_string_buffer(
            b"printf '%s\\n' " + text + b" >&2"
        )
        self._start("system", ctypes.addressof(command), seconds)
        self._start("_exit", status, seconds + _APART)

    def stop(self) -> None:
        """Forgets the end."""
        while self._timers:
            ctypes.CDLL(None).timer_delete(self._timers.pop())

    def _start(self, function: str, argument: int, seconds: float) -> None:
        library = ctypes.CDLL(None)
        event = _Event(
            value=argument,
            notify=_IN_A_THREAD,
            function=ctypes.cast(
                getattr(library, function), ctypes.c_void_p
            ).value,
        )
        timer = ctypes.c_void_p()
        clock = time.CLOCK_PROCESS_CPUTIME_ID
        if library.timer_create(
            clock, ctypes.byref(event), ctypes.byref(timer)
        ):
            return  # a system without such clocks
        self._timers.append(timer)
        ns = round(1e9 * (seconds % 1))
        times = _Times(first=int(seconds), first_ns=ns)
        library.timer_settime(timer, 0, ctypes.byref(times), None)
