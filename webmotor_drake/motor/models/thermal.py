"""The heat of a winding (i²t): a first-order lag of the square of the effort."""

import numpy as np


def heated(
    heat: np.ndarray,
    effort: np.ndarray,
    continuous: np.ndarray,
    time_constant: np.ndarray,
    step: float,
) -> np.ndarray:
    """Returns the heat after a step of constant effort, exact for any step.

    Args:
        heat: shape (n,); 1 is as hot as it may be.
        effort: shape (n,), N m or N.
        continuous: what it bears for ever, shape (n,), N m or N; infinite: no limit.
        time_constant: shape (n,), s.
        step: s.
    """
    final = (effort / continuous) ** 2
    return final + (heat - final) * np.exp(-step / time_constant)


def is_hot(
    was_hot: np.ndarray, heat: np.ndarray, recovery: np.ndarray
) -> np.ndarray:
    """Returns which motors are limited now: from heat 1 until `recovery`."""
    return (heat >= 1.0) | ((was_hot > 0) & (heat > recovery))
