"""The Webots nodes of a scenario: their fields and units.

Fields have Webots' names in snake_case and Webots' defaults (RotationalMotor.wrl,
LinearMotor.wrl, JointParameters.wrl, Muscle.wrl). Units are SI: radians and
newton metres for a rotational motor, metres and newtons for a linear one.
"""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError


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
