"""Something that can be read of a simulation after each step."""

import dataclasses as dc
import typing
from collections.abc import Callable

import numpy as np


@dc.dataclass(frozen=True)
class Reading:
    """A signal of a simulation, in one or several elements.

    Attributes:
        names: of its elements.
        shape: () for a number.
        low: no value is below it.
        high: no value is above it.
        value: returns it.
        places: its place in the plant's [q, v], of what stands there; else None.
        is_image: True if it is an image of bytes.
    """

    names: list[str]
    shape: tuple[int, ...]
    low: float
    high: float
    value: Callable[[], typing.Any]
    places: np.ndarray | None = None
    is_image: bool = False
