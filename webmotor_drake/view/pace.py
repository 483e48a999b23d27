"""The pace of a run that is watched: its rate, pause and steps, and its end."""

import math
import time
import typing

# A run that falls this far behind does not hurry later to catch up, s.
_LATE = 0.1


class Pace:
    """Rate, pause and steps of a run, and the button that ended it.

    Attributes:
        rate: simulated seconds per second; 0: as fast as it can.
        paused: True if the run waits.
        ended: "stop" or "reset" once that was pressed, else "".

    Args:
        rate: rate at the start.
    """

    def __init__(self, rate: float):
        self.rate = rate
        self.begin(0.0, 0.0)

    def begin(self, now: float, period: float) -> None:
        """Begins a run at a simulated time, with motor steps of a period, s."""
        self.paused = False
        self.ended: typing.Literal["", "stop", "reset"] = ""
        self._period, self._step_until = period, -math.inf
        self.start_clock(now)

    def press(self, button: str, now: float) -> None:
        """Pauses, steps or ends the run, which is at a simulated time, s."""
        if button == "pause":
            self.paused = not self.paused
            self.start_clock(now)
        elif button == "step":
            self.paused = True
            self._step_until = max(self._step_until, now) + self._period
        elif button == "reset" or (button == "stop" and not self.ended):
            self.ended = button

    def set_rate(self, rate: float, now: float) -> None:
        """Changes the rate; see `press`."""
        self.rate = rate
        self.start_clock(now)

    def holds(self, now: float) -> bool:
        """Returns whether the run waits, having done the steps that were asked for."""
        return self.paused and now >= self._step_until

    def early(self, now: float) -> float:
        """Returns the lead of the run over the clock on the wall, s; 0: none."""
        if not self.rate or self.paused:
            return 0.0
        due = self._clock_started + (now - self._started) / self.rate
        early = due - time.perf_counter()
        if early < -_LATE:
            self.start_clock(now)
        return max(early, 0.0)

    def start_clock(self, now: float) -> None:
        """Compares simulated and real time from now on."""
        self._started, self._clock_started = now, time.perf_counter()
