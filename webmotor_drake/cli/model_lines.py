"""The lines of `webmotor check` about a motor that is no Webots servo."""

import dataclasses as dc

from webmotor_drake.motor.models.parameters import has_line
from webmotor_drake.nodes.field import declared
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.motors import MotorNode, max_effort


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
        if acts.get(name, True) and (said := _said(node)):
            lines.append(f"{name}: {said}")
    return lines


def _said(node: object) -> str:
    """Returns the fields of a node that are no defaults, with their units."""
    default, units = type(node)(), declared(type(node))
    values = {
        f.name: getattr(node, f.name)
        for f in dc.fields(node)  # type: ignore[arg-type]
        if getattr(node, f.name) != getattr(default, f.name)
    }
    return ", ".join(_quantity(n, v, units[n].unit) for n, v in values.items())


def _quantity(name: str, value: object, unit: str) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    unit = "" if unit == "1" else unit.partition(" or ")[0]
    return f"{name} {text} {unit}".rstrip()
