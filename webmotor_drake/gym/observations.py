"""Observations of an agent: one array, or a dict where there are images."""

import dataclasses as dc
import math
import typing
from collections.abc import Callable, Sequence

import numpy as np
from gymnasium import spaces

from webmotor_drake.errors import InputError, below

# The name of the numbers beside images.
NUMBERS = "numbers"


@dc.dataclass(frozen=True)
class Reading:
    """A signal of a simulation, in one or several elements.

    Attributes:
        name: name of the signal.
        shape: shape of the value; () for a number.
        low: lower bound of the values.
        high: upper bound of the values.
        value: function that returns the present value.
        places: indices of its elements in the plant's [q, v]; None if it is not there.
        is_image: True if it is an image of bytes.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    value: Callable[[], typing.Any]
    places: np.ndarray | None = None
    is_image: bool = False

    @property
    def names(self) -> list[str]:
        """Names of its elements."""
        if not self.shape:
            return [self.name]
        return [f"{self.name}{[*i]}" for i in np.ndindex(self.shape)]


@dc.dataclass(frozen=True)
class Computed:
    """An observation that is computed from others, once per step.

    Attributes:
        name: name of the observation, by which rewards find it, too.
        value: function of an `Instant`: a number, or an array of `size`.
        size: the number of its elements.
        low: lower bound of the values.
        high: upper bound of the values.
    """

    name: str
    value: Callable[[typing.Any], typing.Any]
    size: int = 1
    low: float = -math.inf
    high: float = math.inf

    def reading(self, now: typing.Any) -> Reading:
        """Returns the observation as a reading of an instant."""
        shape = (self.size,) if self.size > 1 else ()
        value = lambda: now.once(self)  # noqa: E731
        return Reading(self.name, shape, self.low, self.high, value)


class Source(typing.Protocol):
    """The simulation's side that observations are read from.

    Attributes:
        state: the plant's [q, v].
        copies: first sizes of arrays with values of several robots; () for one.
        moved: the motors' positions, velocities and efforts, shape (*copies, 3, n).
        time: time since the last reset, s, shape (*copies,).
    """

    state: np.ndarray
    moved: np.ndarray
    copies: tuple[int, ...]
    time: typing.Any

    def reading(self, name: str) -> Reading:
        """Returns the reading of a name."""

    def saturated(self) -> np.ndarray:
        """Returns which motors are at their limits, shape (*copies, n), bool."""


class Observer:
    """Reads observations of a world: the values of names, in their order.

    Attributes:
        names: names of the array's elements.
        space: a Box; with images a Dict of them, by name, and of the array, "numbers".

    Args:
        names: names of readings, see `World`; a `Computed` is known by its name.
        world: owner of the readings.

    Raises:
        InputError: nothing has such a name, or none is given.
    """

    def __init__(self, names: Sequence[str | Computed], world: Source):
        if isinstance(names, str) or not names:
            raise InputError(
                "a list of at least one signal's name is needed"
            ).below("observations")
        readings = {}
        for seen in names:
            name = seen.name if isinstance(seen, Computed) else seen
            with below("observations"):
                readings[name] = world.reading(name)
        images = {n: r for n, r in readings.items() if r.is_image}
        numbers = [r for r in readings.values() if not r.is_image]
        self.names = [name for r in numbers for name in r.names]
        self.space: spaces.Space = _box(numbers)
        if images:
            shown: dict[str, spaces.Space] = {
                name: spaces.Box(0, 255, reading.shape, np.uint8)
                for name, reading in images.items()
            }
            if numbers:
                shown[NUMBERS] = self.space
            self.space = spaces.Dict(shown)
        self._world = world
        self._images = {name: r.value for name, r in images.items()}
        self._size, self._others = 0, []
        several = (...,) if world.copies else ()
        slots, places = [], []
        for reading in numbers:
            part = slice(self._size, self._size + len(reading.names))
            if reading.places is not None:
                slots += range(part.start, part.stop)
                places.append(reading.places)
            else:
                shape = *world.copies, len(reading.names)
                self._others.append(((*several, part), shape, reading.value))
            self._size = part.stop
        self._slots = *several, np.array(slots, dtype=int)
        self._places = (
            np.concatenate(places, axis=-1) if places else np.empty(0, int)
        )
        self._all_state = bool(places) and not self._others

    def observation(self) -> np.ndarray | dict[str, np.ndarray]:
        """Returns a new observation."""
        if not self._images:
            return self._numbers()
        seen = {name: value() for name, value in self._images.items()}
        if self._size:
            seen[NUMBERS] = self._numbers()
        return seen

    def _numbers(self) -> np.ndarray:
        world = self._world
        if self._all_state:
            return world.state[self._places].astype(np.float32)
        found = np.empty((*world.copies, self._size), np.float32)
        found[self._slots] = world.state[self._places]
        for part, shape, value in self._others:
            found[part] = np.asarray(value()).reshape(shape)
        return found


def _box(readings: list[Reading]) -> spaces.Box:
    low = [r.low for r in readings for _ in r.names]
    high = [r.high for r in readings for _ in r.names]
    ends = np.array([low, high], np.float32)
    return spaces.Box(*ends, dtype=np.float32)
