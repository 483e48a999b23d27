"""What a page says of a motor's numbers."""

import pytest

from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.view import motor_parameters


@pytest.mark.parametrize(
    ("path", "name", "unit", "about"),
    [
        (("max_velocity",), "max_velocity", "rad/s", "largest and initial"),
        (("control_pid", 1), "control_pid[1]", "1/s²", "gains P"),
        (("pd", "kp"), "pd.kp", "N·m/rad", "position gain"),
    ],
)
def test_a_number_has_the_unit_and_the_meaning_of_its_own_field(
    path, name, unit, about
):
    said = motor_parameters._about(RotationalMotor("hinge"), path, False)
    assert (said["name"], said["unit"]) == (name, unit)
    assert said["about"].startswith(about)
