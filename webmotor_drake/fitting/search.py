"""The points of a search: the run at each, and its derivatives.

Every parameter is scaled by its bounds: the search is in a box of unit size, see `Box`.
Derivatives take one run each. Where the robots of these runs stand in one plant with
that of the point, they cost about as much again as the point, and are computed with it;
else on demand. Runs are independent, so that any number of processes is busy.
Parameters that have no motor in common share a run, see `independence`.
"""

import dataclasses as dc
import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from webmotor_drake.fitting.independence import groups_of
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.runs import FitRuns, Rows

_Function = Callable[[np.ndarray], np.ndarray]


class Loss(NamedTuple):
    """A loss rho(z) of squared residuals.

    Attributes:
        rho: the loss.
        slope: derivative of the loss.
    """

    rho: _Function
    slope: _Function

    def influence(self, residuals: np.ndarray) -> np.ndarray:
        """Returns half the derivative of rho by each residual: psi."""
        return self.slope(residuals**2) * residuals

    def stiffness(self, residuals: np.ndarray) -> np.ndarray:
        """Returns the derivative of psi by each residual, by differences."""
        ends = (self.influence(residuals + step) for step in (_TINY, -_TINY))
        return np.subtract(*ends) / (2 * _TINY)


# The losses of `scipy.optimize.least_squares`.
LOSSES = {
    "linear": Loss(lambda z: z, np.ones_like),
    "soft_l1": Loss(
        lambda z: 2 * (np.sqrt(1 + z) - 1), lambda z: (1 + z) ** -0.5
    ),
    "huber": Loss(
        lambda z: np.where(z <= 1, z, 2 * np.sqrt(z) - 1),
        lambda z: np.maximum(z, 1) ** -0.5,
    ),
    "cauchy": Loss(np.log1p, lambda z: 1 / (1 + z)),
    "arctan": Loss(np.arctan, lambda z: 1 / (1 + z**2)),
}
_TINY = 1e-5  # a residual's change, over its scale


# If positive bounds have at least this ratio, the search uses the logarithm.
_DECADE = 10.0


class Box:
    """The bounds of parameters as a box of unit size.

    A parameter of unknown magnitude, such as a stiffness from 20 to 4000, is scaled by
    its logarithm: doubling it is the same distance everywhere.

    Args:
        parameters: P parameters.
    """

    def __init__(self, parameters: Sequence[Parameter]):
        self._low = np.array([p.low for p in parameters])
        self._high = np.array([p.high for p in parameters])
        self._is_log = (self._low > 0) & (self._high > _DECADE * self._low)
        self._begin = self._straight(self._low)
        self._size = self._straight(self._high) - self._begin

    def _straight(self, values: np.ndarray) -> np.ndarray:
        """Returns values, or their logarithms where the search uses these."""
        logarithms = np.log(np.where(self._is_log, values, 1.0))
        return np.where(self._is_log, logarithms, values)

    def values(self, place: np.ndarray) -> np.ndarray:
        """Returns the parameters' values at a place, shape (P,)."""
        straight = self._begin + self._size * place
        curved = np.exp(np.where(self._is_log, straight, 0.0))
        curved = np.clip(curved, self._low, self._high)  # rounding
        return np.where(self._is_log, curved, straight)

    def place(self, values: np.ndarray) -> np.ndarray:
        """Returns the place of values in the box, shape (P,)."""
        return (self._straight(values) - self._begin) / self._size

    def slope(self, place: np.ndarray) -> np.ndarray:
        """Returns the derivatives of the values by the places, shape (P,)."""
        return self._size * np.where(self._is_log, self.values(place), 1.0)


# Number of points kept: searches come back to the last ones.
_KEPT = 3
# Change of a parameter for a derivative, as a share of its bounds.
_STEP = 1e-3
# Where friction begins to hold, or a delay reaches the next sample, small steps see
# only that: intervals and the end of the search use differences as wide as this.
WIDE = 1e-2
# Derivatives in the box whose norm over all residuals is below this are rounding.
_UNSEEN = 1e-3

Progress = Callable[[int, float], None] | None


@dc.dataclass(eq=False)
class Point:
    """Residuals at a point of the box, and their derivatives once they are wanted.

    Args:
        place: place in the box, shape (P,), from 0 to 1.
        predicted: predicted measurements there, one row per series.
        residuals: residuals over their scales, those of priors last, shape (R,).
        jacobian: their derivatives, shape (R, P), or a function that returns them.
    """

    place: np.ndarray
    predicted: Rows
    residuals: np.ndarray
    _jacobian: np.ndarray | Callable[[], np.ndarray]

    @functools.cached_property
    def jacobian(self) -> np.ndarray:
        """The derivatives of the residuals, shape (R, P); the first call does runs."""
        found = self._jacobian
        return found if isinstance(found, np.ndarray) else found()

    @property
    def is_differentiated(self) -> bool:
        """True if the derivatives came with the point and take no runs."""
        return isinstance(self._jacobian, np.ndarray)

    @property
    def cost(self) -> float:
        """Half the sum of the squared residuals."""
        return float(self.residuals @ self.residuals / 2)


class Search:
    """Evaluates points of the box.

    Attributes:
        runs: object that does and counts runs.
        box: the parameters' bounds.
        first: the point at the start.
        best: the best point of all.
        groups: indices of parameters that can be changed in one run, per group.
        history: number of runs and least RMS residual, after each point.

    Args:
        runs: object that does and counts runs.
        loss: measure by which one point is better than another.
        progress: callback after each point, with the runs and the RMS residual.
    """

    def __init__(
        self, runs: FitRuns, loss: str = "linear", progress: Progress = None
    ):
        self.runs, self._loss = runs, LOSSES[loss]
        self._progress = progress
        self._experiments = runs.experiments
        parameters = self._experiments.parameters
        self.box = Box(parameters)
        self._priors = [
            (i, *p.prior) for i, p in enumerate(parameters) if p.prior
        ]
        self.groups, self._influence = groups_of(self._experiments.each)
        self._reached = [
            {experiment for i in group for experiment, _ in self._influence[i]}
            for group in self.groups
        ]
        self._known: dict[bytes, Point | None] = {}
        # The last wide derivatives: their place, width and values.
        self._wide = np.zeros(0), 0.0, np.zeros(0)
        self.first: Point | None = None
        self.best: Point | None = None
        self.history: list[tuple[int, float]] = []

    def look(
        self, place: np.ndarray, width: float | None = None
    ) -> Point | None:
        """Returns the point at a place; None if the run there failed.

        Args:
            place: shape (P,), from 0 to 1.
            width: width of its derivatives, see `wide`; None: narrow.
        """
        key = place.tobytes()
        if key not in self._known:
            while len(self._known) > _KEPT:
                del self._known[next(iter(self._known))]
            if self.runs.share_plants(1 + len(self.groups)):
                self._known[key] = self._with_derivatives(place, width)
            else:
                (self._known[key],) = self.looks([place])
        point = self._known[key]
        return self.wide(point, width) if point and width else point

    def looks(self, places: Sequence[np.ndarray]) -> list[Point | None]:
        """Returns the points at several places, whose runs are done together."""
        found = self.runs.predict([self.box.values(p) for p in places])
        return [
            None if rows is None else self._point(place, rows)
            for place, rows in zip(places, found, strict=True)
        ]

    def _with_derivatives(
        self, place: np.ndarray, width: float | None
    ) -> Point | None:
        here, found = self._around(place, None, width or _STEP, bool(width))
        if here is None:
            return None
        if width:
            self._wide, found = (place, width, found), None
        return self._point(place, here, found)

    def _point(
        self, place: np.ndarray, here: Rows, jacobian: np.ndarray | None = None
    ) -> Point:
        residuals = self._residuals(here, place)
        derive = functools.partial(self.derivatives, place, here)
        point = Point(
            place, here, residuals, derive if jacobian is None else jacobian
        )
        rms = float(np.sqrt(2 * point.cost / len(residuals)))
        least = min([rms, *(before for _, before in self.history[-1:])])
        self.history.append((self.runs.number, least))
        if self._progress is not None:
            self._progress(*self.history[-1])
        self.first = self.first or point
        if self.loss(point) < self.loss(self.best):
            self.best = point
        return point

    def derivatives(
        self,
        place: np.ndarray,
        here: Rows,
        *,
        both_sides: bool = False,
        width: float = _STEP,
    ) -> np.ndarray:
        """Returns the derivatives of the residuals, shape (R, P), by differences.

        Args:
            place: shape (P,), from 0 to 1.
            here: predictions there.
            both_sides: True for differences between a step to either side: the sides
                differ where a limit or friction begins to hold.
            width: length of a step, as a share of the bounds.
        """
        return self._around(place, here, width, both_sides)[1]

    def _around(
        self, place: np.ndarray, here: Rows | None, width: float, both: bool
    ) -> tuple[Rows | None, np.ndarray]:
        """Returns `derivatives` and the predictions at the place, run if None."""
        ahead = [self._moved(place, group, width) for group in self.groups]
        behind = [np.clip(2 * place - p, 0, 1) for p in ahead * both]
        places, reached = ahead + behind, self._reached * (1 + both)
        if here is None:
            every = set(range(len(self._experiments.each)))
            places, reached = [place, *places], [every, *reached]
        there = self.runs.predict(
            [self.box.values(p) for p in places], reached, here
        )
        if here is None:
            here, *there = there
        if here is None:
            return None, np.zeros(0)
        jacobian = np.zeros((len(self._residuals(here, place)), len(place)))
        slopes = self.box.slope(place)
        for g, group in enumerate(self.groups):
            end, after = ahead[g], there[g]
            begin, before = place, here
            if both and there[g - len(ahead)] is not None:
                begin, before = behind[g], there[g - len(ahead)]
            if after is not None:
                change = [b - a for a, b in zip(before, after, strict=True)]
                for i in group:
                    jacobian[:, i] = self._derivative(
                        change, end - begin, i, slopes[i]
                    )
        return here, jacobian

    def wide(
        self, point: Point, width: float = WIDE, reach: float = 0.0
    ) -> Point:
        """Returns a point with derivatives to both sides.

        Args:
            point: point to differentiate at.
            width: length of a step, as a share of the bounds.
            reach: distance within which the last derivatives are reused, likewise.
        """
        place, here = point.place, point.predicted

        def derive() -> np.ndarray:
            last, known, found = self._wide
            if known != width or np.abs(last - place).max(initial=0.0) > reach:
                found = self.derivatives(
                    place, here, both_sides=True, width=width
                )
                self._wide = place, width, found
            return found

        return Point(place, here, point.residuals, derive)

    def loss(self, point: Point | None) -> float:
        """Returns the sum of the losses at a point; inf: the run there failed."""
        if point is None:
            return math.inf
        return float(self._loss.rho(point.residuals**2).sum() / 2)

    def _moved(
        self, place: np.ndarray, group: list[int], width: float
    ) -> np.ndarray:
        """Returns the place with the parameters of a group moved into the box."""
        moved = place.copy()
        moved[group] += np.where(place[group] < 0.5, width, -width)
        return moved

    def _derivative(
        self, change: Rows, moved: np.ndarray, i: int, slope: float
    ) -> np.ndarray:
        """Returns column i of the Jacobian, from a change of the predictions."""
        parts = []
        all_series = zip(
            self._experiments.series,
            self._experiments.owners,
            change,
            strict=True,
        )
        for series, owner, row in all_series:
            measured = np.isfinite(series.measured)
            seen = (owner, series.motor.signal) in self._influence[i]
            column = row[measured] / (series.scale * moved[i])
            parts.append(column if seen else np.zeros(measured.sum()))
        priors = [
            slope / deviation if k == i else 0.0
            for k, _, deviation in self._priors
        ]
        derivative = np.concatenate([*parts, priors])
        is_seen = np.linalg.norm(derivative) > _UNSEEN
        return derivative if is_seen else np.zeros_like(derivative)

    def _residuals(self, predicted: Rows, place: np.ndarray) -> np.ndarray:
        values = self.box.values(place)
        priors = [
            (values[i] - mean) / deviation
            for i, mean, deviation in self._priors
        ]
        return np.concatenate([self._experiments.residuals(predicted), priors])
