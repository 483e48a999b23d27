"""Inertias that no body has are brought to those of one."""

import numpy as np
import pytest
from pydrake.math import RotationMatrix

from webmotor_drake.worlds.masses import possible

R = RotationMatrix.MakeYRotation(0.4).matrix()


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.5), (1.0, 1.0, 2.0)])
def test_an_inertia_that_a_body_can_have_stays(moments):
    given = R @ np.diag(moments) @ R.T
    assert possible(given) is given


@pytest.mark.parametrize(
    ("moments", "wanted"),
    [
        ((1.0, 1.0, 10.0), (5.0, 5.0, 10.0)),
        ((-1.0, 2.0, 4.0), (0.0, 4.0, 4.0)),
        ((-1.0, -1.0, 4.0), (2.0, 2.0, 4.0)),
    ],
)
def test_moments_that_are_too_small_for_the_largest_grow(moments, wanted):
    found = possible(R @ np.diag(moments) @ R.T)
    expected = R @ np.diag(wanted) @ R.T
    # More by a billionth, so that rounding leaves a body.
    np.testing.assert_allclose(found, expected, atol=1e-7)
