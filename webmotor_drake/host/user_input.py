"""A client's wait for somebody to press a key, while no time passes."""

import time

from webmotor_drake.host.stepped_simulation import SteppedSimulation

KEYBOARD, NO_EVENT = 4, 0
# The period in which somebody looks for a key, s.
LOOK = 0.02


class InputWait:
    """A wait for the user's input (wb_robot_wait_for_user_input_event).

    Args:
        stepped: the simulation, which stands still.
        events: sum of the events that are wanted; only keys are ever pressed here.
        milliseconds: longest time to wait, on the wall.
    """

    def __init__(
        self, stepped: SteppedSimulation, events: int, milliseconds: int
    ):
        self._stepped, self._keys = stepped, bool(events & KEYBOARD)
        self._end = time.monotonic() + max(milliseconds, 0) / 1000

    def event(self) -> int | None:
        """Returns the event that has come, NO_EVENT once time is up; else None."""
        simulation = self._stepped.simulation
        self._stepped.surroundings.at_home(simulation.be_watched)
        if self._keys and simulation.held_keys(self._stepped.elapsed):
            return KEYBOARD
        return NO_EVENT if time.monotonic() >= self._end else None
