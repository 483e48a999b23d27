"""Bytes of requests in, bytes of answers out; no sockets here.

A request is the same over a local socket and TCP; an answer is not. Their fields are
little-endian and packed. Their layouts are like those of `struct`, but a count makes a
list, and there are more letters: "z", a text up to its closing 0; "t" and "T", a text
behind its size of 2 or 4 bytes; "y", bytes behind their size of 4 bytes; "x", bytes
that are skipped; "*", the reader itself.
"""

import functools
import re
import struct
import typing

_ENCODING = "utf-8"
_SIZES = {"t": "H", "T": "I", "y": "i"}


class BadRequestError(Exception):
    """A client has sent bytes that no libController sends."""


@functools.cache
def _fields(layout: str) -> list[tuple[int, str]]:
    """Returns the letters of a layout, each with its count, or 0 without one."""
    return [(int(n or 0), c) for n, c in re.findall(r"(\d*)(\S)", layout)]


class Reader:
    """Reads fields one after the other, never past the end.

    Args:
        data: the bytes.
    """

    def __init__(self, data: bytes):
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        """Returns the next bytes.

        Raises:
            BadRequestError: fewer bytes are left, or the size is negative.
        """
        if not 0 <= size <= self.left:
            raise BadRequestError(
                f"{size} bytes wanted where {self.left} are left"
            )
        start, self._at = self._at, self._at + size
        return self._data[start : self._at]

    def values(self, layout: str) -> list[typing.Any]:
        """Returns the fields of a layout.

        Raises:
            BadRequestError: there are fewer bytes, or a text has no end.
        """
        found = []
        for count, kind in _fields(layout):
            if kind == "x":
                self.take(count)
            else:
                found.append(self._value(count, kind))
        return found

    def one(self, kind: str) -> typing.Any:
        """Returns the next field, whose layout is one letter."""
        return self._value(*_fields(kind)[0])

    def _value(self, count: int, kind: str) -> typing.Any:
        if kind == "z":
            return self._string()
        if kind in _SIZES:
            found = self.take(self.one(_SIZES[kind]))
            return found if kind == "y" else _decoded(found.rstrip(b"\0"))
        if kind == "*":
            return self
        layout = f"<{count or 1}{kind}"
        numbers = struct.unpack(layout, self.take(struct.calcsize(layout)))
        return list(numbers) if count else numbers[0]

    def peek(self, size: int) -> bytes:
        """Returns the next bytes, fewer at the end, without moving past them."""
        return self._data[self._at : self._at + size]

    def _string(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise BadRequestError("a text without an end")
        found = self._data[self._at : end]
        self._at = end + 1
        return _decoded(found)


def _decoded(data: bytes) -> str:
    return data.decode(_ENCODING, "replace")


def packed(layout: str, *values: typing.Any) -> bytes:
    """Packs numbers and "z" texts as in answers; a 0 in a text ends it."""
    parts, rest = list[bytes](), iter(values)
    for count, kind in _fields(layout):
        if kind == "z":
            parts.append(
                next(rest).encode(_ENCODING, "replace").split(b"\0")[0]
            )
            parts.append(b"\0")
        else:
            numbers = [next(rest) for _ in range(count or 1)]
            parts.append(struct.pack(f"<{count or 1}{kind}", *numbers))
    return b"".join(parts)


# The largest request: more than the images that a controller loads in one step.
LARGEST = 2**28

_HEAD = struct.Struct("<II")
_BLOCK = struct.Struct("<Hi")
_LOCAL_HEAD = struct.Struct("<Ii")


class Request(typing.NamedTuple):
    """A client's request.

    Attributes:
        milliseconds: length of the step; 0: answer at once, no time passes.
        blocks: the commands by tag; 0: the robot.
        last: True if it is the client's last request.
    """

    milliseconds: int
    blocks: tuple[tuple[int, bytes], ...]
    last: bool = False


class Requests:
    """The requests in a stream of bytes."""

    def __init__(self) -> None:
        self._waiting = b""
        self._more: list[bytes] = []  # what follows, in parts
        self._missing = 0  # of the next request, bytes

    @property
    def is_waiting(self) -> bool:
        """Whether there is a request, or a part of one."""
        return bool(self._waiting)

    def feed(self, data: bytes) -> None:
        """Adds bytes that have arrived."""
        if not self._waiting:
            self._waiting = data
            return
        self._more.append(data)
        self._missing -= len(data)

    def next(self) -> Request | None:
        """Returns the next whole request; None: more has to arrive.

        Raises:
            BadRequestError: the bytes are no request.
        """
        if self._more:
            if self._missing > 0:
                return None
            self._waiting = b"".join([self._waiting, *self._more])
            self._more.clear()
        waiting = self._waiting
        arrived = len(waiting)
        if arrived < 4:
            self._missing = 4 - arrived
            return None
        size = int.from_bytes(waiting[:4], "little")
        if size == 0:
            self._waiting = waiting[4:]
            return Request(0, (), last=True)
        if not _HEAD.size <= size <= LARGEST:
            raise BadRequestError(f"a request of {size} bytes")
        if arrived < size:
            self._missing = size - arrived
            return None
        self._waiting = waiting[size:]  # usually empty: nothing is copied
        data = waiting[:size]
        return Request(_HEAD.unpack_from(data)[1], _blocks(data))


def _blocks(data: bytes) -> tuple[tuple[int, bytes], ...]:
    blocks, at, end = [], _HEAD.size, len(data)
    while at < end:
        if at + _BLOCK.size > end:
            raise BadRequestError("a block that is cut off")
        tag, size = _BLOCK.unpack_from(data, at)
        at += _BLOCK.size
        if not 0 < size <= end - at:
            raise BadRequestError(f"a block of {size} bytes")
        blocks.append((tag, data[at : at + size]))
        at += size
    return tuple(blocks)


# A device's tag, the number of its image (0; 9: segmentation), and the pixels.
Image = tuple[int, int, bytes]


def local_answer(delay: int, messages: bytes) -> bytes:
    """Returns an answer as a local socket has it."""
    return _LOCAL_HEAD.pack(8 + len(messages), delay) + messages


def tcp_answer(
    delay: int, messages: bytes, images: tuple[Image, ...] = ()
) -> bytes:
    """Returns an answer as TCP has it: a chunk of messages, and the images."""
    size = 4 + len(messages)
    parts = [
        struct.pack("<hIIBi", 1 + len(images), size, size, 0, delay),
        messages,
    ]
    for tag, number, pixels in images:
        parts += [struct.pack("<IBHB", len(pixels), 1, tag, number), pixels]
    return b"".join(parts)
