"""Units and sentences as tables and `help()` have them."""

import pytest

from webmotor_drake.nodes.field import unit_text


@pytest.mark.parametrize(
    ("unit", "is_linear", "shown"),
    [
        ("1", False, ""),
        ("rad/s^2", False, "rad/s²"),
        ("N m/rad or N/m", False, "N·m/rad"),
        ("N m/rad or N/m", True, "N/m"),
        ("s", True, "s"),
    ],
)
def test_a_unit_is_that_of_the_joint_and_1_is_none(unit, is_linear, shown):
    assert unit_text(unit, is_linear=is_linear) == shown
