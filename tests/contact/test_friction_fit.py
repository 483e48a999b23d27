"""Coefficients of shapes that give pairs their friction."""

import math

import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake.contact.friction_fit import combined, fitted


def got(wanted, known=None):
    friction = fitted(wanted, known)
    return {pair: combined(*(friction[m] for m in pair)) for pair in wanted}


@pytest.mark.parametrize(
    "wanted",
    [
        {("a", "a"): 0.7},
        {("a", "b"): 0.3, ("a", "a"): 1.0},
        {("floor", "wheel"): 2.0, ("floor", "ice"): 0.1},
        {("a", "b"): 0.6, ("a", "c"): 0.5, ("b", "c"): 0.7},
        {("a", "b"): 0.0, ("b", "c"): 0.5},
        {("a", "a"): 0.0, ("a", "b"): 0.0, ("b", "b"): 0.8},
        {("a", "a"): 0.0},
    ],
)
def test_pairs_that_can_be_met_are_met(wanted):
    for pair, mu in got(wanted).items():
        # The solver's own accuracy.
        assert mu == pytest.approx(wanted[pair], abs=1e-6)


def test_infinite_friction_is_a_thousand():
    assert got({("a", "a"): math.inf})["a", "a"] == pytest.approx(1e3)


def test_a_material_that_is_known_stays():
    friction = fitted({("a", "b"): 0.3}, {"a": 1.0})
    assert friction["a"] == 1.0
    assert combined(1.0, friction["b"]) == pytest.approx(0.3)


def test_what_cannot_be_met_is_met_nearly():
    # A wheel on a floor can have no more than twice the floor's own friction.
    result = got({("f", "f"): 1.0, ("f", "w"): 3.0})
    assert 0.9 < result["f", "f"] < 1.5
    assert 1.9 < result["f", "w"] < 3.0


@pytest.mark.parametrize("mu", [0.0, 0.01, 0.1, 0.5, 1.8])
def test_pairs_that_are_listed_come_first(mu):
    wanted = {("d", "d"): 1.0, ("d", "k"): mu, ("k", "k"): 1.0}
    ranks = {("d", "d"): 1, ("d", "k"): 0, ("k", "k"): 2}
    friction = fitted(wanted, ranks=ranks)
    assert combined(friction["d"], friction["k"]) == pytest.approx(mu, abs=1e-6)
    assert friction["d"] == pytest.approx(1.0, abs=1e-6)


def test_more_than_twice_the_default_takes_the_default_along():
    wanted = {("d", "d"): 1.0, ("d", "k"): 3.0}
    friction = fitted(wanted, ranks={("d", "d"): 1, ("d", "k"): 0})
    assert combined(friction["d"], friction["k"]) == pytest.approx(3, rel=2e-3)
    # With k as rough as can be (1000), d has half of it.
    assert friction["d"] == pytest.approx(1.5, rel=1e-2)


@settings(max_examples=draws(30, 500), deadline=None)
@given(st.lists(st.floats(0.05, 5), min_size=1, max_size=5))
def test_any_coefficients_are_found_again(coefficients):
    names = "abcde"[: len(coefficients)]
    of = dict(zip(names, coefficients, strict=True))
    wanted = {
        (a, b): combined(of[a], of[b]) for a in names for b in names if a <= b
    }
    for pair, mu in got(wanted).items():
        assert mu == pytest.approx(wanted[pair], rel=1e-4)
