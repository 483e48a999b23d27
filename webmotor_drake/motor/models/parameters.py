"""The parameters of motor models, side by side: a record per motor."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, warn
from webmotor_drake.loops import record
from webmotor_drake.nodes.motor_models import MODELS, Friction
from webmotor_drake.nodes.motors import (
    MotorNode,
    acting_parts,
    is_modelled,
    max_effort,
)

# The fields of `Friction` that bound dry friction.
DRY = (
    *("coulomb", "stribeck", "stribeck_velocity", "alpha"),
    *Friction.loads,
)


# Two values agree within this share: data sheets round, and some count friction.
_AGREE = 0.2
_COPPER, _COLD = 0.0039, 25.0  # 1/K from that temperature on, °C
# The constants of a modelled motor.
LAW = record("Law")


def model_rows(
    motors: Mapping[str, MotorNode], *joints: Sequence[float] | np.ndarray
) -> np.ndarray:
    """Returns `LAW` records of the motors that have a model, m of them.

    Args:
        motors: the nodes by name, after Webots' fallbacks, n of them.
        joints: their joints' static friction, which acts beside these motors, N m or N;
            position gains matched to `control_pid`, N m/rad or N/m; velocity gains, N m
            s/rad or N s/m; inertia that rotors reflect, kg m^2 or kg; each (n,).

    Raises:
        InputError: a motor model that lacks a value.
    """
    columns = [
        _column(i, name, motor, *own)
        for i, ((name, motor), *own) in enumerate(
            zip(motors.items(), *joints, strict=True)
        )
        if is_modelled(motor)
    ]
    return np.array(
        [tuple(column[name] for name in LAW.names or ()) for column in columns],
        LAW,
    )


def _column(
    i: int,
    name: str,
    motor: MotorNode,
    static: float,
    kp: float,
    kd: float,
    rotor: float,
) -> dict[str, float]:
    pd, dc_motor, thermal = motor.pd, motor.dc_motor, motor.thermal
    elastic = motor.elastic
    model = MODELS[motor.motor_model]
    line = has_line(motor)
    stall, free = math.inf, math.inf
    if line:
        _warn_of_guess(name, motor)
        stall, free = dc_motor.line(max_effort(motor), motor.max_velocity)
    by_voltage = line and dc_motor.control == "voltage"
    return {
        "place": i,
        "kp": kp if pd.kp is None else pd.kp,
        "kd": kd if pd.kd is None else pd.kd,
        "explicit": pd.explicit or by_voltage or model.explicit,
        "learned": "learned" in model.parts,
        "by_voltage": by_voltage,
        "duty_gain": dc_motor.error_gain * stall if by_voltage else 0.0,
        "max_duty": dc_motor.max_duty * stall if by_voltage else 0.0,
        "line": line,
        "stall": stall,
        "drop": stall / free if line else 0.0,
        "per_current": dc_motor.torque_per_current if line else math.nan,
        "continuous": _continuous_effort(name, motor, stall),
        "time_constant": thermal.time_constant,
        "recovery": thermal.recovery,
        "ambient": thermal.ambient,
        "warming": thermal.max_temperature - thermal.ambient,
        "static_friction": static,
        "rotor": rotor,
        **_friction(motor),
        "elastic": _has_spring(name, motor),
        "stiffness": elastic.stiffness or 0.0,
        "damping": elastic.damping,
        "gap": elastic.backlash / 2,
        "inertia": elastic.motor_inertia or 0.0,
        "viscous": motor.friction.viscous,
        "sees_link": elastic.encoder == "link",
    }


def has_line(motor: MotorNode) -> bool:
    """Returns whether a motor has a torque-speed line."""
    return "dc_motor" in acting_parts(motor)


def _warn_of_guess(name: str, motor: MotorNode) -> None:
    """Warns that a torque-speed line is made of a Webots motor's limits."""
    sheet = motor.dc_motor
    if sheet.torque_constant is not None:
        return
    guessed = [
        f"{field} is taken to be its {source}"
        for field, source in (
            ("stall_torque", motor.effort_field),
            ("no_load_speed", "max_velocity"),
        )
        if getattr(sheet, field) is None
    ]
    if guessed:
        warn(f"{name}.dc_motor: {', '.join(guessed)}")


def has_load_friction(motor: MotorNode) -> bool:
    """Returns whether a modelled motor's friction grows with its load."""
    return bool(_friction(motor)["has_load"])


def _friction(motor: MotorNode) -> dict[str, float]:
    """Returns the bounds of dry friction: a gear's losses grow with its load."""
    given = {name: getattr(motor.friction, name) for name in DRY}
    lost = 0.0
    if has_line(motor):
        lost = (1 - motor.dc_motor.efficiency) / (1 + motor.dc_motor.efficiency)
        given["coulomb"] += motor.dc_motor.dry_friction
    if "elastic" in acting_parts(motor):  # its spring is all of its load
        given["motor_load"] += lost
        given["external_load"] += lost
        lost = 0.0
    has_load = any(given[name] for name in Friction.loads)
    constant = not (has_load or given["stribeck"] or lost)
    return {
        **given,
        "lost": lost,
        "has_load": has_load,
        "constant_friction": constant,
    }


def _has_spring(name: str, motor: MotorNode) -> bool:
    """Returns whether a motor is before a spring; refuses one that lacks a constant."""
    found = "elastic" in acting_parts(motor)
    for field in ("stiffness", "motor_inertia"):
        if found and not getattr(motor.elastic, field):
            raise InputError(
                f"{motor.motor_model} needs {field}",
                path=("motors", name, "elastic", field),
            )
    return found


def _continuous_effort(name: str, motor: MotorNode, stall: float) -> float:
    """Returns the effort at the joint that a motor can hold for ever, N m or N.

    The node gives it as a torque, as a continuous (nominal) current, or by a thermal
    resistance: then a current heats the winding to its highest temperature, at which
    copper has more resistance than at the data sheet's 25 °C. Without any it is
    infinite.
    """
    found = _continuous_efforts(name, motor)
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


def _continuous_efforts(name: str, motor: MotorNode) -> dict[str, float]:
    """Returns continuous efforts by the fields that give them, the surest first."""
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
    """Returns the largest current, A; `cold` is in ohm, `resistance` in K/W."""
    thermal = motor.thermal
    hot = cold * (1 + _COPPER * (thermal.max_temperature - _COLD))
    warming = thermal.max_temperature - thermal.ambient
    return math.sqrt(warming / (hot * resistance))


def _at(name: str, field: str, problem: str) -> InputError:
    return InputError(problem, path=("motors", name, "thermal", field))
