"""Typed loading of YAML; each failure has file:line:column and path.

Structure is checked here, on the nodes that PyYAML composes. Values are left
to Drake, whose loader names no place: a document that it refuses is loaded
again, cut down to one branch at a time, to find the smallest failing node.
"""

import collections.abc
import dataclasses
import difflib
import types
import typing
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import yaml
from pydrake.common import pretty_class_name
from pydrake.common.yaml import yaml_load_typed

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.yaml_document import (
    CORE,
    LIST,
    NULL,
    TEXT,
    Document,
    Keys,
    describe,
    entries_of,
    syntax_error,
    tag_of,
)

T = typing.TypeVar("T")


class _Number(float):
    """The schema of an array's items."""


_KINDS = {CORE + kind.__name__: kind for kind in (bool, float, int, str)}
_WANTED = {
    bool: "true or false",
    bytes: "binary data",
    float: "a number",
    int: "a whole number",
    _Number: "a number",
    Path: "text in quotes",
    str: "text in quotes",
}


def read_typed(
    schema: type[T],
    document: Document,
    *,
    child_name: str | None = None,
    defaults: T | None = None,
    text: str | None = None,
) -> T:
    """Loads `document`, or its top-level `child_name`, as Drake does.

    Values that Drake would silently load as something else are refused as well: text
    or a mapping for a list (it takes letters, names), null or true in an
    array (it takes NaN, 1), a value for a struct (it sets the first field).

    Args:
        schema: a dataclass, as for yaml_load_typed().
        document: result of load_document() or parse_document().
        child_name: a top-level name; None loads the document itself.
        defaults: the values that `document` leaves as they are.
        text: the part of the document's text to load, once all has been checked;
            None: all of it.

    Raises:
        InputError: located at the smallest node that cannot be loaded.
    """

    def load(text: str) -> T:
        return yaml_load_typed(
            schema=schema, data=text, child_name=child_name, defaults=defaults
        )

    root, names = document.root, document.names
    if child_name is None:
        branch = _Branch(document, (), schema, _keep(root, names))
    elif child_name in names:
        node = entries_of(root)[child_name][1]
        branch = _Branch(document, (child_name,), schema, node)
    else:
        raise document.error(unknown_name("scenario", child_name, names))
    branch.check(load)
    try:
        return load(document.text if text is None else text)
    except yaml.MarkedYAMLError as error:
        raise syntax_error(document.file, error) from error
    except Exception as error:
        raise branch.failure(load, error) from error


@dataclasses.dataclass(frozen=True)
class _Branch:
    """The `node` at `path`, to be loaded as `schema`."""

    document: Document
    path: Keys
    schema: object
    node: yaml.Node

    def check(self, load: Callable) -> None:
        """Refuses a structure that Drake refuses or misunderstands.

        A value whose type is not the schema's is shown to `load` alone: among
        thousands of others it would take long to find.
        """
        for part in self.parts():
            part.check(load)
        if self.is_odd() and (error := self.attempt(load, self.node)):
            raise self.failure(load, error)

    def is_odd(self) -> bool:
        """Returns whether this is a value of another type than the schema's.

        Numbers are not odd: `parts` has checked them.
        """
        schema = self.schema
        return (
            schema in (bool, int, str)
            and isinstance(self.node, yaml.ScalarNode)
            and _KINDS.get(self.node.tag) is not schema
        )

    def parts(self) -> "list[_Branch]":
        """Returns the branches one level down."""
        schema, entries = self.alternative(), entries_of(self.node)
        kind, wanted, schemas = _structure(schema, entries)
        if schemas is None:
            return []
        null = self.node.tag == NULL
        # Drake says the same of a float, but not where: that takes long to find.
        text = schema in (_Number, float) and not _is_number(self.node)
        if null or text or not isinstance(self.node, kind):
            raise self.error(f"expected {wanted}, not {describe(self.node)}")
        for name in entries:
            if name not in schemas:
                raise self.error(_unknown_field(name, schemas), name)
        return [
            _Branch(self.document, (*self.path, name), schemas[name], value)
            for name, (_, value) in entries.items()
        ]

    def alternative(self) -> object:
        """Returns which type of a Union applies; None for an allowed null."""
        schemas, tag = [self.schema], tag_of(self.node)
        if typing.get_origin(self.schema) in (typing.Union, types.UnionType):
            schemas = list(typing.get_args(self.schema))
        if types.NoneType in schemas:
            if self.node.tag == NULL:
                return None
            schemas.remove(types.NoneType)
        if len(schemas) > 1:
            return self.choice(schemas)
        if tag:
            raise self.error(f"expected no tag here, not {tag}")
        return schemas[0]

    def choice(self, schemas: list) -> object:
        """Returns which of several types applies, by tag or by value."""
        tag, kind = tag_of(self.node), _KINDS.get(self.node.tag)
        tagged = {
            "!" + pretty_class_name(schema).split("[")[0]: schema
            for schema in schemas
            if fields_of(schema) is not None
        }
        if tag in tagged:
            return tagged[tag]
        if tag:
            raise self.error(unknown_name("tag", tag, tagged))
        if kind in schemas:
            return kind
        if tagged and _lacks_tag(self.node, schemas):
            found, names = describe(self.node), ", ".join(tagged)
            if isinstance(self.node, yaml.MappingNode):
                found += " without tag"
            raise self.error(f"expected one of {names}, not {found}")
        return schemas[0]

    def failure(self, load: Callable, error: Exception) -> InputError:
        """Returns why Drake raised `error`, as deep as it can be located."""
        schema, kind = self.alternative(), _KINDS.get(self.node.tag)
        parts = [] if schema is np.ndarray else self.parts()
        while len(parts) > 1:
            half = parts[: len(parts) // 2]
            node = _keep(self.node, [part.path[-1] for part in half])
            parts = half if self.attempt(load, node) else parts[len(half) :]
        if parts and (inner := parts[0].attempt(load, parts[0].node)):
            return parts[0].failure(load, inner)
        wanted = None
        if schema is np.ndarray:
            wanted = self.wanted_length(load)
        elif kind is not schema and (kind, schema) != (int, float):
            wanted = _WANTED.get(schema)
        if wanted:
            return self.error(f"expected {wanted}, not {describe(self.node)}")
        reason = str(error)[:200] or type(error).__name__
        return self.error(f"Drake refuses {describe(self.node)}: {reason}")

    def attempt(self, load: Callable, node: yaml.Node) -> Exception | None:
        """Loads the document with nothing in it but `node` at this path."""
        root = _cut(self.document.root, self.path, node)
        try:
            load(yaml.serialize(root, Dumper=yaml.SafeDumper))
        except Exception as error:
            return error
        return None

    def wanted_length(self, load: Callable) -> str | None:
        """Returns how many numbers Drake takes, if that is the trouble."""
        given = self.node.value
        for index, item in enumerate(given):
            if isinstance(item, yaml.CollectionNode):
                found = f"expected a number, not {describe(item)}"
                raise self.error(found, index)
        for length in (len(given), *range(1, 10)):
            zeros = [yaml.ScalarNode(CORE + "int", "0")] * length
            if not self.attempt(load, yaml.SequenceNode(LIST, zeros)):
                same = length == len(given)
                return None if same else f"a list of {length} numbers"
        return None

    def error(self, problem: str, *steps: str | int) -> InputError:
        """Returns the error for a `problem` here, or some steps further."""
        return self.document.error(problem, (*self.path, *steps))


def _structure(schema: object, entries: dict) -> tuple:
    """Returns a schema's node type, its name and the schemas of `entries`."""
    origin, inner = typing.get_origin(schema), typing.get_args(schema)
    if schema in _WANTED:
        return yaml.ScalarNode, _WANTED[schema], {}
    if schema is np.ndarray:
        schemas = {
            name: np.ndarray if item.tag == LIST else _Number
            for name, (item, _) in entries.items()
        }
        return yaml.SequenceNode, "a list of numbers", schemas
    if origin is list:
        numbers = " of numbers" if inner[0] in (int, float) else ""
        schemas = dict.fromkeys(entries, inner[0])
        return yaml.SequenceNode, f"a list{numbers}", schemas
    if origin in (dict, collections.abc.Mapping):
        return yaml.MappingNode, "a mapping", dict.fromkeys(entries, inner[1])
    return yaml.MappingNode, "a mapping", fields_of(schema)


def _lacks_tag(node: yaml.Node, schemas: list) -> bool:
    """Returns whether the first of `schemas`, which needs no tag, cannot fit."""
    entries = entries_of(node)
    kind, _, known = _structure(schemas[0], entries)
    if not isinstance(node, kind):
        return yaml.MappingNode in (kind, type(node))
    unknown = set(entries).difference(known or ())
    return any(unknown.intersection(fields_of(s) or ()) for s in schemas[1:])


def fields_of(schema: object) -> dict[str, object] | None:
    """Returns the types of a dataclass' or a pydrake struct's fields."""
    fields = getattr(schema, "__fields__", None)
    if dataclasses.is_dataclass(schema):
        fields = dataclasses.fields(schema)
    return None if fields is None else {f.name: f.type for f in fields}


def _unknown_field(name: str, fields: Iterable[str]) -> str:
    nearest = difflib.get_close_matches(name, fields, n=1)
    if nearest:
        return f"unknown field; did you mean {nearest[0]}?"
    return f"unknown field (known: {', '.join(fields) or 'none'})"


def _is_number(node: yaml.Node) -> bool:
    if node.tag != TEXT:
        return _KINDS.get(node.tag) in (int, float)
    try:
        float(node.value)
    except ValueError:
        return False
    return True


def _keep(node: yaml.Node, names: Iterable[str | int]) -> yaml.Node:
    """Returns `node` with no more than these names or indices."""
    entries = entries_of(node)
    kept = [entries[name] for name in names]
    if isinstance(node, yaml.SequenceNode):
        kept = [item for item, _ in kept]
    return type(node)(node.tag, kept)


def _cut(node: yaml.Node, path: Keys, leaf: yaml.Node) -> yaml.Node:
    """Returns `node` with nothing but `leaf`, at `path`."""
    if not path:
        return leaf
    key, value = entries_of(node)[path[0]]
    inner = _cut(value, path[1:], leaf)
    pair = inner if isinstance(node, yaml.SequenceNode) else (key, inner)
    return type(node)(node.tag, [pair])
