"""Environments of what else there is: worlds, several robots, couplings, floors."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.gym import WebmotorEnv, tasks

WORLDS = wm.SCENARIOS / "worlds" / "worlds"
SEEN = "position", "velocity", "effort"


def environment(scenario, **changes):
    task = {
        "actions": "position",
        "observations": ["time"],
        "reward": lambda now: 0.0,
        "scaled": False,
    }
    return WebmotorEnv(scenario, **(task | changes))


def without_controllers(scenario):
    from webmotor_drake.scenario.parameter_path import with_values

    values = {
        ("model_drivers", model, "controller"): ""
        for model in scenario.model_drivers
    }
    return with_values(scenario, values)


def repeats(env, size, steps=6):
    """Returns whether a seed gives the same observations twice; they are finite."""
    rows = np.random.default_rng(0).uniform(-0.1, 0.1, (steps, size))
    runs = []
    for _ in range(2):
        found = [env.reset(seed=0)[0], *(env.step(row)[0] for row in rows)]
        runs.append(np.array(found))
    assert np.isfinite(runs[0]).all()
    return np.array_equal(*runs)


def test_a_world_is_a_scenario_once_its_controller_is_out():
    world = WORLDS / "arm.wbt"
    with pytest.raises(InputError, match="commands the motors itself"):
        environment(world)
    scenario = without_controllers(wm.load_scenario(world))
    env = environment(scenario, observations=["time"])
    assert repeats(env, len(env.action_names))


@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
def test_several_robots_are_commanded_together():
    scenario = without_controllers(wm.load_scenario("package:controller_radio"))
    env = environment(scenario, actions="velocity")
    assert {name.split("/")[0] for name in env.motors} == set(
        scenario.model_drivers
    )
    assert repeats(env, len(env.action_names))


# Motor models, a kinematic loop, shapes that bounce, propellers, muscles; worlds with
# conveyors and propellers.
@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
@pytest.mark.parametrize(
    "name",
    [
        *("motor_models", "five_bar", "heap", "quadcopter", "biceps"),
        *("conveyor.wbt", "quadcopter.wbt"),
    ],
)
def test_a_seed_repeats_whatever_moves(name):
    file = WORLDS / name if name.endswith("wbt") else f"package:{name}"
    scenario = without_controllers(wm.load_scenario(file))
    motors = environment(scenario).motors
    rows = [f"{motor}/{what}" for motor in motors for what in SEEN]
    env = environment(scenario, observations=rows)
    assert repeats(env, len(env.action_names))


def test_coupled_motors_move_together():
    scenario = wm.load_scenario("package:coupled_pair")
    [model] = scenario.model_drivers
    env = environment(scenario)
    env.reset(seed=0)
    for _ in range(50):
        env.step(np.full(len(env.action_names), 0.02))
    q = env.unwrapped.world.moved[0]
    multipliers = [
        m.multiplier for m in scenario.model_drivers[model].motors.values()
    ]
    # What is commanded acts at once; what is left is the last part of the way.
    assert np.sign(q) == pytest.approx(np.sign(multipliers))


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_both_drives_reach_a_target(drive):
    scenario = wm.load_scenario(
        wm.SCENARIOS / "gym" / "reacher.scenario.yaml",
        text=f"model_drivers: {{arm: !WebotsMotorDriver {{drive: {drive}}}}}",
    )
    joints = [f"arm/{joint}/position" for joint in ("shoulder", "elbow")]
    env = environment(scenario, observations=joints)
    env.reset(seed=0)
    for _ in range(100):
        seen, *_ = env.step([0.5, -0.4])
    # The arm's weight over P and the servo's softness.
    assert seen == pytest.approx([0.5, -0.4], abs=2e-3)


def test_a_floating_base_tells_its_pose():
    env = tasks.make("Quadruped")
    env.reset(seed=0)
    for _ in range(5):
        seen, *_ = env.step(np.zeros(8))
    names = env.observation_names
    quaternion = seen[[n.startswith("robot/trunk/quaternion") for n in names]]
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
