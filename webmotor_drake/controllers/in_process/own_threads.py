"""Threads that controllers start.

They know the robot of who made them, may step as it may, and keep the controller
alive while they step, unless they are daemons: so it is where a controller is a
process.
"""

import contextlib
import functools
import threading
import time
import typing
from collections.abc import Iterator

from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client

# How often one that waits looks up, s: it may have to end, too. And how long it
# waits for threads that don't step.
_LOOK, _PATIENCE = 0.2, 2.0


@contextlib.contextmanager
def adopted() -> Iterator[None]:
    """Gives the threads that are made in the block to their makers' robots."""
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

    # Python tells nobody who starts a thread; before 3.14 it inherits no context.
    threading.Thread.__init__ = make
    try:
        yield
    finally:
        threading.Thread.__init__ = original


def join_threads(client: Client) -> None:
    """Waits for a controller's threads, as Python does where a process ends.

    Those that don't step any more are left behind: the run would never end.
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
