"""The thread of a controller, which runs while it has the turn."""

import contextlib
import ctypes
import threading
import typing
from collections.abc import Callable, Iterator

from webmotor_drake.controllers.link import active
from webmotor_drake.host import messages

if typing.TYPE_CHECKING:
    from webmotor_drake.controllers.in_process.process_state import ProcessState
    from webmotor_drake.controllers.link.client import Client


class ControllerStopped(BaseException):
    """Ends a controller that steps on after its simulation has ended.

    Webots ends the controller's process there.
    """


class ControllerThread:
    """A controller's thread, and threads that it starts, by turns with others.

    Attributes:
        thread: the controller's own thread.
        turn: the right to run, which the thread waits for.
        state: the process as the controller sees it.
        told: True if the controller knows that the run has ended.
        ended: True if its program has ended; threads that it started may go on.
        refusals: number of its steps after it was told.

    Args:
        client: the robot's side.
        run: function of the thread.
    """

    def __init__(
        self,
        client: "Client",
        state: "ProcessState",
        run: Callable[[], None],
    ):
        self.told = self.ended = False
        self.refusals = 0
        self._client, self.state = client, state
        self.turn = threading.Lock()
        self.turn.acquire()  # nobody has given it yet
        self.thread = threading.Thread(
            target=run,
            name=f"controller of {client.host.name}",
            daemon=True,
        )

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until no other thread of an ended controller steps; none does then."""
        self.ended = True
        with self._client.step_lock:
            yield

    def stopped(self) -> BaseException:
        """Returns the exception that ends the present thread of the controller."""
        main = threading.current_thread() is self.thread
        return ControllerStopped() if main else SystemExit()

    def stop(self) -> None:
        """Stops the controller wherever it is.

        Python itself has no way to end a thread that never steps: the exception
        comes at its next instruction.
        """
        messages.error(
            f"the {self.thread.name}",
            "it goes on after the end of the simulation and is stopped",
        )
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self.thread.ident),
            ctypes.py_object(ControllerStopped),
        )

    def close(self, timeout: float) -> None:
        """Ends all threads of the controller; goes on without those that stay.

        Args:
            timeout: patience with each, s.
        """
        for thread in {self.thread, *active.threads_of(self._client)}:
            if thread.is_alive():
                with contextlib.suppress(RuntimeError):  # it has the turn
                    self.turn.release()
                thread.join(timeout=timeout)
