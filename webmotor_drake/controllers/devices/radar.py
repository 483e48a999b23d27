"""Webots' Radar."""

import dataclasses as dc
import math

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import newest
from webmotor_drake.controllers.devices.ranging import Ranged
from webmotor_drake.host.senses.radar import RadarTarget


class Radar(Ranged):
    """Sees bodies that have a radar_cross_section, in a cone around its x axis."""

    _declared = nodes.Radar
    _blank = ()

    def getTargets(self) -> list[RadarTarget]:
        """Returns the newest targets; the last ones, with an error, when it is off."""
        return [dc.replace(target) for target in newest(self, "getTargets()")]

    def getNumberOfTargets(self) -> int:
        """Returns how many there are; see `getTargets`."""
        return len(newest(self, "getNumberOfTargets()"))

    def getHorizontalFov(self) -> float:
        """Returns the width of its view, rad."""
        return self._field("horizontal_field_of_view", math.nan)

    def getVerticalFov(self) -> float:
        """Returns the height of its view, rad."""
        return self._field("vertical_field_of_view", math.nan)

    number_of_targets = property(getNumberOfTargets)
    horizontal_fov = property(getHorizontalFov)
    vertical_fov = property(getVerticalFov)
