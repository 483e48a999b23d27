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
        told: True if the controller knows that the run has ended.
        ended: True if its program has ended; threads that it started may go on.
        refusals: number of its steps after it was told.

    Args:
        client: the robot's side.
        state: the process as the controller sees it.
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
        self._client, self._state = client, state
        self._turn = new_turn()
        self._thread = threading.Thread(
            target=run,
            name=f"controller of {client.host.name}",
            daemon=True,
        )

    def start(self) -> None:
        """Starts the thread; it waits for its turn."""
        self._thread.start()

    def give_turn(self) -> None:
        """Lets the thread run."""
        self._turn.release()

    def wait_for_turn(self) -> None:
        """Waits, in the thread, until it is given the turn."""
        self._turn.acquire()

    def enter(self) -> None:
        """Makes the process the controller's, as its turn begins."""
        self._state.enter()

    def leave(self) -> None:
        """Gives the process back, as its turn ends."""
        self._state.leave()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until no other thread of an ended controller steps; none does then."""
        self.ended = True
        with self._client.step_lock:
            yield

    def stopped(self) -> BaseException:
        """Returns the exception that ends the present thread of the controller."""
        main = threading.current_thread() is self._thread
        return ControllerStopped() if main else SystemExit()

    def stop(self) -> None:
        """Stops the controller wherever it is.

        Python itself has no way to end a thread that never steps: the exception
        comes at its next instruction.
        """
        messages.error(
            f"the {self._thread.name}",
            "it goes on after the end of the simulation and is stopped",
        )
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident),
            ctypes.py_object(ControllerStopped),
        )

    def close(self, timeout: float) -> None:
        """Ends all threads of the controller; goes on without those that stay.

        Args:
            timeout: patience with each, s.
        """
        for thread in {self._thread, *active.threads_of(self._client)}:
            if thread.is_alive():
                with contextlib.suppress(RuntimeError):  # it has the turn
                    self._turn.release()
                thread.join(timeout=timeout)


def new_turn() -> threading.Lock:
    """Returns a turn that nobody has been given."""
    turn = threading.Lock()
    turn.acquire()
    return turn
