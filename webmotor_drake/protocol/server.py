"""Listens for clients on this machine, and knows which robot each is for."""

import contextlib
import errno
import selectors
import socket
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.protocol.addresses import (
    LONGEST_PATH,
    Instance,
    encoded,
    quoted,
)
from webmotor_drake.protocol.connection import Connection

# The number of ports that are tried if the wanted one is taken, as in Webots.
_PORTS = 11
_HOME = "127.0.0.1"
# Among the guests: closes TCP, also to all users of this machine.
NOBODY = "none"
# The time that the farewell to a client may take, s.
_SOON = 0.1
# The most connections that have not named a robot; beyond it the oldest go.
_STRANGERS = 32
_EVERYWHERE, _FORBIDDEN = "0.0.0.0", b"FORBIDDEN"
_GREETING, _FOR_ROBOT = b"CTR", b"CTR\nRobot-Name: "


class Server:
    """The sockets of a simulation; other machines reach them only as guests.

    Attributes:
        port: port of TCP, and number of the local sockets' folder.
        clients: the connection of each robot that has a client.
        folder: folder of this simulation.
        folders: folders of robots' sockets and images.
        takes_tcp: True if clients may connect by TCP.

    Args:
        robots: "extern" or "intern" by robot; an intern one has a program that the
            simulation starts, and no TCP.
        port: first port that is tried; 0: any.
        guests: addresses of other machines whose programs may connect; with NOBODY,
            only this user's local sockets are open.
        absent: robots that are out of the world, which may change.

    Raises:
        InputError: no port is free, or the folder cannot be written.
    """

    def __init__(
        self,
        robots: Mapping[str, str],
        port: int,
        guests: Collection[str] = (),
        absent: Collection[str] = (),
    ):
        self.takes_tcp = NOBODY not in guests
        self._welcome = {_HOME, *guests} if self.takes_tcp else set[str]()
        self.clients: dict[str, Connection] = {}
        self._absent = absent
        self._kinds = robots
        self._by_code = {
            code: name
            for name, kind in robots.items()
            if kind == "extern"
            for code in (encoded(name), quoted(name))
        }
        self._strangers: list[Connection] = []
        self._next: dict[str, Connection] = {}  # after the present client's end
        self._resources = contextlib.ExitStack()
        with self._resources:
            self._selector = self._resources.enter_context(
                selectors.DefaultSelector()
            )
            tcp = self._resources.enter_context(
                _listening(
                    _EVERYWHERE if guests and self.takes_tcp else _HOME, port
                )
            )
            self.port: int = tcp.getsockname()[1]
            self._selector.register(tcp, selectors.EVENT_READ, self._meet)
            self._instance = Instance(self.port)
            self.folder = self._instance.path
            self._resources.callback(self._instance.remove)
            self.folders: dict[str, Path] = {}
            for robot in robots:
                if robot not in absent:
                    self.listen(robot)
            live = self._instance.path / "live.txt"
            live.write_text(str(int(time.time())))
            self._resources = self._resources.pop_all()

    def listen(self, robot: str) -> None:
        """Opens a robot's local socket, unless it is open."""
        if robot in self.folders:
            return
        folder, kind = self._instance.folder(robot), self._kinds[robot]
        path = str(folder / kind)
        if len(path.encode()) > LONGEST_PATH:
            raise InputError(
                f"{path} is too long for a local socket; give {robot} a"
                " shorter name"
            )
        listener = self._resources.enter_context(
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        )
        listener.bind(path)
        listener.listen()
        listener.setblocking(False)
        self._instance.offer_other_names(robot, kind)
        self._selector.register(listener, selectors.EVENT_READ, robot)
        self.folders[robot] = folder

    def wait(self, seconds: float | None) -> list[str]:
        """Waits until bytes or connections have arrived.

        Args:
            seconds: longest time; None: for ever.

        Returns:
            The robots whose clients have sent bytes, or have come or gone.
        """
        heard: dict[str, None] = {}
        for key, _ in self._selector.select(seconds):
            if isinstance(key.fileobj, Connection):
                if key.data:
                    heard[key.data] = None
                else:
                    self._identify(key.fileobj)
            elif key.data == self._meet:
                self._meet(key.fileobj)
            else:
                self._admit(key.data, key.fileobj)
        return list(heard)

    def _admit(self, robot: str, listener: socket.socket) -> None:
        """Accepts a client of a local socket; a second one is refused."""
        connected = _accepted(listener)
        if connected is None:
            return
        client = Connection(connected, is_local=True)
        if robot in self._absent or not self._adopt(robot, client):
            client.close()

    def _meet(self, listener: socket.socket) -> None:
        """Accepts TCP connections, which have to name a robot first."""
        for _ in range(_STRANGERS):  # a crowd does not come one by one
            connected = _accepted(listener)
            if connected is None:
                return
            self._greet(connected)

    def _greet(self, connected: socket.socket) -> None:
        try:
            may_come = connected.getpeername()[0] in self._welcome
        except OSError:  # the peer is gone
            may_come = False
        if not may_come:
            with contextlib.suppress(OSError), connected:
                connected.sendall(_FORBIDDEN)
            return
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stranger = Connection(connected, is_local=False)
        self._strangers.append(stranger)
        self._selector.register(stranger, selectors.EVENT_READ, "")
        if len(self._strangers) > _STRANGERS:
            self._dismiss(self._strangers[0])

    def _dismiss(self, stranger: Connection, answer: bytes = b"") -> None:
        self._strangers.remove(stranger)
        self._selector.unregister(stranger)
        if answer:
            stranger.say(answer)
        stranger.close()

    def _identify(self, stranger: Connection) -> None:
        """Finds the robot that a TCP client names in its first bytes."""
        if stranger not in self._strangers:  # dismissed meanwhile
            return
        said = stranger.read() or b""
        if not said.startswith(_GREETING):
            self._dismiss(stranger)
            return
        robot = self._wanted(said)
        if not robot or robot in self._absent:
            self._dismiss(stranger, b"FAILED")
        elif not self._is_free(robot):
            self._dismiss(stranger, _FORBIDDEN)
        else:
            self._strangers.remove(stranger)
            self._selector.unregister(stranger)
            stranger.say(b"CONNECTED")
            self._adopt(robot, stranger)

    def _wanted(self, said: bytes) -> str:
        """Returns the robot that a client names; if it names none, the only one."""
        if said.startswith(_FOR_ROBOT):
            code = said[len(_FOR_ROBOT) :].decode("ascii", "replace").strip()
            return self._by_code.get(code, "")
        only = list(dict.fromkeys(self._by_code.values()))
        return only[0] if said == _GREETING and len(only) == 1 else ""

    def _is_free(self, robot: str) -> bool:
        """Returns whether a robot takes a client: it has none, or one that hung up."""
        client = self.clients.get(robot)
        return client is None or (
            client.has_hung_up() and robot not in self._next
        )

    def _adopt(self, robot: str, client: Connection) -> bool:
        """Gives a robot a client; False: it has one already."""
        if not self._is_free(robot):
            return False
        if robot in self.clients:  # with unread bytes
            self._next[robot] = client
        else:
            self.clients[robot] = client
            self._selector.register(client, selectors.EVENT_READ, robot)
        return True

    def drop(self, robot: str) -> None:
        """Closes the connection of a robot's client; the next one may come."""
        client = self.clients.pop(robot)
        self._selector.unregister(client)
        client.close()
        if robot in self._next:
            self._adopt(robot, self._next.pop(robot))

    def close(self, farewell: bytes = b"") -> None:
        """Closes all sockets, and removes the folder.

        Args:
            farewell: message to the remaining clients, which would otherwise wait for
                ever over TCP.
        """
        for client in [*self.clients.values(), *self._next.values()]:
            if farewell:
                client.hurry(_SOON)
                client.answer(farewell)
        for client in self._next.values():
            client.close()
        self._next.clear()
        for robot in list(self.clients):
            self.drop(robot)
        for stranger in list(self._strangers):
            self._dismiss(stranger)
        self._resources.close()


def _listening(host: str, port: int) -> socket.socket:
    """Returns a socket that listens on a port of a host, or on the next free one."""
    ports: Iterable[int] = range(port, min(port + _PORTS, 2**16))
    for number in ports if port else (0,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, number))
            listener.listen()
            listener.setblocking(False)
            return listener
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise InputError(f"cannot listen: {error.strerror}") from None
    raise InputError(
        f"port {port} for controllers: it and the {_PORTS - 1} ports after it are taken"
    )


def _accepted(listener: socket.socket) -> socket.socket | None:
    """Returns a new connection; None: the peer is gone, or there are too many."""
    try:
        connected, _ = listener.accept()
    except OSError:
        return None
    connected.setblocking(True)
    return connected
