"""Data sheets of DC motors that contradict themselves."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.dc_motor import DcMotor

SHEET = {"torque_constant": 0.5, "resistance": 2.0, "supply_voltage": 12.0}


@pytest.mark.parametrize(
    ("field", "value"), [("no_load_speed", 24.0), ("stall_torque", 3.0)]
)
def test_speed_and_torque_are_those_of_the_winding(field, value):
    """U / K = 24 rad/s and U K / R = 3 N m."""
    DcMotor(**SHEET, **{field: value}).check()
    with pytest.raises(InputError, match=field):
        DcMotor(**SHEET, **{field: 1.5 * value}).check()


def test_a_motor_at_no_load_draws_less_than_at_standstill():
    DcMotor(**SHEET, no_load_current=5.9).check()
    with pytest.raises(InputError, match="6 A"):
        DcMotor(**SHEET, no_load_current=6.0).check()


@pytest.mark.parametrize(
    "sheet", [SHEET, {"stall_torque": 3.0, "no_load_speed": 24.0}]
)
def test_a_gear_of_five_gives_five_times_the_torque_at_a_fifth_of_the_speed(
    sheet,
):
    found = DcMotor(**sheet, gear_ratio=5.0).line(effort=1.0, speed=1.0)
    assert found == pytest.approx((15.0, 4.8))
    assert DcMotor(gear_ratio=5.0).line(effort=1.0, speed=2.0) == (1.0, 2.0)
