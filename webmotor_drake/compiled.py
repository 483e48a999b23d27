"""Functions that numba compiles where it is installed (the extra `fast`).

Without numba they run as they stand, `compiled_loops` on lists, but where element
by element is too slow for plain Python: there numpy does the same (`torque_solve`,
`law.step_many`).
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

try:
    import numba
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable)

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


def is_ready(function: Callable) -> bool:
    """Whether a compiled function needs no compiling: the disk has its code."""
    if not ACTIVE:
        return True
    module = function.__module__.rpartition(".")[2]
    kept = Path(function.stats.cache_path)
    return any(kept.glob(f"{module}.{function.__name__}-*.nbi"))
