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
        paths: of all that is fitted.
    """
    values: dict[Keys, Value] = {}
    for path, sheet_path, sheet in _sheets(scenario, paths):
        if sheet.rotor_inertia:
            values[path] = reflected(sheet)
            values[(*sheet_path, "rotor_inertia")] = 0.0
    return values


def rotors_left_out(scenario: Scenario, paths: Iterable[Keys]) -> list[Keys]:
    """Returns where a data sheet must say 0, as its joint has the rotor.

    Args:
        scenario: with the data sheets.
        paths: of all that was fitted.
    """
    return [
        (*sheet_path, "rotor_inertia")
        for _, sheet_path, sheet in _sheets(scenario, paths)
        if sheet != DcMotor()
    ]


def reflected(sheet: DcMotor) -> float:
    """Returns the inertia that a joint feels of a rotor, kg m² or kg."""
    return sheet.rotor_inertia * sheet.gear_ratio**2


def _sheets(
    scenario: Scenario, paths: Iterable[Keys]
) -> list[tuple[Keys, Keys, DcMotor]]:
    """Returns the data sheets at joints whose inertia is fitted.

    Returns:
        Path of the joint's inertia, path of the data sheet, the data sheet.
    """
    found = []
    for path in paths:
        if path[0] != "model_drivers" or path[-1] != "reflected_inertia":
            continue
        motors = scenario.model_drivers[path[1]].motors
        for name, motor in motors.items():
            if not isinstance(motor, Servo) and motor.joint == path[3]:
                sheet = (*path[:2], "motors", name, "dc_motor")
                found.append((path, sheet, motor.dc_motor))
    return found
