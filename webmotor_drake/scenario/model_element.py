"""The elements of a robot's file, which know their places."""

import dataclasses as dc
import math
from collections.abc import Iterator
from pathlib import Path

from webmotor_drake.errors import InputError

# Characters of a name: some ten thousand end Drake's process (regular expressions).
LONGEST = 5_000
# Elements of SDF whose text names a file.
_NAMES = ("uri", "diffuse_map")


@dc.dataclass(frozen=True)
class Given:
    """A number of a file.

    Attributes:
        name: its name there.
        text: the text that stands there.
        place: the place, "file:line".
    """

    name: str
    text: str
    place: str

    def number(self) -> float:
        """Returns the number.

        Raises:
            InputError: it is none; with its place.
        """
        try:
            value = float(self.text)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            problem = f"{self.name} {self.text!r}; a number is needed"
            if "${" in self.text:
                problem += "; `xacro FILE > robot.urdf` makes a URDF of a xacro"
            raise InputError(problem, where=self.place)
        return value

    def limit(self) -> float:
        """Returns the number as a limit: infinite where it is 0, which limits nothing.

        Raises:
            InputError: it is negative, or no number; with its place.
        """
        value = self.number()
        if value < 0:
            raise InputError(
                f"{self.name} {self.text} is not allowed; must be at least 0",
                where=self.place,
            )
        return value or math.inf


@dc.dataclass(slots=True)
class Element:
    """An element of a model.

    Attributes:
        tag: its name, without a prefix such as "drake:".
        given: its attributes.
        file: the file that it stands in.
        parent: the tag of the element that it stands in; "" of the root.
        collides: True for a shape that collides and all that is in it.
        line: line of its start, from 1 on.
        column: column of its start, from 1 on.
        start: its first byte in the file.
        inner: its first byte after its start tag.
        text: its text besides elements.
        children: the elements in it.
    """

    tag: str
    given: dict[str, str]
    file: Path
    parent: str
    collides: bool
    line: int
    column: int
    start: int
    inner: int
    text: str = ""
    children: list["Element"] = dc.field(default_factory=list["Element"])

    @property
    def name(self) -> str:
        """Its attribute `name`; "" without one."""
        return self.given.get("name", "")

    @property
    def place(self) -> str:
        """The place, "file:line", without folders."""
        return f"{self.file.name}:{self.line}"

    @property
    def where(self) -> str:
        """The place, "file:line:column"."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def naming(self) -> str:
        """The attribute that may name a file; "" if its text does."""
        if self.tag in _NAMES:
            return ""
        return "filename" if self.given.get("filename") else "file"

    @property
    def named_file(self) -> str:
        """The file that it names; "" if it names no file."""
        if not self.naming:
            return self.text.strip()
        return self.given.get(self.naming, "")

    def all(self, *tags: str) -> Iterator["Element"]:
        """Yields the elements with these tags, each in the one before."""
        if not tags:
            yield self
            return
        for child in self.children:
            if child.tag == tags[0]:
                yield from child.all(*tags[1:])

    def first(self, *tags: str) -> "Element | None":
        """Returns the first of `all`, if there is one."""
        return next(self.all(*tags), None)

    def numbers(self, name: str, *default: float) -> list[float]:
        """Returns the numbers in an attribute, as many as the default has, or more.

        Raises:
            InputError: they are none, or too few; with their place.
        """
        if name not in self.given:
            return list(default)
        texts = self.given[name].split()
        if len(texts) < len(default):
            needed = (
                f"{len(default)} numbers are" if default[1:] else "a number is"
            )
            problem = f"{name} {self.given[name]!r}; {needed} needed"
            raise InputError(problem, where=self.place)
        return [Given(name, text, self.place).number() for text in texts]

    def walk(self) -> Iterator["Element"]:
        """Yields it and all elements in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()
