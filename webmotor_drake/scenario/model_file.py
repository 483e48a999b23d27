"""Reads a URDF, SDF or MJCF: its elements, and the files that it names.

Drake reads models itself; this module reads what is needed before that, and makes
copies with other names of files.
"""

import dataclasses as dc
import functools
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many

# Suffixes of URDF, SDF and MJCF.
SUFFIXES = (".urdf", ".sdf", ".xml")
# Most characters of a name: some 10,000 end Drake's process (regular expressions).
LONGEST = 5_000
# Elements of SDF whose text names a file.
_NAMES = ("uri", "diffuse_map")
_NAMING = {"name", "filename", "file"}
# Attributes of MJCF with folders of meshes and textures.
_FOLDERS = ("meshdir", "texturedir", "assetdir")
# Deepest nesting that Drake reads (TINYXML2_MAX_ELEMENT_DEPTH).
_DEEPEST = 500
# Most elements; a robot has some hundred.
_MOST = 200_000


def number_of(name: str, text: str, place: str) -> float:
    """Returns the number that stands in a text.

    Args:
        name: the number's name in the file.
        text: the text.
        place: the place, "file:line".

    Raises:
        InputError: the text is no number; with its place.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        problem = f"{name} {text!r}; a number is needed"
        if "${" in text:
            problem += "; `xacro FILE > robot.urdf` makes a URDF of a xacro"
        raise InputError(problem, where=place)
    return value


@dc.dataclass(slots=True)
class Element:
    """An element of a model.

    Attributes:
        tag: its name, without a prefix such as "drake:".
        given: its attributes.
        file: file that contains it.
        parent: tag of the element around it; "" for the root.
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
        """Yields the elements on a path of tags: each tag inside the one before."""
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
            InputError: one is no number, or there are too few; with their place.
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
        return [number_of(name, text, self.place) for text in texts]

    def walk(self) -> Iterator["Element"]:
        """Yields the element and all elements in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


class ModelFile:
    """A model's file, read once.

    A text that is not XML, or is nested too deep for Drake, is read up to the fault,
    which Drake reports.

    Args:
        path: the file.

    Attributes:
        path: the file.
        data: its content.
        elements: elements in the order of their starts.
        is_whole: True if it is XML to its end.

    Raises:
        OSError: the file cannot be read.
        InputError: it has too many elements, or a name that is too long.
    """

    def __init__(self, path: Path):
        self.path = path
        self.data = path.read_bytes()
        self.elements, self.is_whole = self._read()

    def _read(self) -> tuple[list[Element], bool]:
        """Returns the elements, and whether the file has no errors."""
        elements: list[Element] = []
        open_elements: list[Element] = []
        texts: list[list[str]] = []
        parser = expat.ParserCreate()

        def start(tag: str, attributes: dict[str, str]) -> None:
            if len(open_elements) == _DEEPEST:
                raise ValueError
            at = parser.CurrentByteIndex
            parent = open_elements[-1] if open_elements else None
            tag = tag.rpartition(":")[2]
            element = Element(
                tag,
                attributes,
                self.path,
                parent.tag if parent else "",
                tag == "collision" or bool(parent and parent.collides),
                parser.CurrentLineNumber,
                parser.CurrentColumnNumber + 1,
                at,
                _end_of_tag(self.data, at),
            )
            for name in _NAMING & attributes.keys():
                if (length := len(attributes[name])) > LONGEST:
                    raise InputError(
                        f"a {name} of {length:,} characters; Drake reads"
                        f" {LONGEST:,}",
                        where=element.where,
                    )
            if parent:
                parent.children.append(element)
            texts.append([])
            open_elements.append(element)
            elements.append(element)
            if problem := too_many(len(elements), _MOST, "elements"):
                raise InputError(f"{self.path} has {problem}")

        def end(tag: str) -> None:
            open_elements.pop().text = "".join(texts.pop())

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = lambda text: texts[-1].append(text)
        try:
            parser.Parse(self.data, True)
        except (expat.ExpatError, ValueError):
            return elements, False
        return elements, True

    def named_files(self) -> list[str]:
        """Returns the names of files in it."""
        return [e.named_file for e in self.elements if e.named_file]

    @functools.cached_property
    def folders(self) -> list[str]:
        """The folders, in MJCF, in which its files may be."""
        return [
            element.given[name]
            for element in self.elements
            for name in _FOLDERS
            if name in element.given
        ]

    def renamed(
        self,
        rename: Callable[[str], str],
        changes: Mapping[int, Mapping[str, str]] | None = None,
    ) -> bytes:
        """Returns the text with replaced names of files; line numbers do not change.

        Args:
            rename: function from the name of a file to its new name.
            changes: new attributes of elements, by start of the element and name of
                the attribute: "" for its text, "<" for the element itself.
        """
        data: list[bytes] = []
        done = 0
        for element in self.elements:
            new = dict((changes or {}).get(element.start, {}))
            if element.named_file:
                new[element.naming] = rename(element.named_file)
            spans = {self._span(element, name): new[name] for name in new}
            for start, end in sorted(filter(None, spans)):
                if start < done:  # in an element that is replaced
                    continue
                quotes = {'"': "&quot;", "'": "&apos;"}
                text = escape(spans[start, end], quotes)
                lines = self.data.count(b"\n", start, end) - text.count("\n")
                text += "\n" * lines
                data += [self.data[done:start], os.fsencode(text)]
                done = end
        return b"".join([*data, self.data[done:]])

    def _span(self, element: Element, name: str) -> tuple[int, int] | None:
        """Returns begin and end of an attribute, the text or the element, in bytes."""
        if name == "<":
            end = element.inner
            if not self.data.endswith(b"/>", element.start, end):
                tag = self.data.find(b"</" + element.tag.encode(), end)
                end = _end_of_tag(self.data, tag)
            return element.start, end
        if not name:
            end = self.data.find(b"<", element.inner)
            whole = self.data[element.inner : max(end, element.inner)]
            start = element.inner + len(whole) - len(whole.lstrip())
            return start, start + len(whole.strip())
        match = re.compile(
            rb"""(?<![\w:])%s\s*=\s*("[^"]*"|'[^']*')""" % name.encode()
        ).search(self.data, element.start, element.inner)
        return match and (match.start(1) + 1, match.end(1) - 1)


def _end_of_tag(data: bytes, start: int) -> int:
    """Returns where a start tag ends; quotes may hold a ">"."""
    match = re.compile(rb"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""").match(
        data, start
    )
    return match.end() if match else len(data)
