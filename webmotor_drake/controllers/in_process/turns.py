"""The turn, which one thread at a time has: a controller's, or the home thread.

The home thread is the one that the simulation was made in. It waits while others
have the turn, and does what has to be done there meanwhile.
"""

import concurrent.futures
import contextlib
import queue
import threading
import time
import typing
from collections.abc import Callable

from webmotor_drake.controllers.in_process.controller_thread import (
    ControllerThread,
)
from webmotor_drake.controllers.link import active

if typing.TYPE_CHECKING:
    from webmotor_drake.controllers.link.client import Client

Result = typing.TypeVar("Result")

# The time that a controller may go on after it has been stopped where it was, s.
STOP_GRACE = 1.0

# The period in which the waiting home thread looks up, s.
_LOOK = 0.2


class Turns:
    """Passes the turn between the controllers' threads and the home thread.

    Attributes:
        threads: the controllers' threads, by the robot's side.
        holder: client that has the turn; None: the home thread has it.
        closed: True if controllers get it no more.
    """

    def __init__(self) -> None:
        self.threads: dict[Client, ControllerThread] = {}
        self.holder: Client | None = None
        self.closed = False
        self._home_thread = threading.get_ident()
        # Calls that others wait for; None: the turn has come back.
        self._errands: queue.SimpleQueue[Callable[[], None] | None]
        self._errands = queue.SimpleQueue()

    @property
    def at_home(self) -> bool:
        """True in the home thread."""
        return threading.get_ident() == self._home_thread

    def give(self, client: "Client | None") -> None:
        """Gives the turn to a controller; None: to the home thread."""
        self.holder = client
        if client is None:
            self._errands.put(None)
        else:
            self.threads[client].turn.release()

    def take(self, client: "Client") -> None:
        """Waits, in a controller's thread, for the turn.

        Raises:
            ControllerStopped: it gets none any more.
        """
        thread = self.threads[client]
        thread.turn.acquire()
        if self.closed:
            raise thread.stopped()
        thread.state.enter()

    def get_back(
        self, grace: float, ending: Callable[[], bool], busy: Callable[[], bool]
    ) -> bool:
        """Waits, at home, until the turn comes back; stops who keeps it at the end.

        Args:
            grace: time that a controller may keep it after the end, s.
            ending: tells whether the run ends.
            busy: tells whether the holder simulates: it must not be torn there.

        Returns:
            Whether it has come back.
        """
        holder, deadline, stopped = None, 0.0, False
        while True:
            with contextlib.suppress(queue.Empty):
                if errand := self._errands.get(timeout=_LOOK):
                    errand()
                elif self.holder is None:
                    return True
            if not ending():
                continue
            if holder is not self.holder:
                holder, stopped = self.holder, False
                deadline = time.monotonic() + grace
            elif busy():
                deadline = time.monotonic() + grace
            elif time.monotonic() > deadline:
                if stopped or holder is None:
                    return False
                self.threads[holder].stop()
                stopped, deadline = True, time.monotonic() + STOP_GRACE

    def do_at_home(self, call: Callable[[], Result]) -> Result:
        """Returns the result of a call that the home thread makes meanwhile.

        Raises:
            BaseException: the error of the call, or that the home thread is gone.
        """
        future: concurrent.futures.Future[Result] = concurrent.futures.Future()

        def run() -> None:
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
                if not isinstance(error, Exception):  # Ctrl-C is for both
                    raise

        self._errands.put(run)
        while not future.done():
            concurrent.futures.wait([future], _LOOK)
            self._check_open()
        return future.result()

    def close(self) -> None:
        """Ends all threads; one that cannot be stopped is cut off."""
        if self.holder is not None:
            self.threads[self.holder].state.leave()
        for thread in self.threads.values():
            thread.close(STOP_GRACE)

    def _check_open(self) -> None:
        """Stops a controller that waits for a thread which is gone."""
        if self.closed:
            raise self.threads[active.current()].stopped()
