"""The lines of `webmotor check` about a motor that is no Webots servo."""

from webmotor_drake.motor.models.parameters import has_line
from webmotor_drake.nodes.field import declared, unit_text
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.motors import (
    LinearMotor,
    MotorNode,
    acting_parts,
    max_effort,
)


def model_lines(motor: MotorNode) -> list[str]:
    """Returns a line for the model, and one per node of it that says something."""
    lines = [f"{motor.motor_model}: {MODELS[motor.motor_model].about}"]
    if has_line(motor):
        stall, free = motor.dc_motor.line(max_effort(motor), motor.max_velocity)
        units = motor.units
        lines.append(
            f"at the joint: stall {stall:.4g} {units['effort']}, no load"
            f" {free:.4g} {units['velocity']}"
        )
    return lines + [
        f"{name}: {said}"
        for name in acting_parts(motor)
        if (said := _said(getattr(motor, name), motor))
    ]


def _said(node: object, motor: MotorNode) -> str:
    """Returns the fields of a motor's node that are no defaults, with their units."""
    default, said = type(node)(), list[str]()
    for name, field in declared(type(node)).items():
        value = getattr(node, name)
        if value != getattr(default, name):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            linear = isinstance(motor, LinearMotor)
            unit = unit_text(field.unit, is_linear=linear)
            said.append(f"{name} {text} {unit}".rstrip())
    return ", ".join(said)
