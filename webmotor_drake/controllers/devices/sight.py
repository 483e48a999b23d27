"""Webots' DistanceSensor, LightSensor and TouchSensor."""

import math
from collections.abc import Callable

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import (
    TableDevice,
    ValueSensor,
    newest,
    of_node,
    tell_off,
)
from webmotor_drake.host import messages


class DistanceSensor(TableDevice, ValueSensor):
    """Measures the distance to shapes that its rays meet."""

    _declared = nodes.DistanceSensor

    GENERIC, INFRA_RED, SONAR, LASER = 0, 1, 2, 3

    def getMaxValue(self) -> float:
        """Returns the largest output of the lookup table."""
        return self._outputs(max)

    def getMinValue(self) -> float:
        """Returns the smallest output of the lookup table."""
        return self._outputs(min)

    def _outputs(self, choose: Callable[..., float]) -> float:
        outputs = [row[1] for row in self._field("lookup_table", [])]
        return float(choose(outputs, default=0.0))

    def getType(self) -> int:
        """Returns GENERIC, INFRA_RED, SONAR or LASER."""
        return nodes.DistanceSensor.types.index(self._field("type", "generic"))

    getAperture = of_node(nodes.DistanceSensor, "aperture", math.nan)
    max_value = property(getMaxValue)
    min_value = property(getMinValue)
    aperture = property(getAperture)
    type = property(getType)


class LightSensor(TableDevice, ValueSensor):
    """Measures the light of the scenario's `lights`."""

    _declared = nodes.LightSensor


class TouchSensor(TableDevice, ValueSensor):
    """Measures whether, or how strongly, something touches its body."""

    _declared = nodes.TouchSensor

    BUMPER, FORCE, FORCE3D = 0, 1, 2

    def getValue(self) -> float:
        """Returns the newest value: 1 or 0 for a bumper, else that of the push along x.

        NaN for type force-3d and before the first measurement; the last value, with an
        error, if it is off.
        """
        value = newest(self, "getValue()")
        if isinstance(value, list):
            messages.error(
                self._call("getValue()"), "it is of type force-3d: getValues()"
            )
            return math.nan
        return value

    def getValues(self) -> list[float]:
        """Returns the newest x, y, z for type force-3d; NaN before the first."""
        if self.getSamplingPeriod() <= 0:
            tell_off(self, "getValues()")
        value = self._device.sampler.seen
        if isinstance(value, list):
            return list(value)
        messages.error(
            self._call("getValues()"), "it is not of type force-3d: getValue()"
        )
        return [math.nan] * 3

    def getType(self) -> int:
        """Returns BUMPER, FORCE or FORCE3D."""
        return nodes.TouchSensor.types.index(self._field("type", "bumper"))

    value = property(getValue)
    values = property(getValues)
    type = property(getType)
