"""The little-endian, packed fields of requests and answers, by layouts.

A layout is one of `struct`, in which a count makes a list, and besides: "z", a text up
to its closing 0; "t" and "T", a text behind its size of 2 or 4 bytes; "y", bytes behind
their size of 4 bytes; "x", bytes that are skipped; "*", the reader itself.
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
    """Returns the counts, 0 without one, and the letters of a layout."""
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
            BadRequestError: there are fewer, or the size is negative.
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
        """Returns the next field, of a layout of one."""
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
        """Returns the next bytes, or fewer at the end, and stays before them."""
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
    """Returns numbers and "z" texts as answers have them; a 0 in a text ends it."""
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
