"""A scenario as an environment: Gymnasium's checks, seeds, ends, bad input."""

import copy
import gc
import math
import pickle
import time
import urllib.request
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from page_client import connected

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.gym import Action, Computed, WebmotorEnv
from webmotor_drake.gym.registered import ALONE
from webmotor_drake.gym.tasks import TASKS, make
from webmotor_drake.scenario.parameter_path import parse_path, with_values
from webmotor_drake.simulation.simulation import Simulation

HINGE = "cart_pole/hinge/position"
SLIDER = "cart_pole/slider/position"
MOTOR = "cart_pole/cart motor"
CART = {
    "scenario": wm.SCENARIOS / "gym" / "cart_pole.scenario.yaml",
    "actions": "velocity",
    "observations": [SLIDER, HINGE],
    "reward": lambda now: 1.0,
}
IGNORED = "ignore:.*observation space (minimum|maximum) value is"


def cart(**changes):
    return WebmotorEnv(**(CART | changes))


def played(env, steps, seed=None, **options):
    """Returns observations and rewards of random actions, the same for a seed."""
    observation, _ = env.reset(seed=seed, options=options or None)
    found, chance = [observation], np.random.default_rng(7)
    for _ in range(steps):
        action = chance.uniform(-1, 1, env.action_space.shape)
        observation, reward, ended, late, _ = env.step(action)
        found.append(np.append(observation, reward))
        if ended or late:
            found.append(env.reset()[0])
    return np.concatenate(found)


@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_checks_pass(task):
    env = gymnasium.make(f"webmotor_drake/{task}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("task", TASKS)
def test_a_seed_repeats_episodes_bit_for_bit(task):
    env = make(task)
    # Those in contact cost ten times as much.
    steps = 60 if task in ALONE else 25
    first = played(env, steps, seed=3)
    assert np.array_equal(first, played(make(task), steps, seed=3))
    played(env, 20)
    assert np.array_equal(first, played(env, steps, seed=3))
    assert not np.array_equal(first, played(env, steps, seed=4))


def test_signals_of_a_free_body_are_drakes_to_the_bit():
    env = make("Quadruped")
    env.reset(seed=0)
    plant, context = env.simulation.plant, env.world.loop.plant_context
    trunk, chance = plant.GetBodyByName("trunk"), np.random.default_rng(3)
    for _ in range(20):
        state = chance.normal(size=plant.num_multibody_states())
        state[:4] /= np.linalg.norm(state[:4])
        env.world.loop.set_state(state)
        V = trunk.EvalSpatialVelocityInWorld(context)
        for what, value in {
            "position": trunk.EvalPoseInWorld(context).translation(),
            "velocity": V.translational(),
            "angular_velocity": V.rotational(),
        }.items():
            reading = env.world.reading(f"robot/trunk/{what}")
            assert reading.places is not None
            assert np.array_equal(reading.value(), value)


def test_names_and_spaces_say_what_there_is():
    env = cart(scaled=False)
    assert env.action_names == [f"{MOTOR}/velocity"]
    assert env.observation_names == [SLIDER, HINGE]
    assert env.motors == [MOTOR]
    assert (env.action_space.low, env.action_space.high) == (-2, 2)


def test_an_action_acts_in_its_own_step():
    """The cart's servo is at its velocity at the end of the very first step."""
    env = cart(observations=["cart_pole/slider/velocity"], time_step=0.064)
    env.reset(seed=0)
    observation, *_ = env.step([0.25])
    assert observation[0] == pytest.approx(0.5, abs=1e-3)


def test_scaled_and_raw_actions_move_the_same():
    scaled, raw = cart(), cart(scaled=False)
    for env in (scaled, raw):
        env.reset(seed=0)
    assert np.array_equal(scaled.step([0.3])[0], raw.step([0.6])[0])


def test_positions_velocities_and_efforts_can_be_mixed():
    env = WebmotorEnv(
        wm.SCENARIOS / "gym" / "reacher.scenario.yaml",
        actions={
            "arm/shoulder motor": Action("position", -1, 1),
            "arm/elbow motor": "velocity",
        },
        observations=["arm/shoulder/position", "arm/elbow/velocity"],
        reward=lambda now: 0.0,
        scaled=False,
    )
    env.reset(seed=0)
    for _ in range(100):
        observation, *_ = env.step([0.4, 0.5])
    # Weight over P, and slip of the servo.
    assert observation == pytest.approx([0.4, 0.5], abs=2e-3)


def test_of_coupled_motors_the_first_stands_for_all():
    env = WebmotorEnv(
        "package:coupled_pair",
        actions="position",
        observations=["time"],
        reward=lambda now: 0.0,
    )
    motors = list(
        wm.load_scenario("package:coupled_pair").model_drivers.values()
    )
    assert len(env.action_names) < len(motors[0].motors)


def test_a_step_takes_as_many_periods_as_it_says():
    env = cart(time_step=0.048)
    _, info = env.reset(seed=0)
    assert info["time"] == 0
    assert env.step([0.0])[-1]["time"] == pytest.approx(0.048)


@pytest.mark.parametrize(
    "time_step", [1e300, 1e5, math.inf, math.nan, -1, 0.05]
)
def test_a_step_is_a_number_of_periods_that_comes_to_an_end(time_step):
    with pytest.raises(
        wm.InputError,
        match="^time_step: .* s is not a multiple of the motors' period, 0.016 s, of",
    ):
        cart(time_step=time_step)


def test_the_scenarios_duration_truncates():
    scenario = wm.load_scenario(
        CART["scenario"], text="simulation_duration: 0.08"
    )
    env = cart(scenario=scenario)
    env.reset(seed=0)
    ends = [env.step([0.0])[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]


def test_a_step_after_the_end_asks_for_a_reset():
    env = cart(terminated=lambda now: True)
    with pytest.raises(ResetNeeded):
        env.step([0.0])
    env.reset(seed=0)
    assert env.step([0.0])[2]
    with pytest.raises(ResetNeeded):
        env.step([0.0])


def test_what_is_outside_the_space_is_clipped_and_told():
    env, other = cart(), cart()
    env.reset(seed=0), other.reset(seed=0)
    observation, *_, info = env.step([5.0])
    assert info["clipped"].tolist() == [True]
    assert np.array_equal(observation, other.step([1.0])[0])


def test_a_motor_at_its_limit_is_told():
    scenario = with_values(
        wm.load_scenario(CART["scenario"]),
        {
            parse_path(
                'model_drivers.cart_pole.motors."cart motor".max_force'
            ): 0.5
        },
    )
    env = cart(scenario=scenario, observations=[f"{MOTOR}/saturated"])
    env.reset(seed=0)
    observation, *_, info = env.step([1.0])
    assert info["saturated"].tolist() == [True]
    assert observation.tolist() == [1.0]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ([np.nan], "cart motor/velocity is NaN"),
        ([0.1, 0.2], "has 1 elements"),
        ("left", "not an action"),
    ],
)
def test_actions_that_are_none_are_refused(action, words):
    env = cart()
    env.reset(seed=0)
    with pytest.raises(InputError, match=words):
        env.step(action)


def test_a_start_is_drawn_between_its_ends():
    env = cart(reset={HINGE: (0.1, 0.2), SLIDER: [-1.0, 1.0]})
    starts = np.array([env.reset(seed=i)[0] for i in range(20)])
    assert set(starts[:, 0]) == {-1.0, 1.0}
    assert ((starts[:, 1] >= 0.1) & (starts[:, 1] <= 0.2)).all()
    assert len(set(starts[:, 1])) == 20


def test_a_start_can_be_a_function_and_an_option():
    env = cart(reset=lambda random: {HINGE: random.normal(0, 0.01)})
    assert env.reset(seed=0)[0][1] != 0
    state = [0.1, 0.2, 0.3, 0.4]
    observation, _ = env.reset(options={"state": state})
    assert np.array_equal(observation, np.float32([0.1, 0.2]))


def test_the_poses_of_free_bodies_are_drawn(tmp_path):
    env = make("Rover", reset={"rover/chassis/yaw": 0.3, "rover/chassis/x": -0.2,
                               "goal_x": 1.0, "goal_y": 0.0})  # fmt: skip
    env.reset(seed=0)
    w, x, y, z = env.unwrapped.world.now["rover/chassis/quaternion"]
    assert 2 * np.arctan2(z, w) == pytest.approx(0.3)
    assert abs(x) + abs(y) < 1e-12
    p = env.unwrapped.world.now["rover/chassis/position"]
    assert p == pytest.approx([-0.2, 0.0, 0.03])


def test_what_a_scenario_draws_is_drawn(tmp_path):
    scenario = wm.load_scenario(
        CART["scenario"],
        text="""
initial_position:
  cart_pole: {hinge: !UniformVector {min: [-0.1], max: [0.1]}}
""",
    )
    env = cart(scenario=scenario)
    starts = [env.reset(seed=i)[0][1] for i in (0, 1, 0)]
    assert starts[0] == starts[2] != starts[1]


def test_a_tasks_own_values_are_drawn_and_seen():
    env = cart(
        observations=[
            HINGE,
            "wanted",
            Computed("off", lambda now: now["wanted"] - 1),
        ],
        reset={"wanted": (2.0, 3.0)},
        reward=lambda now: now["off"],
    )
    observation, _ = env.reset(seed=0)
    assert 2 <= observation[1] <= 3
    assert observation[2] == pytest.approx(observation[1] - 1, abs=1e-6)
    # A reward is of what float32 has rounded.
    assert np.float32(env.step([0.0])[1]) == observation[2]


def test_what_is_computed_is_computed_once_per_step():
    def noise(now):
        return now.random.normal()

    env = cart(
        observations=[HINGE, Computed("noise", noise)],
        reward=lambda now: now["noise"],
    )
    first, _ = env.reset(seed=0)
    seen = [env.step([0.0]) for _ in range(3)]
    assert [reward for _, reward, *_ in seen] == [o[1] for o, *_ in seen]
    assert len({first[1], *(o[1] for o, *_ in seen)}) == 4


def test_a_reward_sees_all_motors_at_once():
    names = [f"arm/{m} motor/{w}" for w in ("position", "velocity", "effort")
             for m in ("shoulder", "elbow")]  # fmt: skip
    env = make(
        "Reacher", observations=names, reward=lambda now: now.moved.sum()
    )
    env.reset(seed=0)
    seen, reward, *_ = env.step([0.3, -0.6])
    moved = env.unwrapped.world.moved
    assert np.array_equal(moved.ravel().astype(np.float32), seen)
    assert reward == moved.sum() != 0


BALL = """<mujoco><worldbody><body name="bob" pos="0 0 1">
  <joint name="socket" type="ball"/><geom type="box" size=".1 .1 .1" pos=".2 0 0"/>
  <body name="wheel" pos=".4 0 0"><joint name="axle" axis="1 0 0"/>
  <geom type="box" size=".1 .1 .1"/></body></body></worldbody>
  <actuator><motor joint="axle"/></actuator></mujoco>"""


def test_joints_of_several_degrees_are_seen(tmp_path):
    (tmp_path / "bob.xml").write_text(BALL)
    file = tmp_path / "bob.scenario.yaml"
    file.write_text(
        "Bob:\n  directives:\n  - add_model: {name: bob, file: bob.xml}\n"
        "  model_drivers:\n    bob: !WebotsMotorDriver\n      motors:\n"
        "        motor: !RotationalMotor {joint: axle, max_torque: 1}\n"
    )
    names = ["bob/socket/velocity", "bob/axle/velocity"]
    env = WebmotorEnv(
        file, actions="effort", observations=names, reward=lambda now: 0.0
    )
    env.reset()
    seen, *_ = env.step([0.5])
    v = env.simulation.plant.GetVelocities(env.world.loop.plant_context)
    assert np.array_equal(seen, v.astype(np.float32))
    assert np.count_nonzero(seen) >= 2  # it swings and turns


def test_distance_sensors_measure_the_start_and_each_step():
    """Straight ahead stands a crate, 0.45 - 0.06 m from the sensors at first."""
    straight = {"rover/chassis/yaw": 0.0, "goal_x": 1.4, "goal_y": 0.0}
    env = make("Rover", reset=straight)
    eyes = [
        env.observation_names.index(f"rover/{s} front eye")
        for s in ("left", "right")
    ]
    for _ in range(2):
        observation, _ = env.reset(seed=0)
        # The rays leave at 0.25 rad; the shapes are flat there.
        assert observation[eyes] == pytest.approx(0.39 / np.cos(0.25), abs=2e-3)
        for _ in range(5):
            later, *_ = env.step([1.0, 1.0])
        assert (later[eyes] < observation[eyes] - 0.05).all()
    box = env.observation_space
    assert (box.low[eyes], box.high[eyes]) == pytest.approx((0.0, 0.5))


def test_noise_of_sensors_is_the_seeds():
    scenario = wm.load_scenario(
        CART["scenario"],
        text="""
model_drivers:
  cart_pole: !WebotsMotorDriver
    position_sensors: {pole sensor: {joint: hinge, noise: 0.1}}
""",
    )
    env = cart(scenario=scenario, observations=["cart_pole/pole sensor"])
    first = played(env, 5, seed=1)
    assert np.array_equal(first, played(env, 5, seed=1))
    assert not np.array_equal(first, played(env, 5))


def test_an_episode_is_recorded_on_request_and_moves_the_same():
    env = cart()
    plain = played(env, 10, seed=2)
    assert np.array_equal(plain, played(env, 10, seed=2, record=True))
    results = env.results()
    assert results.time[-1] == pytest.approx(0.16)
    assert len(results[f"{MOTOR}/position"]) == 11
    played(env, 10, seed=2)
    assert len(env.results().time) == 1


def test_a_simulation_that_fails_is_truncated_and_lives_on():
    env = cart()
    env.reset(seed=0)
    plant = env.simulation.plant
    context = plant.GetMyMutableContextFromRoot(
        env.simulation.simulator.get_mutable_context()
    )
    plant.SetVelocities(context, [1e200, 1e200])
    late = False
    while not late:
        observation, reward, ended, late, info = env.step([0.0])
    assert not ended
    assert reward == 0
    assert np.isfinite(observation).all()
    assert "failure" in info
    with pytest.raises(ResetNeeded):
        env.step([0.0])
    assert np.array_equal(played(env, 5, seed=0), played(cart(), 5, seed=0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"observations": ["cart_pole/hing/position"]},
            "did you mean cart_pole/hinge/po",
        ),
        ({"observations": ["cart/hinge/position"]}, "unknown signal"),
        ({"observations": []}, "at least one"),
        ({"observations": "time"}, "a list"),
        (
            {"actions": {"cart_pole/cart": "velocity"}},
            "did you mean cart_pole/cart motor",
        ),
        ({"actions": "speed"}, "position, velocity, effort"),
        ({"actions": {MOTOR: Action("velocity", 1, -1)}}, "leave no velocity"),
        ({"actions": {}}, "at least one motor"),
        ({"reset": {"cart_pole/hinge/speed": 0.1}}, "unknown start"),
        ({"reset": {HINGE: (1, 0)}}, "not a range"),
        ({"reset": {HINGE: []}}, "empty list"),
        ({"reset": {"cart_pole/cart/x": 1.0}}, "is not free"),
        (
            {"randomize": {"bodies.cart_pole.pol.mas": (1, 2)}},
            "did you mean mass",
        ),
        ({"randomize": {"gravity[2]": "low"}}, "not a draw"),
        ({"time_step": 0.01}, "not a multiple"),
        ({"render_mode": "ansi"}, "rgb_array"),
    ],
)
def test_what_does_not_fit_is_told(changes, words):
    with pytest.raises(InputError, match=words):
        cart(**changes)


def test_a_position_without_limits_needs_some():
    arguments = {
        "observations": ["time"],
        "reward": lambda now: 0.0,
        "scenario": wm.SCENARIOS / "gym" / "reacher.scenario.yaml",
    }
    with pytest.raises(InputError, match="has no limits"):
        WebmotorEnv(actions="position", **arguments)
    assert WebmotorEnv(
        actions="position", scaled=False, **arguments
    ).action_space.high.tolist() == [np.inf, np.inf]


def test_a_scenario_with_a_controller_is_refused():
    with pytest.raises(InputError, match="commands the motors itself"):
        cart(scenario="package:supervisor_pendulum")


def test_an_unknown_option_is_told():
    with pytest.raises(InputError, match="did you mean state"):
        cart().reset(options={"stat": 1})


def test_a_render_is_a_picture_of_the_present():
    env = cart(
        render_mode="rgb_array", render_size=(160, 120), reset={HINGE: 0.0}
    )
    env.reset(seed=0)
    upright = env.render()
    assert (upright.shape, upright.dtype) == ((120, 160, 3), np.uint8)
    env.reset(options={"state": [0, 1.2, 0, 0]})
    assert (env.render() != upright).any()
    assert cart().render() is None


@pytest.mark.slow
def test_a_page_shows_the_robots_in_real_time(monkeypatch):
    opened = []
    monkeypatch.setattr(
        "webbrowser.open", lambda address: not opened.append(address)
    )
    env = cart(render_mode="human")
    try:
        assert opened == [env.page.address]
        with urllib.request.urlopen(env.page.address) as answer:
            assert answer.status == 200
        env.reset(seed=0)
        with connected(env.page) as client:
            assert not client.told[0]["can_end"]  # episodes end by their rules
        started = time.perf_counter()
        found = [env.step([0.1])[0] for _ in range(30)]
        assert time.perf_counter() - started > 0.3  # 0.48 s are simulated
        env.reset(seed=0)
        again = [env.step([0.1])[0] for _ in range(30)]
        assert np.array_equal(found, again)
    finally:
        env.close()
    unseen = cart()
    unseen.reset(seed=0)
    assert np.array_equal(found, [unseen.step([0.1])[0] for _ in range(30)])


CAMERA = """
model_drivers:
  rover: !WebotsMotorDriver
    devices:
      eye: !Camera {width: 16, height: 12, pose: {translation: [0.06, 0, 0.02]}}
"""


@pytest.mark.filterwarnings(IGNORED)
def test_images_become_a_dict():
    scenario = wm.load_scenario(
        wm.SCENARIOS / "gym" / "rover.scenario.yaml", text=CAMERA
    )
    env = make("Rover", scenario=scenario, observations=["rover/eye", "time"],
               reward=lambda now: 0.0, terminated=None, info=None)  # fmt: skip
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    assert set(observation) == {"rover/eye", "numbers"}
    assert observation["rover/eye"].shape == (12, 16, 3)
    assert observation["rover/eye"].std() > 1  # there is something to see


def test_a_fresh_build_moves_as_the_environment():
    """The episode's commands, given to a session of the same scenario."""
    env = cart(observations=[f"{MOTOR}/position"])
    found = played(env, 20, seed=5).reshape(-1)
    simulation = Simulation(
        wm.load_scenario(CART["scenario"]), record="nothing"
    )
    loop = wm.MotorLoop(simulation, commands=["target_velocity"])
    chance = np.random.default_rng(7)
    here = [loop.step(2 * chance.uniform(-1, 1, 1))[0, 0] for _ in range(20)]
    assert np.array_equal(found[1::2][:20], np.float32(here))


def test_a_commanded_velocity_is_seen():
    env = cart(observations=[f"{MOTOR}/velocity_command"], scaled=False)
    env.reset(seed=0)
    for _ in range(30):  # past the ramp of the acceleration limit
        observation, *_ = env.step([0.4])
    assert observation == np.float32(0.4)


def test_the_carts_pole_begins_to_either_side():
    env = make("CartPole")
    starts = np.array([env.reset(seed=i)[0] for i in range(8)])[:, [0, 2, 3]]
    assert (starts.min(axis=0) < 0).all()
    assert (starts.max(axis=0) > 0).all()


def test_a_motor_that_nobody_has_commanded_has_the_target_that_it_holds():
    """A NaN would end a learner; the motor holds where the episode starts."""
    env = cart(
        observations=[f"{MOTOR}/target_position", SLIDER],
        actions="position",
        scaled=False,
        reset={SLIDER: 0.2},
    )
    observation, _ = env.reset(seed=0)
    assert np.array_equal(observation, np.float32([0.2, 0.2]))
    observation, *_ = env.step([0.3])
    assert observation[0] == np.float32(0.3)


def test_what_info_says_does_not_change_with_the_next_step():
    env = cart(info=lambda now: {"state": now._world.state})
    env.reset(seed=0)
    *_, info = env.step([1.0])
    before = info["state"].copy()
    env.step([1.0])
    assert np.array_equal(info["state"], before)


def test_a_closed_environment_keeps_its_results_and_begins_anew():
    env = make("CartPole")
    env.reset(seed=0, options={"record": True})
    first = [env.step([0.1])[0] for _ in range(3)]
    length = len(env.results().time)
    env.close()
    env.close()
    assert len(env.results().time) == length
    with pytest.raises(ResetNeeded):
        env.step([0.1])
    env.reset(seed=0)
    assert np.array_equal(first, [env.step([0.1])[0] for _ in range(3)])


def test_a_closed_environment_frees_its_plant():
    # Drake keeps systems written in Python for good, and what they hold.
    env = make("CartPole")
    env.reset(seed=0)
    plant = weakref.ref(env.simulation.plant)
    env.close()
    del env
    gc.collect()
    gc.collect()  # what its finalizers let go
    assert plant() is None


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_who_copies_an_environment_is_told_why_it_cannot_be(copied):
    with pytest.raises(TypeError, match="diagrams cannot; make another one"):
        copied(make("CartPole"))


def test_spaces_and_what_is_in_them_are_of_float32():
    env = cart(scaled=False, actions={MOTOR: Action("position", -0.1, 0.1)})
    seen, _ = env.reset(seed=0)
    assert env.action_space.dtype == env.observation_space.dtype == np.float32
    assert seen.dtype == env.step(env.action_space.high)[0].dtype == np.float32
    # 0.1 of float32 is more than 0.1: the end of the space is inside, and is 0.1.
    *_, info = env.step(env.action_space.high)
    assert not info["clipped"].any()
    assert env.action_map.clipped(env.action_space.high)[0] == [0.1]
    *_, info = env.step([0.11])
    assert info["clipped"].all()
