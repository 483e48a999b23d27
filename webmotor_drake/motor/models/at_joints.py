"""Properties that motor models give their joints: inertia, viscous friction.

Both act in the plant itself, implicitly and exactly.
"""

import dataclasses as dc

from webmotor_drake.errors import InputError
from webmotor_drake.motor.models.parameters import has_line
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import MotorNode, acting_parts


def at_joint(
    name: str, motor: MotorNode, joint: JointParameters
) -> tuple[MotorNode, JointParameters]:
    """Returns a modelled motor, and its joint with the parameters that move there.

    Done twice it changes nothing more.

    Raises:
        InputError: an inertia is said twice, or the joint simply moves.
    """
    if joint.kinematic:
        raise InputError(
            f"{motor.motor_model} cannot move the kinematic joint {motor.joint};"
            " webots can",
            path=("motors", name, "motor_model"),
        )
    sheet = motor.dc_motor if has_line(motor) else None
    rotor = sheet.rotor_inertia * sheet.gear_ratio**2 if sheet else 0.0
    if rotor and joint.reflected_inertia:
        raise InputError(
            f"dc_motor reflects {rotor:g} kg m^2 or kg and the joint has a"
            f" reflected_inertia of {joint.reflected_inertia:g}; leave out one",
            path=("joints", motor.joint, "reflected_inertia"),
        )
    inertia = rotor or joint.reflected_inertia
    if sheet:
        motor = dc.replace(motor, dc_motor=dc.replace(sheet, rotor_inertia=0.0))
    if "elastic" in acting_parts(motor):  # it turns before the spring
        own = motor.elastic.motor_inertia or inertia
        elastic = dc.replace(motor.elastic, motor_inertia=own)
        return (
            dc.replace(motor, elastic=elastic),
            dc.replace(joint, reflected_inertia=0.0),
        )
    viscous = motor.friction.viscous
    return (
        dc.replace(motor, friction=dc.replace(motor.friction, viscous=0.0)),
        dc.replace(
            joint,
            reflected_inertia=inertia,
            damping_constant=abs(joint.damping_constant) + viscous,
        ),
    )
