"""Rotors whose inertia a data sheet says, where the joint's is fitted.

A motor's `dc_motor` may say its rotor's inertia, and its joint may have a
`reflected_inertia`: both at once are refused. What is fitted is the joint's, which all
motor models have, and the data sheet's is where the search starts.
"""

from collections.abc import Iterable

from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.scenario.parameter_path import Keys, Value
from webmotor_drake.scenario.scenario import Scenario


def rotors_at_joints(
    scenario: Scenario, paths: Iterable[Keys]
) -> dict[Keys, Value]:
    """Returns values by path that bring data sheets' rotors to fitted joints.

    Args:
        scenario: with the data sheets.
        paths: paths of all that is fitted.
    """
    values: dict[Keys, Value] = {}
    for path in paths:
        if path[0] != "model_drivers" or path[-1] != "reflected_inertia":
            continue
        motors = scenario.model_drivers[path[1]].motors
        for name, motor in motors.items():
            if isinstance(motor, Servo) or motor.joint != path[3]:
                continue
            if motor.dc_motor.rotor_inertia:
                sheet = (*path[:2], "motors", name, "dc_motor")
                values[path] = reflected(motor.dc_motor)
                values[(*sheet, "rotor_inertia")] = 0.0
    return values


def reflected(sheet: DcMotor) -> float:
    """Returns the inertia that a joint feels of a rotor, kg m² or kg."""
    return sheet.rotor_inertia * sheet.gear_ratio**2
