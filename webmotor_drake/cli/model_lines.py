"""The lines of `webmotor check` about a motor that is no Webots servo."""

from collections.abc import Sequence

from webmotor_drake.motor.models.parameters import (
    has_line,
    has_load_friction,
)
from webmotor_drake.nodes.field import declared, unit_text
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.motors import (
    LinearMotor,
    MotorNode,
    is_modelled,
    max_effort,
)

# How far off friction by load is on the implicit drive, as it is a step late: measured,
# see docs/motor_models.md, in % per s of step.
_LATE = 150.0


def model_lines(motor: MotorNode) -> list[str]:
    """Returns a line for the model, and one per node of it that says something."""
    lines = [f"{motor.motor_model}: {MODELS[motor.motor_model]}"]
    if has_line(motor):
        stall, free = motor.dc_motor.line(max_effort(motor), motor.max_velocity)
        units = motor.units
        lines.append(
            f"at the joint: stall {stall:.4g} {units['effort']}, no load"
            f" {free:.4g} {units['velocity']}"
        )
    for name in ("pd", "dc_motor", "friction", "thermal", "elastic"):
        node = getattr(motor, name)
        acts = {
            "dc_motor": has_line(motor),
            "elastic": motor.motor_model == "series_elastic",
        }
        if acts.get(name, True) and (said := _said(node, motor)):
            lines.append(f"{name}: {said}")
    return lines


def load_lines(
    motors: Sequence[MotorNode], drive: str, step: float
) -> list[str]:
    """Returns a line on how far friction by load is off, if it is.

    Args:
        motors: of a driver.
        drive: of that driver.
        step: of the plant, s.
    """
    if drive != "implicit" or not any(
        is_modelled(motor) and has_load_friction(motor) for motor in motors
    ):
        return []
    apart = ""
    if len(motors) > 1:
        apart = (
            "; it counts how other joints' acceleration loads a joint, and drive:"
            " torque does not: 4 to 50 % apart in an arm of two"
        )
    late = f"{_LATE * step:.2g} %"
    return [f"  friction by load is a step late, some {late} off{apart}"]


def _said(node: object, motor: MotorNode) -> str:
    """Returns the fields of a motor's node that are no defaults, with their units."""
    default, said = type(node)(), []
    for name, field in declared(type(node)).items():
        value = getattr(node, name)
        if value != getattr(default, name):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            linear = isinstance(motor, LinearMotor)
            unit = unit_text(field.unit, is_linear=linear)
            said.append(f"{name} {text} {unit}".rstrip())
    return ", ".join(said)
