"""What supervisors want of the world, and when it is done.

Fields are set just before time passes, in the order of the robots, once all have
said what they want (Webots' reference, "set the value of a field"). A push lasts one
basic step. A reset comes at the end of the step in which it is asked for.
"""

import typing
from collections.abc import Callable

Change = Callable[[], None]


class WorldChanges:
    """The changes of one simulation that wait for their time.

    Attributes:
        reset: whether the simulation is to be reset at the end of the next step.
        reload: whether it is to be reset, and all controllers started again.
        at_end: called at the end of the next basic step, once.
        at_reset: called after each reset.
        at_device_change: called with the robot and the tag of a device that has
            another value of a field, the field, and the value.
    """

    def __init__(self) -> None:
        self.reset = False
        self.reload = False
        self.at_end: list[Change] = []
        self.at_reset: list[Change] = []
        self.at_device_change: list[
            Callable[[str, int, str, typing.Any], None]
        ] = []
        self._wanted: list[tuple[int, int, Change]] = []

    def want(self, robot: int, change: Change) -> None:
        """Has `change` done before the next step.

        Args:
            robot: the number of the robot that wants it.
            change: what is to be done.
        """
        self._wanted.append((robot, len(self._wanted), change))

    @property
    def waiting(self) -> bool:
        """Whether there is something to do before the next step."""
        return bool(self._wanted)

    @property
    def single(self) -> bool:
        """Whether something has to be done at the end of the next step."""
        return self.reset or bool(self.at_end)

    def apply(self) -> None:
        """Does what is wanted."""
        wanted, self._wanted = sorted(self._wanted, key=_order), []
        for _, _, change in wanted:
            change()

    def end_step(self) -> bool:
        """Ends what lasts one step; returns whether to reset."""
        done, self.at_end = self.at_end, []
        for change in done:
            change()
        wanted, self.reset = self.reset, False
        return wanted

    def after_reset(self) -> None:
        """Tells all who want to know that the simulation was reset."""
        for change in self.at_reset:
            change()


def _order(wanted: tuple[int, int, Change]) -> tuple[int, int]:
    return wanted[:2]
