"""A client's connection: a local socket or TCP."""

import contextlib
import select
import socket
import struct

from webmotor_drake.protocol.framing import (
    BadRequestError,
    Image,
    Request,
    Requests,
    local_answer,
    tcp_answer,
)

_CHUNK = 2**16
# The wait for a word without a look at the other sockets, s.
_SOON = 0.02
# The time that a client may leave a full socket unread, s. In libController only one
# that asks without reading its answers does, or one that is stopped.
_UNREAD = 60.0
# Linux tells a close behind unread bytes; elsewhere it is told once they are read.
_HUNG_UP = getattr(select, "POLLRDHUP", select.POLLHUP)


class Connection(Requests):
    """A client's connection, which says and hears bytes of whole requests.

    Attributes:
        socket: socket that carries it.
        is_local: True for a local socket; TCP has other answers.
        closed: True if the client has gone.
        problem: fault of bytes that nothing can be made of; "": none.
    """

    def __init__(self, connected: socket.socket, *, is_local: bool):
        self.socket = connected
        self.is_local = is_local
        self.closed = False
        self.problem = ""
        super().__init__()
        for option, seconds in (
            (socket.SO_RCVTIMEO, _SOON),
            (socket.SO_SNDTIMEO, _UNREAD),
        ):
            whole, part = divmod(seconds, 1)
            limit = struct.pack("@ll", int(whole), round(part * 1e6))
            connected.setsockopt(socket.SOL_SOCKET, option, limit)

    def fileno(self) -> int:
        """Returns the descriptor, for selectors."""
        return self.socket.fileno()

    def read(self, flags: int = socket.MSG_DONTWAIT) -> bytes | None:
        """Returns the bytes that have arrived; None: there are none yet."""
        try:
            data = self.socket.recv(_CHUNK, flags)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            data = b""
        self.closed = self.closed or not data
        return data

    def hear(self, flags: int = socket.MSG_DONTWAIT) -> bool:
        """Takes in the words that have arrived; False: there were none.

        Args:
            flags: flags of the look; 0: words of the next moment are waited for.
        """
        if (data := self.read(flags)) is not None:
            self.feed(data)
        return data is not None

    def request(self) -> Request | None:
        """Returns the next request; None: it is not there yet, or never will be."""
        if self.problem:
            return None
        try:
            return self.next()
        except BadRequestError as problem:
            self.problem = str(problem)
            self.closed = True
            return None

    def answer(
        self, messages: bytes, images: tuple[Image, ...] = (), delay: int = 0
    ) -> None:
        """Sends an answer; waits for a client that does not read."""
        frame = (
            local_answer(delay, messages)
            if self.is_local
            else tcp_answer(delay, messages, images)
        )
        self.say(frame)

    def say(self, data: bytes) -> None:
        """Sends bytes."""
        try:
            self.socket.sendall(data)
        except (BlockingIOError, TimeoutError):
            self.problem = f"it has not read its answers for {_UNREAD:g} s"
            self.closed = True
        except OSError:  # it is gone
            self.closed = True

    def hurry(self, seconds: float) -> None:
        """Has sending take no longer."""
        self.socket.settimeout(seconds)

    def has_hung_up(self) -> bool:
        """Returns whether the client has closed, even if its words are not heard."""
        poll = select.poll()
        poll.register(self.socket, _HUNG_UP)
        return bool(poll.poll(0))

    def close(self) -> None:
        """Closes it."""
        self.closed = True
        with contextlib.suppress(OSError):
            self.socket.close()
