"""The drive's arithmetic is written in numpy, for one free tree, and in loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from webmotor_drake.drive import torque_loops, torque_solve
from webmotor_drake.drive.free_tree import FreeTree

STEP = 0.01
# Elimination loses some digits of problems with condition numbers of up to 1e6.
TOLERANCE = 1e-7
seeds = st.integers(0, 2**32 - 1)


class Problem:
    """A random problem of `solve_trees`: what it is given, by name."""

    def __init__(self, seed: int, *, free: bool):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 5, size=1 if free else rng.integers(1, 4))
        nt = sizes.sum()
        blocks = np.cumsum([0, *sizes])
        rows = np.flatnonzero(rng.random(nt) < (1.0 if free else 0.7))
        if not len(rows):
            rows = np.arange(nt)
        m = len(rows)
        order = rng.permutation(m)
        row_of = np.empty(m, dtype=int)
        row_of[order] = rows
        self.inertia, self.rng = np.zeros((nt, nt)), rng
        for start, end in itertools.pairwise(blocks):
            root = rng.normal(size=(end - start, end - start))
            part = root @ root.T + 0.1 * np.eye(end - start)
            self.inertia[start:end, start:end] = part
        damping = rng.exponential(size=nt) * rng.integers(2)
        stops = rng.exponential(size=(2, nt)) * [[-1], [1]]
        stops[:, rng.random(nt) < 0.5] = [[-np.inf], [np.inf]]
        spring, damper = rng.exponential(size=(2, m)) * rng.integers(2)
        # Some are stiff: times a step more than a thousand times the inertia.
        damper *= rng.choice([1.0, 1.0, 1e8], size=m)
        implicit = damper + STEP * spring
        diagonal = STEP * damping
        diagonal[row_of] += STEP * implicit
        self.forest = np.array([diagonal, STEP * damping, *stops])
        self.homes = np.array([np.arange(nt), nt + np.arange(nt)])
        softness = rng.choice([0.0, 1e-5, 1e-2]) / STEP
        self.joints = np.array(
            [
                *(spring, implicit, np.full(m, softness)),
                *self.forest[1:][:, row_of],
            ]
        )
        self.places = np.array([row_of, nt + row_of, row_of, row_of])
        self.members = np.array([order, rows])
        self.ends = np.array([np.searchsorted(rows, blocks), blocks])
        self.state = rng.normal(size=2 * nt)
        bound = rng.exponential(rng.choice([1.0, 1e9]), size=m)
        brake = rng.exponential(size=m) * rng.integers(2)
        self.demand = np.concatenate(
            [rng.normal(size=m), bound, rng.normal(size=m), brake]
        )
        self.effort = rng.normal(size=m)
        self.acceleration = rng.normal(size=nt)
        self.force = rng.normal(size=nt)

    def solved(self, solve_trees) -> tuple[np.ndarray, ..., int]:
        """Returns efforts, totals, velocities foreseen and how the step went."""
        effort, total = self.effort.copy(), np.zeros(len(self.effort))
        foreseen = np.zeros(len(self.force))
        outcome = solve_trees(
            *(self.state, self.demand, effort, self.joints, self.places),
            *(self.forest, self.homes, self.members, self.ends),
            *(self.inertia, self.acceleration, self.force, total, foreseen),
            STEP,
        )
        return effort, total, foreseen, outcome

    def freely_solved(self) -> tuple[np.ndarray, ..., int | None]:
        """Returns the same of a `FreeTree`."""
        effort, total = self.effort.copy(), np.zeros(len(self.effort))
        foreseen = np.zeros(len(self.force))
        tree = FreeTree(
            self.joints, self.forest, self.homes, self.members, STEP
        )
        outcome = tree.solve(
            *(self.state, self.demand, effort),
            *(self.inertia, self.acceleration, self.force, total, foreseen),
        )
        return effort, total, foreseen, outcome


def assert_same(found, expected) -> None:
    for ours, theirs in zip(found[:-1], expected[:-1], strict=True):
        size = 1.0 + np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * size)
    assert found[-1] == expected[-1]


@pytest.mark.slow
@given(seeds, st.booleans())
@settings(max_examples=150)
def test_loops_find_what_numpy_finds(seed, free):
    problem = Problem(seed, free=free)
    expected = problem.solved(torque_solve.solve_trees)
    assert_same(problem.solved(torque_loops.solve_trees), expected)


@pytest.mark.slow
@given(seeds)
@settings(max_examples=150)
def test_a_free_tree_finds_what_the_bounded_problem_is(seed):
    problem = Problem(seed, free=True)
    expected = problem.solved(torque_solve.solve_trees)
    found = problem.freely_solved()
    if found[-1] is not None:
        assert_same(found, expected)
    else:
        np.testing.assert_array_equal(found[0], problem.effort)


def test_free_trees_are_met_in_these_problems():
    outcomes = [
        Problem(seed, free=True).freely_solved()[-1] for seed in range(60)
    ]
    assert 5 < outcomes.count(None) < 55


@given(seeds)
@settings(max_examples=60)
def test_holding_still_is_the_same_in_loops(seed):
    problem = Problem(seed, free=True)
    problem.demand[len(problem.effort) : 2 * len(problem.effort)] = 1e9
    motors = problem.state, problem.demand, problem.effort
    motors += problem.joints, problem.places
    a, b = np.zeros((2, len(problem.effort)))
    assert torque_solve.predicted_acceleration(*motors, a, STEP)
    assert torque_loops.predicted_acceleration(*motors, b, STEP)
    np.testing.assert_allclose(a, b, rtol=1e-12)
    # What is a solution for one is one for the other.
    for force in (problem.force, problem.inertia @ a):
        foreseen = np.zeros((2, len(a)))
        answers = [
            solve.is_solution(
                *(problem.state, problem.demand, problem.effort.copy()),
                *(problem.joints, problem.places, a, force),
                *(np.zeros_like(a), row, STEP),
            )
            for solve, row in (
                (torque_solve, foreseen[0]),
                (torque_loops, foreseen[1]),
            )
        ]
        assert answers[0] == answers[1]
        np.testing.assert_allclose(*foreseen, rtol=1e-12)


@given(seeds, st.sampled_from([0.0, 1e-5, 1e-3, 1.0, np.nan]))
@settings(max_examples=60)
def test_what_was_not_foreseen_is_told(seed, off):
    rng = np.random.default_rng(seed)
    state, places = rng.normal(size=6), np.array([3, 5])
    foreseen = state[places] + off * np.array([0.0, rng.choice([-1, 1])])
    for solve in (torque_solve, torque_loops):
        missed = solve.misses(state, places, foreseen, 1e-4)
        # 4e-4 allows for a velocity of 3.
        assert missed == (off > 4e-4)


def test_what_does_not_settle_is_left_to_numpy(monkeypatch):
    problem = Problem(0, free=True)
    monkeypatch.setattr(
        torque_loops, "solve_bounded", lambda *_: False, raising=True
    )
    uncompiled = getattr(
        torque_loops.solve_trees, "py_func", torque_loops.solve_trees
    )
    assert problem.solved(uncompiled)[-1] == torque_loops.UNSETTLED


def test_numbers_may_lie_in_memory_by_columns():
    problem = Problem(3, free=True)
    expected = problem.solved(torque_solve.solve_trees)
    problem.inertia = np.asfortranarray(problem.inertia)
    assert_same(problem.solved(torque_solve.solve_trees), expected)
