"""The impulses of a bounce, against closed forms."""

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake.contact.impulses import (
    Bounce,
    boxed,
    speeds_after,
    with_friction,
)
from webmotor_drake.nodes.contact import ContactProperties

STEP = 0.008


def contacts(
    n: int, *, bounce=0.5, depth=0.0, cfm=0.0, friction=1.0
) -> tuple[list[Bounce], np.ndarray]:
    entry = ContactProperties("a", "b", soft_cfm=cfm)
    return [Bounce(entry, bounce, friction, True)] * n, np.full(n, depth)


def test_a_hard_contact_leaves_with_its_share():
    W, before = np.array([[1.0]]), np.array([-2.0])
    assert speeds_after(W, before, *contacts(1), STEP) == pytest.approx(1.0)


def test_a_slow_one_stops():
    W, before = np.array([[1.0]]), np.array([-0.005])
    assert speeds_after(W, before, *contacts(1), STEP) == pytest.approx(0.0)


def test_a_soft_contact_gives_way_as_the_sum_of_its_steps():
    W, v, depth, cfm = np.array([[0.1]]), -2.0, 0.0, 1e-3
    while v < 0:  # ODE's row, one step after the other
        goal = max(0.2 * depth / STEP, -0.5 * v)
        v += 0.1 * (goal - v) / (0.1 + cfm / STEP)
        depth -= STEP * v
    after = speeds_after(W, np.array([-2.0]), *contacts(1, cfm=cfm), STEP)
    assert after[0] >= v


def test_what_is_deep_is_brought_out_by_a_share_per_step():
    W, before = np.array([[1.0]]), np.array([-0.1])
    deep = contacts(1, depth=0.04)
    assert speeds_after(W, before, *deep, STEP) == pytest.approx(
        0.2 * 0.04 / STEP
    )


def test_a_corner_that_is_lifted_by_another_gets_no_pull():
    W = np.array([[1.0, 0.9], [0.9, 1.0]])
    after = speeds_after(W, np.array([-1.0, -0.2]), *contacts(2), STEP)
    # The first one alone: 1.5 of impulse lift the second by 1.35.
    assert after == pytest.approx([0.5, 1.15])


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 2))
@settings(max_examples=draws(50, 2000), deadline=None)
def test_impulses_press_and_stay_within_friction(seed, bounce, mu):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 5))
    M = np.diag(random.uniform(0.1, 10, 6))
    J, v = random.normal(size=(3 * n, 6)), random.normal(size=6)
    before = J @ v
    A = np.linalg.solve(M, J.T)
    touching = contacts(n, bounce=bounce, cfm=1e-3, friction=mu)
    missing = before.copy()
    missing[2::3] -= speeds_after(
        (J @ A)[2::3, 2::3], before[2::3], *touching, STEP
    )
    p = with_friction(J @ A, missing, np.full(n, mu)).reshape(-1, 3)
    assert (p[:, 2] >= 0).all()
    across = np.hypot(p[:, 0], p[:, 1])
    assert (across <= mu * p[:, 2] + 1e-9).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=draws(50, 2000), deadline=None)
def test_impulses_that_cannot_all_be_met_add_no_energy(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 9))
    J, falls = random.normal(size=(3 * n, 6)), random.normal(size=3 * n)
    falls[2::3] -= 4.0
    W = J @ J.T
    p = with_friction(W, falls, np.ones(n))
    # With a start from all of them at once it was 1e5 times what there was.
    assert p @ falls + p @ W @ p / 2 <= 1e-9 * abs(falls).max()


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


@pytest.mark.parametrize("seed", range(8))
def test_hundreds_of_corners_are_solved_even_if_changes_go_round(seed):
    rng = np.random.default_rng(seed)
    # Twenty speeds for 180 rows, of which some are held at a bound of 0.
    J = rng.normal(size=(180, 20))
    W = J @ J.T + np.diag(10 ** rng.uniform(-6, -2, 180))
    missing = rng.normal(size=180)
    most = rng.uniform(0, 0.05, 180) * (rng.uniform(size=180) < 0.7)
    most[:60], least = np.inf, -most
    least[:60] = 0.0
    p = boxed(W, missing, least, most)
    left = np.where(least < most, W @ p + missing, 0.0)
    # Of rounding size, where W's condition is up to 1e8; going round left 1e2 to 1e6.
    assert left[p == least].min() > -1e-8
    assert left[p == most].max() < 1e-8
    assert abs(left[(p > least) & (p < most)]).max() < 1e-8


def test_what_needs_no_bound_is_the_plain_solution():
    W = np.array([[2.0, 1.0], [1.0, 3.0]])
    infinite = np.full(2, np.inf)
    p = boxed(W, np.array([1.0, -2.0]), -infinite, infinite)
    assert p == pytest.approx(np.linalg.solve(W, [-1.0, 2.0]))
