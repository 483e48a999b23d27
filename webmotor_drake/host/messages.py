"""Messages of the controller API on standard error, as in Webots' library.

A wrong call never raises: it prints a line and does nothing. So a controller
goes on here where it goes on in Webots.
"""

import contextlib
import operator
import sys
from collections.abc import Callable, Iterator

from webmotor_drake.errors import InputError


def say(text: str) -> None:
    """Prints to the standard error, as the controller has redirected it."""
    for stream in (getattr(sys, "stderr", None), sys.__stderr__):
        # The stream may be closed, None, or an object of the controller's own.
        with contextlib.suppress(Exception):
            stream.write(f"{text}\n")
            return


def error(call: str, problem: str) -> None:
    """Prints that `call` was ignored, and why."""
    say(f"Error: {call}: {problem}")


def warning(call: str, problem: str) -> None:
    """Prints that `call` may have another effect than intended."""
    say(f"Warning: {call}: {problem}")


def once() -> Callable[..., None]:
    """Returns a function like `warning` that prints each problem of a call only once.

    Its third argument, if given, groups different problems that count as the same.
    An empty problem is not printed.
    """
    told = set[tuple[str, str]]()

    def warn(call: str, problem: str, about: str = "") -> None:
        key = call, about or problem
        if problem and key not in told:
            told.add(key)
            warning(call, problem)

    return warn


@contextlib.contextmanager
def refusals(call: str) -> Iterator[None]:
    """Prints the InputError of the block as the error of `call`."""
    try:
        yield
    except InputError as problem:
        error(call, str(problem))


def number(call: str, value: object) -> float:
    """Returns an argument of a call as a float.

    Raises:
        TypeError: it is not a number, as with Webots, where ctypes raises.
    """
    if isinstance(value, str | bytes):
        raise TypeError(f"{call}: {value!r} is not a number")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{call}: {value!r} is not a number") from None


def milliseconds(call: str, value: object) -> int:
    """Returns an argument of a call that is a whole number of milliseconds.

    Raises:
        TypeError: it is not an integer, as with Webots, where ctypes raises.
    """
    hint = f" of milliseconds; an int is needed, as in int({value!r})"
    return whole_number(call, value, hint)


def whole_number(call: str, value: object, hint: str = "") -> int:
    """Returns an argument of a call that is a whole number.

    Args:
        call: the call, for the message.
        value: the argument.
        hint: the end of the message.

    Raises:
        TypeError: it is not an integer, as with Webots, where ctypes raises.
    """
    try:
        return operator.index(value)
    except TypeError:
        problem = f"{call}: {value!r} is not a whole number{hint}"
        raise TypeError(problem) from None


def text(call: str, value: object) -> str:
    """Returns an argument of a call that is a text.

    Raises:
        TypeError: not a text; in Webots str.encode raises it.
    """
    if not isinstance(value, str):
        raise TypeError(f"{call}: {value!r} is not a str")
    return value


def sampling_period(call: str, value: object) -> int | None:
    """Returns a sampling period, ms; None, with an error, for a negative one."""
    period = milliseconds(call, value)
    if period < 0:
        error(call, f"{period} ms is negative; 0 or more is allowed")
        return None
    return period
