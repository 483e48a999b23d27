"""Webots' Radar."""

import math

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import amount, field, node
from webmotor_drake.nodes.rules import AT_LEAST_0, POSITIVE, between

__all__ = ["Radar"]


@node
class Radar(DeviceNode):
    """Webots' Radar: the bodies with a radar_cross_section in its view (WbRadar.cpp).

    What it receives is that of the radar equation, power x gain^2 x wavelength^2 x
    cross section / ((4 pi)^3 distance^4).
    """

    min_range: float = field(
        1.0, "shortest distance that it measures", unit="m", rule=AT_LEAST_0
    )
    max_range: float = field(
        50.0, "longest distance that it measures", unit="m", rule=AT_LEAST_0
    )
    horizontal_field_of_view: float = field(
        0.78, "width of its view", unit="rad", rule=between(0, 2 * math.pi)
    )
    vertical_field_of_view: float = field(
        0.1, "height of its view", unit="rad", rule=between(0, math.pi / 2)
    )
    min_absolute_radial_speed: float = amount(
        "smallest speed of targets", unit="m/s"
    )
    min_radial_speed: float = field(
        0.0,
        "smallest speed away of targets; both 0: any",
        unit="m/s",
    )
    max_radial_speed: float = field(
        0.0, "largest speed away of targets", unit="m/s"
    )
    cell_distance: float = amount(
        "difference of distances below which targets are one; 0: each is one",
        unit="m",
    )
    cell_speed: float = amount(
        "difference of their speeds below which they are; 0: any", unit="m/s"
    )
    range_noise: float = amount("standard deviation of distances", unit="m")
    speed_noise: float = amount("standard deviation of speeds", unit="m/s")
    angular_noise: float = amount("standard deviation of azimuths", unit="rad")
    antenna_gain: float = field(
        20.0, "gain of the antenna, both ways", unit="dBi"
    )
    frequency: float = field(
        24.0, "frequency of its waves", unit="GHz", rule=POSITIVE
    )
    transmitted_power: float = field(20.0, "power that it sends", unit="dBm")
    min_detectable_signal: float = field(
        -100.0, "weakest power that it sees", unit="dBm"
    )
    occlusion: bool = field(False, "True if bodies hide those behind them")

    def check(self) -> None:
        """Refuses ranges without a length."""
        if not self.min_range < self.max_range:
            raise InputError(
                f"{self.max_range:g} m is not above the min_range"
                f" {self.min_range:g} m",
                path=("max_range",),
            )
