"""Webots' motors.

Fields have Webots' names in snake_case and Webots' defaults. Units are SI: radians and
newton metres for a rotational motor, metres and newtons for a linear one.
"""

import dataclasses as dc
import typing

from webmotor_drake.errors import warn
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.field import Fallback, field, node, point
from webmotor_drake.nodes.joints import MAGNITUDE
from webmotor_drake.nodes.motor_models import (
    MODELS,
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
    each,
    needed,
    numbers,
    one_of,
)

__all__ = [
    "LinearMotor",
    "MotorNode",
    "Muscle",
    "RotationalMotor",
    "max_effort",
]

# Webots' fallbacks (WbMotor.cpp, WbJointParameters.cpp, WbMuscle.cpp).
_NO_LIMIT = Fallback("negative: -1", lambda v: -1.0 if v < 0 else v)
DEFAULT = Fallback("negative: 10", lambda v: 10.0 if v < 0 else v)
_NOT_ZERO = Fallback("0: 1", lambda v: v or 1.0)
_VOLUME = Fallback("0 or less: 0.2", lambda v: v if v > 0 else 0.2)


@node
class Muscle:
    """Webots' Muscle: a spheroid drawn between parent and child of a joint.

    It swells and changes its colour with what its motor does; see `Muscles`
    (WbMuscle.cpp).
    """

    volume: float = field(
        0.01, "constant volume of the spheroid", "m³", fallback=_VOLUME
    )
    start_offset: list[float] = point("its start, in the parent's frame")
    end_offset: list[float] = point("its end, in the child's frame")
    color: list[list[float]] = field(
        list[list[float]](),
        "colours at rest, contracting and relaxing; default: red",
        rule=each(COLOR),
    )
    cast_shadows: bool = field(
        True, "kept; Meshcat's shadows are those of its light"
    )
    visible: bool = field(True, "True if it is drawn")


@node
class Motor:
    """The common fields of RotationalMotor and LinearMotor (Webots' abstract Motor)."""

    joint: str = field(
        "",
        "name of the joint in the model that the motor drives",
        rule=needed("a motor needs the name of its joint"),
        ours=True,
    )
    acceleration: float = field(
        -1.0,
        "limit on the change of the velocity command; -1: none",
        "rad/s^2 or m/s^2",
        fallback=_NO_LIMIT,
    )
    consumption_factor: float = field(
        10.0,
        "energy drawn per second and unit of effort; a negative one charges",
        "J/(s N m) or J/(s N)",
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
        "rad/s or m/s",
        fallback=MAGNITUDE,
    )
    min_position: float = field(
        0.0, "lower soft limit of the target position", "rad or m"
    )
    max_position: float = field(
        0.0, "upper soft limit; equal to the lower: none", "rad or m"
    )
    multiplier: float = field(
        1.0,
        "factor on position, velocity and effort commands; not a gear ratio",
        fallback=_NOT_ZERO,
    )
    sound: str = field(
        "default",
        'clip that `--sound` plays: a WAV file beside the scenario, "default" for one'
        ' of our own, which also stands for URLs, or "" for silence',
        ours=True,
    )
    muscles: list[Muscle] = field(
        list[Muscle](), "drawn in Meshcat and in recordings", ours=True
    )
    motor_model: str = field(
        "",
        "kind of the motor, see Motor models; default: the driver's",
        rule=one_of("", *MODELS, kind="motor model"),
        ours=True,
    )
    pd: Pd = field(Pd(), "its loop, unless it is a Webots servo", ours=True)
    dc_motor: DcMotor = field(
        DcMotor(), "its data sheet, as a DC motor", ours=True
    )
    friction: Friction = field(
        Friction(), "of motor and gear, unless it is a Webots servo", ours=True
    )
    thermal: Thermal = field(
        Thermal(),
        "parameters by which it heats up, unless it is a Webots servo",
        ours=True,
    )
    elastic: Elastic = field(
        Elastic(), "the spring behind its gear, in series_elastic", ours=True
    )
    learned: Learned = field(Learned(), "its network, in learned", ours=True)

    def mended(self, name: str) -> None:
        """Warns if the gain P is 0: as in Webots, the motor never seeks its target.

        Args:
            name: name of the motor, for the warning.
        """
        if self.control_pid[0] == 0:
            warn(f"{name}: the gain P is 0; the motor does not seek its target")


@node
class RotationalMotor(Motor):
    """Webots' RotationalMotor: drives a revolute joint (WbRotationalMotor.cpp)."""

    node_type: typing.ClassVar[int] = Node.ROTATIONAL_MOTOR

    max_torque: float = field(
        10.0, "largest and initial available torque", "N m", fallback=DEFAULT
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
        10.0, "largest and initial available force", "N", fallback=DEFAULT
    )

    effort_field: typing.ClassVar[str] = "max_force"
    units: typing.ClassVar[dict[str, str]] = {
        "position": "m",
        "velocity": "m/s",
        "acceleration": "m/s²",
        "effort": "N",
    }


MotorNode = RotationalMotor | LinearMotor


def is_modelled(motor: MotorNode) -> bool:
    """Returns whether a motor has another model than Webots' velocity servo."""
    return motor.motor_model not in ("", "webots")


def acting_parts(motor: MotorNode) -> tuple[str, ...]:
    """Returns the names of the nodes that act in a motor's model, such as "pd"."""
    if not is_modelled(motor):
        return ()
    model = MODELS[motor.motor_model]
    return tuple(
        part
        for part in model.parts
        if part not in model.if_said
        or getattr(motor, part) != type(getattr(motor, part))()
    )


def max_effort(motor: MotorNode) -> float:
    """Returns max_torque (N m) or max_force (N)."""
    return getattr(motor, motor.effort_field)


def widened(name: str, motor: MotorNode, position: float) -> MotorNode:
    """Returns `motor` with soft limits that include the joint's `position`.

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
