"""Reads the little-endian, packed fields of a request."""

import struct

_ENCODING = "utf-8"
_F64 = struct.Struct("<d")


class BadRequestError(Exception):
    """A client has sent what no libController sends."""


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

    def fields(self, layout: struct.Struct) -> tuple:
        """Returns the fields of a layout."""
        return layout.unpack(self.take(layout.size))

    def u8(self) -> int:
        """Returns an unsigned byte."""
        return self.take(1)[0]

    def u16(self) -> int:
        """Returns an unsigned number of 2 bytes."""
        return int.from_bytes(self.take(2), "little")

    def i16(self) -> int:
        """Returns a signed number of 2 bytes."""
        return int.from_bytes(self.take(2), "little", signed=True)

    def u32(self) -> int:
        """Returns an unsigned number of 4 bytes."""
        return int.from_bytes(self.take(4), "little")

    def i32(self) -> int:
        """Returns a signed number of 4 bytes."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def f64(self) -> float:
        """Returns a float of 8 bytes."""
        return _F64.unpack(self.take(8))[0]

    def floats(self, count: int) -> list[float]:
        """Returns so many floats of 8 bytes."""
        return list(struct.unpack(f"<{count}d", self.take(8 * count)))

    def peek(self, size: int) -> bytes:
        """Returns the next bytes, or what is left, and stays before them."""
        return self._data[self._at : self._at + size]

    def string(self) -> str:
        """Returns a text up to its closing 0, which is skipped.

        Raises:
            BadRequestError: it has no end.
        """
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise BadRequestError("a text without an end")
        found = self._data[self._at : end]
        self._at = end + 1
        return found.decode(_ENCODING, "replace")

    def text(self, size: int) -> str:
        """Returns a text of so many bytes, its closing 0 among them."""
        return self.take(size).rstrip(b"\0").decode(_ENCODING, "replace")


def text(value: str) -> bytes:
    """Returns a text as answers have it: UTF-8 and a 0; a 0 inside ends it."""
    return value.encode(_ENCODING, "replace").split(b"\0")[0] + b"\0"
