"""Webots' old Servo: motor and joint parameters in one node."""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.joints import JOINT, JointParameters
from webmotor_drake.nodes.motors import (
    DEFAULT,
    LinearMotor,
    Motor,
    MotorNode,
    RotationalMotor,
)
from webmotor_drake.nodes.rules import AT_LEAST_0, one_of

__all__ = ["Servo"]


@node
class Servo:
    """Webots' old Servo: motor and joint parameters in one node.

    Two of its rules are not Webots' any more and not ours: its spring rests at
    joint position 0, and its controller is a PID with I = D = 0 (WbMotor.cpp).
    """

    joint: str = field("", f"{JOINT} that it drives")
    type: str = field(
        "rotational",
        "kind of joint that it drives",
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
        fallback=DEFAULT,
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
