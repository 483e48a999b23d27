"""Webots' joints of two and three axes, which a scenario adds between bodies.

Fields, defaults and rules follow Webots (Hinge2Joint.wrl, BallJoint.wrl,
WbHinge2Joint.cpp, WbBallJoint.cpp). Units are SI.
"""

import dataclasses as dc
import math

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.field_docs import with_inherited_fields


@dc.dataclass
class MultiAxisJoint:
    """What Hinge2Joint and BallJoint share.

    Attributes:
        parent: the body or frame that the joint starts from: a name of the
            driver's model, "model::name" of another one, or "world".
        child: the body or frame that it carries, which nothing else carries.
        anchor: where the axes meet, in the parent's frame, m
            (HingeJointParameters.anchor).
        translation: where the child is at position 0, in the parent's frame, m
            (translation of the endPoint).
        rotation: how it is turned there: an axis, then an angle, rad (rotation of
            the endPoint).
        axis: the first axis, in the parent's frame.
    """

    parent: str = ""
    child: str = ""
    anchor: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    translation: list[float] = dc.field(default_factory=lambda: [0.0] * 3)
    rotation: list[float] = dc.field(
        default_factory=lambda: [0.0, 0.0, 1.0, 0.0]
    )
    axis: list[float] = dc.field(default_factory=lambda: [1.0, 0.0, 0.0])


@with_inherited_fields
@dc.dataclass
class Hinge2Joint(MultiAxisJoint):
    """Webots' Hinge2Joint: two axes, the joints "<name>_1" and "<name>_2".

    Attributes:
        axis2: the second axis at position 0, in the parent's frame; the first
            carries it.
    """

    axis2: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, 1.0])


@with_inherited_fields
@dc.dataclass
class BallJoint(MultiAxisJoint):
    """Webots' BallJoint: three axes, the joints "<name>_1" to "<name>_3".

    The second axis is axis3 x axis; its motor's targets stay within +-pi/2.

    Attributes:
        axis3: the third axis at position 0, in the parent's frame.
    """

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
