"""Functions that numba compiles where it is installed (the extra `fast`).

Without numba they run as they stand: there is one implementation of everything.
"""

from collections.abc import Callable
from typing import TypeVar

try:
    import numba
    import scipy  # noqa: F401  numba's linear algebra needs it
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable)

# Whether functions are compiled.
ACTIVE = numba is not None


def compiled(function: Function) -> Function:
    """Returns `function`, compiled on its first call; the disk keeps the code."""
    return numba.njit(cache=True)(function) if ACTIVE else function
