"""Scenarios as YAML: all that differs from the defaults, or from another scenario.

Values can be written into the text of a file, too; comments and all else stay.
"""

import itertools
import json
import math
import re
import types
import typing
from collections.abc import Collection, Mapping

import numpy as np
import yaml
from pydrake.common.schema import Rotation

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.scenario.parameter_path import Keys, entry_of, path_text
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import (
    MERGE,
    Document,
    entries_of,
    parse_document,
)
from webmotor_drake.scenario.yaml_typed import fields_of

# What a value can be; None is null.
Number = float | None | list[float]

_PLAIN = re.compile(r"[A-Za-z_][\w ]*")
_ALIAS = re.compile(r"\s*(\*[^\s,\]}]+)")


class _Tagged(dict[str, object]):
    """A mapping with a tag; each value has its own line, or few share one line."""

    def __init__(
        self,
        tag: str,
        values: Mapping[str, object],
        *,
        one_a_line: bool = False,
    ):
        super().__init__(values)
        self.tag = tag or "tag:yaml.org,2002:map"
        self.flow_style = False if one_a_line else None


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_representer(
    _Tagged,
    lambda dumper, node: dumper.represent_mapping(
        node.tag, dict(node), node.flow_style
    ),
)


def scenario_yaml(
    name: str, scenario: Scenario, places: Mapping[Keys, str] | None = None
) -> str:
    """Returns the YAML of a scenario, under its name.

    Args:
        name: name of the scenario.
        scenario: scenario to write.
        places: the origins of values, by their paths. Such a value is written even if
            it is the default, and its line ends with a comment that says the origin.
    """
    places = {(name, *path): place for path, place in (places or {}).items()}
    around = {path[:i] for path in places for i in range(len(path))}
    text = _written(
        {name: _plain(scenario, Scenario, (name,), {*places, *around})}
    )
    lines, root = text.splitlines(), yaml.compose(text)
    for path, place in places.items():
        key = node = root
        for step in path:
            key, node = entries_of(node)[step]
        lines[key.start_mark.line] += f"  # {one_line(place)}"
    return "\n".join([*lines, ""])


def _plain(
    value: typing.Any, schema: object, path: Keys, kept: Collection[Keys]
) -> typing.Any:
    """Returns a value of a schema for YAML.

    Fields with their defaults, and empty ones, are left out unless they are in `kept`.
    A struct has a tag if its schema allows several.
    """
    if isinstance(value, Rotation):
        value = value.value
    if isinstance(value, np.ndarray):
        return value.tolist()
    inner = typing.get_args(schema)
    if isinstance(value, dict):
        values = {
            key: _plain(item, inner[1], (*path, key), kept)
            for key, item in value.items()
        }
        return _Tagged("", values, one_a_line=path in kept)
    if isinstance(value, list):
        return [
            _plain(item, inner[0], (*path, i), kept)
            for i, item in enumerate(value)
        ]
    known = fields_of(type(value))
    if known is None:
        return value
    fresh = type(value)()
    values = {}
    for name, kind in known.items():
        inside = *path, name
        given = _plain(getattr(value, name), kind, inside, kept)
        if inside in kept or given != _plain(
            getattr(fresh, name), kind, (), ()
        ):
            values[name] = given
    tag = _tag(type(value), schema)
    return _Tagged(tag, values, one_a_line=path in kept)


def _tag(kind: type, schema: object) -> str:
    """Returns the tag of a struct; "" unless its schema allows several."""
    if typing.get_origin(schema) not in (typing.Union, types.UnionType):
        return ""
    structs = [s for s in typing.get_args(schema) if fields_of(s) is not None]
    return f"!{kind.__name__}" if len(structs) > 1 else ""


def _written(values: dict) -> str:
    return yaml.dump(
        values,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=88,
        default_flow_style=None,
    )


def overlay_text(scenario: Scenario, values: Mapping[Keys, object]) -> str:
    """Returns YAML that gives a scenario other values, for `--overlay`.

    Args:
        scenario: scenario that the overlay is for.
        values: new values by path; a path may end in an item of a list of numbers.

    Raises:
        InputError: a path leads nowhere, or into a list of other things.
    """
    tree: dict = {}
    for path, value in values.items():
        _put(tree, scenario, path, value)
    return _written(tree)


def _put(tree: dict, scenario: Scenario, path: Keys, value: object) -> None:
    """Puts a value into the tree of overrides."""
    node, schema = scenario, Scenario
    for key, inside in itertools.pairwise(path):
        node, schema = entry_of(node, schema, key)
        if isinstance(inside, int):
            tree.setdefault(key, _numbers(node, path))[inside] = value
            return
        branch = _Tagged(_tag(type(node), schema), {})
        tree = tree.setdefault(key, branch)
    tree[path[-1]] = value


def _numbers(entry: object, path: Keys) -> list[float]:
    plain = isinstance(entry, list | np.ndarray) and all(
        isinstance(n, int | float) for n in entry
    )
    if not plain:
        raise InputError(
            f"{path_text(path)} is in a list that cannot be overridden in part"
        )
    return [float(n) for n in entry]


# Values in the text of a file


def edited(document: Document, values: Mapping[Keys, Number]) -> Document:
    """Returns a document with other values, or further ones, at paths.

    If a mapping has its value by an alias or a merge (``<<``), it gets one of its own.

    Args:
        document: document, of which a changed copy is returned.
        values: new values by path from the top of the document. All mappings around a
            value exist, but for the last.

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
    """The text of a document, with the places of its nodes."""

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
        return self._text[:start] + _number_text(value) + self._text[end:]

    def _with_entry(self, node: yaml.Node, path: Keys, value: Number) -> str:
        """Returns the text with one more entry in a mapping."""
        key, *inner = path
        if not isinstance(node, yaml.MappingNode) or isinstance(key, int):
            raise InputError(f"{path_text(path)}: there is no mapping for it")
        text = _number_text(value)
        for name in reversed(inner):
            text = f"{{{_quoted(name)}: {text}}}"
        entry = f"{_quoted(key)}: {text}"
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
        """Returns the text with `entry` on a line after the last one-line entry."""
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
        """Returns the begin and end of a value; for an alias, those of its name."""
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


def _quoted(key: typing.Any) -> str:
    return key if _PLAIN.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _number_text(value: Number) -> str:
    """Returns a value as YAML has it, the shortest that reads as the same number."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_number_text, value))}]"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(float(value)).removesuffix(".0")
    # YAML reads 1e-05 as a text.
    return text if "e" not in text or "." in text else text.replace("e", ".0e")
