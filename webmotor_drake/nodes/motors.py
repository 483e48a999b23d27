"""The Webots nodes of a scenario: their fields and units.

Fields have Webots' names in snake_case and Webots' defaults (RotationalMotor.wrl,
LinearMotor.wrl, JointParameters.wrl, Muscle.wrl). Units are SI: radians and
newton metres for a rotational motor, metres and newtons for a linear one.
"""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.field_docs import with_inherited_fields


@dc.dataclass
class Muscle:
    """Webots' Muscle: a spheroid drawn between parent and child of a joint.

    It swells and changes its colour with what its motor does; see `muscle_shape`.

    Attributes:
        volume: constant volume of the spheroid, m^3.
        start_offset: where it starts, in the parent's frame, m.
        end_offset: where it ends, in the child's frame, m.
        color: colours (RGB, 0 to 1) at rest, contracting and relaxing; red where
            there is none.
        cast_shadows: kept; Meshcat's shadows are those of its light.
        visible: whether it is drawn.
    """

    volume: float = 0.01
    start_offset: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    end_offset: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    color: list[list[float]] = dc.field(default_factory=list[list[float]])
    cast_shadows: bool = True
    visible: bool = True


@dc.dataclass
class Motor:
    """What RotationalMotor and LinearMotor share (Webots' abstract Motor).

    Attributes:
        joint: name of the joint in the model that the motor drives.
        acceleration: limit on the change of the velocity command, rad/s^2 or
            m/s^2; -1: none.
        consumption_factor: energy drawn per second and unit of effort, J/(s N m)
            or J/(s N).
        control_pid: gains P (1/s), I (1/s^2), D (1) from position error to
            velocity.
        max_velocity: largest and initial target velocity, rad/s or m/s.
        min_position: lower soft limit of the target position, rad or m.
        max_position: upper soft limit; equal to the lower: none.
        multiplier: factor on position, velocity and effort commands; not a gear
            ratio.
        sound: what `--sound` plays: a WAV file beside the scenario, "default" for a
            clip of our own, which also stands for URLs, or "" for silence.
        muscles: drawn in Meshcat and in recordings.
    """

    joint: str = ""
    acceleration: float = -1.0
    consumption_factor: float = 10.0
    control_pid: list[float] = dc.field(
        default_factory=lambda: [10.0, 0.0, 0.0]
    )
    max_velocity: float = 10.0
    min_position: float = 0.0
    max_position: float = 0.0
    multiplier: float = 1.0
    sound: str = "default"
    muscles: list[Muscle] = dc.field(default_factory=list[Muscle])


@with_inherited_fields
@dc.dataclass
class RotationalMotor(Motor):
    """Webots' RotationalMotor: drives a revolute joint.

    Attributes:
        max_torque: largest and initial available torque, N m.
    """

    max_torque: float = 10.0

    effort_field: typing.ClassVar[str] = "max_torque"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "rad",
        "velocity": "rad/s",
        "acceleration": "rad/s²",
        "effort": "N·m",
    }


@with_inherited_fields
@dc.dataclass
class LinearMotor(Motor):
    """Webots' LinearMotor: drives a prismatic joint.

    Attributes:
        max_force: largest and initial available force, N.
    """

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
    """Webots' JointParameters: the passive part of a joint.

    Attributes:
        min_stop: lower mechanical stop, rad or m.
        max_stop: upper stop; equal to the lower: the model's own limits hold.
        spring_constant: spring towards position 0, N m/rad or N/m.
        damping_constant: viscous damper, N m s/rad or N s/m.
        static_friction: Coulomb friction, N m or N; shares the motor's bound by
            max.
        reflected_inertia: of what turns with the motor, as the joint feels it,
            kg m^2 or kg: Drake's rotor_inertia times gear_ratio^2, which it
            replaces. None: the model's own.
        kinematic: whether the joint simply moves, as in Webots without Physics.
    """

    min_stop: float = 0.0
    max_stop: float = 0.0
    spring_constant: float = 0.0
    damping_constant: float = 0.0
    static_friction: float = 0.0
    reflected_inertia: float | None = None
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

    @property
    def needs_actuator(self) -> bool:
        """Whether there is something that Drake has at actuators only."""
        return self.has_effort or self.reflected_inertia is not None


@dc.dataclass
class Brake:
    """Webots' Brake: a damper that commands set.

    Attributes:
        joint: name of the joint in the model.
    """

    joint: str = ""


@dc.dataclass
class PositionSensor:
    """Webots' PositionSensor, for controllers.

    Attributes:
        joint: name of the joint in the model.
        offset: what it measures at joint position 0, rad or m. The motor's own
            control is not misled by it.
        noise: standard deviation of the noise, rad or m.
        resolution: step of the value, rad or m; -1: none.
    """

    joint: str = ""
    offset: float = 0.0
    noise: float = 0.0
    resolution: float = -1.0


@dc.dataclass
class Servo:
    """Webots' old Servo: motor and joint parameters in one node.

    Two of its rules are not Webots' any more and not ours: its spring rests at
    joint position 0, and its controller is a PID with I = D = 0 (WbMotor.cpp).

    Attributes:
        joint: name of the joint in the model that it drives.
        type: "rotational" or "linear".
        max_velocity: largest and initial target velocity, rad/s or m/s.
        max_force: largest and initial available effort, N m or N; 0: passive.
        control_p: gain from position error to velocity, 1/s.
        acceleration: limit on the change of the velocity command, rad/s^2 or
            m/s^2; -1: none.
        position: position at the start, rad or m.
        min_position: lower soft limit of the target position, rad or m.
        max_position: upper soft limit; equal to the lower: none.
        min_stop: lower mechanical stop, rad or m.
        max_stop: upper stop; equal to the lower: the model's own limits hold.
        spring_constant: spring towards position 0, N m/rad or N/m.
        damping_constant: viscous damper, N m s/rad or N s/m.
    """

    joint: str = ""
    type: str = "rotational"
    max_velocity: float = 10.0
    max_force: float = 10.0
    control_p: float = 10.0
    acceleration: float = -1.0
    position: float = 0.0
    min_position: float = 0.0
    max_position: float = 0.0
    min_stop: float = 0.0
    max_stop: float = 0.0
    spring_constant: float = 0.0
    damping_constant: float = 0.0


@dc.dataclass
class RotationalServo(RotationalMotor):
    """The motor of a rotational Servo: its max_torque is called max_force.

    Attributes:
        max_force: largest and initial available torque, N m.
    """

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


def _shared(servo: Servo, kind: type) -> dict[str, typing.Any]:
    """Returns the fields of a Servo that another node has, too."""
    names = {field.name for field in dc.fields(kind)}
    return {n: v for n, v in vars(servo).items() if n in names}


def max_effort(motor: MotorNode) -> float:
    """Returns max_torque (N m) or max_force (N)."""
    return getattr(motor, motor.effort_field)
