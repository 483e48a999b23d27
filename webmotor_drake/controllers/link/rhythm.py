"""The interface to the loop that steps a robot's simulation."""

import typing

Client = typing.TypeVar("Client", contravariant=True)


class Rhythm(typing.Protocol[Client]):
    """Steps the simulation of a robot, and of others in it."""

    def check(self, client: Client) -> bool:
        """Returns whether the simulation is over for a robot about to step.

        Raises:
            BaseException: it was told so before, and has to end.
        """
        ...

    def wait(self, client: Client, due: float) -> bool:
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
