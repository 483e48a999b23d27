"""Parts of a log, each started from what was measured there."""

import dataclasses as dc
import itertools

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.log import Log

# Samples on either side by which a state is found.
_BESIDE = 4
# Of the polynomial that goes through them.
_DEGREE = 2


@dc.dataclass(frozen=True)
class Window:
    """A part of a log.

    Attributes:
        first: its first sample.
        last: its last sample.
    """

    first: int
    last: int

    def state(self, log: Log, name: str) -> tuple[float | None, float]:
        """Returns the position (rad or m) and the velocity (per s) at its start.

        At the log's own first sample these are what was measured, the velocity 0 if
        it was not. Later they come from the samples around, of which the noise
        would else be taken for a motion.

        Args:
            log: the log.
            name: whose state.
        """
        position, velocity = (
            log.get(name, "position"),
            log.get(name, "velocity"),
        )
        speed = 0.0
        if velocity is not None and np.isfinite(velocity[self.first]):
            speed = float(velocity[self.first])
        if position is None:
            return None, speed
        if self.first > 0:
            around = slice(
                max(self.first - _BESIDE, 0), self.first + _BESIDE + 1
            )
            time, values = log.time[around], position[around]
            known = np.isfinite(values)
            if known.sum() > _DEGREE:
                fitted = np.polynomial.Polynomial.fit(
                    time[known], values[known], _DEGREE
                )
                start = log.time[self.first]
                if velocity is None:
                    speed = float(fitted.deriv()(start))
                return float(fitted(start)), speed
        known = np.flatnonzero(
            np.isfinite(position[self.first : self.last + 1])
        )
        if not known.size:
            return None, speed
        return float(position[self.first + known[0]]), speed


def windows_of(log: Log, span: tuple[int, int], number: int) -> list[Window]:
    """Returns a part of the log cut into windows that last equally long.

    Each starts with the sample that the one before ends with.

    Args:
        log: the log.
        span: the first and the last sample of the part.
        number: of windows.

    Raises:
        InputError: there are fewer samples than that takes.
    """
    begin, end = span
    if not 1 <= number <= end - begin:
        raise InputError(
            f"{number} windows; 1 to {end - begin} are allowed",
            where=log.file,
        )
    ends = np.linspace(log.time[begin], log.time[end], number + 1)
    cuts = np.searchsorted(log.time, ends - 1e-9)
    cuts[0], cuts[-1] = begin, end
    if (np.diff(cuts) < 1).any():
        raise InputError(
            f"{number} windows; some of them would have no sample, in a gap",
            where=log.file,
        )
    return [
        Window(int(first), int(last))
        for first, last in itertools.pairwise(cuts)
    ]
