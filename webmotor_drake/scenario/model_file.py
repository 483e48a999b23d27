"""Reads a URDF, SDF or MJCF: its elements, and the files that it names.

Drake reads models itself; this is for what has to be known before, and for copies in
which names of files differ.
"""

import functools
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many
from webmotor_drake.scenario.model_element import LONGEST, Element

# Of URDF, SDF and MJCF.
SUFFIXES = (".urdf", ".sdf", ".xml")
_NAMING = {"name", "filename", "file"}
# MJCF has its meshes and textures in folders.
_FOLDERS = ("meshdir", "texturedir", "assetdir")
# Drake reads what is nested so deep, no deeper (TINYXML2_MAX_ELEMENT_DEPTH).
_DEEPEST = 500
# A robot has some hundred.
_MOST = 200_000


class ModelFile:
    """A model's file, read once.

    A text that is not XML, or is nested too deep for Drake, is read as far as it is:
    Drake says what is wrong.

    Args:
        path: the file.

    Attributes:
        path: the file.
        data: its content.
        elements: in the order in which they start.
        is_whole: True if it is XML to its end.

    Raises:
        OSError: it cannot be read.
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
        """Returns its text with other names of files, its lines where they were.

        Args:
            rename: function from the name of a file to its new name.
            changes: new attributes of further elements: start of the element, name of
                the attribute, or "" for its text.
        """
        data: list[bytes] = []
        done = 0
        for element in self.elements:
            new = dict((changes or {}).get(element.start, {}))
            if element.named_file:
                new[element.naming] = rename(element.named_file)
            spans = {self._span(element, name): new[name] for name in new}
            for start, end in sorted(filter(None, spans)):
                quotes = {'"': "&quot;", "'": "&apos;"}
                text = escape(spans[start, end], quotes)
                data += [self.data[done:start], os.fsencode(text)]
                done = end
        return b"".join([*data, self.data[done:]])

    def _span(self, element: Element, name: str) -> tuple[int, int] | None:
        """Returns begin and end of an attribute, or of the text, in the file."""
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
