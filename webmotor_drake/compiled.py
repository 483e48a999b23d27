"""Functions that numba compiles where it is installed (the extra `fast`).

Without numba they run as they stand, `compiled_loops` on lists, but where element
by element is too slow for plain Python: there numpy does the same (`torque_solve`,
`law.step_many`).
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

try:
    import numba
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable)

_OURS = __name__.partition(".")[0] + "."

# Whether functions are compiled; NUMBA_DISABLE_JIT=1 is without numba.
ACTIVE = numba is not None and not numba.config.DISABLE_JIT


def compiled(function: Function) -> Function:
    """Returns `function`, compiled on its first call; the disk keeps the code."""
    if not ACTIVE:
        return function
    # A division by 0 is inf, as with numpy; looking for it takes a tenth longer.
    return numba.njit(cache=True, error_model="numpy")(function)


def compiled_loops(*writes: int) -> Callable[[Function], Function]:
    """Like `compiled`, for functions that go through arrays element by element.

    Without numba such a function gets its arrays as lists: for a few motors plain
    floats cost a tenth of what numpy's do.

    Args:
        writes: the places of the arguments that it writes to.
    """

    def decorate(function: Function) -> Function:
        if ACTIVE:
            return compiled(function)

        @functools.wraps(function)
        def on_lists(*arguments):
            lists = [
                a.tolist() if isinstance(a, np.ndarray) else a
                for a in arguments
            ]
            result = function(*lists)
            for i in writes:
                arguments[i][:] = lists[i]
            return result

        return on_lists

    return decorate


def taken(values):
    """Returns values that never change as a function of `compiled_loops` takes them.

    Args:
        values: a numpy array.
    """
    return np.asarray(values) if ACTIVE else np.asarray(values).tolist()


@contextlib.contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """Calls `tell` once the first function of ours in the block has to be compiled.

    It does not if the disk has the code of all that are called.
    """
    if not ACTIVE:
        yield
        return
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            if not self.told and function.__module__.startswith(_OURS):
                self.told = True
                tell()

        def on_end(self, event: Any) -> None:
            """Has nothing to say."""

    with event.install_listener("numba:compile", Listener()):
        yield
