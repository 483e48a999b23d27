"""The bounded problem, against enumeration and its own conditions."""

import itertools

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings as examples, strategies as st

from webmotor_drake.loops import bounded, entry
from webmotor_drake.loops.tree_solver import UNBOUNDED

# Elimination loses some digits; problems here have condition numbers of up to
# 1e6, and none of them is decided by the 8th digit.
TOLERANCE = 1e-8
seeds = st.integers(0, 2**32 - 1)


def solve_bounded(inertia, force, rows, wanted, bound, softness, guess):
    """Returns the efforts and accelerations that the loops find."""
    n, m = len(force), len(rows)
    effort, a = np.array(guess), np.zeros(n)
    motors = np.array([wanted, np.minimum(bound, UNBOUNDED), softness])
    solve, room = entry(bounded.solve_bounded), bounded.Room(n)
    solve(n, m, inertia, force, rows, motors, effort, a, room)
    return effort, a


def problem(
    seed: int, motors: int, *, passive: int = 0, scale: float = 1.0
) -> dict:
    """Returns a random problem whose bounds matter, motors in random rows."""
    rng = np.random.default_rng(seed)
    nv = motors + passive
    factor = rng.normal(size=(nv, nv))
    return {
        "inertia": scale * (factor @ factor.T + 0.1 * np.eye(nv)),
        "force": scale * rng.normal(size=nv),
        "rows": rng.permutation(nv)[:motors],
        "wanted": rng.normal(size=motors),
        "bound": scale * rng.exponential(1.0, size=motors),
        "softness": 1e-3 * rng.random(motors) / scale,
        "guess": np.zeros(motors),
    }


def by_enumeration(inertia, force, rows, wanted, bound, softness, **_):
    """Returns the solution: of all ways to be at bounds the one that holds."""
    nv, m = len(force), len(rows)
    select = np.zeros((nv, m))
    select[rows, np.arange(m)] = 1
    best, solution = np.inf, None
    for signs in itertools.product([0, 1, -1], repeat=m):
        signs = np.array(signs)
        matrix = np.zeros((nv + m, nv + m))
        matrix[:nv, :nv], matrix[:nv, nv:] = inertia, -select
        right = np.concatenate([force, wanted])
        for i in range(m):
            if signs[i] == 0:
                matrix[nv + i, rows[i]] = 1
                matrix[nv + i, nv + i] = softness[i]
            else:
                matrix[nv + i, nv + i] = 1
                right[nv + i] = signs[i] * bound[i]
        unknown = np.linalg.solve(matrix, right)
        a, effort = unknown[:nv], unknown[nv:]
        short = signs * (wanted - a[rows] - softness * effort)
        over = np.where(signs == 0, np.abs(effort) - bound, -short)
        if over.max() < best:
            best, solution = over.max(), (effort, a)
    return solution


def assert_solved(
    inertia, force, rows, wanted, bound, softness, guess, solution
):
    """Asserts that a `solution` meets the conditions of the problem."""
    effort, a = solution
    assert (np.abs(effort) <= bound).all()
    applied = force.copy()
    applied[rows] += effort
    size = np.abs(inertia) @ np.abs(a) + np.abs(force)
    size[rows] += np.abs(effort)
    assert (np.abs(inertia @ a - applied) <= TOLERANCE * size).all()
    short = wanted - a[rows] - softness * effort
    small = TOLERANCE * (np.abs(wanted) + np.abs(a[rows]) + 1e-6)
    at_top, at_bottom = effort >= bound, effort <= -bound
    assert (short[~at_top] <= small[~at_top]).all()
    assert (short[~at_bottom] >= -small[~at_bottom]).all()


def assert_solves(given: dict) -> tuple[np.ndarray, np.ndarray]:
    solution = solve_bounded(**given)
    assert_solved(**given, solution=solution)
    return solution


@given(seeds, st.integers(1, 5), st.integers(0, 3))
def test_it_finds_what_enumeration_of_all_sets_finds(seed, motors, passive):
    given_ = problem(seed, motors, passive=passive)
    effort, a = assert_solves(given_)
    expected_effort, expected_a = by_enumeration(**given_)
    np.testing.assert_allclose(effort, expected_effort, atol=TOLERANCE)
    np.testing.assert_allclose(a, expected_a, atol=TOLERANCE * 100)


@given(seeds, st.integers(1, 12), st.sampled_from([1e-9, 1e9]))
def test_the_unit_of_inertia_does_not_matter(seed, motors, scale):
    unit = solve_bounded(**problem(seed, motors, passive=2))
    scaled = assert_solves(problem(seed, motors, passive=2, scale=scale))
    np.testing.assert_allclose(scaled[0] / scale, unit[0], atol=TOLERANCE)


@pytest.mark.parametrize(
    ("seed", "motors"), [(36, 6), (41, 6), (43, 5), (94, 8), (253, 5)]
)
def test_sets_that_come_again_do_not_end_in_a_wrong_solution(seed, motors):
    # Moving all wrong rows at once goes round in circles here.
    rng = np.random.default_rng(seed)
    given_ = problem(seed, motors)
    shared = rng.uniform(0.5, 1.5, motors)
    inverse = np.linalg.inv(np.outer(shared, shared) + 1e-5 * np.eye(motors))
    given_["inertia"] = (inverse + inverse.T) / 2 * 1e-3
    assert_solves(given_)


@given(seeds, st.integers(2, 8))
def test_motors_that_are_all_but_one_joint_are_solved(seed, motors):
    # Each sees the same inertia and little of its own: a push on one moves all.
    rng = np.random.default_rng(seed)
    given_ = problem(seed, motors)
    shared = rng.uniform(0.5, 1.5, motors)
    given_["inertia"] = np.outer(shared, shared) + 1e-5 * np.eye(motors)
    assert_solves(given_)
    inverse = np.linalg.inv(given_["inertia"])
    given_["inertia"] = (inverse + inverse.T) / 2 * 1e-3
    assert_solves(given_)


@given(seeds, st.integers(1, 30))
@examples(max_examples=draws(15, 40))
def test_large_problems_are_solved(seed, motors):
    assert_solves(problem(seed, motors, passive=3))


@given(seeds, st.integers(1, 6))
def test_a_guess_changes_nothing(seed, motors):
    # Right or wrong, within the bounds, at them or beyond.
    rng = np.random.default_rng(seed)
    given_ = problem(seed, motors, passive=2)
    effort, _ = assert_solves(given_)
    sign = rng.choice([-1.0, 0.0, 1.0], motors)
    for guess in (effort, -effort, sign * given_["bound"], sign * 1e9):
        given_["guess"] = guess
        guessed, _ = assert_solves(given_)
        np.testing.assert_allclose(guessed, effort, atol=TOLERANCE)


@given(seeds, st.integers(1, 6))
def test_a_guess_at_a_bound_that_is_just_not_reached_is_given_up(seed, motors):
    given_ = problem(seed, motors)
    given_["bound"][:] = 1e9
    effort, _ = assert_solves(given_)
    given_["bound"] = np.abs(effort) * (1 + 1e-6)
    given_["guess"] = 2 * effort
    found, _ = assert_solves(given_)
    np.testing.assert_allclose(found, effort, rtol=TOLERANCE, atol=TOLERANCE)


@given(seeds, st.integers(1, 6))
def test_the_same_problem_has_the_same_solution_to_the_bit(seed, motors):
    first = solve_bounded(**problem(seed, motors))
    second = solve_bounded(**problem(seed, motors))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@given(seeds, st.integers(1, 5))
def test_a_motor_of_bound_zero_is_a_passive_joint(seed, motors):
    given_ = problem(seed, motors)
    given_["bound"][0] = 0.0
    effort, a = assert_solves(given_)
    assert effort[0] == 0
    rest = slice(1, None)
    other = given_ | {
        name: given_[name][rest]
        for name in ("rows", "wanted", "bound", "softness", "guess")
    }
    np.testing.assert_allclose(
        solve_bounded(**other)[1], a, atol=TOLERANCE * 100
    )


@given(seeds, st.integers(1, 5))
def test_an_infinite_bound_is_none(seed, motors):
    given_ = problem(seed, motors)
    given_["bound"][:] = np.inf
    effort, a = assert_solves(given_)
    reached = a[given_["rows"]] + given_["softness"] * effort
    np.testing.assert_allclose(reached, given_["wanted"], atol=TOLERANCE)


@given(seeds, st.integers(1, 6))
def test_efforts_that_just_reach_their_bounds_are_no_trouble(seed, motors):
    # Half of the rows need exactly their bound to reach what is wanted: rounding
    # puts them on one side or the other.
    rng = np.random.default_rng(seed)
    given_ = problem(seed, motors)
    effort = rng.choice([-1.0, 1.0, 0.5], motors) * given_["bound"]
    applied = given_["force"].copy()
    applied[given_["rows"]] += effort
    a = np.linalg.solve(given_["inertia"], applied)
    given_["wanted"] = a[given_["rows"]] + given_["softness"] * effort
    found, _ = assert_solves(given_)
    np.testing.assert_allclose(found, effort, atol=TOLERANCE)


def test_one_motor_is_solved_as_by_hand():
    # 2 a = -4 + e, a = 3 - 0.5 e: e = 5, a = 0.5. With a bound of 4.5 a = 0.25.
    given_ = {
        "inertia": np.array([[2.0]]),
        "force": np.array([-4.0]),
        "rows": np.array([0]),
        "wanted": np.array([3.0]),
        "softness": np.array([0.5]),
        "guess": np.zeros(1),
    }
    for bound, effort, a in ((6.0, 5.0, 0.5), (4.5, 4.5, 0.25)):
        solution = solve_bounded(**given_, bound=np.array([bound]))
        np.testing.assert_allclose(solution, [[effort], [a]], rtol=1e-15)


def test_a_bound_that_fits_exactly_is_reached():
    # 1 a = 0 + e, a = 2: both sets hold.
    effort, a = solve_bounded(
        inertia=np.eye(1),
        force=np.zeros(1),
        rows=np.array([0]),
        wanted=np.array([2.0]),
        bound=np.array([2.0]),
        softness=np.zeros(1),
        guess=np.zeros(1),
    )
    assert effort == [2.0]
    assert a == [2.0]


def test_the_other_motors_take_over_when_one_is_at_its_bound():
    # Clipping each effort of the unbounded solution misses what the others
    # then have to do.
    given_ = problem(3, 3)
    given_["bound"][:] = 1e6
    free, _ = solve_bounded(**given_)
    given_["bound"][0] = abs(free[0]) / 2
    effort, _ = assert_solves(given_)
    assert abs(effort[0]) == given_["bound"][0]
    assert (np.abs(effort[1:] - free[1:]) > 1e-3).any()
