"""Exits, threads and children of controllers, as if each had its own process.

A controller's `atexit` functions run when it ends: one that calls ``os._exit(0)`` ends
its controller and not the run. Threads that a controller starts know its robot, may
step, too, and keep it alive while they step, unless they are daemons. A forked child
has only the thread that forked: no other thread can give it a turn.
"""

import atexit
import contextlib
import functools
import os
import sys
import threading
import time
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.controllers.in_process.controller_file import show_traceback
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client

# The period in which a waiting controller checks if it has to end, s; its longest
# wait for threads that don't step, s.
_LOOK, _PATIENCE = 0.2, 2.0

# The `atexit` functions, by the robot whose controller registered them.
_functions: dict[Client, list[Callable[[], object]]] = {}


@contextlib.contextmanager
def own_exits() -> Iterator[None]:
    """Keeps the functions that controllers give to `atexit` in the block.

    A library that a controller imports registers its own with the process, which
    keeps the library.
    """
    register, unregister = atexit.register, atexit.unregister

    @functools.wraps(register)
    def keep(
        function: Callable, *args: typing.Any, **kwargs: typing.Any
    ) -> Callable:
        client = active.owner(threading.current_thread())
        if client is None or not _is_of_a_controller(sys._getframe(1)):
            return register(function, *args, **kwargs)
        if not callable(function):
            raise TypeError("the first argument must be callable")
        call = functools.partial(function, *args, **kwargs)
        _functions.setdefault(client, []).append(call)
        return function

    @functools.wraps(unregister)
    def forget(function: Callable) -> None:
        for calls in _functions.values():
            calls[:] = [call for call in calls if call.func != function]
        unregister(function)

    # The process has one list of `atexit`, which cannot be read.
    atexit.register, atexit.unregister = keep, forget
    try:
        yield
    finally:
        atexit.register, atexit.unregister = register, unregister
        _functions.clear()


def _is_of_a_controller(frame: typing.Any) -> bool:
    """Returns whether code is in a controller's own folder, or in its main file."""
    if frame.f_globals.get("__name__") == "__main__":
        return True
    folder = Path(sys.path[0]) if sys.path else None
    return folder is not None and Path(frame.f_code.co_filename).is_relative_to(
        folder
    )


def run_exits(client: Client) -> None:
    """Calls a controller's `atexit` functions, the last first, as Python does."""
    calls = _functions.pop(client, [])
    while calls:
        try:
            calls.pop()()
        except EndedAtOnce:
            return
        except BaseException as error:
            show_traceback(error)


def forget_exits(client: Client | None) -> None:
    """Drops a controller's `atexit` functions: it ends at once."""
    _functions.pop(client, None)


class EndedAtOnce(SystemExit):
    """A controller has called ``os._exit``."""


@contextlib.contextmanager
def adopted() -> Iterator[None]:
    """Assigns each thread made in the block to the robot of the thread that made it."""
    original = threading.Thread.__init__

    @functools.wraps(original)
    def make(
        self: threading.Thread, *args: typing.Any, **kwargs: typing.Any
    ) -> None:
        original(self, *args, **kwargs)
        client = active.owner(threading.current_thread())
        if client is not None:
            active.bind(client, self)
            if kwargs.get("daemon") is None:
                # A controller's own thread is a daemon; a process's is not.
                self.daemon = False

    # A thread does not know who starts it; before 3.14 it inherits no context.
    threading.Thread.__init__ = make
    try:
        yield
    finally:
        threading.Thread.__init__ = original


def join_threads(client: Client) -> None:
    """Waits for a controller's threads, as Python does where a process ends.

    Threads that no longer step are left behind: the run might never end.
    """
    seen, deadline = client.time, time.monotonic() + _PATIENCE
    while others := _others(client):
        others[0].join(timeout=_LOOK)
        if client.is_stepping or client.time != seen:
            seen, deadline = client.time, time.monotonic() + _PATIENCE
        elif time.monotonic() > deadline:
            return


def _others(client: Client) -> list[threading.Thread]:
    """Returns the threads of a controller that keep it alive, but this one."""
    return [
        thread
        for thread in active.threads_of(client)
        if thread.is_alive()
        and not thread.daemon
        and thread is not threading.current_thread()
    ]


# A list that grows by one item at each fork from the first process to this one. Its
# length tells a child from its parent; the process number would take a system call,
# twice in each step of a controller.
FORKS: list[None] = []
os.register_at_fork(after_in_child=lambda: FORKS.append(None))

CHILD = (
    "a forked child cannot step; the simulation is its parent's. It ends like"
    " at the end of the scenario"
)


def end_child(code: object) -> typing.NoReturn:
    """Ends the process, as Python does where its file ends or calls `sys.exit`.

    Args:
        code: argument of `sys.exit`.
    """
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    # `sys.exit` would also run the exits that our process, the parent, has registered.
    os._exit((code or 0) % 256)
