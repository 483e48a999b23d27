"""A signal that was measured, and how fine it is."""

import dataclasses as dc
import math

import numpy as np

from webmotor_drake.fitting.match import LoggedMotor

# Less of a signal's range than that is not what a fit is about: no scale is finer.
_FINEST = 1e-3
# The least scale, for signals that stand still.
_LEAST = 1e-9


@dc.dataclass(frozen=True)
class Series:
    """A measured signal of a motor.

    Attributes:
        motor: whose.
        signal: "position", "velocity" or "effort".
        measured: shape (N,); NaN where it was not measured.
        scale: what a residual is divided by.
    """

    motor: LoggedMotor
    signal: str
    measured: np.ndarray
    scale: float

    @property
    def name(self) -> str:
        """The column in the log."""
        return f"{self.motor.name}.{self.signal}"


def scale_of(values: np.ndarray) -> float:
    """Returns what residuals of a signal are divided by: its noise, or a little more.

    Args:
        values: finite ones, shape (N,).
    """
    return max(noise_of(values), _FINEST * float(np.ptp(values)), _LEAST)


def noise_of(values: np.ndarray) -> float:
    """Returns the standard deviation of a signal's noise, by a robust estimate.

    Second differences take out what moves slowly; their median is not misled by
    jumps.
    """
    if len(values) < 3:
        return 0.0
    bends = np.diff(values, n=2)
    return float(1.4826 * np.median(np.abs(bends)) / math.sqrt(6))
