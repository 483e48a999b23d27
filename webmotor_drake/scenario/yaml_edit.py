"""Writes values into the text of a YAML file; comments and all else stay."""

import json
import math
import re
import typing
from collections.abc import Mapping

import yaml

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.parameter_path import Keys, path_text
from webmotor_drake.scenario.yaml_document import (
    MERGE,
    Document,
    entries_of,
    parse_document,
)

# What a value can be; None is null.
Number = float | None | list[float]

_PLAIN = re.compile(r"[A-Za-z_][\w ]*")
_ALIAS = re.compile(r"\s*(\*[^\s,\]}]+)")


def edited(document: Document, values: Mapping[Keys, Number]) -> Document:
    """Returns a document with other values, or further ones, at paths.

    Where an alias or a merge (``<<``) says a value, the mapping gets one of its own.

    Args:
        document: stays as it is.
        values: by path from the top of the document. The mappings around a value are
            there, but for the last.

    Raises:
        InputError: a path leads into something else than mappings and lists.
    """
    for path, value in values.items():
        text = _Text(document).with_value(path, value)
        document = parse_document(text, document.file)
    return document


def says(document: Document, path: Keys) -> bool:
    """Returns whether a document says the value at a path itself, without a merge."""
    node: yaml.Node = document.root
    for key in path:
        own = _own_entries(node)
        if key not in own:
            return False
        node = own[key][1]
    return True


class _Text:
    """A document's text, in which its nodes have places."""

    def __init__(self, document: Document):
        self._document, self._text = document, document.text

    def with_value(self, path: Keys, value: Number) -> str:
        """Returns the text with a value at a path."""
        node: yaml.Node = self._document.root
        for depth, key in enumerate(path):
            own = _own_entries(node)
            if key not in own:
                return self._with_entry(node, path[depth:], value)
            outer, (before, node) = node, own[key]
            in_list = before is node
            is_alias = _is_alias(outer if in_list else before, node)
            if is_alias and (depth < len(path) - 1 or in_list):
                raise InputError(
                    f"{path_text(path)} stands at an anchor, which others share"
                )
        start, end = self._span(before, node)
        return self._text[:start] + _written(value) + self._text[end:]

    def _with_entry(self, node: yaml.Node, path: Keys, value: Number) -> str:
        """Returns the text with one more entry in a mapping."""
        key, *inner = path
        if not isinstance(node, yaml.MappingNode) or isinstance(key, int):
            raise InputError(f"{path_text(path)}: there is no mapping for it")
        text = _written(value)
        for name in reversed(inner):
            text = f"{{{_name(name)}: {text}}}"
        entry = f"{_name(key)}: {text}"
        if not node.value:
            end = node.end_mark.index - 1
            if self._text[end : end + 1] != "}":
                raise InputError(
                    f"{path_text(path)}: there is no mapping for it"
                )
            return self._text[:end] + entry + self._text[end:]
        if node.flow_style:
            return self._in_a_row(node, entry)
        return self._on_a_line(node, entry)

    def _in_a_row(self, node: yaml.MappingNode, entry: str) -> str:
        key, last = node.value[-1]
        end = self._span(key, last)[1]
        return f"{self._text[:end]}, {entry}{self._text[end:]}"

    def _on_a_line(self, node: yaml.MappingNode, entry: str) -> str:
        """Returns the text with a line after the last entry that is one line."""
        first = node.value[0][0].start_mark
        indent = " " * first.column
        for key, value in reversed(node.value):
            if key.start_mark.line != value.end_mark.line:
                continue
            ending = re.compile(r"\r?\n|\Z").search(
                self._text, key.start_mark.index
            )
            assert ending is not None
            begin, rest = self._text[: ending.start()], ending[0] or "\n"
            return begin + rest + indent + entry + self._text[ending.start() :]
        start = first.index
        return f"{self._text[:start]}{entry}\n{indent}{self._text[start:]}"

    def _span(self, key: yaml.Node, value: yaml.Node) -> tuple[int, int]:
        """Returns the begin and end of a value; of an alias those of its name."""
        if not _is_alias(key, value):
            return value.start_mark.index, value.end_mark.index
        colon = self._text.index(":", key.end_mark.index) + 1
        match = _ALIAS.match(self._text, colon)
        assert match is not None
        return match.span(1)


def _is_alias(key: yaml.Node, value: yaml.Node) -> bool:
    return value.start_mark.index < key.start_mark.index


def _own_entries(node: yaml.Node) -> dict:
    """Returns key and value of each name that a node says itself, without merges."""
    if not isinstance(node, yaml.MappingNode):
        return entries_of(node)
    return {
        key.value: (key, value) for key, value in node.value if key.tag != MERGE
    }


def _name(key: typing.Any) -> str:
    return key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _written(value: Number) -> str:
    """Returns a value as YAML has it, the shortest that reads as the same number."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(float(value)).removesuffix(".0")
    # YAML reads 1e-05 as a text.
    return text if "e" not in text or "." in text else text.replace("e", ".0e")
