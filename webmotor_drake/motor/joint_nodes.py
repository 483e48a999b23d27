"""Webots' joints of two and three axes, which a scenario adds between bodies.

Fields, defaults and rules follow Webots (Hinge2Joint.wrl, BallJoint.wrl,
WbHinge2Joint.cpp, WbBallJoint.cpp). Units are SI.
"""

import dataclasses as dc
import math

from webmotor_drake.errors import InputError


@dc.dataclass
class MultiAxisJoint:
    """What Hinge2Joint and BallJoint share."""

    # The body or frame that the joint starts from: a name of the driver's model,
    # "model::name" of another one, or "world".
    parent: str = ""
    # The body or frame that it carries, which nothing else carries.
    child: str = ""
    # Where the axes meet, in the parent's frame, m (HingeJointParameters.anchor).
    anchor: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    # Where the child is at position 0, in the parent's frame: m, and an axis with
    # an angle, rad (translation and rotation of the endPoint).
    translation: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    rotation: list[float] = dc.field(
        default_factory=lambda: [0.0, 0.0, 1.0, 0.0]
    )
    # The first axis, in the parent's frame.
    axis: list[float] = dc.field(default_factory=lambda: [1.0, 0.0, 0.0])


@dc.dataclass
class Hinge2Joint(MultiAxisJoint):
    """Webots' Hinge2Joint: two axes, the joints "<name>_1" and "<name>_2"."""

    # The second axis at position 0, in the parent's frame; the first carries it.
    axis2: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, 1.0])


@dc.dataclass
class BallJoint(MultiAxisJoint):
    """Webots' BallJoint: three axes, the joints "<name>_1" to "<name>_3".

    The second axis is axis3 x axis; its motor's targets stay within +-pi/2.
    """

    # The third axis at position 0, in the parent's frame.
    axis3: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, 1.0])


def check_joint(node: MultiAxisJoint) -> None:
    """Raises InputError for values that no joint can have."""
    for end in ("parent", "child"):
        if not getattr(node, end):
            raise InputError("the name of a body is needed", path=(end,))
    for field in dc.fields(node):
        value = getattr(node, field.name)
        if isinstance(value, str):
            continue
        length = 4 if field.name == "rotation" else 3
        if len(value) != length:
            raise InputError(
                f"{len(value)} numbers; {length} are needed", path=(field.name,)
            )
        if not all(map(math.isfinite, value)):
            raise InputError(
                f"{value} is not allowed; finite numbers are",
                path=(field.name,),
            )
    if not any(node.rotation[:3]):
        raise InputError(
            "an axis of 0 turns nothing; x, y, z of an axis, then the angle",
            path=("rotation",),
        )
