"""The pending changes of supervisors to the world, and the loop that steps it.

Fields are set just before time passes, in the order of the robots, once all have
made their calls (Webots' reference, "set the value of a field"). A push lasts one
basic step. A reset comes at the end of the step in which it is asked for.
"""

import operator
import typing
from collections.abc import Callable

Change = Callable[[], None]


class WorldChanges:
    """The pending changes of one simulation.

    Attributes:
        reset: True to reset the simulation at the end of the next step.
        at_robot: functions called with the model of a robot that a supervisor has
            imported or removed; the removed ones are in `SteppedSimulation.absent`.
        waiting: changes at the start of the next step, each with the number of the
            robot that wants it.
        at_end: functions called once, at the end of the next basic step.
        at_reset: functions called after each reset.
        at_device_change: functions called after a device's field has changed, with
            the robot, the device's tag, the field and its new value.
    """

    def __init__(self) -> None:
        self.reset = False
        self.at_end: list[Change] = []
        self.at_reset: list[Change] = []
        self.at_device_change: list[
            Callable[[str, int, str, typing.Any], None]
        ] = []
        self.at_robot: list[Callable[[str], None]] = []
        self.waiting: list[tuple[int, Change]] = []

    def apply(self) -> None:
        """Applies the pending changes."""
        wanted, self.waiting = self.waiting, []
        for _, change in sorted(wanted, key=operator.itemgetter(0)):
            change()

    def end_step(self) -> bool:
        """Ends changes that last one step; returns whether to reset."""
        done, self.at_end = self.at_end, []
        for change in done:
            change()
        wanted, self.reset = self.reset, False
        return wanted


class Rhythm(typing.Protocol):
    """The loop that steps a simulation for all of its robots."""

    def check(self, client: typing.Any) -> bool:
        """Returns whether the simulation is over for a robot about to step.

        Raises:
            BaseException: the robot was told before that it is over, and has to end.
        """
        ...

    def wait(self, client: typing.Any, due: float) -> bool:
        """Waits for the start of step `due`; False if the simulation is over."""
        ...

    def reload(self) -> str:
        """Ends all controllers, to start them again with the simulation.

        Returns:
            Reason why that is impossible, or "".
        """
        ...

    def restart(self, model: str) -> bool:
        """Ends the controller of a robot at its next step, to start it again.

        Returns:
            True if the robot has a controller that can be restarted.
        """
        ...
