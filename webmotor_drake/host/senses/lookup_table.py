"""Webots' lookup tables: from the measured value to the reading."""

import bisect
import itertools
from collections.abc import Sequence

import numpy as np


class LookupTable:
    """Rows of input, output and noise, between which it is linear.

    Beyond the first and the last row it is what they say. An empty one gives what
    it gets. Noise is a part of the output: what is 0 stays 0 (WbLookupTable.cpp).

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
