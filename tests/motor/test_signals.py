"""Signals mean the same whatever carries the motors."""

import numpy as np
import pytest

from webmotor_drake.loops.rows import Command, LawState, ModelState
from webmotor_drake.motor.models.parameters import LAW
from webmotor_drake.motor.signals import step_signals, with_model_signals

PERIOD = 0.01


def signals(effort, **rows) -> dict[str, np.ndarray]:
    """Returns the signals of one motor in velocity control, bound by 10 N m."""
    effort = np.array([effort], dtype=float)
    command = np.zeros((len(Command), *effort.shape))
    command[Command.TARGET_POSITION] = np.inf
    command[Command.AVAILABLE_EFFORT] = 10.0
    for name, values in rows.items():
        command[Command[name], 0] = values
    law_state = np.full((len(LawState), *effort.shape), 2.0)
    table = step_signals(
        command,
        law_state,
        effort,
        effort,
        friction=np.array([0.5]),
        consumption_factors=np.array([3.0]),
        period=PERIOD,
    )
    return {name: values[0] for name, values in table.items()}


def test_a_motor_is_saturated_within_a_millionth_of_its_limit():
    # Where Drake's contact solver stops; 1e-5 below is still below.
    row = signals([0, 10, -10, 10 * (1 - 9e-7), 10 * (1 - 1e-5), 0])
    np.testing.assert_array_equal(row["saturated"], [0, 1, 1, 1, 0, 0])


def test_a_modelled_motor_is_saturated_within_a_millionth_of_its_own_limit():
    made = np.array([[0, 4, -4, 4 * (1 - 9e-7), 4 * (1 - 1e-5), 0]])
    models = np.zeros((len(ModelState), *made.shape))
    models[ModelState.MOTOR_EFFORT], models[ModelState.LIMIT] = made, 4.0
    models[ModelState.LIMIT, 0, 5] = 0.0
    rows = np.zeros(1, LAW)
    rows["per_current"] = np.nan  # no winding
    others = {
        name: np.zeros(made.shape) for name in ("saturated", "effort_limit")
    }
    found = with_model_signals(others, models, rows)
    np.testing.assert_array_equal(found["saturated"], [[0, 1, 1, 1, 0, 0]])
    np.testing.assert_array_equal(found["effort_limit"], [[0, 4, 4, 4, 4, 0]])


def test_a_motor_without_a_limit_above_zero_or_in_effort_control_is_not():
    direct = signals([0, 10], EFFORT_CONTROL=1, DIRECT_EFFORT=10)
    assert direct["saturated"][1] == 0
    assert direct["effort_limit"][1] == 10
    assert direct["mode"][1] == 2
    off = signals([0, 0.4], AVAILABLE_EFFORT=0)
    assert off["effort_limit"][1] == 0.5  # friction still holds
    assert off["saturated"][1] == 0


def test_row_0_comes_before_all_effort():
    row = signals([7, 8])
    assert (
        row["effort"][0] == row["energy"][0] == row["velocity_command"][0] == 0
    )
    assert np.isnan(row["feedback"][0])
    assert row["velocity_command"][1] == 2


def test_energy_is_what_feedback_draws():
    row = signals([0, 1, -2])
    assert row["energy"] == pytest.approx([0, 3 * PERIOD, 9 * PERIOD])
