"""A step in one, compiled and on lists: the same bits."""

import math

import numpy as np
import pytest

from webmotor_drake.drive import servo_step
from webmotor_drake.drive.servo_step import (
    DISTURBED,
    NEW_BOUNDS,
    NOT_FINITE,
    Servo,
    ServoStep,
)
from webmotor_drake.motor.tables import Command, Demand, MotorTables

MOTORS, JOINTS = 3, 4  # a joint with friction has no motor


def step_and_arrays(seed: int) -> tuple[ServoStep, dict[str, np.ndarray]]:
    """Returns a step for random constants, and random arrays for it."""
    rng = np.random.default_rng(seed)
    tables = MotorTables(MOTORS, JOINTS, JOINTS + 1)
    constants = rng.uniform(0.001, 1, (4, JOINTS))
    q_places = rng.permutation(6)[:JOINTS]
    slots = rng.permutation(2 * JOINTS).reshape(2, -1)
    servos = np.rec.fromarrays(
        [*constants, *slots, q_places], names=Servo._fields
    ).view(np.ndarray)
    step = ServoStep(tables, servos, 0.008)
    values = rng.normal(size=tables.size)
    command = tables.command_table(values)
    command[Command.TARGET_POSITION, 0] = rng.choice([math.inf, 0.3])
    command[Command.EFFORT_CONTROL] = rng.integers(0, 2, MOTORS)
    command[Command.ACCELERATION] = rng.choice([-1.0, 0.1], MOTORS)
    command[Command.AVAILABLE_EFFORT] = rng.choice([0.0, 0.5], MOTORS)
    bound = np.abs(tables.demand_table(values)[Demand.EFFORT_LIMIT])
    tables.demand_table(values)[Demand.EFFORT_LIMIT] = bound
    return step, {
        "values": values,
        "plant_state": rng.normal(size=12),
        "net": rng.normal(size=2 * JOINTS),
        "actuation": np.zeros(2 * JOINTS),
        "desired": np.zeros(4 * JOINTS),
        "limits": bound.copy(),
    }


def interpreted(monkeypatch) -> None:
    """Has everything done as without numba."""
    monkeypatch.setattr(servo_step, "ACTIVE", False)
    for name in ("_run", "settle", "prepare", "step_servo_rows"):
        function = getattr(servo_step, name)
        function = getattr(function, "py_func", function)
        monkeypatch.setattr(servo_step, name, function)


@pytest.mark.parametrize("law", [True, False])
def test_lists_have_the_same_bits_as_compiled_arrays(law, monkeypatch):
    if not servo_step.ACTIVE:
        pytest.skip("nothing is compiled without the extra fast")
    seeds = range(40)
    found = []
    for patch in (lambda _: None, interpreted):
        patch(monkeypatch)
        for seed in seeds:
            step, arrays = step_and_arrays(seed)
            code = step.run(**arrays, law=law)
            found.append((code, arrays))
    for compiled, on_lists in zip(found[:40], found[40:], strict=True):
        assert compiled[0] == on_lists[0]
        for name, array in compiled[1].items():
            np.testing.assert_array_equal(array, on_lists[1][name], name)


def test_it_tells_what_is_not_as_it_was():
    for seed in range(20):
        step, arrays = step_and_arrays(seed)
        assert step.run(**arrays, law=False) == 0
        arrays["limits"][-1] += 1.0
        assert step.run(**arrays, law=False) == DISTURBED + NEW_BOUNDS
        before = arrays["values"].copy()
        arrays["plant_state"][:] = math.nan
        assert step.run(**arrays, law=False) == NOT_FINITE
        np.testing.assert_array_equal(arrays["values"], before)
