"""Rules say a value with its unit, where it has one."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.rules import POSITIVE


@pytest.mark.parametrize(
    ("unit", "shown"),
    [("m", "-3 m is"), ("1", "-3 is"), ("", "-3 is"), ("rad or m", "-3 is")],
)
def test_one_of_two_units_is_no_unit(unit, shown):
    with pytest.raises(InputError) as raised:
        POSITIVE.check(-3.0, unit)
    assert str(raised.value).startswith(f"{shown} not allowed; must be")
