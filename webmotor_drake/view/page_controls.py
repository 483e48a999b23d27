"""Pause, step, stop, reset and rate of a run, as a page of ours has them."""


class PageControls:
    """Pause, step, stop, reset and rate, as the page has them; see `RunControls`.

    Attributes:
        rate: simulated seconds per second.
        paused: whether the run waits.
    """

    def __init__(self, rate: float):
        self.rate, self.paused = rate, False
        self._pressed: list[str] = []

    def press(self, button: str) -> None:
        """Notes that a button was pressed."""
        self._pressed.append(button)

    def show_time(self, time: float) -> None:
        """Does nothing: each frame has its time."""

    def take_pause(self) -> bool:
        """Returns whether to wait."""
        if self._take("pause") % 2:
            self.paused = not self.paused
        return self.paused

    def take_steps(self) -> int:
        """Returns how many steps were asked for; who steps waits then."""
        steps = self._take("step")
        self.paused = self.paused or steps > 0
        return steps

    def take_stop(self) -> bool:
        """Returns whether the run ends here."""
        return self._take("stop") > 0

    def take_reset(self) -> bool:
        """Returns whether the run starts again."""
        return self._take("reset") > 0

    def _take(self, button: str) -> int:
        number = self._pressed.count(button)
        self._pressed = [name for name in self._pressed if name != button]
        return number
