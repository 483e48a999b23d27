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
# The longest wait for one client without a look at the other sockets, s.
_SOON = 0.02
# The time that a client may leave a full socket unread, s. With libController only a
# stopped client does, or one that asks without reading the answers.
_UNREAD = 60.0
# Linux reports a close behind unread bytes; other systems only after they are read.
_HUNG_UP = getattr(select, "POLLRDHUP", select.POLLHUP)


class Connection(Requests):
    """A client's connection, which reads whole requests and sends bytes.

    Attributes:
        socket: socket that carries it.
        is_local: True for a local socket, False for TCP, whose answers differ.
        closed: True if the client has gone.
        problem: fault of bytes that are no request; "": none.
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
        """Reads the bytes that have arrived; False: there were none.

        Args:
            flags: flags of the read; 0 waits a moment for bytes.
        """
        if (data := self.read(flags)) is not None:
            self.feed(data)
        return data is not None

    def request(self) -> Request | None:
        """Returns the next request; None: it is incomplete, or the client has gone."""
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
        if self.is_local:
            self.say(local_answer(delay, messages))
        else:
            self.say(tcp_answer(delay, messages, images))

    def say(self, data: bytes) -> None:
        """Sends bytes."""
        try:
            self.socket.sendall(data)
        except (BlockingIOError, TimeoutError):
            self.problem = f"it has not read its answers for {_UNREAD:g} s"
            self.closed = True
        except OSError:  # the client is gone
            self.closed = True

    def hurry(self, seconds: float) -> None:
        """Limits the time of each later send."""
        self.socket.settimeout(seconds)

    def has_hung_up(self) -> bool:
        """Returns whether the client has closed, even if bytes of it are unread."""
        poll = select.poll()
        poll.register(self.socket, _HUNG_UP)
        return bool(poll.poll(0))

    def close(self) -> None:
        """Closes the connection."""
        self.closed = True
        with contextlib.suppress(OSError):
            self.socket.close()
