"""The turn, the right to run: one controller's thread or the home thread has it.

The home thread is the one that made the simulation. While others have the turn it
waits, and makes the calls that have to be made in the home thread.
"""

import concurrent.futures
import contextlib
import ctypes
import queue
import threading
import time
import typing
from collections.abc import Callable, Iterator

from webmotor_drake.controllers.in_process.process_state import ProcessState
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages

Result = typing.TypeVar("Result")

# The time that a controller may go on after it has been stopped where it was, s.
STOP_GRACE = 1.0

# The period in which the waiting home thread looks up, s.
_LOOK = 0.2


class ControllerStopped(BaseException):
    """Ends a controller that steps on after its simulation has ended.

    Webots ends the controller's process there.
    """


class ControllerThread(threading.Thread):
    """A controller's thread, which runs in turns with others.

    Attributes:
        turn: the right to run, which the thread waits for.
        state: the process as the controller sees it.
        told: True if the controller knows that the run has ended.
        ended: True if its program has ended; threads that it started may go on.
        refusals: number of its steps after it was told of the end.

    Args:
        client: the robot's side.
        run: function of the thread.
    """

    def __init__(
        self,
        client: Client,
        state: ProcessState,
        run: Callable[[], None],
    ):
        name = f"controller of {client.host.name}"
        super().__init__(target=run, name=name, daemon=True)
        self.told = self.ended = False
        self.refusals = 0
        self._client, self.state = client, state
        self.turn = threading.Lock()
        self.turn.acquire()  # it has no turn yet

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other threads of the ended controller from stepping in the block."""
        self.ended = True
        with self._client.step_lock:
            yield

    def stopped(self) -> BaseException:
        """Returns the exception that ends the present thread of the controller."""
        main = threading.current_thread() is self
        return ControllerStopped() if main else SystemExit()

    def stop(self) -> None:
        """Stops the controller wherever it is.

        Python itself has no way to end a thread that never steps: the exception
        comes at its next instruction.
        """
        messages.error(
            f"the {self.name}",
            "it goes on after the end of the simulation and is stopped",
        )
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self.ident),
            ctypes.py_object(ControllerStopped),
        )

    def close(self) -> None:
        """Ends all threads of the controller; leaves those that do not end in time."""
        for thread in {self, *active.threads_of(self._client)}:
            if thread.is_alive():
                with contextlib.suppress(RuntimeError):  # it has the turn
                    self.turn.release()
                thread.join(STOP_GRACE)


class Turns:
    """Passes the turn between the controllers' threads and the home thread.

    Attributes:
        threads: the controllers' threads, by the robot's side.
        holder: client that has the turn; None: the home thread has it.
        closed: True if controllers get no more turns.
        ending: True if the run ends.
    """

    def __init__(self) -> None:
        self.threads: dict[Client, ControllerThread] = {}
        self.holder: Client | None = None
        self.closed = self.ending = False
        self._home_thread = threading.get_ident()
        # Calls for the home thread; None: the turn has come back.
        self._errands: queue.SimpleQueue[Callable[[], None] | None]
        self._errands = queue.SimpleQueue()

    @property
    def at_home(self) -> bool:
        """True in the home thread."""
        return threading.get_ident() == self._home_thread

    def give(self, client: Client | None) -> None:
        """Gives the turn to a controller; None: to the home thread."""
        self.holder = client
        if client is None:
            self._errands.put(None)
        else:
            self.threads[client].turn.release()

    def take(self, client: Client) -> None:
        """Waits, in a controller's thread, for the turn.

        Raises:
            ControllerStopped: there are no more turns.
        """
        thread = self.threads[client]
        thread.turn.acquire()
        if self.closed:
            raise thread.stopped()
        thread.state.enter()

    def get_back(self, grace: float, busy: Callable[[], bool]) -> bool:
        """Waits in the home thread for the turn; after the end stops its holder.

        Args:
            grace: time that a controller may keep it after the end, s.
            busy: function that returns True while the holder must not be stopped.

        Returns:
            True if the turn has come back.
        """
        holder, deadline, stopped = None, 0.0, False
        while True:
            with contextlib.suppress(queue.Empty):
                if errand := self._errands.get(timeout=_LOOK):
                    errand()
                elif self.holder is None:
                    return True
            if not self.ending:
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
        """Makes the home thread do a call; returns the result.

        Raises:
            BaseException: the call failed, or the home thread is gone.
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

    def end_threads(self) -> None:
        """Ends all threads; one that cannot be stopped is cut off."""
        if self.holder is not None:
            self.threads[self.holder].state.leave()
        for thread in self.threads.values():
            thread.close()

    def _check_open(self) -> None:
        """Stops a controller that waits for a thread which is gone."""
        if self.closed:
            raise self.threads[active.current()].stopped()
