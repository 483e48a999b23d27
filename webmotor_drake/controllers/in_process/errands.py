"""Calls that a controller's thread has another thread do, and waits for."""

import concurrent.futures
import typing
from collections.abc import Callable

Result = typing.TypeVar("Result")

# The period in which who waits looks up, s.
_LOOK = 0.2


class Errands:
    """Hands calls to a thread that waits meanwhile, one at a time.

    Args:
        wake: wakes that thread, which then calls `run`.
        check: raises if it will do none any more.
    """

    def __init__(self, wake: Callable[[], None], check: Callable[[], None]):
        self._wake, self._check = wake, check
        self._waiting: list[Callable[[], None]] = []

    def hand_over(self, call: Callable[[], Result]) -> Result:
        """Returns the result of a call in the other thread.

        Raises:
            BaseException: what the call raised, or the check.
        """
        future: concurrent.futures.Future[Result] = concurrent.futures.Future()

        def run() -> None:
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)
            except BaseException as error:  # Ctrl-C is for both
                future.set_exception(error)
                raise

        self._waiting.append(run)
        self._wake()
        while not future.done():
            concurrent.futures.wait([future], _LOOK)
            self._check()
        return future.result()

    def run(self) -> None:
        """Does the calls that were handed over."""
        while self._waiting:
            self._waiting.pop(0)()
