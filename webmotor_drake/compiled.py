"""Functions that numba compiles where it is installed (the extra `fast`).

Without numba they run as they stand, `compiled_loops` on lists, but where element
by element is too slow for plain Python: there numpy does the same (`torque_solve`,
`law.step_many`).
"""

import contextlib
import functools
import time
import types
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from webmotor_drake.errors import warn

try:
    import numba as _numba
except ImportError:
    _numba = None

# Most of its names have no types.
numba = cast(Any, _numba)

Function = TypeVar("Function", bound=Callable[..., Any])

_OURS = __name__.partition(".")[0] + "."

# True if functions are compiled; NUMBA_DISABLE_JIT=1 switches numba off.
ACTIVE = numba is not None and not numba.config.DISABLE_JIT


def compiled(function: Function) -> Function:
    """Returns `function`, compiled on its first call; the disk keeps the code.

    Where the disk cannot, each process compiles anew, after one warning.
    """
    if not ACTIVE:
        return function
    # A division by 0 is inf, as with numpy; looking for it takes a tenth longer.
    dispatcher = numba.njit(error_model="numpy")(function)
    try:
        dispatcher.enable_caching()
    except (RuntimeError, OSError):  # "no locator available"
        _warn_of_no_cache()
    else:
        _let_it_be_full(dispatcher)
    return dispatcher


@functools.cache
def _warn_of_no_cache() -> None:
    warn(
        "numba finds no writable folder for its cache: each process compiles"
        " anew, which takes some seconds; NUMBA_CACHE_DIR can name a folder"
    )


def _let_it_be_full(dispatcher: Any) -> None:
    """Leaves code that the disk cannot take to be compiled in the next process."""
    save = dispatcher._cache.save_overload

    @functools.wraps(save)
    def try_to_save(*arguments: Any) -> None:
        try:
            save(*arguments)
        except OSError:
            _warn_of_no_cache()

    dispatcher._cache.save_overload = try_to_save


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
        def on_lists(*arguments: Any) -> Any:
            lists: list[Any] = [
                a.tolist() if isinstance(a, np.ndarray) else a
                for a in arguments
            ]
            result = function(*lists)
            for i in writes:
                arguments[i][:] = lists[i]
            return result

        return cast(Function, on_lists)

    return decorate


def taken(values: npt.ArrayLike) -> Any:
    """Returns values that never change as a function of `compiled_loops` takes them.

    Args:
        values: a numpy array. Its records become objects with the same attributes.
    """
    array = np.asarray(values)
    if ACTIVE:
        return array
    names = array.dtype.names
    if names is None:
        return array.tolist()
    rows = [dict(zip(names, row, strict=True)) for row in array.tolist()]
    return [types.SimpleNamespace(**row) for row in rows]


@functools.cache
def make_ready() -> None:
    """Has numba load all that compiled code needs: half a second, once.

    It would else do so when the first function is called, within what is timed.
    """
    if not ACTIVE:
        return
    with contextlib.suppress(ImportError, AttributeError):  # it is numba's own
        from numba.core import registry

        target = cast(Any, registry.cpu_target)
        target.typing_context.refresh()
        target.target_context.refresh()


def clock() -> float:
    """Returns the time of a clock that stands still while numba compiles, s."""
    return time.perf_counter() - _seconds_compiling()


def _seconds_compiling() -> float:
    if not ACTIVE:
        return 0.0
    listener = _compile_timer()
    return listener.duration if listener.done else 0.0


@functools.cache
def _compile_timer() -> Any:
    """Returns a sum of the times that numba compiles from now on."""
    from numba.core import event

    listener = event.TimingListener()
    cast(Any, event).register("numba:compile", listener)
    return listener


@contextlib.contextmanager
def telling(tell: Callable[[], None]) -> Generator[None]:
    """Calls `tell` once the first function of ours in the block has to be compiled.

    It does not if the disk has the code of all that are called.
    """
    told = False

    def begin(data: Any) -> None:
        nonlocal told
        function = data["dispatcher"].py_func
        if not told and function.__module__.startswith(_OURS):
            told = True
            tell()

    with _at_each_compiling(begin, lambda: None):
        yield


@contextlib.contextmanager
def compiling_within(
    place: Callable[[], contextlib.AbstractContextManager[object]],
) -> Generator[None]:
    """Has numba compile each function in the block within a `place()` of its own."""
    places: list[contextlib.AbstractContextManager[object]] = []

    def begin(_: Any) -> None:
        places.append(place())
        places[-1].__enter__()

    with _at_each_compiling(
        begin, lambda: places.pop().__exit__(None, None, None)
    ):
        yield


@contextlib.contextmanager
def _at_each_compiling(
    begin: Callable[[Any], None], end: Callable[[], object]
) -> Generator[None]:
    """Calls `begin` with numba's data before, and `end` after each compiling."""
    if not ACTIVE:
        yield
        return
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            begin(event.data)

        def on_end(self, event: Any) -> None:
            end()

    with cast(Any, event).install_listener("numba:compile", Listener()):
        yield
