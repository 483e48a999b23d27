"""Pause, step, stop, reset and rate of a run, as a page of ours has them."""

from webmotor_drake.view.live_run import Controls


class PageControls(Controls):
    """Pause, step, stop, reset and rate, as the page has them; see `Controls`."""

    def __init__(self, rate: float):
        self.rate = rate
        self._pressed: list[str] = []

    def press(self, button: str) -> None:
        """Notes that a button was pressed."""
        self._pressed.append(button)

    def show_time(self, time: float) -> None:
        """Does nothing: each frame has its time."""

    def _take(self, button: str) -> int:
        number = self._pressed.count(button)
        self._pressed = [name for name in self._pressed if name != button]
        return number
