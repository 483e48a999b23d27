"""A text in Webots' format, and places in it."""

import bisect
import dataclasses as dc
import functools
import re
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.report import Report

Version = tuple[int, int, int]

# The version of a text without a header.
NEWEST: Version = (2025, 0, 0)

_HEADER = re.compile(
    r"#VRML(?:_[A-Z]{3})? (?:V(?P<old>\d{1,9}\.\d{1,9}(?:\.\d{1,9})?)"
    r"|R(?P<year>\d{4})(?P<letter>[a-z])"
    r"(?:(?: revision |-rev)\s*(?P<revision>\d{1,9}))?\S*)"
)


@dc.dataclass(eq=False)
class Source:
    """A text in Webots' format.

    Attributes:
        name: the file as the user knows it, for messages.
        text: its content.
        folder: folder to which names of files are relative.
        version: version of Webots by the first line: year, letter from 0 on, revision.
        urls: addresses of its EXTERNPROTO lines, by the PROTO's name.
        instead: place of the user's instance that this text of ours replaces: it is the
            place of everything in the text; "": a text of the user's.
        report: report that gets its differences from Webots.
    """

    name: str
    text: str = dc.field(repr=False)
    folder: Path = Path()
    version: Version = NEWEST
    urls: dict[str, str] = dc.field(default_factory=dict[str, str], repr=False)
    instead: str = ""
    report: Report = dc.field(default_factory=Report, repr=False)

    @property
    def has_old_axes(self) -> bool:
        """True if shapes and devices have the axes of versions before R2022a."""
        return self.version < (2022, 0, 0)

    @functools.cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def where(self, offset: int) -> str:
        """Returns ``file:line:column`` of a character."""
        if self.instead:
            return self.instead
        line = bisect.bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        return f"{self.name}:{line}:{column}"


@dc.dataclass(frozen=True, eq=False)
class Place:
    """A place in a text.

    Attributes:
        source: the text.
        offset: its first character there.
    """

    source: Source
    offset: int

    def __str__(self) -> str:
        return self.source.where(self.offset)

    def add(self, kind: str, name: str, text: str) -> None:
        """Reports a difference from Webots at this place; see `Entry`."""
        self.source.report.add(kind, name, self, text)

    def error(self, problem: str) -> InputError:
        """Returns the error for a problem at this place."""
        return InputError(problem, where=str(self))


def read_version(text: str) -> Version | None:
    """Returns the version in the first line of a file, if there is one.

    R2023b is (2023, 1, 0), V8.6.0 is (8, 6, 0) (WbVersion.cpp).
    """
    match = _HEADER.match(text)
    if match is None:
        return None
    if match["old"]:
        numbers = [int(n) for n in match["old"].split(".")]
        return tuple((*numbers, 0)[:3])  # type: ignore[return-value]
    revision = int(match["revision"] or 0)
    return int(match["year"]), ord(match["letter"]) - ord("a"), revision
