"""The robots of a run whose controllers are programs that connect.

The loop that simulates asks `next_step` for a step, simulates to it, and calls
`answer`. It belongs to a run of programs alone, to Python controllers, or a session.
"""

import contextlib
import math
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from webmotor_drake.host import messages
from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.robot_requests import LOOK
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.interrupts import uninterrupted
from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.link import Link
from webmotor_drake.protocol.programs import Program
from webmotor_drake.protocol.server import Server
from webmotor_drake.protocol.wire_robot import QUIT
from webmotor_drake.scenario.robot_controllers import EXTERN, robots_of

# The time for telling clients that the simulation is over, s.
_GRACE = 1.0
# The period of looks at whether the started programs still run, s.
_LOOK = 0.1
# The time that programs have to end, s; the time after an interrupt, s.
_PROGRAMS_GRACE, _INTERRUPTED_GRACE = 10.0, 1.0
# The most restarts of a program while no time passes: more are an endless loop.
_RESTARTS = 3
# The number of reads from one client before a look at all sockets.
_DIRECTLY = 50
# The period in which clients are heard while time passes, s.
_LISTEN = 0.02


class ConnectedRobots:
    """A simulation's robots that programs command, their server and their links.

    Attributes:
        port: port at which programs connect.
        stands_still: True if the simulation waits for a new program after one has
            left without notice, as in Webots.

    Args:
        stepped: the simulation; it puts off no steps if it does not wait for programs.
        programs: program to start, by robot; None: the user starts it.
        port: port of TCP, and number of the local sockets' folder; if it is taken, one
            of the next ones; 0: any.
        guests: the addresses of other machines whose programs may connect by TCP.

    Raises:
        InputError: the sockets cannot listen.
    """

    def __init__(
        self,
        stepped: SteppedSimulation,
        programs: Mapping[str, Path | None],
        port: int,
        guests: Collection[str] = (),
    ):
        self.stands_still = True
        self._stepped = stepped
        self._programs = programs
        self._direct = 0
        self._next_listen = 0.0
        self._inputs: list[Link] = []  # links whose clients wait for a key
        self._links: dict[str, Link] = {}
        self._server = Server(
            {
                name: "intern" if program else "extern"
                for name, program in programs.items()
            },
            port,
            guests,
            stepped.absent,
        )
        self.port = self._server.port
        drivers = robots_of(stepped.simulation.scenario)
        self._waits_for_all = all(
            drivers[name].synchronization for name in programs
        )
        if not self._waits_for_all:
            stepped.keep_up()

    def close(self) -> None:
        """Closes all connections."""
        self._server.close(QUIT)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Starts the programs; at the end tells all clients, and ends the programs."""
        patience = _INTERRUPTED_GRACE
        try:
            programs, hosts = self._programs, robot_hosts(self._stepped)
            self._links = {
                name: Link(
                    host, file.stem if (file := programs[name]) else EXTERN
                )
                for name, host in hosts.items()
                if name in programs
            }
            self._stepped.changes.at_robot.append(self._robot_moved)
            for name, link in self._links.items():
                link.expected = name not in self._stepped.absent
                if link.expected:
                    self._start_link(link)
            yield
            patience = _PROGRAMS_GRACE
        finally:
            with uninterrupted():
                self._say_goodbye()
                for link in self._links.values():
                    link.leave()
                    if link.program is not None:
                        link.program.end(patience)

    def _say_goodbye(self) -> None:
        """Tells all clients that the simulation is over, and waits for them to go.

        Clients that connect meanwhile are not heard: they want the next simulation.
        """
        deadline = time.monotonic() + _GRACE
        server, told = self._server, set[str]()
        leaving = dict(server.clients)
        for name, client in leaving.items():
            client.hurry(_GRACE)
            if self._links[name].asked is not None:
                client.answer(QUIT)
                told.add(name)
        while leaving and time.monotonic() < deadline:
            for name in server.wait(deadline - time.monotonic()):
                client = leaving.get(name)
                if client is None:
                    continue
                client.hear()
                request = client.request()
                if request is not None and not request.last:
                    client.answer(QUIT)
                    told.add(name)
                elif request is not None or client.closed:
                    server.drop(name)
                    del leaving[name]
        for name, client in leaving.items():
            if name not in told:  # this answers its next request
                client.answer(QUIT)
            server.drop(name)

    def next_step(self, asked: float = math.inf) -> float:
        """Waits until all awaited programs have asked for a step; begins the steps.

        Args:
            asked: step up to which others want to simulate; inf: there are no others.

        Returns:
            Step up to which to simulate, where a client is due; inf if none waits.
        """
        self._gather(alone=math.isinf(asked))
        if self._stepped.stopped:  # the world is loaded again
            return self._stepped.now
        step = asked
        for link in self._links.values():
            if link.asked is not None:
                step = min(step, link.begun(link.asked))
        stepped = self._stepped
        if not self._waits_for_all:
            step = min(step, stepped.now + 1)
        # A user who starts programs may start another one while steps remain.
        if not stepped.over and (
            math.isfinite(step)
            or any(k.program is None for k in self._links.values())
        ):
            step = min(step, stepped.last_step)  # `listen` is called on the way
        return step

    def listen(self) -> bool:
        """Reads from the clients while time passes, now and then.

        Returns:
            True if `next_step` has to be asked again: a client has come or gone.
        """
        if time.monotonic() < self._next_listen:
            return False
        self._next_listen = time.monotonic() + _LISTEN
        self._hear(self._server.wait(0))
        return any(
            k.awaited or (k.asked is not None and k.due is None)
            for k in self._links.values()
        )

    def answer(self) -> None:
        """Answers the programs whose steps are done."""
        for link in self._links.values():
            if link.due is not None and link.due <= self._stepped.now:
                self._answer(link)

    def begin_episode(self, seed: int) -> None:
        """Restarts the noise of all sensors from a seed."""
        for link in self._links.values():
            link.exchange.reseed(seed)

    def restart(self, robot: str) -> bool:
        """Ends a robot's program, to start it again; False: it has none."""
        link = self._links.get(robot)
        if link is None or robot not in self._server.clients:
            return False
        link.quits = True
        if link.asked is not None:
            self._tell_to_quit(link)
        return True

    def _tell_to_quit(self, link: Link) -> None:
        link.asked = link.due = None
        link.quits, link.again = False, link.name not in self._stepped.absent
        self._server.clients[link.name].answer(QUIT)

    def _start_link(self, link: Link) -> None:
        """Starts the program of a robot, or prints the address to connect to."""
        name, port = link.name, self._server.port
        link.expected = True
        self._server.listen(name)
        if self._programs[name] is not None:
            self._start_program(link)
            return
        how = (
            "waits for its controller, with"
            if link.host.driver.synchronization
            else "does not wait for its controller, which connects with"
        )
        tcp = f" or tcp://127.0.0.1:{port}/{name}"
        messages.say(
            f"{name} {how} WEBOTS_CONTROLLER_URL=ipc://{port}/{name}"
            + tcp * self._server.takes_tcp
        )

    def _robot_moved(self, robot: str) -> None:
        """Starts the program of a robot that has come; ends it if the robot left."""
        link = self._links.get(robot)
        if link is None:
            return
        if robot not in self._stepped.absent:
            self._start_link(link)
        elif not self.restart(robot):
            link.expected = False  # nobody has connected yet

    def _start_again(self, link: Link) -> None:
        """Starts a program once more, unless no time passes between its starts."""
        now, (count, at) = self._stepped.now, link.starts
        link.starts = (count + 1 if at == now else 1), now
        if link.starts[0] <= _RESTARTS:
            self._start_program(link)
        else:
            messages.warning(
                link.name,
                f"its controller was restarted {_RESTARTS} times while no time"
                " passed; it is not started any more",
            )

    def _start_program(self, link: Link) -> None:
        file = self._programs[link.name]
        assert file is not None
        driver = robots_of(self._stepped.simulation.scenario)[link.name]
        arguments = list(map(str, driver.controller_args))
        link.program = Program(link.name, file, arguments, self._server.folder)
        link.expected = True

    def _gather(self, *, alone: bool) -> None:
        """Reads from clients until all awaited ones have asked for a step."""
        links = self._links.values()
        looked = False
        while not self._stepped.stopped:
            awaited, patience = [k for k in links if k.awaited], None
            if not awaited and not (alone and self._waits_for_the_next()):
                if looked:
                    return
                patience = 0.0
            elif (
                len(awaited) == 1
                and self._waits_for_all
                and self._hear_directly(awaited[0])
            ):
                if awaited[0].asked is not None:
                    return  # no other client is awaited
                continue
            if patience is None:
                patience = self._patience()
            self._hear(self._server.wait(patience))
            self._look_at_programs()
            self._look_at_users()
            looked = True

    def _waits_for_the_next(self) -> bool:
        """Makes an endless run wait for new clients, once all have left."""
        links = self._links.values()
        endless = math.isinf(self._stepped.last_step) and self._waits_for_all
        if not endless or any(k.expected for k in links):
            return False
        for link in links:
            link.expected = link.program is None
        return any(k.expected for k in links)

    def _hear_directly(self, link: Link) -> bool:
        """Waits a moment for requests of one client only.

        That takes half the time of a look at all sockets, which happens now and then.
        """
        client = self._server.clients.get(link.name)
        if client is None:
            return False
        self._direct += 1
        if self._direct > _DIRECTLY:
            self._direct = 0
            heard = self._server.wait(0)
            self._hear(heard)
            return bool(heard)
        if not client.hear(0):
            return False
        self._listen(link)
        return True

    def _patience(self) -> float | None:
        """Returns how long to wait for a client without a look at programs, s."""
        if self._stepped.simulation.pause is not None or self._inputs:
            return LOOK
        started = any(k.program and k.expected for k in self._links.values())
        return _LOOK if started else None

    def _look_at_users(self) -> None:
        """Reads from the page, and answers clients whose key has come."""
        self._stepped.simulation.be_watched()
        for link in list(self._inputs):
            if not link.is_waiting():
                self._inputs.remove(link)
                self._server.clients[link.name].answer(*link.answer())

    def _look_at_programs(self) -> None:
        """Stops waiting for programs that have ended without connecting."""
        for name, link in self._links.items():
            if link.program is None or not link.expected:
                continue
            if link.program.is_over and name not in self._server.clients:
                self._hear(self._server.wait(0))  # a short program
                if name not in self._server.clients:
                    link.expected = False

    def _hear(self, names: list[str]) -> None:
        for name in names:
            client = self._server.clients.get(name)
            if client is not None:
                client.hear()
                self._listen(self._links[name])

    def _listen(self, link: Link) -> None:
        """Carries out a client's requests, up to its next step."""
        client = self._server.clients[link.name]
        while link.asked is None:
            request = client.request()
            if request is None:
                break
            if request.last:
                self._drop(link)
                return
            self._carry_out(link, request)
        if client.closed:
            self._drop(link, client.problem or "it has gone without a word")

    def _carry_out(self, link: Link, request: Request) -> None:
        """Answers a request at once, unless it asks for a step."""
        client = self._server.clients[link.name]
        if not link.configured:
            local = client.is_local
            folder = self._server.folders[link.name] if local else None
            link.exchange.image_folder = folder
            link.carry_out(request)
            client.answer(link.handshake())
            link.configured = link.expected = True
        elif request.milliseconds == 0:
            link.carry_out(request)
            if link.is_waiting():
                self._inputs.append(link)
            else:
                client.answer(*link.answer())
        elif link.quits:
            self._tell_to_quit(link)
        else:
            link.asked = request

    def _answer(self, link: Link) -> None:
        link.asked = link.due = None
        client = self._server.clients[link.name]
        told, images = link.answer()
        client.answer(told, images, link.exchange.late)
        if client.closed or client.is_waiting:
            self._listen(link)

    def _drop(self, link: Link, problem: str = "") -> None:
        """Forgets a client that has left.

        As in Webots the simulation waits for a new client, unless the client has said
        that it ends: then a run goes on to its end.
        """
        lost = bool(problem) and not link.left and not link.again
        at = link.exchange.time
        more = link.program is None and not self._stepped.over
        more = more and link.name not in self._stepped.absent
        self._server.drop(link.name)
        if link.configured:
            lasts = lost and self.stands_still
            link.expected = more and (lasts or link.again)
        link.leave()
        if link in self._inputs:
            self._inputs.remove(link)
        if lost:
            messages.warning(
                link.name,
                f"its controller is no longer connected at {at:.6g} s:"
                f" {problem}"
                + "; the simulation waits for the next"
                * link.awaited,
            )
        if link.again and link.program is not None:
            link.program.end(_PROGRAMS_GRACE)
            self._start_again(link)
        link.again = False
