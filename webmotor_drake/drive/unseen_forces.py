"""Notices forces that the torque drive does not see: its joints move otherwise."""

import numpy as np

from webmotor_drake.errors import warn

# How far a velocity may be from what the effort was computed for, rad/s or m/s, and
# as a share of the velocity: what solvers leave is a thousand times less.
TOLERANCE = 1e-4
# In so many plant steps on end: one may be a state that somebody set.
_STEPS = 2
_UNSEEN = (
    "{name}: joints miss the velocities that the motors' efforts were computed for;"
    " something acts on the model that the torque drive does not see (a contact,"
    " another actuator, a force, a constraint); drive: implicit sees it"
)


def accelerates_otherwise(
    found: np.ndarray, expected: np.ndarray, step: float
) -> bool:
    """Returns whether a step at these accelerations misses the expected velocities.

    Args:
        found: accelerations, shape (nt,), rad/s^2 or m/s^2.
        expected: accelerations that were foreseen, shape (nt,).
        step: length of the step, s.
    """
    off = step * np.abs(found - expected)
    return bool((off > TOLERANCE * (1.0 + step * np.abs(found))).any())


def count_missed(values: np.ndarray, place: int, name: str) -> None:
    """Counts a step that missed its velocities; warns if there are several on end.

    Args:
        values: the count is in it.
        place: of the count.
        name: of the system of motors.
    """
    values[place] += 1.0
    if values[place] >= _STEPS:
        warn(_UNSEEN.format(name=name))
