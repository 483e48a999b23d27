"""Losses: functions of the squared residual z; robust ones limit outliers.

They are those of `scipy.optimize.least_squares`.
"""

import dataclasses as dc
from collections.abc import Callable

import numpy as np

_Function = Callable[[np.ndarray], np.ndarray]


@dc.dataclass(frozen=True)
class Loss:
    """A loss rho(z) of squared residuals, with its derivatives.

    Attributes:
        rho: the loss.
        slope: its first derivative.
        bend: its second.
    """

    rho: _Function
    slope: _Function
    bend: _Function

    def influence(self, residuals: np.ndarray) -> np.ndarray:
        """Returns half the derivative of rho by each residual: psi."""
        return self.slope(residuals**2) * residuals

    def stiffness(self, residuals: np.ndarray) -> np.ndarray:
        """Returns the derivative of psi by each residual."""
        z = residuals**2
        return self.slope(z) + 2 * z * self.bend(z)


def _huber(inside: float, outside: _Function) -> _Function:
    return lambda z: np.where(z <= 1, inside, outside(np.maximum(z, 1)))


LOSSES = {
    "linear": Loss(lambda z: z, np.ones_like, np.zeros_like),
    "soft_l1": Loss(
        lambda z: 2 * (np.sqrt(1 + z) - 1),
        lambda z: (1 + z) ** -0.5,
        lambda z: -0.5 * (1 + z) ** -1.5,
    ),
    "huber": Loss(
        lambda z: np.where(z <= 1, z, 2 * np.sqrt(z) - 1),
        _huber(1.0, lambda z: z**-0.5),
        _huber(0.0, lambda z: -0.5 * z**-1.5),
    ),
    "cauchy": Loss(
        np.log1p, lambda z: 1 / (1 + z), lambda z: -1 / (1 + z) ** 2
    ),
    "arctan": Loss(
        np.arctan,
        lambda z: 1 / (1 + z**2),
        lambda z: -2 * z / (1 + z**2) ** 2,
    ),
}
