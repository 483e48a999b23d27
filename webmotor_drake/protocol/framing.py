"""Splits a stream into requests, and frames answers; no sockets here.

A request is the same over a local socket and TCP; an answer is not.
"""

import struct
import typing

from webmotor_drake.protocol.reader import BadRequestError

# More than the images that a controller loads into Displays in one step.
LARGEST = 2**28

_HEAD = struct.Struct("<II")
_BLOCK = struct.Struct("<Hi")
_LOCAL_HEAD = struct.Struct("<Ii")


class Request(typing.NamedTuple):
    """A client's request.

    Attributes:
        milliseconds: the step; 0: answer at once, no time passes.
        blocks: the commands by tag; 0: the robot.
        last: True if it is the client's last word.
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
            BadRequestError: this is no request.
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
        self._waiting = waiting[size:]  # as a rule nothing: a copy of neither
        data = waiting[:size]
        return Request(_HEAD.unpack_from(data)[1], _blocks(data))


def _blocks(data: bytes) -> tuple[tuple[int, bytes], ...]:
    """Returns the blocks of a whole request."""
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
