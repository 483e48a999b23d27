"""What Webots' nodes may hold: checks, and Webots' fallbacks for bad values."""

import dataclasses as dc
import math
import typing

from webmotor_drake.errors import InputError, below, warn
from webmotor_drake.nodes.motors import (
    JointParameters,
    MotorNode,
    Muscle,
    PositionSensor,
    max_effort,
)

# What Webots takes for a volume that is not above 0 (WbMuscle.cpp), m^3.
_MUSCLE_VOLUME = 0.2


def check_numbers(node: typing.Any) -> None:
    """Raises InputError if a number of `node`, or in what it holds, is not finite."""
    for field in dc.fields(node):
        value: typing.Any = getattr(node, field.name)
        several = isinstance(value, list)
        parts = typing.cast(list[typing.Any], value if several else [value])
        for i, part in enumerate(parts):
            if isinstance(part, float) and not math.isfinite(part):
                raise InputError(
                    f"{part} is not allowed; a finite number is",
                    path=(field.name,),
                )
            if dc.is_dataclass(part):
                with below(field.name, i):
                    check_numbers(part)


def check_motor(motor: MotorNode) -> None:
    """Raises InputError for values that no motor can have.

    Negative gains are refused (Webots warns and keeps them): such a motor runs
    away from its target. What Webots mends is left to `motor_with_fallbacks`.
    """
    if not motor.joint:
        raise InputError("a motor needs the name of its joint", path=("joint",))
    check_numbers(motor)
    gains = motor.control_pid
    problem = ""
    if len(gains) != 3:
        problem = f"{len(gains)} numbers; three are needed: P, I, D"
    elif min(gains) < 0:
        problem = f"{gains} has a negative gain; gains are at least 0"
    if problem:
        raise InputError(problem, path=("control_pid",))
    check_not_negative(motor, "consumption_factor")
    for i, muscle in enumerate(motor.muscles):
        with below("muscles", i):
            _check_muscle(muscle)


def _check_muscle(muscle: Muscle) -> None:
    """Raises InputError for what cannot be drawn."""
    triples: dict[tuple[str | int, ...], list[float]] = {
        ("start_offset",): muscle.start_offset,
        ("end_offset",): muscle.end_offset,
        **{("color", i): color for i, color in enumerate(muscle.color)},
    }
    for path, numbers in triples.items():
        if len(numbers) != 3:
            problem = f"{len(numbers)} numbers; three are needed"
            raise InputError(problem, path=path)
        for number in numbers:
            if path[0] == "color" and not 0 <= number <= 1:
                problem = f"{number} is not allowed; a number from 0 to 1 is"
                raise InputError(problem, path=path)


def check_not_negative(node: typing.Any, field: str) -> None:
    """Raises InputError for a field below 0."""
    value = getattr(node, field)
    if value < 0:
        raise InputError(
            f"{value} is negative; at least 0 is allowed", path=(field,)
        )


def check_parameters(parameters: JointParameters) -> None:
    """Raises InputError for values that no joint can have."""
    check_numbers(parameters)
    if parameters.reflected_inertia is not None:
        check_not_negative(parameters, "reflected_inertia")


def check_sensor(sensor: PositionSensor) -> None:
    """Raises InputError for values that no position sensor can have."""
    check_numbers(sensor)
    check_not_negative(sensor, "noise")
    if sensor.resolution <= 0 and sensor.resolution != -1:
        raise InputError(
            f"{sensor.resolution} is not allowed; -1 (none) or a number above"
            " 0 is",
            path=("resolution",),
        )


def motor_with_fallbacks(name: str, motor: MotorNode) -> MotorNode:
    """Returns `motor` with Webots' fallbacks for bad values, each with a warning.

    Args:
        name: the motor's name, for the warnings.
        motor: a checked node (see `check_motor`).

    The rules are those of WbMotor.cpp and WbFieldChecker.cpp.
    """
    changes: dict[str, float] = {}
    if motor.max_velocity < 0:
        changes["max_velocity"] = -motor.max_velocity
    if motor.acceleration < 0 and motor.acceleration != -1:
        changes["acceleration"] = -1.0
    if motor.multiplier == 0:
        changes["multiplier"] = 1.0
    if max_effort(motor) < 0:
        changes[motor.effort_field] = 10.0
    for field, value in changes.items():
        old = getattr(motor, field)
        warn(f"{name}.{field}: {old:g} is not allowed; {value:g} is used")
    muscles = [_with_volume(name, muscle) for muscle in motor.muscles]
    if motor.control_pid[0] == 0:
        warn(f"{name}: the gain P is 0; the motor does not seek its target")
    return dc.replace(motor, muscles=muscles, **changes)


def _with_volume(name: str, muscle: Muscle) -> Muscle:
    """Returns the muscle with Webots' volume where its own is none."""
    if muscle.volume > 0:
        return muscle
    warn(
        f"{name}: a muscle's volume of {muscle.volume:g} m³ is not allowed;"
        f" {_MUSCLE_VOLUME:g} m³ is used"
    )
    return dc.replace(muscle, volume=_MUSCLE_VOLUME)


def widened(name: str, motor: MotorNode, position: float) -> MotorNode:
    """Returns `motor` with soft limits that hold the joint's `position`.

    Webots widens them, with a warning, unless both are 0 (WbMotor.cpp
    checkMinAndMaxPosition).
    """
    changes: dict[str, float] = {}
    if motor.min_position != 0 or motor.max_position != 0:
        if position > motor.max_position:
            changes["max_position"] = position
        if position < motor.min_position:
            changes["min_position"] = position
    unit = motor.units["position"]
    for field in changes:
        warn(
            f"{name}.{field}: {getattr(motor, field):g} {unit} leaves out the"
            f" joint's position {position:g} {unit}; {position:g} {unit} is used"
        )
    return dc.replace(motor, **changes)


def parameters_with_fallbacks(
    joint: str, parameters: JointParameters
) -> JointParameters:
    """Returns `parameters` with Webots' fallbacks, each with a warning.

    Negative constants lose their sign (WbJointParameters.cpp); stops out of
    order are swapped (WbMathsUtilities.cpp).
    """
    check_numbers(parameters)
    changes: dict[str, float] = {}
    for field in ("spring_constant", "damping_constant", "static_friction"):
        value = getattr(parameters, field)
        if value < 0:
            changes[field] = -value
            warn(f"{joint}.{field}: {value:g} is negative; {-value:g} is used")
    low, high = parameters.min_stop, parameters.max_stop
    if low > high:
        changes.update(min_stop=high, max_stop=low)
        warn(f"{joint}: min_stop {low:g} is above max_stop {high:g}; swapped")
    return dc.replace(parameters, **changes)
