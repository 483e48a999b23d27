"""The solve stands in numpy, for one free tree, and in loops: they agree."""

import itertools

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake.compiled import ACTIVE, taken
from webmotor_drake.drive import torque_loops, torque_solve
from webmotor_drake.drive.few_joints import FewJoints
from webmotor_drake.drive.free_tree import FreeTree
from webmotor_drake.drive.torque_problem import (
    JOINT,
    MEMBER,
    TREE,
    VELOCITY,
    records,
)
from webmotor_drake.drive.torque_rest import (
    is_solution,
    misses,
    predicted_acceleration,
)

STEP = 0.01
# Elimination loses some digits of problems with condition numbers of up to 1e6.
TOLERANCE = 1e-7
seeds = st.integers(0, 2**32 - 1)


def with_attributes(constants: tuple) -> tuple:
    """Returns tables whose records have attributes without numba, too."""
    *tables, step = constants
    return *(table.view(np.recarray) for table in tables), step


class Problem:
    """A random problem of `solve_trees`: what it is given, by name.

    Args:
        seed: of the random numbers.
        free: one tree with a motor on each joint.
        few: one tree.
    """

    def __init__(self, seed: int, *, free: bool = False, few: bool = False):
        rng = np.random.default_rng(seed)
        single = free or few
        sizes = rng.integers(1, 5, size=1 if single else rng.integers(1, 4))
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
        self.velocities = records(
            VELOCITY,
            *(diagonal, STEP * damping, *stops),
            *(np.arange(nt), nt + np.arange(nt)),
        )
        softness = rng.choice([0.0, 1e-5, 1e-2]) / STEP
        known = self.velocities[row_of]
        self.joints = records(
            JOINT,
            *(spring, implicit, np.full(m, softness)),
            *(known[name] for name in VELOCITY.names[1:]),
            *(row_of, row_of),
        )
        self.constants = (
            self.joints,
            self.velocities,
            records(MEMBER, order, rows),
            records(TREE, np.searchsorted(rows, blocks), blocks),
            STEP,
        )
        self.state = rng.normal(size=2 * nt)
        bound = rng.exponential(rng.choice([1.0, 1e9]), size=m)
        brake = rng.exponential(size=m) * rng.integers(2)
        if few:
            bound *= rng.random(m) < 0.8  # some are without effort
            bound[rng.random(m) < 0.1] = np.inf
            brake *= rng.choice([1.0, 1e3])  # as steep laws of motor models
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
            *(self.constants, self.state, self.demand, effort),
            *(self.inertia, self.acceleration, self.force, total, foreseen),
        )
        return effort, total, foreseen, outcome

    def freely_solved(self, kind) -> tuple[np.ndarray, ..., int | None]:
        """Returns the same of a `FreeTree`, or of `FewJoints`."""
        effort, total = self.effort.copy(), np.zeros(len(self.effort))
        foreseen = np.zeros(len(self.force))
        tree = kind(self.constants)
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
@settings(max_examples=draws(50, 150))
def test_loops_find_what_numpy_finds(seed, free):
    problem = Problem(seed, free=free)
    expected = problem.solved(torque_solve.solve_trees)
    if not ACTIVE:
        problem.constants = with_attributes(problem.constants)
    assert_same(problem.solved(torque_loops.solve_trees), expected)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FreeTree, FewJoints])
@given(seed=seeds)
@settings(max_examples=draws(50, 150))
def test_a_free_tree_finds_what_the_bounded_problem_is(kind, seed):
    free = kind is FreeTree
    problem = Problem(seed, free=free, few=not free)
    expected = problem.solved(torque_solve.solve_trees)
    found = problem.freely_solved(kind)
    if found[-1] is not None:
        assert_same(found, expected)
    else:
        np.testing.assert_array_equal(found[0], problem.effort)


@pytest.mark.parametrize("kind", [FreeTree, FewJoints])
def test_free_trees_are_met_in_these_problems(kind):
    free = kind is FreeTree
    outcomes = [
        Problem(seed, free=free, few=not free).freely_solved(kind)[-1]
        for seed in range(60)
    ]
    assert 5 < outcomes.count(None) < 55


def held(
    problem: Problem, effort, predicted, total, foreseen, *, plain
) -> bool:
    """Whether `torque_rest` accepts last efforts; `plain`: as without numba."""
    joints, functions = (
        taken(problem.joints),
        (predicted_acceleration, is_solution),
    )
    if plain:
        joints = problem.joints.view(np.recarray)
        functions = [
            getattr(f, "py_func", None) or f.__wrapped__ for f in functions
        ]
    motors = joints, problem.state, problem.demand, effort
    predict, accept = functions
    assert predict(*motors, predicted, STEP)
    more = problem.inertia @ (predicted - problem.acceleration)
    force = problem.force + more
    return accept(*motors, predicted, force, total, foreseen, STEP)


def test_motors_that_rest_have_the_efforts_of_the_bounded_problem():
    accepted = 0
    for seed in range(60):
        problem = Problem(seed, free=True)
        m = len(problem.effort)
        problem.demand[m : 2 * m] = 1e9
        expected = problem.solved(torque_solve.solve_trees)
        kept = []
        for plain in (False, True):
            effort = expected[0].copy()
            found = np.zeros((3, m))
            if held(problem, effort, *found, plain=plain):
                kept.append((effort, *found[1:], found[0]))
                assert_same((*kept[-1][:3], 0), (*expected[:3], 0))
        assert len(kept) in (0, 2)
        if kept:
            accepted += 1
            for compiled, floats in zip(*kept, strict=True):
                np.testing.assert_array_equal(compiled, floats)
    assert 5 < accepted < 55


@given(seeds, st.sampled_from([0.0, 1e-5, 1e-3, 1.0, np.nan]))
@settings(max_examples=draws(20, 60))
def test_what_was_not_foreseen_is_told(seed, off):
    rng = np.random.default_rng(seed)
    state, places = rng.normal(size=6), np.array([3, 5])
    foreseen = state[places] + off * np.array([0.0, rng.choice([-1, 1])])
    missed = misses(state, places, foreseen, 1e-4)
    # 4e-4 allows for a velocity of 3.
    assert missed == (off > 4e-4)


def test_what_does_not_settle_is_left_to_numpy(monkeypatch):
    problem = Problem(0, free=True)
    monkeypatch.setattr(
        torque_loops, "solve_bounded", lambda *_: False, raising=True
    )
    problem.constants = with_attributes(problem.constants)
    uncompiled = getattr(
        torque_loops.solve_trees, "py_func", torque_loops.solve_trees
    )
    assert problem.solved(uncompiled)[-1] == torque_loops.UNSETTLED


def test_numbers_may_lie_in_memory_by_columns():
    problem = Problem(3, free=True)
    expected = problem.solved(torque_solve.solve_trees)
    problem.inertia = np.asfortranarray(problem.inertia)
    assert_same(problem.solved(torque_solve.solve_trees), expected)
