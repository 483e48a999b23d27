"""The rhythm of a session: one program steps all robots."""

import contextlib
import typing
from collections.abc import Mapping
from pathlib import Path

from webmotor_drake.controllers.link.client import Client
from webmotor_drake.errors import InputError
from webmotor_drake.host import messages
from webmotor_drake.host.senses.sampling import steps_of
from webmotor_drake.host.stepped_simulation import SteppedSimulation

if typing.TYPE_CHECKING:
    from webmotor_drake.protocol.connected_robots import ConnectedRobots


class Together:
    """One program steps all robots: a step of one is a step of all.

    Attributes:
        clients: the robots that it commands.
        closed: True if nothing is simulated any more.
    """

    def __init__(self, stepped: SteppedSimulation):
        self.clients: list[Client] = []
        self.closed = False
        self._stepped = stepped
        self._connected: ConnectedRobots | None = None
        self._resources = contextlib.ExitStack()

    def connect(self, programs: Mapping[str, Path | None], port: int) -> int:
        """Has programs command robots, until `disconnect`.

        Args:
            programs: file to be started for each robot; None: somebody else starts one.
            port: their port; the next ones if it is taken; 0: any.

        Returns:
            The port.

        Raises:
            InputError: it cannot listen, or a program cannot be started.
        """
        from webmotor_drake.protocol.connected_robots import ConnectedRobots

        with contextlib.ExitStack() as resources:
            connected = ConnectedRobots(self._stepped, programs, port)
            connected.stands_still = False  # the session's own program goes on
            resources.enter_context(contextlib.closing(connected))
            resources.enter_context(connected.running())
            self._resources = resources.pop_all()
        self._connected = connected
        return connected.port

    def disconnect(self, *error: typing.Any) -> None:
        """Ends the programs; after an error without much patience."""
        self._connected = None
        self._resources.__exit__(*error)

    def check(self, client: Client | None = None) -> bool:
        """Returns whether the scenario has ended."""
        if self.closed:
            return True
        if self._stepped.over:
            self._stepped.finish()
        return self._stepped.over

    def step(self, milliseconds: int | None) -> int:
        """Steps where programs command all robots.

        Args:
            milliseconds: length of the step; None: the basic time step.

        Returns:
            0, or -1 after the end of the scenario.

        Raises:
            InputError: the time is not above 0.
        """
        basic = self._stepped.basic_time_step
        if milliseconds is None:
            milliseconds = max(int(basic), 1)
        if milliseconds <= 0:
            raise InputError(
                f"time_step: {milliseconds} is not allowed; must be above 0"
            )
        if self.check():
            return -1
        due = self._stepped.now + steps_of(milliseconds, basic)
        return 0 if self._advance(due) else -1

    def wait(self, client: Client, due: float) -> bool:
        """Simulates until the start of step `due`; False at the end."""
        others = [other for other in self.clients if other is not client]
        for other in others:
            other.send(client.asked)
        alive = self._advance(due)
        for other in others:
            other.answer()
        return alive

    def _advance(self, due: float) -> bool:
        """Simulates until the start of step `due`; False at the end."""
        stepped = self._stepped
        if self._connected is None:
            stepped.advance(due)
        else:
            self._advance_with(self._connected, min(due, stepped.last_step))
        alive = due <= stepped.last_step
        if not alive:
            stepped.finish()
        return alive

    def _advance_with(self, connected: "ConnectedRobots", due: float) -> None:
        """Simulates with the robots of programs, which are answered on the way."""
        stepped = self._stepped
        while stepped.now < due and not stepped.over:
            step = connected.next_step(due)
            if connected.reloads:
                connected.reloads = False
                messages.error("wb_supervisor_world_reload()", self.reload())
            else:
                stepped.advance(step, connected.listen)
                connected.answer()

    def begin_episode(self, seed: int) -> None:
        """Begins the noise of programs' sensors anew, from a seed."""
        if self._connected is not None:
            self._connected.begin_episode(seed)

    def reload(self) -> str:
        """Resets only the simulation; the program goes on."""
        self._stepped.changes.reset = True
        return "a session goes on; only the simulation is reset"

    def restart(self, model: str) -> bool:
        """Ends a program, to start it again; False: none was started here."""
        connected = self._connected
        return connected is not None and connected.restart_program(model)
