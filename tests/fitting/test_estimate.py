"""Intervals where derivatives at the estimate do not say all."""

import numpy as np
import pytest

from webmotor_drake.fitting.estimate import (
    Certainty,
    Estimate,
    certainty,
    with_open_sides,
)
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.search import Point


class OneSeries:
    """Runs of one series with one parameter, from 0 to 1."""

    parameters = (Parameter("a", (("a",),), 0.0, 1.0, 0.5),)

    @staticmethod
    def split_residuals(residuals):
        return [residuals]


@pytest.mark.parametrize(
    ("noise", "is_determined"), [(0.3, True), (0.4, False)]
)
def test_half_of_the_bounds_is_the_widest_interval_that_determines(
    noise, is_determined
):
    # Ten values of the parameter itself: its deviation is the noise over their root, by
    # nine of freedom. The interval of 3.92 deviations is 0.392 or 0.523.
    residuals = noise * np.resize([1.0, -1.0], 10)
    point = Point(np.array([0.5]), [residuals], residuals, np.ones((10, 1)))
    (estimate,) = certainty(OneSeries, point).estimates
    assert estimate.deviation == pytest.approx(noise / 3)
    assert estimate.is_determined is is_determined


class Limited:
    """Runs in which the first value binds from 0.4 on, the second one everywhere."""

    @property
    def experiments(self):
        return self

    def residuals(self, rows):
        return np.concatenate(rows)

    def predict(self, points):
        return [
            [np.full(3, max(a - 0.4, 0.0)), np.full(3, b)] for a, b in points
        ]


@pytest.mark.parametrize("groups", [[[0, 1]], [[1], [0]]])
def test_a_side_without_influence_reaches_to_its_bound_and_is_told(
    groups,
):
    estimates = [
        Estimate(
            Parameter(name, ((name,),), 0.0, 1.0, 0.3), 0.4, 0.01, "", True
        )
        for name in ("limited", "seen")
    ]
    jacobian = np.repeat(np.eye(2), 3, axis=0)
    here = [np.zeros(3), np.full(3, 0.4)]
    point = Point(np.full(2, 0.4), here, np.concatenate(here), jacobian)
    before = Certainty(estimates, 1e-4 * np.eye(2), [])
    found = with_open_sides(before, Limited(), point, groups)
    limited, seen = found.estimates
    assert limited.interval == (0.0, 0.8)
    assert not limited.is_determined
    assert seen == estimates[1]
    assert found.undetermined == [
        "limited: below its estimate nothing that was measured depends on it"
    ]
