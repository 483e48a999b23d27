"""A signal that was measured, and how fine it is."""

import dataclasses as dc
import math

import numpy as np

from webmotor_drake.fitting.log import Log
from webmotor_drake.fitting.match import LoggedMotor

_UNITS = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "effort": ("N·m", "N"),
}
# A speed is found from samples so far to either side.
_BESIDE = 4
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

    @property
    def unit(self) -> str:
        """The unit of what is measured."""
        return _UNITS[self.signal][self.motor.is_linear]

    @property
    def stands_still(self) -> bool:
        """Whether there is no movement beyond the noise."""
        return (
            np.ptp(self.measured[np.isfinite(self.measured)]) <= 6 * self.scale
        )


def speed_of(log: Log, motor: LoggedMotor) -> np.ndarray:
    """Returns how fast a motor's joint moved, shape (N,), rad/s or m/s.

    It is what was measured, else the slope of the positions some samples to either
    side, as neighbours differ by their noise. NaN: not known.
    """
    velocity = log.get(motor.name, "velocity")
    if velocity is not None:
        return np.abs(velocity)
    speed = np.full(len(log.time), np.nan)
    position = log.get(motor.name, "position")
    if position is None:
        return speed
    known = np.flatnonzero(np.isfinite(position))
    if len(known) > 1:
        here = np.arange(len(known))
        before = known[np.maximum(here - _BESIDE, 0)]
        after = known[np.minimum(here + _BESIDE, len(known) - 1)]
        way = np.abs(position[after] - position[before])
        speed[known] = way / (log.time[after] - log.time[before])
    return speed


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
