"""Many environments at a time: each as one alone, and Gymnasium's own modes."""

import functools
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from drawn import FULL
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.gym import make_vec, vectors
from webmotor_drake.gym.tasks import TASKS, make

NUMBER = 5
MODES = ["Disabled", "SameStep", "NextStep"]
HINGE = "cart_pole/hinge/position"


def actions_of(envs, steps):
    chance = np.random.default_rng(1)
    return [
        chance.uniform(-1, 1, envs.action_space.shape) for _ in range(steps)
    ]


@pytest.mark.parametrize("task", ["CartPole", "Reacher"])
def test_robots_in_one_plant_move_as_each_alone_bit_for_bit(task):
    envs = gymnasium.make_vec(f"webmotor_drake/{task}-v0", num_envs=NUMBER)
    alone = [make(task) for _ in range(NUMBER)]
    seen, _ = envs.reset(seed=10)
    assert np.array_equal(
        seen, [e.reset(seed=10 + i)[0] for i, e in enumerate(alone)]
    )
    over = np.zeros(NUMBER, dtype=bool)
    episodes = 0
    for action in actions_of(envs, 150):
        seen, rewards, ended, late, info = envs.step(action)
        for i, env in enumerate(alone):
            if over[i]:
                found, own = env.reset()
                reward, stops = 0.0, (False, False)
                episodes += 1
            else:
                found, reward, *stops, own = env.step(action[i])
            assert np.array_equal(found, seen[i])
            assert reward == rewards[i]
            assert tuple(stops) == (ended[i], late[i])
            assert own["time"] == info["time"][i]
            assert np.array_equal(own["saturated"], info["saturated"][i])
            moved = envs.unwrapped._world.now.moved[i]
            assert over[i] or np.array_equal(env.world.now.moved, moved)
        over = ended | late
    assert episodes > 2


def test_in_the_same_step_the_last_observation_is_in_info():
    envs = gymnasium.make_vec(
        "webmotor_drake/CartPole-v0",
        num_envs=NUMBER,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    envs.reset(seed=0)
    for action in actions_of(envs, 100):
        seen, _, ended, late, info = envs.step(action)
        over = ended | late
        if over.any():
            break
    assert np.array_equal(info["_final_obs"], over)
    assert (abs(info["final_obs"][over, 2]) > 0.3).all()
    assert (abs(seen[over, 2]) <= 0.1).all()
    assert (info["final_info"]["time"][over] > 0).all()


def test_without_autoreset_a_mask_says_who_begins_anew():
    envs = gymnasium.make_vec(
        "webmotor_drake/CartPole-v0",
        num_envs=3,
        autoreset_mode=AutoresetMode.DISABLED,
    )
    envs.reset(seed=0)
    seen, *_ = envs.step(np.ones((3, 1)))
    after, _ = envs.reset(
        options={"reset_mask": np.array([False, True, False])}
    )
    assert np.array_equal(after[[0, 2]], seen[[0, 2]])
    assert not np.array_equal(after[1], seen[1])
    _, *_, info = envs.step(np.ones((3, 1)))
    assert info["time"] == pytest.approx([0.032, 0.016, 0.032])


def test_commands_on_their_way_are_gone_after_a_reset():
    task = TASKS["Reacher"]()
    scenario = wm.load_scenario(
        task["scenario"], text="{model_drivers: {arm: {delay: 0.03}}}"
    )
    task["scenario"] = scenario
    envs = make_vec(num_envs=2, autoreset_mode="Disabled", **task)
    alone = wm.gym.WebmotorEnv(**task)
    envs.reset(seed=0)
    for action in actions_of(envs, 4):
        envs.step(action)
    envs.reset(seed=[None, 5], options={"reset_mask": np.array([False, True])})
    alone.reset(seed=5)
    for action in actions_of(envs, 4):
        seen, *_ = envs.step(action)
        # The other one's steps round differently.
        assert seen[1] == pytest.approx(alone.step(action[1])[0], abs=1e-12)


def test_masses_and_damping_of_each_robot_are_its_own():
    """Each is as one alone with what it has drawn."""
    task = TASKS["CartPole"]() | {
        "randomize": {
            "bodies.cart_pole.pole.mass": (0.05, 1.0),
            "model_drivers.cart_pole.joints.hinge.damping_constant": (0, 0.1),
        },
        "actions": "effort",
    }
    envs = make_vec(num_envs=4, **task)
    alone = [wm.gym.WebmotorEnv(**task) for _ in range(4)]
    envs.reset(seed=3)
    for i, env in enumerate(alone):
        env.reset(seed=3 + i)
    for action in actions_of(envs, 10):
        seen, *_ = envs.step(0.1 * action)
        each = [e.step(0.1 * a)[0] for e, a in zip(alone, action, strict=True)]
        assert np.array_equal(seen, each)


def test_a_failure_truncates_all_and_they_live_on():
    envs = make_vec(num_envs=3, **TASKS["CartPole"]())
    seen, _ = envs.reset(seed=0)
    world = envs._world
    velocities = np.full(6, 1e200)
    world.robots.plant.SetVelocities(world.loop.plant_context, velocities)
    late = np.zeros(3, dtype=bool)
    while not late.any():
        seen, _, _, late, info = envs.step(np.zeros((3, 1)))
    assert late.all()
    assert np.isfinite(seen).all()
    assert all("failed" in text or "finite" in text for text in info["failure"])
    seen, rewards, _, late, info = envs.step(np.zeros((3, 1)))
    assert not late.any()
    assert not rewards.any()
    assert info["time"].tolist() == [0, 0, 0]
    assert np.isfinite(envs.step(np.zeros((3, 1)))[0]).all()


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (wm.SCENARIOS / "gym" / "quadruped.scenario.yaml", "collide"),
        ("package:two_link_arm", "timed commands"),
        (
            wm.load_scenario(
                wm.SCENARIOS / "gym" / "reacher.scenario.yaml",
                text="{model_drivers: {arm: {battery: [5, 9, 1]}}}",
            ),
            "battery: not for one system",
        ),
        ("package:controller_radio", "commands the motors itself"),
    ],
)
def test_what_does_not_fit_in_one_plant_is_told(scenario, words):
    with pytest.raises(InputError, match=words):
        make_vec(
            scenario,
            2,
            actions="velocity",
            observations=["time"],
            reward=lambda now: 0.0,
        )


@pytest.mark.parametrize("where", ["observations", "reward"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arm/turn", "arm/turn: sensors are not for many .* processes=True"),
        ("arm/elbo/position", "did you mean arm/elbow/position?"),
    ],
)
def test_what_cannot_be_read_of_many_is_told(where, name, words):
    text = "{model_drivers: {arm: {position_sensors: {turn: {joint: elbow}}}}}"
    task = {
        "observations": [name if where == "observations" else "time"],
        "reward": lambda now: now[name],
    }
    scenario = wm.SCENARIOS / "gym" / "reacher.scenario.yaml"

    def step():
        envs = make_vec(
            wm.load_scenario(scenario, text=text), 2, actions="effort", **task
        )
        envs.reset(seed=0)
        envs.step(np.zeros((2, 2)))

    with pytest.raises(InputError, match=words):
        step()


@pytest.mark.parametrize("mode", MODES)
def test_a_step_before_a_reset_asks_for_one(mode):
    envs = make_vec(num_envs=2, autoreset_mode=mode, **TASKS["CartPole"]())
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"\[0, 1\]"):
        envs.step(np.zeros((2, 1)))


def test_without_autoreset_an_episode_that_is_over_waits_for_its_reset():
    envs = make_vec(
        num_envs=2, autoreset_mode="Disabled", **TASKS["CartPole"]()
    )
    envs.reset(seed=0)
    right = np.array([[0.0], [1.0]])
    while not envs.step(right)[2].any():
        pass
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"\[1\]"):
        envs.step(right)
    envs.reset(options={"reset_mask": np.array([False, True])})
    envs.step(right)


@pytest.mark.parametrize("mask", [[True], [0, 1], [[True, False]]])
def test_a_mask_has_a_truth_value_for_each(mask):
    envs = make_vec(num_envs=2, **TASKS["CartPole"]())
    with pytest.raises(InputError, match=r"reset_mask: .* must be \(2,\)"):
        envs.reset(options={"reset_mask": mask})


def test_what_needs_a_rebuild_is_not_for_one_plant():
    with pytest.raises(InputError, match="processes=True"):
        make_vec(
            num_envs=2,
            **TASKS["CartPole"](),
            randomize={"gravity[2]": (-10, -9)},
        )


@pytest.mark.slow
def test_processes_give_the_bits_of_one():
    envs = gymnasium.make_vec("webmotor_drake/Rover-v0", num_envs=2)
    try:
        alone = [make("Rover") for _ in range(2)]
        seen, _ = envs.reset(seed=4)
        assert np.array_equal(
            seen, [e.reset(seed=4 + i)[0] for i, e in enumerate(alone)]
        )
        for action in actions_of(envs, 20):
            seen, *_ = envs.step(action)
            each = [e.step(a)[0] for e, a in zip(alone, action, strict=True)]
            assert np.array_equal(seen, each)
    finally:
        envs.close()


def plain(infos):
    """Returns infos as texts, to compare arrays in them element by element."""
    return {
        name: plain(value) if isinstance(value, dict) else value.tolist()
        for name, value in infos.items()
        if name != "final_obs"
    }


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES if FULL else MODES[:1])
def test_shares_of_two_processes_do_what_gymnasiums_own_vector_does(mode):
    soon = {"terminated": lambda now: now["robot/trunk/position"][0] > 0.006}
    task = TASKS["Quadruped"]() | soon
    envs = make_vec(num_envs=4, processes=2, autoreset_mode=mode, **task)
    one = functools.partial(wm.gym.WebmotorEnv, **task)
    here = SyncVectorEnv([one] * 4, autoreset_mode=AutoresetMode(mode))
    ended = 0
    try:
        assert envs.observation_space == here.observation_space
        assert envs.get_attr("motors") == here.get_attr("motors")
        seen, infos = envs.reset(seed=4)
        own, own_infos = here.reset(seed=4)
        assert np.array_equal(seen, own)
        assert plain(infos) == plain(own_infos)
        for action in actions_of(here, 30):
            seen, *judged, infos = envs.step(action)
            own, *own_judged, own_infos = here.step(action)
            assert np.array_equal(seen, own)
            assert np.array_equal(judged, own_judged)
            assert plain(infos) == plain(own_infos)
            ended += judged[1].sum()
            if mode == "Disabled" and judged[1].any():
                options = {"reset_mask": judged[1]}
                seen, infos = envs.reset(options=dict(options))
                own, own_infos = here.reset(options=dict(options))
                assert np.array_equal(seen, own)
                assert plain(infos) == plain(own_infos)
    finally:
        envs.close()
    assert ended >= 2


def test_each_environment_has_a_seed_or_none_has():
    envs = make_vec(num_envs=2, **TASKS["CartPole"]())
    for seeds in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match=f"{len(seeds)} seeds for 2"):
            envs.reset(seed=seeds)


def test_shares_are_equal():
    with pytest.raises(InputError, match="a divisor of their number"):
        make_vec(num_envs=4, processes=3, **TASKS["Rover"]())


CAMERA = """
model_drivers:
  rover: !WebotsMotorDriver
    devices:
      eye: !Camera {width: 16, height: 12, pose: {translation: [0.06, 0, 0.02]}}
"""


@pytest.mark.slow
def test_images_come_from_processes():
    task = TASKS["Rover"]() | {
        "scenario": wm.load_scenario(
            wm.SCENARIOS / "gym" / "rover.scenario.yaml", text=CAMERA
        ),
        "observations": ["rover/eye", "time"],
        "reward": lambda now: now["time"],
        "terminated": None,
        "info": None,
    }
    alone = wm.gym.WebmotorEnv(**task)
    envs = make_vec(num_envs=2, processes=True, **task)
    try:
        seen, _ = envs.reset(seed=0)
        here, _ = alone.reset(seed=0)
        assert seen["rover/eye"].shape == (2, 12, 16, 3)
        assert np.array_equal(seen["rover/eye"][0], here["rover/eye"])
        seen, rewards, *_ = envs.step(np.full((2, 2), 0.5))
        here, reward, *_ = alone.step([0.5, 0.5])
        assert np.array_equal(seen["rover/eye"][0], here["rover/eye"])
        assert rewards[0] == reward == pytest.approx(0.064)
    finally:
        envs.close()


def test_processes_are_as_many_as_processors_that_share_alike(monkeypatch):
    made = []
    monkeypatch.setattr(vectors.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(
        vectors, "SharedProcesses", lambda one, *given: made.append(given[:2])
    )
    vectors.make_vec("unread.yaml", 6, processes=True)
    assert made == [(6, 3)]


def test_infos_of_shares_are_those_of_all_and_none_is_none():
    words, numbers = np.array(["a", None], dtype=object), np.array([1.0, 2.0])
    envs = object.__new__(vectors.SharedProcesses)
    envs._share, envs._processes = 2, SimpleNamespace(num_envs=2)
    assert envs._joined({}) == {}
    # The second share says nothing of words, the first nothing of inner numbers.
    first = {"word": words, "time": numbers, "inner": None}
    second = {"time": numbers + 2, "inner": {"number": numbers}}
    found = envs._joined({"share": [[first], [second]]})
    assert found["word"].tolist() == ["a", None, None, None]
    assert found["time"].tolist() == [1, 2, 3, 4]
    assert found["inner"]["number"].tolist() == [0, 0, 1, 2]


def test_what_shares_of_environments_do_is_in_rows_of_all():
    given = []

    def step(actions):
        given.append(actions)
        judged = np.array([[1.0, 2.0], [3.0, 4.0]])
        return (
            np.arange(12.0).reshape(2, 2, 3),
            judged,
            judged > 2,
            judged < 2,
            {},
        )

    envs = object.__new__(vectors.SharedProcesses)
    envs.num_envs, envs._share = 4, 2
    space = SimpleNamespace(shape=(2, 2, 1))
    envs._processes = SimpleNamespace(action_space=space, num_envs=2, step=step)
    seen, rewards, ended, late, infos = envs.step([[1], [2], [3], [4]])
    assert given[0].tolist() == [[[1], [2]], [[3], [4]]]
    assert seen.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert rewards.tolist() == [1, 2, 3, 4]
    assert ended.tolist() == [False, False, True, True]
    assert late.tolist() == [True, False, False, False]
    assert infos == {}
