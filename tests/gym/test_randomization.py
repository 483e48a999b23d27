"""An episode's draws act like a fresh build with their values."""

import numpy as np
import pytest
from drawn import draws

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.gym import WebmotorEnv, tasks
from webmotor_drake.scenario.parameter_path import parse_path, with_values
from webmotor_drake.simulation.simulation import Simulation

ARM = """
Arm:
  plant_config: {{time_step: 0.004}}
  directives:
  - add_model: {{name: arm, file: package://webmotor_models/two_link_arm.urdf}}
  - add_weld: {{parent: world, child: arm::base}}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: {drive}
      basic_time_step: 0.008
      motors:
        shoulder motor: !RotationalMotor {{joint: shoulder, max_torque: 9}}
        elbow motor: !RotationalMotor {{joint: elbow, max_torque: 3}}
      joints:
        elbow: {{damping_constant: 0.3, spring_constant: 0.5}}
"""
IN_PLACE = {
    "bodies.arm.forearm.mass": (0.2, 3.0),
    "bodies.arm.upper_arm.mass": (0.2, 3.0),
    "model_drivers.arm.joints.elbow.damping_constant": (0.0, 2.0),
    "model_drivers.arm.joints.shoulder.damping_constant": (0.0, 2.0),
    "gravity[0]": (-3.0, 3.0),
    "gravity[2]": (-12.0, -1.0),
}
REBUILT = {
    'model_drivers.arm.motors."elbow motor".max_torque': (0.5, 3.0),
    'model_drivers.arm.motors."elbow motor".control_pid[0]': (2.0, 20.0),
    'model_drivers.arm.motors."elbow motor".acceleration': (5.0, 50.0),
    "model_drivers.arm.delay": [0.0, 0.008, 0.016],
}
TARGETS = np.random.default_rng(3).uniform(-0.6, 0.6, (12, 2))


@pytest.fixture(params=["torque", "implicit"])
def scenario(request, tmp_path):
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(ARM.format(drive=request.param))
    return wm.load_scenario(file)


def environment(scenario, randomize):
    return WebmotorEnv(
        scenario,
        actions="position",
        scaled=False,
        observations=[
            f"arm/{joint}/position" for joint in ("shoulder", "elbow")
        ],
        reward=lambda now: 0.0,
        randomize=randomize,
    )


def moved(env):
    rows = []
    for target in TARGETS:
        env.step(target)
        rows.append(env.unwrapped.world.moved[0].copy())
    return np.array(rows)


def freshly_built(scenario, values):
    scenario = with_values(
        scenario, {parse_path(p): v for p, v in values.items()}
    )
    loop = wm.MotorLoop(Simulation(scenario, record="nothing"))
    return np.array([loop.step(target)[0] for target in TARGETS])


@pytest.mark.parametrize(
    "randomize", [IN_PLACE, REBUILT], ids=["in place", "rebuilt"]
)
def test_draws_move_as_a_fresh_build_with_their_values(scenario, randomize):
    env = environment(scenario, randomize)
    chance = np.random.default_rng(0)
    for _ in range(draws(8, 1000)):
        values = {
            path: chance.uniform(*draw) if isinstance(draw, tuple) else draw[1]
            for path, draw in randomize.items()
        }
        env.reset(options={"values": values})
        # What the sums of masses and dampings round differently.
        assert moved(env) == pytest.approx(
            freshly_built(scenario, values), abs=1e-9
        )


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_motor_models_move_as_a_fresh_build_too(drive, tmp_path):
    motor = (
        "motor_model: dc_motor, pd: {{kp: 20, kd: 1}},"
        " friction: {{coulomb: 0.1, external_load: 0.2}}, dc_motor: {{"
        "stall_torque: 12, no_load_speed: 8, efficiency: 0.8}}}}"
    )
    text = ARM.replace("max_torque: 9}}", f"max_torque: 9, {motor}")
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(text.format(drive=drive))
    scenario = wm.load_scenario(file)
    env = environment(scenario, IN_PLACE)
    values = {path: 0.3 * a + 0.7 * b for path, (a, b) in IN_PLACE.items()}
    env.reset(options={"values": values})
    # What the contact solver leaves on the implicit drive.
    assert moved(env) == pytest.approx(
        freshly_built(scenario, values), abs=1e-8
    )


def test_episodes_draw_other_values_and_a_seed_repeats_them(scenario):
    env = environment(scenario, IN_PLACE)
    env.reset(seed=1)
    first = moved(env)
    env.reset()
    assert not np.array_equal(first, moved(env))
    env.reset(seed=1)
    assert np.array_equal(first, moved(env))


def test_what_is_given_must_be_drawn(scenario):
    env = environment(scenario, IN_PLACE)
    with pytest.raises(InputError, match="is not randomized"):
        env.reset(options={"values": {"random_seed": 3}})


def test_a_function_may_draw(scenario):
    env = environment(
        scenario,
        {"bodies.arm.forearm.mass": lambda random: random.lognormal(0, 0.2)},
    )
    env.reset(seed=0)
    assert np.isfinite(moved(env)).all()


def test_friction_of_a_floor_is_another():
    """A rover that is pushed by its wheels on ice comes less far."""
    path = "bodies.rover.left_wheel.friction"
    other = path.replace("left", "right")
    task = tasks.TASKS["Rover"]() | {
        "randomize": {path: (0.05, 1.0), other: (0.05, 1.0)},
        "observations": ["rover/chassis/position"],
        "terminated": None,
        "reward": lambda now: 0.0,
        "info": None,
    }
    env = WebmotorEnv(**task)
    ways = []
    for friction in (0.05, 1.0):
        env.reset(seed=0, options={"values": {path: friction, other: friction}})
        for _ in range(5):
            observation, *_ = env.step([1.0, 1.0])
        ways.append(observation[0])
    assert ways[0] < 0.5 * ways[1]


@pytest.mark.parametrize(
    "path",
    [
        "bodies.arm.forearm.mass",
        "model_drivers.arm.joints.elbow.damping_constant",
        "gravity[2]",
    ],
)
@pytest.mark.parametrize("value", [np.nan, np.inf, None, "heavy"])
def test_a_value_drawn_in_place_is_one_that_a_scenario_may_have(
    scenario, path, value
):
    env = environment(scenario, {path: lambda random: value})
    with pytest.raises(InputError):
        env.reset(seed=0)


def test_numbers_of_numpy_are_numbers(scenario):
    numbers = {
        "bodies.arm.forearm.mass": [np.float32(0.5)],
        "gravity[2]": (np.int64(-9), np.float32(-9)),
        'model_drivers.arm.motors."elbow motor".max_torque': np.float64(2),
    }
    plain = {
        path: 2.0 if isinstance(v, float) else float(v[0])
        for path, v in numbers.items()
    }
    seen = []
    for randomize in (numbers, plain):
        env = environment(scenario, randomize)
        env.reset(seed=0)
        seen.append(moved(env))
    assert np.array_equal(*seen)
