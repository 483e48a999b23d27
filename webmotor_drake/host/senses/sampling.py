"""The sampling times of sensors, and their readings of measured values.

The simulator's side of Webots' sensors (WbSensor.cpp, WbPositionSensor.cpp).
Time is counted in basic steps.
"""

import bisect
import functools
import itertools
import math
import typing
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from webmotor_drake.nodes.joints import PositionSensor


class Sampler:
    """A sensor's clock and its latest value.

    A period counts from the start of the step that carries the enabling, then
    from each measurement. A measurement falls on the end of a basic step, also
    while the controller takes longer steps.

    Attributes:
        period: in basic steps; 0: off.
        last: the step from whose start the period counts.
        value: the latest measurement.
        pending: True if the client has not seen `value` yet.
        asked: the period as the client has set it, ms; 0: off.
        seen: the newest value that an answer has brought; at first the initial one.
        seen_at: the step at whose start `seen` was measured.
        told: function that is called when an answer has brought a value, if any.

    Args:
        measure: returns a measurement of the present.
        has_power: function that tells whether it has power, without which it waits;
            None: always.
        value: value before the first measurement.
        random: the source of its noise; None: no noise.
    """

    def __init__(
        self,
        measure: Callable[[], typing.Any],
        has_power: Callable[[], bool] | None = None,
        value: typing.Any = math.nan,
        random: np.random.Generator | None = None,
    ):
        self.measure = measure
        self.random = random
        self._seed_state = random and random.bit_generator.state
        self.has_power = has_power
        self.period = self.asked = 0
        self.last = self.seen_at = 0
        self.value = self.seen = value
        self.pending = False
        self.told: Callable[[], None] | None = None

    def restart(self) -> None:
        """Restarts its noise and clears its state: the simulation is reset."""
        if self.random is not None:
            self.random.bit_generator.state = self._seed_state

    def reseed(self, seed: int) -> None:
        """Restarts its noise, as in a scenario with this random_seed."""
        if self.random is not None:
            _, *name = self.random.bit_generator.seed_seq.entropy
            state = np.random.default_rng([seed, *name]).bit_generator.state
            self.random.bit_generator.state = self._seed_state = state

    def measure_start(self, now: int) -> None:
        """Measures the state after a reset, if it is on."""
        if self.period > 0 and (self.has_power is None or self.has_power()):
            self.value = self.measure()
            self.pending = True
        self.last = now

    def enable(self, period: int, now: int) -> None:
        """Starts, or restarts, the clock at step `now`; period 0 stops it."""
        self.period = period
        self.last = now


def measure_due(samplers: Iterable[Sampler], now: int) -> None:
    """Makes the due sensors measure, at the end of the step before `now`."""
    for sampler in tuple(samplers):  # one may leave the list
        if 0 < sampler.period <= now - sampler.last and (
            sampler.has_power is None or sampler.has_power()
        ):
            sampler.value = sampler.measure()
            sampler.last = now
            sampler.pending = True


@functools.lru_cache(maxsize=64)
def steps_of(milliseconds: float, basic_time_step: float) -> int:
    """Returns the number of basic steps that cover a time, at least 1.

    A time that is not a multiple is rounded up.

    Args:
        milliseconds: the time, above 0.
        basic_time_step: in ms.
    """
    return max(math.ceil(milliseconds / basic_time_step - 1e-9), 1)


def position_reading(
    position: Callable[[], float],
    node: PositionSensor,
    random: np.random.Generator,
) -> Callable[[], float]:
    """Returns the `measure` of a position sensor.

    Args:
        position: returns the joint's position, rad or m.
        node: the sensor.
        random: source of the noise; drawn from at measurements only.
    """
    noise, resolution = node.noise, node.resolution
    if node.offset == 0 and noise <= 0 and resolution <= 0:
        return position

    def measure() -> float:
        value = position() + node.offset
        if noise > 0:
            value += noise * random.standard_normal()
        if resolution > 0:
            value = rounded(value, resolution)
        return float(value)

    return measure


def rounded(value: float, resolution: float) -> float:
    """Rounds a value to a multiple of a resolution above 0, as Webots does.

    It adds half of that, then cuts toward zero (WbMathsUtilities::discretize).
    """
    if resolution <= 0 or not math.isfinite(value):
        return value
    return resolution * math.trunc(value / resolution + 0.5)


def noise_source(seed: int, name: str) -> np.random.Generator:
    """Returns the random numbers of the device `name` in a scenario.

    Args:
        seed: the scenario's random_seed.
        name: name of robot and device; each has numbers of its own.
    """
    return np.random.default_rng([seed % 2**64, *name.encode()])


class LookupTable:
    """Rows of input, output and noise, between which it is linear.

    Beyond the first and the last row it is constant. An empty table returns its
    input. Noise is relative to the output: 0 stays 0 (WbLookupTable.cpp).

    Args:
        rows: rows of input, output and noise; the inputs increase.
        random: source of the noise.
    """

    def __init__(
        self, rows: Sequence[Sequence[float]], random: np.random.Generator
    ):
        self._inputs = [float(row[0]) for row in rows]
        self._rows = [tuple(map(float, row)) for row in rows]
        # From each row to the next: input, output, noise and their differences.
        self._parts = [
            (*row, *(b - a for a, b in zip(row, after, strict=True)))
            for row, after in itertools.pairwise(self._rows)
        ]
        self._random = random

    @property
    def range(self) -> float:
        """The last input; 0 of an empty table."""
        return self._inputs[-1] if self._inputs else 0.0

    def __call__(self, value: float) -> float:
        """Returns the reading of a measured `value`."""
        rows = self._rows
        if not rows:
            return value
        above = bisect.bisect_right(self._inputs, value)
        if 0 < above < len(rows):
            x, y, n, dx, dy, dn = self._parts[above - 1]
            part = (value - x) / dx
            output, noise = y + part * dy, n + part * dn
        else:
            _, output, noise = rows[-1 if above else 0]
        if noise:
            output *= 1 + noise * self._random.standard_normal()
        return output


def flat(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the table as getLookupTable does: row by row."""
    return [float(number) for row in rows for number in row]
