"""The torque that a motor bears for ever, from its data sheet.

That is the torque itself; the continuous (nominal) current; or the thermal resistance,
with which a current heats the winding to its highest temperature, where copper has
more resistance than at the data sheet's 25 °C.
"""

import itertools
import math

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.motors import MotorNode, max_effort

# Two of them agree within this share: sheets round, and count friction or not.
_AGREE = 0.2
_COPPER, _COLD = 0.0039, 25.0  # 1/K from that temperature on, °C


def continuous_effort(name: str, motor: MotorNode, stall: float) -> float:
    """Returns the effort at the joint that a motor can hold for ever, N m or N.

    It is infinite if the node does not say it.

    Args:
        name: name of the motor, for errors.
        motor: its node.
        stall: its stall torque at the joint, N m or N; infinite if none is known.

    Raises:
        InputError: two sources of it disagree, one lacks what it needs, or it is
            above what the motor can make for a moment.
    """
    found = _found(name, motor)
    for (_, first), (field, second) in itertools.combinations(found.items(), 2):
        if abs(second - first) > _AGREE * first:
            raise _at(
                name,
                field,
                f"the {second:.4g} at the joint that it comes to contradicts the"
                f" {first:.4g} of {next(iter(found))}; leave out one of them",
            )
    if not found:
        return math.inf
    field, effort = next(iter(found.items()))
    for limit, what in (
        (max_effort(motor), f"its {motor.effort_field}"),
        (stall, "the stall torque of its dc_motor at the joint"),
    ):
        if 0 < limit < effort:  # one without power has no other limit
            raise _at(name, field, f"{effort:.4g} is above {limit:.4g}, {what}")
    return effort


def _found(name: str, motor: MotorNode) -> dict[str, float]:
    """Returns the efforts by the fields that say them, the surest first."""
    thermal, sheet = motor.thermal, motor.dc_motor
    found: dict[str, float] = {}
    if thermal.continuous_torque is not None:
        found["continuous_torque"] = thermal.continuous_torque
    for field, current in (
        ("continuous_current", thermal.continuous_current),
        ("thermal_resistance", thermal.thermal_resistance),
    ):
        if current is None:
            continue
        if sheet.torque_constant is None or sheet.resistance is None:
            raise _at(
                name,
                field,
                "needs torque_constant, resistance and supply_voltage of dc_motor",
            )
        if field == "thermal_resistance":
            current = _bearable(motor, sheet.resistance, current)
        found[field] = sheet.torque_per_current * current
    return found


def _bearable(motor: MotorNode, cold: float, resistance: float) -> float:
    """Returns the current (A) that heats a winding to its highest temperature.

    Its electrical resistance is `cold` at 25 °C, ohm, the thermal one is K/W.
    """
    thermal = motor.thermal
    hot = cold * (1 + _COPPER * (thermal.max_temperature - _COLD))
    warming = thermal.max_temperature - thermal.ambient
    return math.sqrt(warming / (hot * resistance))


def _at(name: str, field: str, problem: str) -> InputError:
    return InputError(problem, path=("motors", name, "thermal", field))
