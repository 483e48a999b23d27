"""Webots' old Servo: motor and joint parameters in one node."""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node
from webmotor_drake.nodes.field import declared, field, node
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


def _as_in(kind: type, name: str) -> typing.Any:
    """Declares a field with the default, meaning and unit of another node's field.

    It has no rule: the motor and the JointParameters that a Servo contains have one.
    """
    about = declared(kind)[name]
    return field(getattr(kind, name), about.about, about.unit)


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
    max_velocity: float = _as_in(Motor, "max_velocity")
    max_force: float = field(
        10.0, "largest and initial available effort; 0: passive", "N m or N"
    )
    control_p: float = field(
        10.0, "gain from position error to velocity", "1/s", AT_LEAST_0
    )
    acceleration: float = _as_in(Motor, "acceleration")
    position: float = field(0.0, "position at the start", "rad or m")
    min_position: float = _as_in(Motor, "min_position")
    max_position: float = _as_in(Motor, "max_position")
    min_stop: float = _as_in(JointParameters, "min_stop")
    max_stop: float = _as_in(JointParameters, "max_stop")
    spring_constant: float = _as_in(JointParameters, "spring_constant")
    damping_constant: float = _as_in(JointParameters, "damping_constant")

    @property
    def node_type(self) -> int:
        """The node number of the motor that it contains."""
        return motor_of(self).node_type

    def check(self) -> None:
        """Refuses values that its motor cannot have."""
        check_node(motor_of(self))


@node
class RotationalServo(RotationalMotor):
    """The motor of a rotational Servo: its max_torque is called max_force."""

    max_force: float = field(
        10.0, "largest and initial available torque", "N m", fallback=DEFAULT
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
    """Returns a Servo's values of the fields that another node has, too."""
    names = {field.name for field in dc.fields(kind)}
    return {n: v for n, v in vars(servo).items() if n in names}
