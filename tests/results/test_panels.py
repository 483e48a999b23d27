"""Curves of a picture keep what can be seen of a long signal."""

import numpy as np
import pytest

from webmotor_drake.results import panels
from webmotor_drake.results.panels import number_text, thinned


@pytest.mark.parametrize("seed", range(25))
def test_a_thinned_signal_has_the_least_and_the_greatest_of_each_part(seed):
    some = np.random.default_rng(seed)
    buckets, size = int(some.integers(1, 9)), int(some.integers(3, 12))
    rest = int(some.integers(0, buckets))
    values = some.permutation(np.arange(buckets * size + rest, dtype=float))
    values[some.uniform(size=len(values)) < some.choice([0.0, 0.3])] = np.nan
    time = np.arange(len(values)) * 0.5
    times, kept = thinned(time, values, buckets)
    rows = (times * 2).astype(int)
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(kept, values[rows])
    assert {0, len(values) - 1} <= set(rows)
    for i in range(buckets):
        part = values[i * size : (i + 1) * size]
        here = kept[(rows >= i * size) & (rows < (i + 1) * size)]
        if np.isfinite(part).any():
            assert {np.nanmin(part), np.nanmax(part)} <= set(here)
        assert len(here) <= 4  # ends of all may be in it, too
    np.testing.assert_array_equal(
        rows[rows >= buckets * size], np.arange(buckets * size, len(values))
    )


@pytest.mark.parametrize("rows", [0, 1, 5, 8, 11])
def test_a_signal_that_can_be_seen_is_as_it_is(rows):
    time, values = np.arange(rows) * 0.1, np.arange(rows) ** 2.0
    shown = thinned(time, values, 4)
    np.testing.assert_array_equal(shown, (time, values))


def test_numbers_are_short_and_have_a_true_minus_sign():
    shown = [number_text(value) for value in (-0.0, -1.5, 123456.0, 1 / 3)]
    assert shown == ["0", "−1.5", "1.235e+05", "0.3333"]
    assert number_text(2 / 3, 2) == "0.67"


@pytest.mark.parametrize(
    ("values", "bounds", "view"),
    [
        ([2.0, 4.0], [], (1.84, 4.16)),
        ([2.0, 4.0], [100.0], (1.84, 4.16)),  # far away it would flatten all
        ([np.nan, 3.0, np.inf], [], (2.7, 3.3)),
        ([np.nan], [], (-0.1, 0.1)),
        ([0.001], [], (-0.099, 0.101)),
        ([50.0], [], (45.0, 55.0)),
    ],
)
def test_a_panel_has_its_values_in_view_with_a_margin(values, bounds, view):
    assert panels._view([np.array(values)], bounds) == pytest.approx(view)


@pytest.mark.parametrize("value", [0.5, 1.0, 40.0])
def test_of_a_value_that_rests_a_bound_is_in_view_by_its_size(value):
    reach = panels._AT_REST * max(1.0, value)
    for bound, near in (
        (value + 0.99 * reach, True),
        (value + 1.01 * reach, False),
    ):
        _, high = panels._view([np.full(3, value)], [bound])
        assert (high > bound) == near
