"""The programs of the page about learning run in its order."""

import sys
import types

import numpy as np
import pytest
from folders import ROOT
from shown import blocks

from webmotor_drake.gym.vectors import make_task_vec

PAGE = (ROOT / "docs" / "gym.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_programs_run_one_after_the_other():
    names = {}
    for code in blocks(PAGE, "python"):
        exec(compile(code, "gym.md", "exec"), names)
    assert names["observations"].shape == (64, 4)
    assert abs(names["q"] - [0.5, -0.5]).max() < 0.01


class VecEnv:
    """As much of that of stable-baselines3 as the page's needs."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs, self._seeds = num_envs, [None] * num_envs
        self.observation_space = observation_space
        self.action_space = action_space


def test_its_vector_for_stable_baselines_ends_episodes(monkeypatch):
    name = "stable_baselines3.common.vec_env"
    module = types.ModuleType(name)
    module.VecEnv = VecEnv
    for whole in ("stable_baselines3", "stable_baselines3.common", name):
        monkeypatch.setitem(sys.modules, whole, module)
    (code,) = blocks(PAGE, "py")
    names = {}
    exec(compile(code, "gym.md", "exec"), names)
    envs = make_task_vec("CartPole", 3, autoreset_mode="SameStep")
    many = names["OnePlant"](envs)
    many._seeds[0] = 5
    assert many.reset().shape == (3, 4)
    ended = np.zeros(3, bool)
    while not ended.any():  # pushed to one side the pole falls
        many.step_async(np.ones((3, 1), np.float32))
        seen, rewards, ended, infos = many.step_wait()
    assert rewards.tolist() == [1.0] * 3
    for i, info in enumerate(infos):
        assert info["TimeLimit.truncated"] is False
        assert ("terminal_observation" in info) == ended[i]
        if ended[i]:
            last = info["terminal_observation"]
            assert abs(last[2]) > 0.3 or abs(last[0]) > 1.8
            assert abs(seen[i][2]) <= 0.1
    many.close()
