"""The report of an import: all that it replaced, omitted or changed, with places."""

import dataclasses as dc
import typing
from collections.abc import Hashable, Mapping

from webmotor_drake.errors import InputError

# Kinds of entries, the gravest first, and what they mean in a summary.
KINDS = {
    "missing": "cannot be done without",
    "left out": "left out",
    "idle": "no controller in the project",
    "replaced": "replaced by our own",
    "hull": "collides as its convex hull",
    "kinematic": "driven kinematically",
    "changed": "changed",
    "note": "noted",
    "info": "",
}


@dc.dataclass
class Entry:
    """A difference from Webots, with all its places.

    Attributes:
        kind: one of `KINDS`.
        name: the node, PROTO or file.
        text: description of the difference.
        places: positions in the file, in order.
        motors: names of the motors that it affects.
    """

    kind: str
    name: str
    text: str
    places: list[str] = dc.field(default_factory=list[str])
    motors: list[str] = dc.field(default_factory=list[str])

    def __str__(self) -> str:
        times = f" ({len(self.places)} times)" if len(self.places) > 1 else ""
        few = _few(self.motors, 8)
        moved = f"; touches the motors {few}" if few else ""
        return f"{self.places[0]}: {self.name}: {self.text}{times}{moved}"


def _few(names: list[str], most: int) -> str:
    return ", ".join(names[:most]) + ", ..." * (len(names) > most)


class Report:
    """Collects entries; those that differ only in their place are merged."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str, str], Entry] = {}
        self._added: list[tuple[Entry, Hashable]] = []
        self._ended = False

    def add(self, kind: str, name: str, place: Hashable, text: str) -> None:
        """Adds an entry, or a place to an equal entry; does nothing after `end`."""
        if not self._ended:
            new = Entry(kind, name, text)
            entry = self._entries.setdefault((kind, name, text), new)
            entry.places.append(str(place))
            self._added.append((entry, place))

    def end(self, motors: Mapping[typing.Any, set[str]]) -> None:
        """Ends the report; adds to each entry the motors at its places."""
        for entry, place in self._added:
            new = motors.get(place, set()) - set(entry.motors)
            entry.motors += sorted(new)
        self._ended = True

    @property
    def entries(self) -> list[Entry]:
        """All entries, the gravest first."""
        return [
            e
            for kind in KINDS
            for e in self._entries.values()
            if e.kind == kind
        ]

    def of_kind(self, *kinds: str) -> list[Entry]:
        """Returns the entries of some kinds."""
        return [entry for entry in self.entries if entry.kind in kinds]

    def summary(self) -> str:
        """Returns, for each kind, its words and some names; "" without entries."""
        parts = []
        for kind, words in KINDS.items():
            # Kinds without words are listed by `check` only.
            if words and (entries := self.of_kind(kind)):
                names = list(dict.fromkeys(e.name for e in entries))
                parts.append(f"{words}: {_few(names, 6)}")
        return "; ".join(parts)

    def refuse(self, *kinds: str) -> None:
        """Raises one InputError with all entries of some kinds, if there are any."""
        entries = self.of_kind(*kinds)
        if entries:
            raise InputError("; ".join(map(str, entries)))
