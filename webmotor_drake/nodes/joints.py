"""Webots' joints of two and three axes, which a scenario adds between bodies.

Fields, defaults and rules follow Webots (WbHinge2Joint.cpp, WbBallJoint.cpp). Units are
SI.
"""

from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import POINT, ROTATION, needed

__all__ = ["BallJoint", "Hinge2Joint"]

_BODY = needed("the name of a body is needed")


@node
class MultiAxisJoint:
    """What Hinge2Joint and BallJoint share."""

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
