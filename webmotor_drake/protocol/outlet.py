"""Prints of a program, where this process's streams lead to a page or a notebook."""

import codecs
import contextlib
import os
import sys
import threading
import tty
import typing

_CHUNK = 2**16
# How long what is left is read once a program has ended, s: a child of its own may
# have the stream still.
_SOON = 1.0


class Outlet:
    """Takes a program's lines to one of this process's streams.

    It is a terminal, so that the program tells a line when it prints it, and not when
    its buffer is full.

    Args:
        stream: goal of the lines.

    Attributes:
        descriptor: file that the program writes to.
    """

    def __init__(self, stream: typing.TextIO):
        self._stream = stream
        self._read, self.descriptor = os.openpty()
        tty.setraw(self.descriptor)  # lines end as the program ends them
        self._reader = threading.Thread(target=self._copy, daemon=True)

    def start(self) -> None:
        """Reads from now on: the program has its descriptor, or there is none."""
        os.close(self.descriptor)
        self._reader.start()

    def finish(self) -> None:
        """Waits for the program's last lines."""
        self._reader.join(_SOON)

    def _copy(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        begun = ""
        with contextlib.suppress(OSError):  # Linux: nobody writes any more
            while data := os.read(self._read, _CHUNK):
                text = begun + decoder.decode(data)
                lines, end, begun = text.rpartition("\n")
                self._write(lines + end)
        os.close(self._read)
        self._write(begun + decoder.decode(b"", final=True))

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # it is closed
            if text:
                self._stream.write(text)
                self._stream.flush()


def outlet_of(name: str) -> Outlet | None:
    """Returns the way to a stream; None: it is the process's own.

    Args:
        name: "stdout" or "stderr".
    """
    stream = getattr(sys, name)
    own = stream is None or stream is getattr(sys, f"__{name}__")
    return None if own else Outlet(stream)
