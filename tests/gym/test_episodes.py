"""Hundreds of episodes: the same bits, and no more memory."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from drawn import draws

import webmotor_drake.gym  # noqa: F401
from webmotor_drake.gym.tasks import make

EPISODES = draws(200, 10_000)


def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


def episode(env, seed):
    """Returns what is seen in an episode of chance, of at most 40 steps."""
    found = [env.reset(seed=seed)[0]]
    chance = np.random.default_rng(seed)
    for _ in range(40):
        seen, _, ended, late, _ = env.step(chance.uniform(-1, 1, 1))
        found.append(seen)
        if ended or late:
            break
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "drawn", [{}, {"bodies.cart_pole.pole.mass": (0.05, 0.3)}]
)
def test_after_many_episodes_bits_and_memory_are_as_before(drawn):
    env = make("CartPole", randomize=drawn)
    first = episode(env, 11)
    for seed in range(100):
        episode(env, seed)
    before = pages()
    for seed in range(EPISODES):
        episode(env, seed)
    assert np.array_equal(first, episode(env, 11))
    # Half a megabyte after 6,600 steps, 4 after 330,000: the heap's own plateaus. A
    # recording would be 0.46 kB a step.
    assert pages() - before < draws(128, 1024)


@pytest.mark.slow
def test_many_robots_need_no_more_memory_either():
    envs = gymnasium.make_vec("webmotor_drake/CartPole-v0", num_envs=8)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-1, 1, (600, 8, 1))
    for action in actions:
        envs.step(action)
    before = pages()
    for _ in range(4):
        for action in actions:
            envs.step(action)
    assert pages() - before < 128
