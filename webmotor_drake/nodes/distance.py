"""Webots' DistanceSensor, TouchSensor and Radar."""

import math
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node, step_or_none
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    LOOKUP_TABLE,
    POSITIVE,
    SHARE,
    between,
    one_of,
    whole,
    within,
)

__all__ = ["DistanceSensor", "Radar", "TouchSensor"]

_MAX_RAYS = 10_000


@node
class DistanceSensor(DeviceNode):
    """Webots' DistanceSensor: how far rays in a cone about x go.

    "generic" is the weighted mean of the rays, "infra-red" the same for drawn shapes,
    by their redness, "sonar" the nearest ray that meets a surface within 22.5 degrees
    of its normal, "laser" one ray (WbDistanceSensor.cpp).
    """

    # In the order of the numbers that getType gives.
    types: typing.ClassVar = ("generic", "infra-red", "sonar", "laser")

    type: str = field(
        "generic", "rule by which rays become a distance", rule=one_of(*types)
    )
    lookup_table: list[list[float]] = field(
        [[0.0, 0.0, 0.0], [0.1, 1000.0, 0.0]],
        "from distance, m, to value; noise is a part of the value; the last"
        " distance is how far it sees",
        rule=LOOKUP_TABLE,
    )
    number_of_rays: int = field(
        1, "in the cone; a laser has one", rule=whole(1, _MAX_RAYS)
    )
    aperture: float = field(
        1.5708, "width of the cone", "rad", within(0, 2 * math.pi)
    )
    gaussian_width: float = field(
        1.0,
        "width within which weights fall from the axis, as a part of the aperture"
        " (1: to 1/e at its width)",
        rule=POSITIVE,
    )
    resolution: float = step_or_none(
        "step of the value, in the table's unit, such as 1"
    )
    red_color_sensitivity: float = field(
        1.0, "weight of redness for infra-red", rule=SHARE
    )

    def check(self) -> None:
        """Refuses a laser of several rays."""
        if self.type == "laser" and self.number_of_rays != 1:
            raise InputError(
                f"{self.number_of_rays} rays; a laser has one",
                path=("number_of_rays",),
            )


@node
class TouchSensor(DeviceNode):
    """Webots' TouchSensor: whether, or how strongly, something touches its body.

    "bumper" gives 0 or 1, "force" the push along x, "force-3d" the force vector. The
    body stands for Webots' boundingObject: give a bumper a body of its own, on a fixed
    joint. A force is that of the weld joint on which the body has to hang
    (WbTouchSensor.cpp).
    """

    # In the order of the numbers that getType gives.
    types: typing.ClassVar = ("bumper", "force", "force-3d")

    type: str = field("bumper", "measured quantity", rule=one_of(*types))
    lookup_table: list[list[float]] = field(
        [[0.0, 0.0, 0.0], [5000.0, 50000.0, 0.0]],
        "from force, N, to value; noise is a part of the value; for forces",
        rule=LOOKUP_TABLE,
    )
    resolution: float = step_or_none(
        "step of the value, in the table's unit, such as 1"
    )


@node
class Radar(DeviceNode):
    """Webots' Radar: the bodies with a radar_cross_section in its view (WbRadar.cpp).

    The received power follows the radar equation, power x gain^2 x wavelength^2 x
    cross section / ((4 pi)^3 distance^4).
    """

    min_range: float = field(
        1.0, "shortest distance that it measures", "m", AT_LEAST_0
    )
    max_range: float = field(
        50.0, "longest distance that it measures", "m", AT_LEAST_0
    )
    horizontal_field_of_view: float = field(
        0.78, "width of its view", "rad", between(0, 2 * math.pi)
    )
    vertical_field_of_view: float = field(
        0.1, "height of its view", "rad", between(0, math.pi / 2)
    )
    min_absolute_radial_speed: float = amount(
        "smallest speed of targets", "m/s"
    )
    min_radial_speed: float = field(
        0.0, "smallest speed away of targets; both 0: any", "m/s"
    )
    max_radial_speed: float = field(0.0, "largest speed away of targets", "m/s")
    cell_distance: float = amount(
        "difference of distances below which targets are one; 0: each is one",
        "m",
    )
    cell_speed: float = amount(
        "difference of their speeds below which they are; 0: any", "m/s"
    )
    range_noise: float = amount("standard deviation of distances", "m")
    speed_noise: float = amount("standard deviation of speeds", "m/s")
    angular_noise: float = amount("standard deviation of azimuths", "rad")
    antenna_gain: float = field(20.0, "gain of the antenna, both ways", "dBi")
    frequency: float = field(24.0, "frequency of its waves", "GHz", POSITIVE)
    transmitted_power: float = field(20.0, "power that it sends", "dBm")
    min_detectable_signal: float = field(
        -100.0, "weakest power that it sees", "dBm"
    )
    occlusion: bool = field(False, "True if bodies hide those behind them")

    def check(self) -> None:
        """Refuses empty ranges."""
        if not self.min_range < self.max_range:
            raise InputError(
                f"{self.max_range:g} m is not above the min_range"
                f" {self.min_range:g} m",
                path=("max_range",),
            )
