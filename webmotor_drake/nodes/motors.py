"""Webots' motors, and the other nodes of a joint.

Fields have Webots' names in snake_case and Webots' defaults. Units are SI: radians and
newton metres for a rotational motor, metres and newtons for a linear one.
"""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError, warn
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.field import Fallback, field, node
from webmotor_drake.nodes.motor_models import (
    MODELS,
    DcMotor,
    Elastic,
    Friction,
    Learned,
    Pd,
    Thermal,
)
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    COLOR,
    DIRECTION,
    POINT,
    POSITIVE_OR_NONE,
    each,
    needed,
    numbers,
    one_of,
)

__all__ = [
    "Brake",
    "JointParameters",
    "LinearMotor",
    "MotorNode",
    "Muscle",
    "PositionSensor",
    "RotationalMotor",
    "Servo",
    "max_effort",
]

_JOINT = "name of the joint in the model"


# Webots' fallbacks (WbMotor.cpp, WbJointParameters.cpp, WbMuscle.cpp).
_NO_LIMIT = Fallback("negative: -1", lambda v: -1.0 if v < 0 else v)
_DEFAULT = Fallback("negative: 10", lambda v: 10.0 if v < 0 else v)
_MAGNITUDE = Fallback("negative: its magnitude", abs)
_NOT_ZERO = Fallback("0: 1", lambda v: v or 1.0)
_VOLUME = Fallback("0 or less: 0.2", lambda v: v if v > 0 else 0.2)


@node
class Muscle:
    """Webots' Muscle: a spheroid drawn between parent and child of a joint.

    It swells and changes its colour with what its motor does; see `muscle_shape`
    (WbMuscle.cpp).
    """

    volume: float = field(
        0.01,
        "constant volume of the spheroid",
        unit="m³",
        fallback=_VOLUME,
    )
    start_offset: list[float] = field(
        [0.0] * 3,
        "where it starts, in the parent's frame",
        unit="m",
        rule=POINT,
    )
    end_offset: list[float] = field(
        [0.0] * 3, "where it ends, in the child's frame", unit="m", rule=POINT
    )
    color: list[list[float]] = field(
        list[list[float]](),
        "colours at rest, contracting and relaxing; default: red",
        rule=each(COLOR),
    )
    cast_shadows: bool = field(
        True, "kept; Meshcat's shadows are those of its light"
    )
    visible: bool = field(True, "whether it is drawn")


@node
class Motor:
    """The common fields of RotationalMotor and LinearMotor (Webots' abstract Motor)."""

    joint: str = field(
        "",
        "name of the joint in the model that the motor drives",
        rule=needed("a motor needs the name of its joint"),
    )
    acceleration: float = field(
        -1.0,
        "limit on the change of the velocity command; -1: none",
        unit="rad/s^2 or m/s^2",
        fallback=_NO_LIMIT,
    )
    consumption_factor: float = field(
        10.0,
        "energy drawn per second and unit of effort",
        unit="J/(s N m) or J/(s N)",
        rule=AT_LEAST_0,
    )
    control_pid: list[float] = field(
        [10.0, 0.0, 0.0],
        "gains P (1/s), I (1/s^2), D (1) from position error to velocity; negative"
        " ones are refused (Webots warns and keeps them): such a motor runs away",
        rule=numbers("P, I, D", AT_LEAST_0),
    )
    max_velocity: float = field(
        10.0,
        "largest and initial target velocity",
        unit="rad/s or m/s",
        fallback=_MAGNITUDE,
    )
    min_position: float = field(
        0.0, "lower soft limit of the target position", unit="rad or m"
    )
    max_position: float = field(
        0.0, "upper soft limit; equal to the lower: none", unit="rad or m"
    )
    multiplier: float = field(
        1.0,
        "factor on position, velocity and effort commands; not a gear ratio",
        fallback=_NOT_ZERO,
    )
    sound: str = field(
        "default",
        'what `--sound` plays: a WAV file beside the scenario, "default" for a clip'
        ' of our own, which also stands for URLs, or "" for silence',
    )
    muscles: list[Muscle] = field(
        list[Muscle](), "drawn in Meshcat and in recordings"
    )
    motor_model: str = field(
        "",
        "which kind of motor it is, see Motor models; default: the driver's",
        rule=one_of("", *MODELS, kind="motor model"),
    )
    pd: Pd = field(Pd(), "its loop, unless it is a Webots servo")
    dc_motor: DcMotor = field(DcMotor(), "its data sheet, as a DC motor")
    friction: Friction = field(
        Friction(), "of motor and gear, unless it is a Webots servo"
    )
    thermal: Thermal = field(
        Thermal(), "how it heats up, unless it is a Webots servo"
    )
    elastic: Elastic = field(
        Elastic(), "the spring behind its gear, in series_elastic"
    )
    learned: Learned = field(Learned(), "its network, in learned")

    def mended(self, name: str) -> None:
        """Warns of a motor that Webots keeps as it is.

        Args:
            name: of the motor, for the warning.
        """
        if self.control_pid[0] == 0:
            warn(f"{name}: the gain P is 0; the motor does not seek its target")


@node
class RotationalMotor(Motor):
    """Webots' RotationalMotor: drives a revolute joint (WbRotationalMotor.cpp)."""

    node_type: typing.ClassVar[int] = Node.ROTATIONAL_MOTOR

    max_torque: float = field(
        10.0,
        "largest and initial available torque",
        unit="N m",
        fallback=_DEFAULT,
    )

    effort_field: typing.ClassVar[str] = "max_torque"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "rad",
        "velocity": "rad/s",
        "acceleration": "rad/s²",
        "effort": "N·m",
    }


@node
class LinearMotor(Motor):
    """Webots' LinearMotor: drives a prismatic joint (WbLinearMotor.cpp)."""

    node_type: typing.ClassVar[int] = Node.LINEAR_MOTOR

    max_force: float = field(
        10.0, "largest and initial available force", unit="N", fallback=_DEFAULT
    )

    effort_field: typing.ClassVar[str] = "max_force"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "m",
        "velocity": "m/s",
        "acceleration": "m/s²",
        "effort": "N",
    }


MotorNode = RotationalMotor | LinearMotor


@node
class JointParameters:
    """Webots' JointParameters: the passive part of a joint (WbJointParameters.cpp)."""

    min_stop: float = field(0.0, "lower mechanical stop", unit="rad or m")
    max_stop: float = field(
        0.0,
        "upper stop; equal to the lower: the model's own limits hold",
        unit="rad or m",
    )
    spring_constant: float = field(
        0.0,
        "spring towards position 0",
        unit="N m/rad or N/m",
        fallback=_MAGNITUDE,
    )
    damping_constant: float = field(
        0.0, "viscous damper", unit="N m s/rad or N s/m", fallback=_MAGNITUDE
    )
    static_friction: float = field(
        0.0,
        "Coulomb friction; shares the motor's bound by max",
        unit="N m or N",
        fallback=_MAGNITUDE,
    )
    reflected_inertia: float | None = field(
        None,
        "of what turns with the motor, as the joint feels it: Drake's rotor_inertia"
        " times gear_ratio^2, which it replaces; default: the model's own",
        unit="kg m^2 or kg",
        rule=AT_LEAST_0,
    )
    kinematic: bool = field(
        False, "whether the joint simply moves, as in Webots without Physics"
    )
    suspension_spring_constant: float = field(
        0.0,
        "of the suspension of a hinge, or of a Hinge2Joint's first axis",
        unit="N/m",
        rule=AT_LEAST_0,
    )
    suspension_damping_constant: float = field(
        0.0, "of the same suspension", unit="N s/m", rule=AT_LEAST_0
    )
    suspension_axis: list[float] = field(
        [1.0, 0.0, 0.0],
        "along which it gives way, in the parent body's frame",
        rule=DIRECTION,
    )

    def mended(self, name: str) -> None:
        """Swaps stops that are out of order (WbMathsUtilities.cpp).

        Args:
            name: of the joint, for the warning.
        """
        low, high = self.min_stop, self.max_stop
        if low > high:
            self.min_stop, self.max_stop = high, low
            warn(
                f"{name}: min_stop {low:g} is above max_stop {high:g}; swapped"
            )

    @property
    def has_stops(self) -> bool:
        """True if the stops are active (Webots: iff they differ)."""
        return self.min_stop != self.max_stop

    @property
    def has_suspension(self) -> bool:
        """Whether there is a suspension: a spring or a damper of it."""
        return bool(
            self.suspension_spring_constant or self.suspension_damping_constant
        )

    @property
    def has_effort(self) -> bool:
        """True if the joint has a spring, a damper or friction."""
        return bool(
            self.spring_constant
            or self.damping_constant
            or self.static_friction
        )

    @property
    def needs_actuator(self) -> bool:
        """True if a field is set that Drake has at actuators only."""
        return self.has_effort or self.reflected_inertia is not None


def is_modelled(motor: MotorNode) -> bool:
    """Returns whether a motor is another than Webots' velocity servo."""
    return motor.motor_model not in ("", "webots")


def suspension_name(joint: str) -> str:
    """Returns the name of the slider that is a hinge's suspension."""
    return f"{joint}_suspension"


@node
class Brake:
    """Webots' Brake: a damper that commands set."""

    node_type: typing.ClassVar[int] = Node.BRAKE

    joint: str = field("", _JOINT)


@node
class PositionSensor:
    """Webots' PositionSensor, for controllers (WbPositionSensor.cpp)."""

    node_type: typing.ClassVar[int] = Node.POSITION_SENSOR

    joint: str = field("", _JOINT)
    offset: float = field(
        0.0,
        "what it measures at joint position 0; the motor's own control is not misled"
        " by it",
        unit="rad or m",
    )
    noise: float = field(
        0.0, "standard deviation of the noise", unit="rad or m", rule=AT_LEAST_0
    )
    resolution: float = field(
        -1.0, "step of the value", unit="rad or m", rule=POSITIVE_OR_NONE
    )


@node
class Servo:
    """Webots' old Servo: motor and joint parameters in one node.

    Two of its rules are not Webots' any more and not ours: its spring rests at
    joint position 0, and its controller is a PID with I = D = 0 (WbMotor.cpp).
    """

    joint: str = field("", f"{_JOINT} that it drives")
    type: str = field(
        "rotational",
        "what it drives",
        rule=one_of("rotational", "linear"),
    )
    max_velocity: float = field(
        10.0, "largest and initial target velocity", unit="rad/s or m/s"
    )
    max_force: float = field(
        10.0,
        "largest and initial available effort; 0: passive",
        unit="N m or N",
    )
    control_p: float = field(
        10.0,
        "gain from position error to velocity",
        unit="1/s",
        rule=AT_LEAST_0,
    )
    acceleration: float = field(
        -1.0,
        "limit on the change of the velocity command; -1: none",
        unit="rad/s^2 or m/s^2",
    )
    position: float = field(0.0, "position at the start", unit="rad or m")
    min_position: float = field(
        0.0, "lower soft limit of the target position", unit="rad or m"
    )
    max_position: float = field(
        0.0, "upper soft limit; equal to the lower: none", unit="rad or m"
    )
    min_stop: float = field(0.0, "lower mechanical stop", unit="rad or m")
    max_stop: float = field(
        0.0,
        "upper stop; equal to the lower: the model's own limits hold",
        unit="rad or m",
    )
    spring_constant: float = field(
        0.0, "spring towards position 0", unit="N m/rad or N/m"
    )
    damping_constant: float = field(
        0.0, "viscous damper", unit="N m s/rad or N s/m"
    )

    @property
    def node_type(self) -> int:
        """The number of the motor that it contains."""
        return motor_of(self).node_type

    def check(self) -> None:
        """Refuses values that its motor cannot have."""
        check_node(motor_of(self))


@node
class RotationalServo(RotationalMotor):
    """The motor of a rotational Servo: its max_torque is called max_force."""

    max_force: float = field(
        10.0,
        "largest and initial available torque",
        unit="N m",
        fallback=_DEFAULT,
    )
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


def _shared(servo: Servo, kind: type) -> dict[str, typing.Any]:
    """Returns the fields of a Servo that another node has, too."""
    names = {field.name for field in dc.fields(kind)}
    return {n: v for n, v in vars(servo).items() if n in names}


def max_effort(motor: MotorNode) -> float:
    """Returns max_torque (N m) or max_force (N)."""
    return getattr(motor, motor.effort_field)


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
    for limit in changes:
        warn(
            f"{name}.{limit}: {getattr(motor, limit):g} {unit} leaves out the"
            f" joint's position {position:g} {unit}; {position:g} {unit} is used"
        )
    return dc.replace(motor, **changes)
