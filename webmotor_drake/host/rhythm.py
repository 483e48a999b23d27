"""The loop of whoever steps a simulation and runs its controllers."""

import typing


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
