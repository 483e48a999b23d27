"""The elements of a robot's file as a tree that knows its lines."""

import dataclasses as dc
import math
from collections.abc import Iterator
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.model_file import ModelFile

# Deeper, or more files, and a file includes itself.
_MOST_INCLUDES = 64


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


@dc.dataclass
class Node:
    """An element.

    Attributes:
        tag: its name, without a prefix such as "drake:".
        given: its attributes.
        text: its text.
        place: the place, "file:line".
        children: the elements in it.
    """

    tag: str
    given: dict[str, str]
    text: str
    place: str
    children: list["Node"] = dc.field(default_factory=list)

    @property
    def name(self) -> str:
        """Its attribute `name`; "" without one."""
        return self.given.get("name", "")

    def all(self, *tags: str) -> Iterator["Node"]:
        """Yields the elements with these tags, each in the one before."""
        if not tags:
            yield self
            return
        for child in self.children:
            if child.tag == tags[0]:
                yield from child.all(*tags[1:])

    def first(self, *tags: str) -> "Node | None":
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

    def walk(self) -> Iterator["Node"]:
        """Yields it and all elements in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_tree(file: Path) -> Node:
    """Returns the root of an XML file; MJCF's includes stand where they include.

    Raises:
        InputError: it cannot be read, is not XML, or includes itself.
    """
    return _read(file, [])


def _read(file: Path, including: list[Path]) -> Node:
    if file in including or len(including) > _MOST_INCLUDES:
        raise InputError(f"{file} includes itself")
    try:
        model = ModelFile(file)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    if not model.is_whole or not model.elements:
        raise InputError("it is not XML to its end", where=str(file))
    stack: list[Node] = []
    root = None
    for element in model.elements:
        del stack[element.depth - 1 :]
        tag = element.tag.rpartition(":")[2]
        place = f"{file.name}:{element.line}"
        node = Node(tag, element.attributes, element.text, place)
        root = root or node
        if stack:
            stack[-1].children.append(node)
        stack.append(node)
    assert root is not None
    _include(root, file, [*including, file])
    return root


def _include(node: Node, file: Path, including: list[Path]) -> None:
    """Puts the files that an MJCF includes in their places."""
    children: list[Node] = []
    for child in node.children:
        if child.tag == "include" and child.given.get("file"):
            # Relative to the model that includes, wherever what it includes is.
            other = including[0].parent / child.given["file"]
            children += _read(other, including).children
        else:
            _include(child, file, including)
            children.append(child)
    node.children = children
