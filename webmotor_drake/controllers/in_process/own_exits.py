"""Functions that controllers give to `atexit`.

They run where the controller ends, as where it is a process. So one that calls
``os._exit(0)`` ends its controller and not the run.
"""

import atexit
import contextlib
import functools
import sys
import threading
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

from webmotor_drake.controllers.in_process.controller_file import show_traceback
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client

# By the robot whose controller gave them.
_functions: dict[Client, list[Callable[[], object]]] = {}


@contextlib.contextmanager
def own_exits() -> Iterator[None]:
    """Keeps the functions that controllers give to `atexit` in the block.

    A library that a controller imports leaves its exits to the process: it has
    the library on.
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

    # The list of `atexit` is the process's, and nobody can read it.
    atexit.register, atexit.unregister = keep, forget
    try:
        yield
    finally:
        atexit.register, atexit.unregister = register, unregister
        _functions.clear()


def _is_of_a_controller(frame: typing.Any) -> bool:
    """Returns whether code is of a controller's own folder, or of its main file."""
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
    """Drops all of them: the controller ends at once."""
    _functions.pop(client, None)


class EndedAtOnce(SystemExit):
    """A controller has called ``os._exit``."""
