"""The Webots nodes of a scenario: their fields, units, checks and fallbacks.

Fields have Webots' names in snake_case and Webots' defaults (RotationalMotor.wrl,
LinearMotor.wrl, JointParameters.wrl, Muscle.wrl). Units are SI: radians and
newton metres for a rotational motor, metres and newtons for a linear one.
"""

import dataclasses as dc
import math
import typing
import warnings

from webmotor_drake.errors import InputError, MotorWarning


@dc.dataclass
class Muscle:
    """Webots' Muscle: a spheroid drawn between parent and child of a joint."""

    # Constant volume of the spheroid, m^3.
    volume: float = 0.01
    # Where it starts, in the parent's frame, m.
    start_offset: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    # Where it ends, in the child's frame, m.
    end_offset: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    # Colours (RGB, 0 to 1) at rest, contracting and relaxing.
    color: list[list[float]] = dc.field(default_factory=list)
    cast_shadows: bool = True
    visible: bool = True


@dc.dataclass
class Motor:
    """What RotationalMotor and LinearMotor share (Webots' abstract Motor)."""

    # Name of the joint in the model that the motor drives.
    joint: str = ""
    # Limit on the change of the velocity command, rad/s^2 or m/s^2; -1: none.
    acceleration: float = -1.0
    # Energy drawn per second and unit of effort, J/(s N m) or J/(s N).
    consumption_factor: float = 10.0
    # Gains P (1/s), I (1/s^2), D (1) from position error to velocity.
    control_pid: list[float] = dc.field(
        default_factory=lambda: [10.0, 0.0, 0.0]
    )
    # Largest and initial target velocity, rad/s or m/s.
    max_velocity: float = 10.0
    # Soft limits of the target position, rad or m; equal: none.
    min_position: float = 0.0
    max_position: float = 0.0
    # Factor on position, velocity and effort commands; not a gear ratio.
    multiplier: float = 1.0
    # URL of the motor's sound; kept, not played.
    sound: str = ""
    # Kept for viewers.
    muscles: list[Muscle] = dc.field(default_factory=list)


@dc.dataclass
class RotationalMotor(Motor):
    """Webots' RotationalMotor: drives a revolute joint."""

    # Largest and initial available torque, N m.
    max_torque: float = 10.0

    effort_field: typing.ClassVar[str] = "max_torque"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "rad",
        "velocity": "rad/s",
        "acceleration": "rad/s²",
        "effort": "N·m",
    }


@dc.dataclass
class LinearMotor(Motor):
    """Webots' LinearMotor: drives a prismatic joint."""

    # Largest and initial available force, N.
    max_force: float = 10.0

    effort_field: typing.ClassVar[str] = "max_force"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "m",
        "velocity": "m/s",
        "acceleration": "m/s²",
        "effort": "N",
    }


MotorNode = RotationalMotor | LinearMotor


@dc.dataclass
class JointParameters:
    """Webots' JointParameters: the passive part of a joint."""

    # Mechanical stops, rad or m; equal: the model's own limits hold.
    min_stop: float = 0.0
    max_stop: float = 0.0
    # Spring towards position 0, N m/rad or N/m.
    spring_constant: float = 0.0
    # Viscous damper, N m s/rad or N s/m.
    damping_constant: float = 0.0
    # Coulomb friction, N m or N; shares the motor's bound by max.
    static_friction: float = 0.0
    # Whether the joint simply moves, as in Webots without Physics.
    kinematic: bool = False

    @property
    def has_stops(self) -> bool:
        """Whether the stops are active (Webots: iff they differ)."""
        return self.min_stop != self.max_stop

    @property
    def has_effort(self) -> bool:
        """Whether there is a spring, a damper or friction."""
        return bool(
            self.spring_constant
            or self.damping_constant
            or self.static_friction
        )


@dc.dataclass
class Brake:
    """Webots' Brake: a damper that commands set."""

    # Name of the joint in the model.
    joint: str = ""


@dc.dataclass
class PositionSensor:
    """Webots' PositionSensor, for controllers."""

    # Name of the joint in the model.
    joint: str = ""
    # Standard deviation of the noise, rad or m.
    noise: float = 0.0
    # Step of the value, rad or m; -1: none.
    resolution: float = -1.0


@dc.dataclass
class Servo:
    """Webots' old Servo: motor and joint parameters in one node.

    Two of its rules are not Webots' any more and not ours: its spring rests at
    joint position 0, and its controller is a PID with I = D = 0 (WbMotor.cpp).
    """

    # Name of the joint in the model that it drives.
    joint: str = ""
    # "rotational" or "linear".
    type: str = "rotational"
    max_velocity: float = 10.0
    # Largest and initial available effort, N m or N; 0: passive.
    max_force: float = 10.0
    # Gain from position error to velocity, 1/s.
    control_p: float = 10.0
    acceleration: float = -1.0
    # Position at the start, rad or m.
    position: float = 0.0
    min_position: float = 0.0
    max_position: float = 0.0
    min_stop: float = 0.0
    max_stop: float = 0.0
    spring_constant: float = 0.0
    damping_constant: float = 0.0


@dc.dataclass
class RotationalServo(RotationalMotor):
    """The motor of a rotational Servo: its max_torque is called max_force."""

    max_force: float = 10.0
    effort_field: typing.ClassVar[str] = "max_force"


def motor_of(servo: Servo) -> MotorNode:
    """Returns the motor that a Servo contains.

    Raises:
        InputError: its type is neither "rotational" nor "linear".
    """
    fields = _shared(servo, Motor)
    fields["control_pid"] = [servo.control_p, 0.0, 0.0]
    if servo.type == "rotational":
        return RotationalServo(max_force=servo.max_force, **fields)
    if servo.type == "linear":
        return LinearMotor(max_force=servo.max_force, **fields)
    raise InputError(
        f"{servo.type!r}; rotational or linear is allowed", path=("type",)
    )


def parameters_of(servo: Servo) -> JointParameters:
    """Returns the JointParameters that a Servo contains."""
    return JointParameters(**_shared(servo, JointParameters))


def _shared(servo: Servo, kind: type) -> dict[str, float | str]:
    """Returns the fields of a Servo that another node has, too."""
    names = {field.name for field in dc.fields(kind)}
    return {n: v for n, v in vars(servo).items() if n in names}


def max_effort(motor: MotorNode) -> float:
    """Returns max_torque (N m) or max_force (N)."""
    return getattr(motor, motor.effort_field)


def check_numbers(node: object) -> None:
    """Raises InputError if a number of `node`, or in what it holds, is not finite."""
    for field in dc.fields(node):
        value = getattr(node, field.name)
        for i, part in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(part, float) and not math.isfinite(part):
                raise InputError(
                    f"{part} is not allowed; a finite number is",
                    path=(field.name,),
                )
            if dc.is_dataclass(part):
                try:
                    check_numbers(part)
                except InputError as error:
                    raise error.below(field.name, i) from None


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


def check_not_negative(node: object, field: str) -> None:
    """Raises InputError for a field below 0."""
    value = getattr(node, field)
    if value < 0:
        raise InputError(
            f"{value} is negative; at least 0 is allowed", path=(field,)
        )


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
    changes = {}
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
    if motor.control_pid[0] == 0:
        warn(f"{name}: the gain P is 0; the motor does not seek its target")
    return dc.replace(motor, **changes)


def widened(name: str, motor: MotorNode, position: float) -> MotorNode:
    """Returns `motor` with soft limits that hold the joint's `position`.

    Webots widens them, with a warning, unless both are 0 (WbMotor.cpp
    checkMinAndMaxPosition).
    """
    changes = {}
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
    changes = {}
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


def warn(message: str) -> None:
    """Issues `message` as a MotorWarning."""
    warnings.warn(message, MotorWarning, stacklevel=3)
