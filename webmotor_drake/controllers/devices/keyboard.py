"""Webots' Keyboard, on which nobody types."""

from webmotor_drake.controllers.link import active
from webmotor_drake.host import messages


class Keyboard:
    """A keyboard that no key is pressed on: a run here has no window.

    So a controller that can be driven by hand runs, but is not driven.
    """

    END, HOME, LEFT, UP, RIGHT, DOWN = 312, 313, 314, 315, 316, 317
    PAGEUP, PAGEDOWN = 366, 367
    NUMPAD_HOME, NUMPAD_LEFT, NUMPAD_UP = 375, 376, 377
    NUMPAD_RIGHT, NUMPAD_DOWN, NUMPAD_END = 378, 379, 382
    KEY, SHIFT, CONTROL, ALT = 0x0000FFFF, 0x00010000, 0x00020000, 0x00040000

    def __init__(self, sampling_period: int | None = None):
        if sampling_period is None:
            sampling_period = active.current().basic_period
        self._period = 0
        self.enable(sampling_period)

    def enable(self, p: int) -> None:
        """Sets the sampling period, ms."""
        period = messages.sampling_period("Keyboard.enable()", p)
        if period is not None:
            self._period = period

    def disable(self) -> None:
        """Sets the sampling period to 0."""
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        """Returns the sampling period, ms."""
        return self._period

    def getKey(self) -> int:
        """Returns -1: no key is pressed."""
        return -1

    sampling_period = property(getSamplingPeriod, enable)
    key = property(getKey)
