"""How robots that share a simulation wait for each other."""

import typing

if typing.TYPE_CHECKING:
    from webmotor_drake.robot.link.client import Client
    from webmotor_drake.robot.link.host import World


class ControllerStopped(BaseException):  # noqa: N818 it is no error
    """Ends a controller that steps on after its simulation has ended.

    Webots ends the controller's process there.
    """


class Rhythm(typing.Protocol):
    """What a robot asks when it steps."""

    def check(self, client: "Client") -> bool:
        """Returns whether the simulation is over for a robot about to step.

        Raises:
            ControllerStopped: it was told so before.
        """

    def wait(self, client: "Client", due: int) -> bool:
        """Waits for the start of step `due`; False if the simulation is over."""


class Together:
    """One program steps all robots: a step of one is a step of all.

    Attributes:
        clients: all robots.
    """

    def __init__(self, world: "World"):
        self.clients: list[Client] = []
        self._world = world

    def check(self, client: "Client") -> bool:
        """Returns whether the scenario has ended."""
        if self._world.over:
            self._world.finish()
        return self._world.over

    def wait(self, client: "Client", due: int) -> bool:
        """Simulates until the start of step `due`; False at the end."""
        others = [other for other in self.clients if other is not client]
        for other in others:
            other.send(client.asked)
        self._world.advance(due)
        for other in others:
            other.answer()
        alive = due <= self._world.last_step
        if not alive:
            self._world.finish()
        return alive
