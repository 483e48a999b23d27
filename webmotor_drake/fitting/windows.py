"""Parts of a log, each started from what was measured there."""

import dataclasses as dc
import itertools

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.log import Log

# Samples on either side by which a velocity is found that was not measured.
_BESIDE = 4


@dc.dataclass(frozen=True)
class Window:
    """A part of a log.

    Attributes:
        first: its first sample.
        last: its last sample.
        moving: whether it starts in the midst of a motion: then velocities that were
            not measured are found from positions around; else they are 0.
    """

    first: int
    last: int
    moving: bool

    def position(self, log: Log, name: str) -> float | None:
        """Returns the measured position at its start, rad or m, if there is one."""
        values = log.get(name, "position")
        if values is None:
            return None
        known = np.flatnonzero(np.isfinite(values[self.first : self.last + 1]))
        return float(values[self.first + known[0]]) if known.size else None

    def velocity(self, log: Log, name: str) -> float:
        """Returns the velocity at its start, rad/s or m/s."""
        values = log.get(name, "velocity")
        if values is not None and np.isfinite(values[self.first]):
            return float(values[self.first])
        position = log.get(name, "position")
        if position is None or not self.moving:
            return 0.0
        around = slice(max(self.first - _BESIDE, 0), self.first + _BESIDE + 1)
        time, values = log.time[around], position[around]
        known = np.isfinite(values)
        if known.sum() < 3:
            return 0.0
        fitted = np.polynomial.Polynomial.fit(time[known], values[known], 2)
        return float(fitted.deriv()(log.time[self.first]))


def windows_of(
    log: Log, number: int, *, starts_moving: bool = False
) -> list[Window]:
    """Returns the log cut into parts that last equally long.

    Each starts with the sample that the one before ends with.

    Raises:
        InputError: there are fewer samples than that takes.
    """
    if not 1 <= number <= len(log.time) - 1:
        raise InputError(
            f"{number} windows; 1 to {len(log.time) - 1} are allowed",
            where=log.file,
        )
    ends = np.linspace(log.time[0], log.time[-1], number + 1)
    cuts = np.searchsorted(log.time, ends - 1e-9)
    cuts[-1] = len(log.time) - 1
    if (np.diff(cuts) < 1).any():
        raise InputError(
            f"{number} windows; some of them would have no sample, in a gap",
            where=log.file,
        )
    return [
        Window(int(first), int(last), moving=i > 0 or starts_moving)
        for i, (first, last) in enumerate(itertools.pairwise(cuts))
    ]
