"""Functions that numba compiles where it is installed (the extra `fast`).

Without numba they run as they stand, but where element by element is too slow for
plain Python: there numpy does the same (`torque_solve`, `law.step_many`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

try:
    import numba
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable)

# Whether functions are compiled; NUMBA_DISABLE_JIT=1 is without numba.
ACTIVE = numba is not None and not numba.config.DISABLE_JIT


def compiled(function: Function) -> Function:
    """Returns `function`, compiled on its first call; the disk keeps the code."""
    return numba.njit(cache=True)(function) if ACTIVE else function


def is_ready(function: Callable) -> bool:
    """Whether a compiled function needs no compiling: the disk has its code."""
    if not ACTIVE:
        return True
    module = function.__module__.rpartition(".")[2]
    kept = Path(function.stats.cache_path)
    return any(kept.glob(f"{module}.{function.__name__}-*.nbi"))
