"""Webots' Connector and VacuumGripper, which hold other bodies."""

import math
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    one_of,
    or_special,
    whole,
    within,
)

__all__ = ["Connector", "VacuumGripper"]

_MAX_ROTATIONS = 1000
_ANGLE = within(0, math.pi)
_STRENGTH = or_special(AT_LEAST_0, -1, "no end")


@node
class HoldingNode(DeviceNode):
    """The common fields of Connector and VacuumGripper."""

    tensile_strength: float = field(
        -1.0, "pull at which it breaks, -1: never", "N", _STRENGTH
    )
    shear_strength: float = field(
        -1.0, "push across at which it breaks, -1: never", "N", _STRENGTH
    )

    @property
    def breaks(self) -> bool:
        """True if a force can part it from its partner."""
        return (self.tensile_strength, self.shear_strength) != (-1, -1)


@node
class Connector(HoldingNode):
    """Webots' Connector: holds another one that faces it (WbConnector.cpp).

    Its x axis points away from its body; its z axis marks its turn about x.
    Two can hold each other if both are "symmetric", or one is "active" and the other
    "passive", and their `model` is the same.
    """

    types: typing.ClassVar = ("symmetric", "active", "passive")

    type: str = field(
        "symmetric", "kind of the others that it holds", rule=one_of(*types)
    )
    is_locked: bool = field(
        False, "True if it is locked at the start, and holds what is there"
    )
    auto_lock: bool = field(
        False, "True if it holds, while it is locked, what comes near"
    )
    unilateral_lock: bool = field(
        True, "True if it holds without the other one being locked"
    )
    unilateral_unlock: bool = field(
        True, "True if it lets go though the other one is locked"
    )
    distance_tolerance: float = field(
        0.01, "largest distance of the other one", "m", AT_LEAST_0
    )
    axis_tolerance: float = field(
        0.2,
        "largest angle of the x axes from opposite directions",
        "rad",
        _ANGLE,
    )
    rotation_tolerance: float = field(
        0.2, "largest angle of the turn from one of the allowed", "rad", _ANGLE
    )
    number_of_rotations: int = field(
        4,
        "of allowed turns about the x axis, evenly spread; 0: any",
        rule=whole(0, _MAX_ROTATIONS),
    )
    snap: bool = field(
        True, "True if the other one is drawn to where it fits exactly"
    )

    def check(self) -> None:
        """Refuses a passive Connector that is locked."""
        if self.type == "passive" and self.is_locked:
            raise InputError(
                "a passive Connector cannot be locked", path=("is_locked",)
            )

    def fits(self, other: "Connector") -> bool:
        """Returns whether the types and models let the two Connectors hold each other.

        Args:
            other: another Connector.
        """
        types = {self.type, other.type}
        pairs = types in ({"symmetric"}, {"active", "passive"})
        return pairs and self.model == other.model


@node
class VacuumGripper(HoldingNode):
    """Webots' VacuumGripper: holds a body that touches its own (WbVacuumGripper.cpp).

    While it is on, it takes the body that reaches deepest into its own, and holds it in
    place. Its x axis points away from it: a pull is along x. Give it a body of its
    own, on a fixed joint.
    """

    is_on: bool = field(False, "True if it is on at the start")
    contact_points: int = field(
        3, "kept: one point is enough, as in Webots", rule=whole(1)
    )

    # The attributes of a Connector, for a gripper.
    type: typing.ClassVar = "gripper"
    auto_lock = unilateral_lock = unilateral_unlock = True
    snap = False

    @property
    def is_locked(self) -> bool:
        """True if it is on at the start."""
        return self.is_on
