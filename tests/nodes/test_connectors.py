"""Fields of what holds other bodies."""

import pytest

from webmotor_drake.nodes import Connector, VacuumGripper


@pytest.mark.parametrize("kind", [Connector, VacuumGripper])
@pytest.mark.parametrize(
    ("tensile", "shear", "breaks"),
    [
        (-1, -1, False),
        (5, -1, True),
        (-1, 5, True),
        (0, -1, True),
        (3, 4, True),
    ],
)
def test_a_hold_with_any_strength_can_break(kind, tensile, shear, breaks):
    node = kind(tensile_strength=tensile, shear_strength=shear)
    assert node.breaks is breaks
