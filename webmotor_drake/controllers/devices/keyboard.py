"""Webots' Keyboard: the keys that somebody holds in the page, or a list plays."""

from webmotor_drake.controllers.link import active
from webmotor_drake.host import messages


class Keyboard:
    """The keys that are down, sampled like a sensor (wb_keyboard_get_key).

    Keys come from the live page (`webmotor run --page`) and from `--keys FILE`. In a
    run without both no key is ever down.
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
        self._keys: list[int] = []
        self._due = 0.0  # ms
        self.enable(sampling_period)

    def enable(self, p: int) -> None:
        """Sets the sampling period to `p` ms."""
        period = messages.sampling_period("Keyboard.enable()", p)
        if period is not None:
            self._period = period

    def disable(self) -> None:
        """Sets the sampling period to 0."""
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        """Returns the sampling period, ms."""
        return self._period

    def forget(self) -> None:
        """Makes the next `getKey` sample the keys anew."""
        self._due = 0.0

    def getKey(self) -> int:
        """Returns a key that is down, with its modifiers, or -1.

        Each call returns another key; after the last key it returns -1 until the
        next sample.
        """
        if not self._period:
            return -1
        stepped = active.current().host.stepped
        now = stepped.now * stepped.basic_time_step
        if now >= self._due:
            self._due = now + self._period
            self._keys = stepped.simulation.held_keys(now / 1000)
        return self._keys.pop(0) if self._keys else -1

    sampling_period = property(getSamplingPeriod, enable)
    key = property(getKey)
