"""A step in one, compiled and not: the same bits."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from loops_as_text import loops_as_text

from webmotor_drake import loops
from webmotor_drake.drive.servo_actuators import SERVO
from webmotor_drake.loops import record, records
from webmotor_drake.loops.rows import MODEL_STATES, Command, Demand
from webmotor_drake.loops.servo_step import DISTURBED, NEW_BOUNDS
from webmotor_drake.loops.step_start import NOT_FINITE
from webmotor_drake.motor.tables import MotorTables

MOTORS, JOINTS = 3, 4  # a joint with friction has no motor


def step_and_arrays(
    seed: int, room=loops
) -> tuple[Callable[..., int], dict[str, np.ndarray]]:
    """Returns a step of random constants, and random arrays for it.

    One joint has a brake, one motor a law of its own.
    """
    rng = np.random.default_rng(seed)
    states = MODEL_STATES
    tables = MotorTables(MOTORS, JOINTS, JOINTS + 1, 3, states)
    q_places, v_places = rng.permutation(6), 6 + rng.permutation(6)
    free = np.full(JOINTS, -1)
    slots = rng.permutation(3 * JOINTS).reshape(3, -1)
    brakes, loop_slots, places = free.copy(), free.copy(), free.copy()
    brakes[2], loop_slots[1] = slots[2, :2]
    places[2] = tables.drive.stop - 1
    servos = records(
        SERVO,
        *rng.uniform(0.001, 1, (4, JOINTS)),
        *(slots[0], slots[1], brakes, loop_slots, places),
        *(q_places[:JOINTS], v_places[:JOINTS]),
    )
    law = np.zeros(1, record("Law"))
    law["place"], law["kp"], law["kd"] = 1, *rng.uniform(0, 9, 2)
    law["stall"] = law["continuous"] = law["inertia"] = math.inf
    law["constant_friction"] = True
    start = room.step_start.StepStart(
        *(tables.ends, rng.uniform(0, 1, JOINTS), np.ones((MOTORS, 7)), 0.008),
        *(
            np.array([[1, 0.25]] * MOTORS),
            np.array([[0, 0, 0], [0, 0, 0], [1, -1, 1.0]]),
        ),
        *(room.model_steps.LawRows(law, 0.008), [9.0, 2.0, 1.0]),
        rng.uniform(1, 9, (2, MOTORS)),
    )
    start.set_places(q_places[:MOTORS], v_places[:MOTORS])
    step = room.servo_step.ServoStep(start, servos)
    values = rng.normal(size=tables.size)
    for command in (tables.command_table(values), *tables.line_tables(values)):
        command[Command.TARGET_POSITION, 0] = rng.choice([math.inf, 0.3])
        command[Command.EFFORT_CONTROL] = rng.integers(0, 2, MOTORS)
        command[Command.ACCELERATION] = rng.choice([-1.0, 0.1], MOTORS)
        command[Command.AVAILABLE_EFFORT] = rng.choice([0.0, 0.5], MOTORS)
    demand = tables.demand_table(values)
    demand[Demand.EFFORT_LIMIT :] = np.abs(demand[Demand.EFFORT_LIMIT :])
    run = room.entry(step.run)
    return lambda law, **arrays: run(*arrays.values(), law, False), {
        "values": values,
        "state": rng.normal(size=12),
        "net": rng.normal(size=3 * JOINTS),
        "actuation": np.zeros(3 * JOINTS),
        "desired": np.zeros(6 * JOINTS),
        "limits": demand[Demand.EFFORT_LIMIT].copy(),
        "level": np.array([rng.choice([0.0, 1e-3, 5.0]), 1.0]),
        "charge": float(rng.choice([0.0, 1.0])),
        "row": None,
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
        limits = arrays["limits"]
        step(**arrays, law=False)  # lays the piece of the law
        tables = MotorTables(MOTORS, JOINTS, JOINTS + 1, 3)
        demand = tables.demand_table(arrays["values"])
        limits[:] = demand[Demand.EFFORT_LIMIT]
        found = step(**arrays, law=False)
        assert not found & DISTURBED
        limits[-1] += 1.0
        found = step(**arrays, law=False)
        assert found & DISTURBED and found & NEW_BOUNDS
        before = arrays["values"].copy()
        arrays["state"][:] = math.nan
        assert step(**arrays, law=False) == NOT_FINITE
        np.testing.assert_array_equal(arrays["values"], before)
