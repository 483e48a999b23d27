"""Parameters of motor models, as data sheets have them."""

import math

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.motor.models.parameters import _bearable, _continuous_effort
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.motor_models import Thermal
from webmotor_drake.nodes.motors import RotationalMotor


def motor(max_torque=100.0, **thermal):
    sheet = DcMotor(torque_constant=0.5, resistance=2.0, supply_voltage=12.0)
    return RotationalMotor(
        "hinge",
        max_torque=max_torque,
        dc_motor=sheet,
        thermal=Thermal(**thermal),
    )


def test_a_winding_bears_the_current_that_heats_its_warm_copper_to_the_limit():
    warm = motor(max_temperature=105.0, ambient=40.0)
    # Copper of 2 ohm at 25 degrees has more by 0.39 % per kelvin; 3 K per watt.
    hot = 2.0 * (1 + 0.0039 * 80.0)
    current = _bearable(warm, 2.0, 3.0)
    assert current**2 * hot * 3.0 == pytest.approx(105.0 - 40.0)


@pytest.mark.parametrize(
    ("thermal", "effort"),
    [
        ({}, math.inf),
        ({"continuous_torque": 1.5}, 1.5),
        ({"continuous_current": 3.0}, 1.5),
        # The torque is the surest, where the other agrees.
        ({"continuous_torque": 1.5, "continuous_current": 3.01}, 1.5),
    ],
)
def test_the_effort_that_a_motor_bears_is_told_in_one_of_three_ways(
    thermal, effort
):
    assert _continuous_effort("m", motor(**thermal), 50.0) == effort


@pytest.mark.parametrize(
    ("thermal", "limit", "stall", "told"),
    [
        (
            {"continuous_torque": 1.5, "continuous_current": 6.0},
            100.0,
            50.0,
            "continuous_current: the 3 at the joint .* contradicts the 1.5",
        ),
        (
            {"continuous_torque": 1.5},
            1.0,
            50.0,
            "1.5 is above 1, its max_torque",
        ),
        ({"continuous_torque": 1.5}, 100.0, 1.2, "1.5 is above 1.2, the stall"),
    ],
)
def test_more_than_a_motor_can_is_refused(thermal, limit, stall, told):
    with pytest.raises(InputError, match=f"motors.m.thermal.*{told}"):
        _continuous_effort("m", motor(limit, **thermal), stall)
