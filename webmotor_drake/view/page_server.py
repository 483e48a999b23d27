"""Serves the live page to browsers on this machine, over one WebSocket each.

A client gets two frames at most until it has drawn one: a slow browser skips frames,
and the run does not wait for it. One that takes nothing at all is cut off, and may come
again. Pages of other origins are refused, as is any other name of this machine: a
foreign page must not drive the robot.
"""

import abc
import asyncio
import collections
import contextlib
import functools
import json
import math
import mimetypes
import socket
import threading
import types
import typing
import weakref
from collections.abc import Callable, Sized
from pathlib import Path

import pydrake

from webmotor_drake.errors import InputError

if typing.TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request

Message = str | bytes

_FILES = Path(__file__).parent / "page_files"
_HOST = "127.0.0.1"
# The first and the last port to look for a free one at; Meshcat has the same.
FIRST_PORT, LAST_PORT = 7000, 7999
# Nothing is fetched from elsewhere, and nobody may frame the page.
_POLICY = (
    "default-src 'self' data: blob:; style-src 'self' 'unsafe-inline';"
    " connect-src 'self' data: blob: {sockets}; frame-ancestors 'self'"
)
_LARGEST = 2**16  # bytes of a message from a page
# Things that a page may hold, at first none: keys and a body.
_NOTHING: dict[str, list | None] = {"keys": [], "pull": None}
# Frames that a page may have undrawn: its answer comes too late for the next look.
_AHEAD = 2
_BEHIND = 2**22  # bytes that may wait for a page besides the scene


@functools.cache
def page_assets() -> dict[str, str | bytes]:
    """Returns the files by their path in the address: text or bytes."""
    drake = Path(pydrake.__file__).parent / "share/drake/geometry"
    own = {
        f"/{file.name}": file.read_text(encoding="utf-8")
        for file in sorted(_FILES.iterdir())
        if file.suffix in (".html", ".css", ".js")
    }
    return {
        **own,
        "/": own["/index.html"],
        "/meshcat.js": (drake / "meshcat.js").read_text(encoding="utf-8"),
        "/favicon.ico": (drake / "meshcat.ico").read_bytes(),
    }


class PageServer:
    """A server in a thread of its own.

    Attributes:
        address: address of the page.
        inbox: messages of pages, as decoded JSON; a thread may pop them any time.

    Args:
        welcome: function that returns all messages that a new page needs; the server's
            thread calls it.
        port: port to listen at; None: the first free one from 7000 on.

    Raises:
        InputError: the port is taken.
    """

    def __init__(
        self,
        welcome: Callable[[], list[Message]],
        port: int | None = None,
    ):
        self._welcome = welcome
        self.inbox: collections.deque[dict[str, typing.Any]] = (
            collections.deque(maxlen=10_000)
        )
        self._clients: set[_Client] = set()
        self._socket, self.port = _bound(port)
        self.address = f"http://{_HOST}:{self.port}"
        self._hosts = {f"{name}:{self.port}" for name in (_HOST, "localhost")}
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        self._policy = _POLICY.format(sockets=sockets)
        self._loop, self._down = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(
            target=self._run, name="page", daemon=True
        )
        self._thread.start()

    @property
    def pages(self) -> int:
        """The number of pages that have loaded the scene."""
        return sum(client.has_loaded for client in list(self._clients))

    @property
    def wants_frame(self) -> bool:
        """True if a page has drawn its last frame."""
        return any(client.is_free for client in list(self._clients))

    def begin(self, messages: list[Message]) -> None:
        """Sends a new scene; no page has loaded it from now on."""
        for client in list(self._clients):
            client.has_loaded = False
        self._call(lambda client: client.begin(messages))

    def show(self, messages: list[Message]) -> None:
        """Sends a frame's messages to all pages that have drawn the last one."""
        self._call(lambda client: client.show(messages))

    def tell(self, message: Message) -> None:
        """Sends a message that no page may miss."""
        self._call(lambda client: client.tell(message))

    def close(self) -> None:
        """Ends the server and its thread."""
        self.end()
        self._thread.join(timeout=10)

    def end(self) -> None:
        """Lets the server end; any thread may call it, its own one too."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._down.set)

    def _call(self, act: "Callable[[_Client], None]") -> None:
        """Has the server's thread do something with each page."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(lambda: [*map(act, self._clients)])

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        async with serve(
            self._talk,
            sock=self._socket,
            origins=[f"http://{host}" for host in sorted(self._hosts)],
            process_request=self._answer,
            compression=None,
            max_size=_LARGEST,
        ):
            await self._down.wait()

    def _answer(self, connection: "ServerConnection", request: "Request"):
        """Gives the file that is asked for; None begins a WebSocket."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        path = request.path.partition("?")[0]
        found = page_assets().get(path)
        names = request.headers.get_all("Host")
        if len(names) != 1 or names[0] not in self._hosts:
            return connection.respond(403, "another name of this machine\n")
        if path == "/socket":
            return None
        if found is None:
            return connection.respond(404, "there is no such file\n")
        body = found.encode() if isinstance(found, str) else found
        kind = mimetypes.guess_type(path)[0] or "text/html"
        headers = Headers(
            [
                ("Content-Type", f"{kind}; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Content-Security-Policy", self._policy),
                ("Connection", "close"),
            ]
        )
        return Response(200, "OK", headers, body)

    async def _talk(self, connection: "ServerConnection") -> None:
        client = _Client(connection)
        client.begin(self._welcome() or [])
        self._clients.add(client)
        try:
            async for text in connection:
                self._take(client, text)
        except Exception:  # a page that left, or sends what is not a message
            pass
        finally:
            self._clients.discard(client)
            for name in client.holds:
                self.inbox.append({name: _NOTHING[name]})
            self.inbox.append({"left": True})

    def _take(self, client: "_Client", text: Message) -> None:
        message = json.loads(text)
        if not isinstance(message, dict):
            raise TypeError
        if message.pop("drawn", False):
            client.undrawn = 0
        if message.get("loaded"):
            client.has_loaded, client.undrawn = True, 0
        for name in _NOTHING.keys() & message.keys():
            holds = client.holds.add if message[name] else client.holds.discard
            holds(name)
        if message:
            self.inbox.append(message)


class _Client:
    """A page.

    Attributes:
        has_loaded: True if it has the scene.
        undrawn: number of frames sent after the last one that it has drawn.
        holds: things that somebody holds there, of `_NOTHING`.
    """

    def __init__(self, connection: "ServerConnection"):
        self._connection = connection
        self._room = 0  # bytes that may wait for it
        self.has_loaded, self.undrawn = False, 0
        self.holds: set[str] = set()

    def begin(self, messages: list[Message]) -> None:
        """Sends a scene, however large."""
        for message in messages:
            self._send(message)
        self._room = self.behind + _BEHIND

    def show(self, messages: list[Message]) -> None:
        """Sends the messages of a frame, if the page is free."""
        if self.is_free:
            self.undrawn += 1
            for message in messages:
                self.tell(message)

    def tell(self, message: Message) -> None:
        """Sends a message, or cuts the page off if too much waits for it."""
        self._send(message)
        if self.behind > self._room:
            self._connection.transport.abort()

    @property
    def is_free(self) -> bool:
        """True if it gets a frame now."""
        return self.has_loaded and self.undrawn < _AHEAD

    @property
    def behind(self) -> int:
        """The bytes that wait for it."""
        return self._connection.transport.get_write_buffer_size()

    def _send(self, message: Message) -> None:
        from websockets.asyncio.server import broadcast

        # It waits for nothing, and needs no task: a third of the cost of `send`.
        broadcast([self._connection], message)


class ServedPage(abc.ABC):
    """A page of ours; its server ends when nobody needs it any more.

    Args:
        port: port to listen at; None: the first free one from 7000 on.
    """

    def __init__(self, port: int | None):
        self._server = PageServer(while_alive(self._welcome), port)
        weakref.finalize(self, self._server.end).atexit = False

    @property
    def address(self) -> str:
        """The page's address, for a browser on this machine."""
        return self._server.address

    def close(self) -> None:
        """Ends the server."""
        self._server.close()

    def _read(self) -> None:
        """Obeys the messages of pages since the last time."""
        while self._server.inbox:
            message = self._server.inbox.popleft()
            try:
                self._do(message)
            except (KeyError, TypeError, ValueError, OverflowError):
                continue  # no page of ours has sent that

    @abc.abstractmethod
    def _welcome(self) -> list[Message]:
        """Returns the messages for a new page; called in the server's thread."""

    @abc.abstractmethod
    def _do(self, message: dict[str, typing.Any]) -> None:
        """Obeys a message."""


def while_alive(method: types.MethodType) -> Callable[..., typing.Any]:
    """Returns a function that calls a method, and does not keep its object alive."""
    # A fifth of the cost of a `WeakMethod`, which each plant step would pay.
    alive, act = weakref.ref(method.__self__), method.__func__

    def call(*args: typing.Any) -> typing.Any:
        return act(own, *args) if (own := alive()) is not None else None

    return call


def _bound(port: int | None) -> tuple[socket.socket, int]:
    ports = range(FIRST_PORT, LAST_PORT + 1) if port is None else [port]
    for number in ports:
        with contextlib.suppress(OSError):
            listener = socket.create_server((_HOST, number))
            return listener, listener.getsockname()[1]
    wanted = f"{FIRST_PORT} to {LAST_PORT}" if port is None else str(port)
    raise InputError(f"port {wanted} is taken on {_HOST}")


# Numbers in messages of pages, which any program on this machine can send. All else
# raises TypeError, ValueError or OverflowError.


def finite(value: typing.Any) -> float:
    """Returns a finite number.

    Raises:
        TypeError: it is something else.
        ValueError: it is not finite.
        OverflowError: it is an integer larger than any float.
    """
    if not isinstance(value, (int, float)):
        raise TypeError
    if not math.isfinite(value):
        raise ValueError
    return float(value)


def whole(value: typing.Any) -> int:
    """Returns a number of at most 32 bits, such as a key, as an integer."""
    if abs(number := finite(value)) >= 2**31:
        raise ValueError
    return int(number)


def number_of(value: typing.Any, things: Sized) -> int:
    """Returns the number of one of some things."""
    if not 0 <= (number := whole(value)) < len(things):
        raise ValueError
    return number
