"""The look of Webots' Muscle: a spheroid that swells and changes colour.

The formulas are those of WbMuscle.cpp; the status that its joint gives it, of
WbHingeJoint.cpp and WbSliderJoint.cpp. Nothing here acts on the motion.
"""

import math
from collections.abc import Sequence

# The colour of a muscle without a `color`.
_RED = (1.0, 0.0, 0.0)


def muscle_radius(volume: float, length: float) -> float:
    """Returns the radius at the thickest place, m.

    Webots takes the full length in the place of the half axis, so that the spheroid
    that is drawn has half the volume.

    Args:
        volume: constant volume, m^3.
        length: between the ends, m, above 0.
    """
    return math.sqrt(3 * volume / (4 * math.pi * length))


def motor_status(
    effort: float,
    largest: float,
    *,
    is_linear: bool = False,
    is_direct: bool = False,
) -> float:
    """Returns the status that a motor gives a muscle, -1 to 1.

    Args:
        effort: the direct effort in effort control, else the force feedback, N m
            or N; of a kinematic joint its velocity.
        largest: the motor's max_torque or max_force, N m or N; of a kinematic joint
            its max_velocity.
        is_linear: True for a slider's motor: in Webots its feedback counts negative.
        is_direct: True if the motor is in effort control.
    """
    sign = -1.0 if is_linear and not is_direct else 1.0
    return min(max(sign * effort / largest, -1.0), 1.0) if largest else 0.0


def muscle_color(
    colors: Sequence[Sequence[float]], status: float, stretch: float
) -> tuple[float, float, float]:
    """Returns the colour, RGB from 0 to 1.

    The first of the muscle's colours at rest; the second for a negative status, the
    third for a positive, swapped where the muscle gets shorter with a negative or
    longer with a positive one. In between they mix.

    Args:
        colors: those of the muscle; the last stands for those that are missing.
        status: -1 to 1.
        stretch: growth of its length since it was drawn last, m.
    """
    if not colors:
        return _RED
    index = 1 if status < 0 else 2
    if status * stretch > 0:
        index = 3 - index
    first, other = colors[0], colors[min(index, len(colors) - 1)]
    share = abs(status)
    red, green, blue = (
        (1 - share) * a + share * b for a, b in zip(first, other, strict=True)
    )
    return red, green, blue
