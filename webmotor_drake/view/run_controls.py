"""The buttons and sliders in the browser by which a run is paused, stepped, ended."""

import math

from pydrake.geometry import Meshcat

from webmotor_drake.view.live_run import Controls

_LABELS = {
    "pause": "Pause / go on",
    "step": "Step",
    "stop": "Stop",
    "reset": "Reset",
}
_RATE, _TIME = "rate (0: max)", "time (s)"

# The fastest that the slider offers, unless more is asked for.
_FASTEST = 5.0
# Where the slider of time ends in a run that doesn't, s.
_ENDLESS = 3600.0


class RunControls(Controls):
    """A run's controls in the browser.

    Args:
        meshcat: gets the controls.
        duration: of the run, s; may be infinite.
        rate: simulated seconds per second; 0: as fast as it can.
        can_end: whether the run can be stopped and reset from the browser.
    """

    def __init__(
        self, meshcat: Meshcat, *, duration: float, rate: float, can_end: bool
    ):
        self._meshcat = meshcat
        buttons = [*_LABELS] if can_end else ["pause", "step"]
        for button in buttons:
            meshcat.AddButton(_LABELS[button])
        self._clicks = dict.fromkeys(buttons, 0)
        meshcat.AddSlider(_RATE, 0, max(_FASTEST, rate), 0.05, rate)
        self._rate, self._shown_rate = rate, meshcat.GetSliderValue(_RATE)
        self._end = max(duration if math.isfinite(duration) else _ENDLESS, 0.01)
        meshcat.AddSlider(_TIME, 0, self._end, 0.01, 0)

    def show_time(self, time: float) -> None:
        """Shows the simulated time, s; a user's change of it is undone.

        A run that goes on beyond its end gets a longer slider.
        """
        if time > self._end:
            self._end = max(2 * self._end, time)
            self._meshcat.DeleteSlider(_TIME)
            self._meshcat.AddSlider(_TIME, 0, self._end, 0.01, time)
        self._meshcat.SetSliderValue(_TIME, time)

    @property
    def rate(self) -> float:
        """The rate that is wanted."""
        shown = self._meshcat.GetSliderValue(_RATE)
        if shown != self._shown_rate:  # the slider rounds what it is given
            self._rate = self._shown_rate = shown
        return self._rate

    def _take(self, button: str) -> int:
        if button not in self._clicks:
            return 0
        before = self._clicks[button]
        self._clicks[button] = self._meshcat.GetButtonClicks(_LABELS[button])
        return self._clicks[button] - before
