"""Webots' LED, which lights nothing here."""

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.host import messages


class LED(Device):
    """A light that keeps the value that it was set to."""

    _declared = nodes.LED
    _value = 0

    def set(self, value: int) -> None:
        """Sets the colour `value`: 0 off, 1 the first; gradual: its intensity.

        Raises:
            TypeError: it is not an integer.
        """
        number = messages.whole_number(self._call(f"set({value!r})"), value)
        if self._tag:
            self._value = number
        else:
            self._device.tell()

    def get(self) -> int:
        """Returns the value as it was set; 0 at first."""
        return self._value

    value = property(get, set)
