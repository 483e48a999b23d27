"""Webots' Pen."""

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.host import messages


class Pen(Device):
    """Leaves ink where its -z axis meets a flat surface that is drawn."""

    _declared = nodes.Pen

    def write(self, write: bool) -> None:
        """Begins to write with the next step if `write` is true, else ends it."""
        self._act(lambda: self._device.write(on=bool(write)))

    def setInkColor(self, color: int, density: float) -> None:
        """Takes ink of the `color` 0xRRGGBB from the next step on.

        Args:
            color: colour of the ink.
            density: amount that each basic step adds, 0 to 1.
        """
        call = self._call(f"setInkColor({color!r}, {density!r})")
        number = messages.whole_number(call, color)
        part = messages.number(call, density)
        if not 0 <= number <= 0xFFFFFF or not 0 <= part <= 1:
            messages.error(
                call, "ignored; 0 to 0xFFFFFF and 0 to 1 are allowed"
            )
            return
        parts = [byte / 255 for byte in number.to_bytes(3, "big")]
        self._act(lambda: self._device.set_ink(parts, part))
