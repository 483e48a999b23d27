"""The laws of motor models, function by function, as their text stands."""

import math
import types

import numpy as np
import pytest
from loops_as_text import loops_as_text

from webmotor_drake.loops.rows import (
    COMMANDS,
    MODEL_STATES,
    Command,
    ModelState,
)


def motor_law():
    """Returns the module as text: compiled functions are called from C alone."""
    return loops_as_text().motor_law


def told(**rows):
    """Returns a motor's commands, by the names of their rows."""
    column = np.zeros(COMMANDS)
    for name, value in rows.items():
        column[Command[name]] = value
    return column


@pytest.mark.parametrize("by_voltage", [False, True])
@pytest.mark.parametrize(
    ("elastic", "sees_link", "side"),
    [
        (False, False, "link"),
        (False, True, "link"),
        (True, False, "motor"),
        (True, True, "link"),
    ],
)
def test_what_is_held_for_a_period_sees_the_side_that_has_the_encoder(
    elastic, sees_link, side, by_voltage
):
    sides = {"motor": (0.3, -1.0), "link": (0.1, 0.5)}
    mine = np.zeros(MODEL_STATES)
    rows = ModelState.POSITION, ModelState.VELOCITY
    mine[list(rows)] = sides["motor"]
    rows = ModelState.START_POSITION, ModelState.START_VELOCITY
    mine[list(rows)] = sides["link"]
    law = types.SimpleNamespace(
        elastic=elastic,
        sees_link=sees_link,
        by_voltage=by_voltage,
        kp=10.0,
        kd=2.0,
        duty_gain=3.0,
        max_duty=0.7,
    )
    q, v = sides[side]
    for target in (0.2, 5.0, -5.0):
        held = motor_law().computed_ahead(
            law, mine, told(TARGET_POSITION=target)
        )
        expected = 10.0 * (target - q) - 2.0 * v
        if by_voltage:
            expected = max(min(3.0 * (target - q), 0.7), -0.7)
        assert held == pytest.approx(expected, rel=1e-12)
    speed = told(TARGET_POSITION=math.inf, TARGET_VELOCITY=1.5)
    held = motor_law().computed_ahead(law, mine, speed)
    assert held == (0.0 if by_voltage else 2.0 * (1.5 - v))
