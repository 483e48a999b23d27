"""The laws of motor models: compiled and not the same bits."""

import numpy as np
import pytest
from drawn import draws
from loops_as_text import loops_as_text

from webmotor_drake.loops import entry
from webmotor_drake.loops.rows import (
    COMMANDS,
    MODEL_STATES,
    Command,
    ModelState,
)
from webmotor_drake.motor.models import model_laws
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.models.parameters import model_rows
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.motor_models import (
    Elastic,
    Friction,
    Pd,
    Thermal,
)
from webmotor_drake.nodes.motors import RotationalMotor

N, STEP = 6, 0.004
MODELS = ("pd", "webots", "pd_explicit", "dc_motor", "series_elastic", "pd")


def random_laws(rng):
    some = rng.uniform
    motors = {
        f"motor {i}": RotationalMotor(
            f"joint {i}",
            motor_model=model,
            pd=Pd(kp=some(0, 100), kd=some(0, 5)),
            dc_motor=DcMotor(
                torque_constant=some(0.1, 1),
                resistance=some(0.5, 3),
                supply_voltage=some(5, 48),
                gear_ratio=some(1, 20),
                efficiency=some(0.5, 1),
                control=rng.choice(["torque", "voltage"]),
            ),
            friction=Friction(
                *some(0, 1, 3), some(0.05, 2), some(0.5, 4), *some(0, 0.3, 6)
            ),
            thermal=Thermal(continuous_torque=some(0.05, 0.15)),
            elastic=Elastic(
                stiffness=10 ** some(1, 4),
                damping=some(0, 2),
                backlash=rng.choice([0.0, 0.02]),
                motor_inertia=some(0.001, 0.1),
                encoder=rng.choice(["motor", "link"]),
            ),
        )
        for i, model in enumerate(MODELS)
    }
    gains = np.full(N, 10.0), np.full(N, 1.0), np.full(N, 0.02)
    return ModelLaws(model_rows(motors, some(0, 0.2, N), *gains), STEP)


def a_step(laws, seed):
    """Returns the tables after a step of random motors."""
    rng = np.random.default_rng(seed)
    command = rng.normal(size=(COMMANDS, N))
    command[Command.TARGET_POSITION] = rng.choice([0.3, np.inf], N)
    command[Command.EFFORT_CONTROL] = rng.integers(0, 2, N)
    command[Command.AVAILABLE_EFFORT] = rng.choice([0.0, 3.0, 50.0], N)
    table = rng.normal(size=(MODEL_STATES, N))
    table[ModelState.HEAT] = rng.uniform(0, 1.2, N)
    table[ModelState.IS_HOT] = rng.integers(0, 2, N)
    table[ModelState.STARTED] = rng.integers(0, 2, N)
    told, flat, found = command.ravel(), table.ravel(), np.zeros(N)
    q, v, w = rng.normal(size=(3, N))
    model_laws.entry(laws.taken.begin)(flat, told, q, v, bool(seed % 2))
    begun = flat.copy()
    laws.effort(found, flat, told, w)
    model_laws.entry(laws.taken.finish)(
        flat, told, w, found, rng.normal(size=N)
    )
    return np.concatenate([begun, found, flat])


@pytest.mark.parametrize("seed", range(draws(8, 300)))
def test_compiled_and_as_text_are_the_same_bits(seed, monkeypatch):
    laws = random_laws(np.random.default_rng(seed))
    compiled = a_step(laws, seed)
    text = loops_as_text()
    monkeypatch.setattr(model_laws, "entry", text.entry)
    monkeypatch.setattr(model_laws, "LawRows", text.model_steps.LawRows)
    laws = ModelLaws(laws.rows, STEP)
    np.testing.assert_array_equal(a_step(laws, seed), compiled)


def test_motors_of_webots_are_left_alone():
    laws = random_laws(np.random.default_rng(0))
    table = np.arange(MODEL_STATES * N, dtype=float)
    zeros = np.zeros(COMMANDS * N)
    entry(laws.taken.begin)(table, zeros, np.ones(N), np.ones(N), True)
    entry(laws.taken.finish)(table, zeros, *np.ones((3, N)))
    untouched = np.arange(MODEL_STATES * N).reshape(MODEL_STATES, N)[:, 1]
    np.testing.assert_array_equal(
        table.reshape(MODEL_STATES, N)[:, 1], untouched
    )


def test_a_gear_loses_the_share_that_its_efficiency_says_at_both_ends():
    """Of 0.6 a quarter: 1 - 1/4 goes in for each 1 + 1/4 that the motor makes."""
    motor = RotationalMotor(
        motor_model="dc_motor",
        dc_motor=DcMotor(efficiency=0.6, stall_torque=1.0, no_load_speed=1.0),
    )
    ones = np.ones(1)
    rows = model_rows({"motor": motor}, [0.0], ones, ones, ones)
    assert rows["lost"] == pytest.approx([0.25])
