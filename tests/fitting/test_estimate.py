"""Intervals where derivatives at the estimate do not say all."""

import numpy as np
import pytest

from webmotor_drake.fitting.estimate import (
    Certainty,
    Estimate,
    with_open_sides,
)
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.search import Point


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
