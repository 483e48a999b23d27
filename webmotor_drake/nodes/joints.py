"""Webots' joints: parameters, brakes and sensors, and those of two and three axes.

Propeller and Track carry a motor instead of a joint.

Fields, defaults and rules follow Webots (WbJointParameters.cpp, WbPositionSensor.cpp,
WbHinge2Joint.cpp, WbBallJoint.cpp). Units are SI.
"""

import typing

from webmotor_drake.errors import warn
from webmotor_drake.nodes.field import (
    Fallback,
    amount,
    field,
    node,
    point,
    step_or_none,
)
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    DIRECTION,
    POINT,
    ROTATION,
    needed,
    numbers,
    one_of,
)

__all__ = [
    "BallJoint",
    "Brake",
    "Hinge2Joint",
    "JointParameters",
    "Loop",
    "PositionSensor",
    "Propeller",
    "Track",
]

JOINT = "name of the joint in the model"

# Webots' fallback (WbJointParameters.cpp, WbMotor.cpp).
MAGNITUDE = Fallback("negative: its magnitude", abs)

_BODY = needed("the name of a body is needed")


@node
class JointParameters:
    """Webots' JointParameters: the passive part of a joint (WbJointParameters.cpp)."""

    min_stop: float = field(0.0, "lower mechanical stop", "rad or m")
    max_stop: float = field(
        0.0,
        "upper stop; equal to the lower: the model's own limits hold",
        "rad or m",
    )
    spring_constant: float = field(
        0.0, "spring towards position 0", "N m/rad or N/m", fallback=MAGNITUDE
    )
    damping_constant: float = field(
        0.0, "viscous damper", "N m s/rad or N s/m", fallback=MAGNITUDE
    )
    static_friction: float = field(
        0.0,
        "Coulomb friction; shares the motor's bound by max",
        "N m or N",
        fallback=MAGNITUDE,
    )
    reflected_inertia: float | None = field(
        None,
        "of what turns with the motor, as the joint feels it: Drake's rotor_inertia"
        " times gear_ratio^2, which it replaces; default: the model's own",
        "kg m^2 or kg",
        AT_LEAST_0,
        ours=True,
    )
    kinematic: bool = field(
        False,
        "True if the joint simply moves, as in Webots without Physics",
        ours=True,
    )
    suspension_spring_constant: float = amount(
        "of the suspension of a hinge, or of a Hinge2Joint's first axis", "N/m"
    )
    suspension_damping_constant: float = amount(
        "of the same suspension", "N s/m"
    )
    suspension_axis: list[float] = field(
        [1.0, 0.0, 0.0],
        "along which it gives way, in the parent body's frame",
        rule=DIRECTION,
    )

    def mended(self, name: str) -> None:
        """Swaps stops that are out of order (WbMathsUtilities.cpp).

        Args:
            name: name of the joint, for the warning.
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
        """True if the joint has a suspension, by a spring or a damper."""
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
        """True if a field is set that needs an actuator in Drake."""
        return self.has_effort or self.reflected_inertia is not None


def suspension_name(joint: str) -> str:
    """Returns the name of the slider that is a hinge's suspension."""
    return f"{joint}_suspension"


@node
class Brake:
    """Webots' Brake: a damper that commands set."""

    node_type: typing.ClassVar[int] = Node.BRAKE

    joint: str = field("", JOINT, ours=True)


@node
class PositionSensor:
    """Webots' PositionSensor, for controllers (WbPositionSensor.cpp)."""

    node_type: typing.ClassVar[int] = Node.POSITION_SENSOR

    joint: str = field("", JOINT, ours=True)
    offset: float = field(
        0.0,
        "value that it measures at joint position 0; it does not mislead the motor's"
        " own control",
        "rad or m",
        ours=True,
    )
    noise: float = amount("standard deviation of the noise", "rad or m")
    resolution: float = step_or_none("step of the value", "rad or m")


@node
class MultiAxisJoint:
    """The common fields of Hinge2Joint and BallJoint."""

    parent: str = field(
        "",
        "the body or frame that the joint starts from: a name of the driver's model,"
        ' "model::name" of another one, or "world"',
        rule=_BODY,
    )
    child: str = field(
        "",
        "the body or frame that it carries, which nothing else carries",
        rule=_BODY,
    )
    anchor: list[float] = point(
        "point where the axes meet, in the parent's frame"
        " (HingeJointParameters.anchor)"
    )
    translation: list[float] = point(
        "place of the child at position 0, in the parent's frame (translation of the"
        " endPoint)"
    )
    rotation: list[float] = field(
        [0.0, 0.0, 1.0, 0.0],
        "its turn there: an axis, then an angle, rad (rotation of the"
        " endPoint)",
        rule=ROTATION,
    )
    axis: list[float] = field(
        [1.0, 0.0, 0.0], "the first axis, in the parent's frame", rule=POINT
    )


@node
class Hinge2Joint(MultiAxisJoint):
    """Webots' Hinge2Joint: two axes, the joints "<name>_1" and "<name>_2"."""

    axis2: list[float] = field(
        [0.0, 0.0, 1.0],
        "the second axis at position 0, in the parent's frame; the first carries it",
        rule=POINT,
    )


@node
class BallJoint(MultiAxisJoint):
    """Webots' BallJoint: three axes, the joints "<name>_1" to "<name>_3".

    The second axis is axis3 x axis; its motor's targets stay within +-pi/2.
    """

    axis3: list[float] = field(
        [0.0, 0.0, 1.0],
        "the third axis at position 0, in the parent's frame",
        rule=POINT,
    )


@node
class Loop:
    """A joint that closes a chain, as one to a SolidReference in Webots.

    In Drake it is constraints between two bodies that already hang on other joints
    (WbSolidReference.cpp).
    """

    type: str = field(
        "hinge",
        "the freedom that it leaves: the turn about an axis, all turns, or nothing",
        rule=one_of("hinge", "ball", "fixed"),
    )
    parent: str = field(
        "",
        'one body or frame: a name of the driver\'s model, "model::name" of another'
        ' one, or "world"',
        rule=_BODY,
    )
    child: str = field("", "the other one (solidName)", rule=_BODY)
    anchor: list[float] = point("point where they meet, in the parent's frame")
    axis: list[float] = field(
        [0.0, 0.0, 1.0], "of a hinge, in the parent's frame", rule=DIRECTION
    )
    child_anchor: list[float] = point(
        "point where they meet, in the child's frame"
    )
    child_axis: list[float] = field(
        [0.0, 0.0, 1.0], "of a hinge, in the child's frame", rule=DIRECTION
    )


_CONSTANTS = numbers("first, second")


@node
class Propeller:
    """Webots' Propeller: thrust and torque from the velocity w of its motor.

    Thrust is t1 w |w| - t2 |w| V, torque q1 w |w| - q2 |w| V, V the speed of the air
    (WbPropeller.cpp).
    """

    frame: str = field(
        "",
        "the body or frame of the model that carries it; empty: the model's first"
        " body",
        ours=True,
    )
    shaft_axis: list[float] = field(
        [1.0, 0.0, 0.0], "in `frame`", rule=DIRECTION
    )
    center_of_thrust: list[float] = point("in `frame`")
    thrust_constants: list[float] = field(
        [1.0, 0.0], "t1 (N s^2/rad^2) and t2 (N s^2/(rad m))", rule=_CONSTANTS
    )
    torque_constants: list[float] = field(
        [1.0, 0.0], "q1 (N m s^2/rad^2) and q2 (N s^2/rad)", rule=_CONSTANTS
    )
    fast_helix_threshold: float = field(
        75.4,
        "speed from which on Webots shows the fast helix; kept, not shown",
        "rad/s",
        AT_LEAST_0,
    )


@node
class Track:
    """Webots' Track: a belt whose surface moves along x (WbTrack.cpp).

    Bodies that touch it feel a surface that moves at its motor's velocity.
    """

    body: str = field(
        "",
        "the body whose surface it is; empty: the model's first body",
        ours=True,
    )
    texture_animation: list[float] = field(
        [0.0, 0.0], "kept, not shown", rule=numbers("u, v")
    )
