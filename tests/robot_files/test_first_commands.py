"""Commands that a written scenario begins with: each motor moves a little."""

import types

import pytest

from webmotor_drake.nodes.motor_models import Pd
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.robot_files.found import _commands


def robot(motors, reach, **starts):
    """Returns what of a found robot says how its motors move."""
    return types.SimpleNamespace(
        motors=motors,
        reach=reach,
        starts={joint: (value, "line") for joint, value in starts.items()},
    )


def test_coupled_motors_are_told_once_and_one_without_a_gain_never():
    motors = {
        "grip::left": RotationalMotor("left"),
        "grip::right": RotationalMotor("right"),
        "free": RotationalMotor(
            "free", motor_model="pd", pd=Pd(kp=0.0, kd=1.0)
        ),
        "held": RotationalMotor("held", motor_model="pd", pd=Pd(kp=5.0)),
        "alone": RotationalMotor("alone"),
    }
    reach = {motor.joint: (-1.0, 1.0) for motor in motors.values()}
    commands = _commands(robot(motors, reach))
    names = [command.motor for command in commands]
    assert names == ["grip::left", "held", "alone"] * 2
    goes, comes = commands[:3], commands[3:]
    assert len({command.time for command in goes}) == 1
    assert comes[0].time > goes[0].time
    assert {command.set_position for command in comes} == {0.0}


@pytest.mark.parametrize("kind", [RotationalMotor, LinearMotor])
@pytest.mark.parametrize(
    ("low", "high", "start", "side"),
    [(-1, 2, 0, 1), (-2, 1, 0, -1), (0, 0.02, 0, 1), (-5, 5, 3, -1)],
)
def test_a_motor_goes_to_the_side_with_more_room_and_stays_within(
    kind, low, high, start, side
):
    found = robot({"m": kind("j")}, {"j": (low, high)}, j=start)
    goes, comes = _commands(found)
    assert (goes.set_position - start) * side > 0
    assert low <= goes.set_position <= high
    assert comes.set_position == start
