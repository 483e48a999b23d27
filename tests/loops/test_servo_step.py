"""A step in one, compiled and not: the same bits."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from loops_as_text import loops_as_text

from webmotor_drake import loops
from webmotor_drake.drive.servo_places import SERVO
from webmotor_drake.drive.torque_problem import records
from webmotor_drake.loops import NO_ROW
from webmotor_drake.loops.servo_step import DISTURBED, NEW_BOUNDS
from webmotor_drake.loops.step_start import NOT_FINITE
from webmotor_drake.motor.tables import Command, Demand, MotorTables

MOTORS, JOINTS = 3, 4  # a joint with friction has no motor


def step_and_arrays(
    seed: int, room=loops
) -> tuple[Callable[..., int], dict[str, np.ndarray]]:
    """Returns a step of random constants, and random arrays for it."""
    rng = np.random.default_rng(seed)
    tables = MotorTables(MOTORS, JOINTS, JOINTS + 1)
    constants = rng.uniform(0.001, 1, (4, JOINTS))
    q_places = rng.permutation(6)[:JOINTS]
    slots = rng.permutation(2 * JOINTS).reshape(2, -1)
    servos = records(SERVO, *constants, *slots, q_places)
    ends = tables.ends(slice(tables.drive.start, tables.drive.stop - 1))
    usual = np.ones((MOTORS, 7))
    step = room.servo_step.ServoStep(ends, servos, usual, 0.008)
    values = rng.normal(size=tables.size)
    command = tables.command_table(values)
    command[Command.TARGET_POSITION, 0] = rng.choice([math.inf, 0.3])
    command[Command.EFFORT_CONTROL] = rng.integers(0, 2, MOTORS)
    command[Command.ACCELERATION] = rng.choice([-1.0, 0.1], MOTORS)
    command[Command.AVAILABLE_EFFORT] = rng.choice([0.0, 0.5], MOTORS)
    bound = np.abs(tables.demand_table(values)[Demand.EFFORT_LIMIT])
    tables.demand_table(values)[Demand.EFFORT_LIMIT] = bound
    run = room.entry(step.run)
    return lambda law, **arrays: run(*arrays.values(), law), {
        "values": values,
        "state": rng.normal(size=12),
        "net": rng.normal(size=2 * JOINTS),
        "actuation": np.zeros(2 * JOINTS),
        "desired": np.zeros(4 * JOINTS),
        "limits": bound.copy(),
        "row": NO_ROW,
        "given": 0,
    }


@pytest.mark.parametrize("law", [True, False])
def test_text_has_the_same_bits_as_compiled_loops(law):
    for seed in range(40):
        found = []
        for room in (loops, loops_as_text()):
            step, arrays = step_and_arrays(seed, room)
            found.append((step(**arrays, law=law), arrays))
        (compiled, ours), (as_text, theirs) = found
        assert compiled == as_text
        for name, array in ours.items():
            np.testing.assert_array_equal(array, theirs[name], name)


def test_it_tells_what_is_not_as_it_was():
    for seed in range(20):
        step, arrays = step_and_arrays(seed)
        assert step(**arrays, law=False) == 0
        arrays["limits"][-1] += 1.0
        assert step(**arrays, law=False) == DISTURBED + NEW_BOUNDS
        before = arrays["values"].copy()
        arrays["state"][:] = math.nan
        assert step(**arrays, law=False) == NOT_FINITE
        np.testing.assert_array_equal(arrays["values"], before)
