"""Numbers in the messages of a page: any program on this machine can send some."""

import math
import typing
from collections.abc import Sized

import numpy as np

# Indices and keys are 32 bits wide.
_LARGEST = 2**31
# Nobody drags a body further than this from where it is held, m.
_FAR = 1e3


def finite(value: typing.Any) -> float:
    """Returns a finite number.

    Raises:
        TypeError: it is something else.
        ValueError: it is not finite.
        OverflowError: it is an integer larger than any float.
    """
    if not isinstance(value, (int, float)):
        raise TypeError
    if not math.isfinite(value):
        raise ValueError
    return float(value)


def whole(value: typing.Any) -> int:
    """Returns a number of at most 32 bits as an integer; see `finite`."""
    if abs(number := finite(value)) >= _LARGEST:
        raise ValueError
    return int(number)


def number_of(value: typing.Any, things: Sized) -> int:
    """Returns the number of one of some things; see `finite`."""
    if not 0 <= (number := whole(value)) < len(things):
        raise ValueError
    return number


def point(value: typing.Any, near: np.ndarray) -> np.ndarray:
    """Returns a point within reach of another one, shape (3,), m.

    Raises:
        TypeError: it is not a list of numbers.
        ValueError: there are not three finite ones, or they are too far away.
        OverflowError: see `finite`.
    """
    found = np.array([finite(number) for number in value])
    if found.shape != (3,) or not np.abs(found - near).max() <= _FAR:
        raise ValueError
    return found
