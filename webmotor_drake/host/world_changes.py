"""The changes that supervisors make to the world, their time, and who makes it pass.

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
        reset: True if the simulation is to be reset at the end of the next step.
        at_robot: called with the model of a robot that a supervisor has brought or
            taken away; `SteppedSimulation.absent` says which.
        waiting: changes at the start of the next step, each with the number of the
            robot that wants it.
        at_end: called at the end of the next basic step, once.
        at_reset: called after each reset.
        at_device_change: called with the robot and the tag of a device that has
            another value of a field, the field, and the value.
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
            BaseException: it was told so before, and has to end.
        """
        ...

    def wait(self, client: typing.Any, due: float) -> bool:
        """Waits for the start of step `due`; False if the simulation is over."""
        ...

    def reload(self) -> str:
        """Ends all controllers, to start them again with the simulation.

        Returns:
            What keeps it from that; "": nothing.
        """
        ...

    def restart(self, model: str) -> bool:
        """Ends the controller of a robot at its next step, to start it again.

        Returns:
            Whether it has one that can be.
        """
        ...
