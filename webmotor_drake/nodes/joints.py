"""Webots' joints of two and three axes, which a scenario adds between bodies.

Fields, defaults and rules follow Webots (WbHinge2Joint.cpp, WbBallJoint.cpp). Units are
SI.
"""

from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import (
    DIRECTION,
    POINT,
    ROTATION,
    needed,
    one_of,
)

__all__ = ["BallJoint", "Hinge2Joint", "Loop"]

_BODY = needed("the name of a body is needed")


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
    anchor: list[float] = field(
        [0.0] * 3,
        "where the axes meet, in the parent's frame (HingeJointParameters.anchor)",
        unit="m",
        rule=POINT,
    )
    translation: list[float] = field(
        [0.0] * 3,
        "where the child is at position 0, in the parent's frame (translation of the"
        " endPoint)",
        unit="m",
        rule=POINT,
    )
    rotation: list[float] = field(
        [0.0, 0.0, 1.0, 0.0],
        "how it is turned there: an axis, then an angle, rad (rotation of the"
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

    Drake has it as constraints between two bodies that hang on other joints already
    (WbSolidReference.cpp).
    """

    type: str = field(
        "hinge",
        "what it leaves free: the turn about an axis, all turns, or nothing",
        rule=one_of("hinge", "ball", "fixed"),
    )
    parent: str = field(
        "",
        'one body or frame: a name of the driver\'s model, "model::name" of another'
        ' one, or "world"',
        rule=_BODY,
    )
    child: str = field("", "the other one (solidName)", rule=_BODY)
    anchor: list[float] = field(
        [0.0] * 3,
        "where they meet, in the parent's frame",
        unit="m",
        rule=POINT,
    )
    axis: list[float] = field(
        [0.0, 0.0, 1.0], "of a hinge, in the parent's frame", rule=DIRECTION
    )
    child_anchor: list[float] = field(
        [0.0] * 3, "where they meet, in the child's frame", unit="m", rule=POINT
    )
    child_axis: list[float] = field(
        [0.0, 0.0, 1.0], "of a hinge, in the child's frame", rule=DIRECTION
    )
