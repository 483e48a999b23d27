"""The complementarity problem between bounds, against its own conditions."""

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake.contact.boxed import boxed


@settings(max_examples=draws(60, 2000), deadline=None)
@given(st.integers(1, 24), st.integers(0, 2**32 - 1))
def test_what_is_between_its_bounds_is_solved_and_what_is_not_pushes_on(
    n, seed
):
    rng = np.random.default_rng(seed)
    # Rank deficient but for a little, as the corners of a box are.
    J = rng.normal(size=(n, max(1, n // 2)))
    W = J @ J.T + np.diag(rng.uniform(1e-4, 1e-2, n))
    missing = rng.normal(size=n)
    most = rng.exponential(1.0, n)
    least = np.where(rng.uniform(size=n) < 0.5, 0.0, -most)
    p = boxed(W, missing, least, most)
    left = W @ p + missing
    assert np.all((least <= p) & (p <= most))
    # Of rounding size: W's condition is up to 1e6.
    inside = (p > least) & (p < most)
    assert abs(left[inside]).max(initial=0) < 1e-8
    assert np.all(left[(p == least) & (least < most)] > -1e-8)
    assert np.all(left[(p == most) & (least < most)] < 1e-8)


def test_what_needs_no_bound_is_the_plain_solution():
    W = np.array([[2.0, 1.0], [1.0, 3.0]])
    infinite = np.full(2, np.inf)
    p = boxed(W, np.array([1.0, -2.0]), -infinite, infinite)
    assert p == pytest.approx(np.linalg.solve(W, [-1.0, 2.0]))
