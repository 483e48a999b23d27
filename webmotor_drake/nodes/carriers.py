"""Webots' Propeller and Track, which carry a motor instead of a joint."""

from webmotor_drake.nodes.field import field, node, point
from webmotor_drake.nodes.rules import AT_LEAST_0, DIRECTION, numbers

__all__ = ["Propeller", "Track"]

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
        unit="rad/s",
        rule=AT_LEAST_0,
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
