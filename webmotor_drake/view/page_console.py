"""A run's prints and warnings, for our pages."""

import collections
import contextlib
import re
import sys
import typing
from collections.abc import Iterator

# Number of lines that a later page is still told.
_KEPT = 500
# Colours and other orders to a terminal.
_ORDERS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

Line = tuple[str, str]  # "out", "error", "note" or "warning", and the text


class PageConsole:
    """Collects lines while they are printed to the standard streams.

    Any thread may print; one thread takes the lines.

    Attributes:
        kept: the last lines, for a page that comes later.
    """

    def __init__(self):
        self.kept: tuple[Line, ...] = ()
        self._new: collections.deque[Line] = collections.deque(maxlen=_KEPT)
        self._warned: dict[str, int] = {}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Collects the block's output."""
        out, error = (
            stream and _Tee(stream, kind, self._new)
            for stream, kind in ((sys.stdout, "out"), (sys.stderr, "error"))
        )
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(error),
        ):
            yield

    def warn(self, warnings: dict[str, int]) -> None:
        """Takes the number of times that each warning was issued so far, by text."""
        for text in warnings:
            if text not in self._warned:
                self._new.append(("warning", text))
        self._warned = warnings

    def take(self) -> list[Line]:
        """Returns the lines since the last time."""
        lines = []
        while self._new:
            kind, text = self._new.popleft()
            told = text.removeprefix("webmotor: warning: ")
            if kind == "error" and any(map(told.startswith, self._warned)):
                continue  # warnings are told at the end of a run once more
            if text.startswith("webmotor: "):
                kind = "note"
            lines.append((kind, text))
        self.kept = (*self.kept, *lines)[-_KEPT:]
        return lines


class _Tee:
    """A stream whose lines are collected, too."""

    def __init__(
        self,
        stream: typing.TextIO,
        kind: str,
        lines: collections.deque[Line],
    ):
        self._stream, self._kind, self._lines = stream, kind, lines
        self._begun = ""

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes, and collects the lines that end."""
        *ended, self._begun = (self._begun + str(text)).split("\n")
        for line in ended:
            line = _ORDERS.sub("", line.rpartition("\r")[2])
            self._lines.append((self._kind, line[:2000]))
        self._begun = self._begun[-2000:]
        return self._stream.write(text)

    def writelines(self, lines: typing.Iterable[str]) -> None:
        """Writes one text after the other."""
        for line in lines:
            self.write(line)
