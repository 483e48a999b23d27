"""Efforts of whole trees in loops: as numpy finds them, compiled to the same bits."""

import itertools

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st
from loops_as_text import loops_as_text
from torque_reference import solve_trees

from webmotor_drake import loops
from webmotor_drake.drive.torque_problem import JOINT, MEMBER, TREE, VELOCITY
from webmotor_drake.loops import records

STEP = 0.01
# Elimination loses some digits of problems with condition numbers of up to 1e6.
TOLERANCE = 1e-7
seeds = st.integers(0, 2**32 - 1)


BOTH = pytest.mark.parametrize(
    "text", [False, True], ids=["as it is", "as text"]
)


def package(*, text: bool):
    """Returns the loops, whatever they are here, or as their text stands."""
    return loops_as_text() if text else loops


class Problem:
    """A random problem of `solve_trees`: what it is given, by name.

    Args:
        seed: of the random numbers.
        free: one tree with a motor on each joint.
        sizes: of trees, from and below.
    """

    def __init__(self, seed: int, *, free: bool = False, sizes=(1, 5)):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(*sizes, size=1 if free else rng.integers(1, 4))
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
            diagonal,
            STEP * damping,
            *stops,
            np.arange(nt),
            nt + np.arange(nt),
        )
        softness = rng.choice([0.0, 1e-5, 1e-2]) / STEP
        known = self.velocities[row_of]
        self.joints = records(
            JOINT,
            spring,
            implicit,
            np.full(m, softness),
            *(known[name] for name in VELOCITY.names[1:]),
            row_of,
            row_of,
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
        bound *= rng.random(m) < 0.9  # some are without effort
        bound[rng.random(m) < 0.1] = np.inf
        brake *= rng.choice([1.0, 1e3])  # as steep laws of motor models
        self.demand = np.concatenate(
            [rng.normal(size=m), bound, rng.normal(size=m), brake]
        )
        self.effort = rng.normal(size=m)
        self.acceleration = rng.normal(size=nt)
        self.force = rng.normal(size=nt)

    def solved(self) -> tuple[np.ndarray, ..., int]:
        """Returns numpy's efforts, totals, velocities foreseen and outcome."""
        return self._found(lambda *given: solve_trees(self.constants, *given))

    def looped(self, *, text: bool) -> tuple[np.ndarray, ..., int]:
        """Returns the same as loops find it."""
        room = package(text=text)
        solver = room.tree_solver.TreeSolver(*self.constants)
        return self._found(room.entry(solver.solve_trees))

    def _found(self, solve) -> tuple[np.ndarray, ..., int]:
        effort, total = self.effort.copy(), np.zeros(len(self.effort))
        foreseen = np.zeros(len(self.force))
        dynamics = self.inertia, self.acceleration, self.force
        outcome = solve(
            self.state, self.demand, effort, *dynamics, total, foreseen
        )
        return effort, total, foreseen, outcome


def assert_same(found, expected) -> None:
    for ours, theirs in zip(found[:-1], expected[:-1], strict=True):
        size = 1.0 + np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * size)
    assert found[-1] == expected[-1]


@BOTH
def test_loops_find_what_numpy_finds(text):
    for seed in range(draws(150, 3000)):
        problem = Problem(seed, free=bool(seed % 2))
        assert_same(problem.looped(text=text), problem.solved())


@BOTH
def test_many_joints_are_solved_alike(text):
    # From nine in a tree on numpy does a part of it where nothing is compiled.
    for seed in range(draws(20, 200)):
        problem = Problem(seed, free=bool(seed % 2), sizes=(8, 31))
        assert_same(problem.looped(text=text), problem.solved())


def test_compiled_loops_have_the_same_bits():
    for seed in range(draws(300, 3000)):
        problem = Problem(seed, free=bool(seed % 2))
        for ours, theirs in zip(
            problem.looped(text=False), problem.looped(text=True), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)


def held(problem: Problem, effort, predicted, total, foreseen, *, text) -> bool:
    """Returns whether last efforts are accepted, which are written."""
    room = package(text=text)
    solver = room.tree_solver.TreeSolver(*problem.constants)
    motors = problem.state, problem.demand, effort
    assert room.entry(solver.predicted_acceleration)(*motors, predicted)
    more = problem.inertia @ (predicted - problem.acceleration)
    force = problem.force + more
    accept = room.entry(solver.is_solution)
    return accept(*motors, predicted, force, total, foreseen)


@BOTH
def test_motors_that_rest_have_the_efforts_of_the_bounded_problem(text):
    accepted = 0
    for seed in range(60):
        problem = Problem(seed, free=True)
        m = len(problem.effort)
        problem.demand[m : 2 * m] = 1e9
        expected = problem.solved()
        effort = expected[0].copy()
        found = np.zeros((3, m))
        if held(problem, effort, *found, text=text):
            accepted += 1
            assert_same((effort, *found[1:], 0), (*expected[:3], 0))
    assert 5 < accepted < 55


@BOTH
@given(seeds, st.sampled_from([0.0, 1e-5, 1e-3, 1.0, np.nan]))
@settings(max_examples=draws(20, 60))
def test_what_was_not_foreseen_is_told(text, seed, off):
    rng = np.random.default_rng(seed)
    state, places = rng.normal(size=6), np.array([3, 5])
    foreseen = state[places] + off * np.array([0.0, rng.choice([-1, 1])])
    room, ends, none = package(text=text), np.zeros((7, 2), int), np.zeros(0)
    motors = room.step_start.StepStart(
        *(
            ends,
            none,
            np.zeros((0, 7)),
            0.008,
            np.zeros((0, 2)),
            np.zeros((0, 3)),
        ),
        *(None, none, (none, none)),
    )
    start = room.torque_start.TorqueStart(motors, places, 0, 1e-4)
    missed = room.entry(start.settle)(foreseen, state, none)
    # 4e-4 allows for a velocity of 3.
    assert missed == (off > 4e-4)
