"""Webots' lookup tables: from what is measured to what is read."""

import bisect
from collections.abc import Sequence

import numpy as np


class LookupTable:
    """Rows of input, output and noise, between which it is linear.

    Beyond the first and the last row it is what they say. An empty one gives what
    it gets. Noise is a part of the output: what is 0 stays 0 (WbLookupTable.cpp).

    Args:
        rows: of input, output and noise; the inputs increase.
        random: where the noise comes from.
    """

    def __init__(
        self, rows: Sequence[Sequence[float]], random: np.random.Generator
    ):
        self._inputs = [float(row[0]) for row in rows]
        self._rows = [tuple(map(float, row)) for row in rows]
        self._random = random
        outputs = [row[1] for row in self._rows] or [0.0]
        self.lowest, self.highest = min(outputs), max(outputs)

    @property
    def range(self) -> float:
        """The last input; 0 of an empty table."""
        return self._inputs[-1] if self._inputs else 0.0

    def __call__(self, value: float) -> float:
        """Returns what is read where `value` is measured."""
        if not self._rows:
            return value
        output, noise = self._between(value)
        if noise:
            output *= 1 + noise * self._random.standard_normal()
        return output

    def _between(self, value: float) -> tuple[float, float]:
        """Returns output and noise, without it."""
        above = bisect.bisect_right(self._inputs, value)
        if above == 0:
            return self._rows[0][1:]
        if above == len(self._rows):
            return self._rows[-1][1:]
        (x0, y0, n0), (x1, y1, n1) = self._rows[above - 1 : above + 1]
        part = (value - x0) / (x1 - x0)
        return y0 + part * (y1 - y0), n0 + part * (n1 - n0)


def flat(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the table as getLookupTable does: one row after the other."""
    return [float(number) for row in rows for number in row]
