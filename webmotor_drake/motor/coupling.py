"""Coupled motors: groups by name, limits harmonised as Webots does.

Motors of a robot named ``gripper::left`` and ``gripper::right`` are coupled: a
position, velocity or effort command to one is relayed to all, each applying its
own multiplier (WbMotor.cpp inferMotorCouplings). Nothing is coupled mechanically.
"""

import dataclasses as dc
import math
from collections.abc import Mapping

from webmotor_drake.errors import warn
from webmotor_drake.nodes.motors import MotorNode


def coupled_motors(names: list[str]) -> list[list[int]]:
    """Returns for each motor the indices of its group, itself included.

    A name couples iff it splits on ``::`` into exactly two parts.
    """
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        parts = name.split("::")
        key = f"{parts[0]}::" if len(parts) == 2 else name
        groups.setdefault(key, []).append(index)
    group_of = {i: members for members in groups.values() for i in members}
    return [group_of[i] for i in range(len(names))]


def harmonised(motors: Mapping[str, MotorNode]) -> dict[str, MotorNode]:
    """Returns `motors` with consistent limits of coupled ones.

    The first motor of a group in device order dictates: soft limits and
    max_velocity of the others follow by the ratio of the multipliers, each
    change with a warning (WbMotor.cpp checkMultiplierAcrossCoupledMotors). A
    coupled name without a sibling is warned of.
    """
    names = list(motors)
    result = dict(motors)
    for name, group in zip(names, coupled_motors(names), strict=True):
        first = names[group[0]]
        if name != first:
            result[name] = _following(name, motors[name], first, motors[first])
        elif len(group) == 1 and name.count("::") == 1:
            warn(f"{name}: no other motor is named {name.split('::')[0]}::…")
    return result


def _following(
    name: str, motor: MotorNode, first_name: str, first: MotorNode
) -> MotorNode:
    """Returns `motor` with the limits that `first`, its leader, dictates."""
    ratio = motor.multiplier / first.multiplier
    low, high = sorted((first.min_position * ratio, first.max_position * ratio))
    wanted = {
        "min_position": low,
        "max_position": high,
        "max_velocity": first.max_velocity * abs(ratio),
    }
    changes = {}
    for field, value in wanted.items():
        old = getattr(motor, field)
        if not math.isclose(old, value, rel_tol=1e-12):
            changes[field] = value
            warn(
                f"{name}.{field}: {old:g} does not fit the coupled motor"
                f" {first_name}; {value:g} is used"
            )
    return dc.replace(motor, **changes)
