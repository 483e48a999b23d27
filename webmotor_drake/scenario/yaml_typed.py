"""Typed loading of YAML; each failure has file:line:column and path.

It accepts the same as Drake's own loader. That loader names no place, and needs 1 ms
for each command of a trajectory.
"""

import collections.abc
import copy
import dataclasses
import types
import typing
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import yaml
from pydrake.common import pretty_class_name

from webmotor_drake.errors import InputError, guess, unknown_name
from webmotor_drake.scenario.yaml_document import (
    CORE,
    LIST,
    NULL,
    TEXT,
    Document,
    Keys,
    describe,
    entries_of,
    tag_of,
)

T = typing.TypeVar("T")


_KINDS = {CORE + kind.__name__: kind for kind in (bool, float, int, str)}
_WANTED = {
    bool: "true or false",
    bytes: "binary data",
    float: "a number",
    int: "a whole number",
    Path: "text in quotes",
    str: "text in quotes",
}
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
# Largest whole number: Python shows no more than 4,300 digits.
_MOST = 10**4000


def read_typed(
    schema: type[T],
    document: Document,
    *,
    child_name: str | None = None,
    defaults: T | None = None,
) -> T:
    """Loads `document`, or its top-level `child_name`, as Drake does.

    Values that Drake would silently load as something else are refused: text
    or a mapping for a list (it takes letters, names), null or true in an
    array (it takes NaN, 1), a value for a struct (it sets the first field).

    Args:
        schema: a dataclass, as for yaml_load_typed().
        document: result of load_document() or parse_document().
        child_name: a top-level name; None loads the document itself.
        defaults: values of all that `document` leaves out.

    Raises:
        InputError: located at the smallest node that cannot be loaded.
    """
    root, names = document.root, document.names
    entries = entries_of(root)
    if child_name is None:
        public = [entries[name] for name in names]
        path, node = (), yaml.MappingNode(root.tag, public)
    elif child_name in names:
        path, node = (child_name,), entries[child_name][1]
    else:
        raise document.error(unknown_name("scenario", child_name, names))
    branch = _Branch(document, path, schema, node)
    return branch.value(copy.deepcopy(defaults))


@dataclasses.dataclass(frozen=True, slots=True)
class _Branch:
    """The `node` at `path`, to be loaded as `schema`."""

    document: Document
    path: Keys
    schema: object
    node: yaml.Node

    def value(self, old: typing.Any) -> typing.Any:
        """Returns the value; structs and mappings keep the rest of `old`.

        Args:
            old: previous value, which is changed; None: no value.
        """
        schema = self.alternative()
        if schema is None:
            return None
        parts, origin = self.parts(schema), typing.get_origin(schema)
        if schema in _WANTED:
            return self.scalar(schema)
        if schema is np.ndarray:
            return self.array(parts)
        if origin is list:
            return [part.value(None) for part in parts]
        if origin in (dict, collections.abc.Mapping):
            made = dict(old or {})
            for part in parts:
                made[part.path[-1]] = part.value(made.get(part.path[-1]))
            return made
        made = old if isinstance(old, schema) else schema()
        for part in parts:
            name = part.path[-1]
            part.set_in(made, name, part.value(getattr(made, name)))
        return made

    def scalar(self, schema: object) -> object:
        """Returns a value without parts, converted as Drake does."""
        node, kind = self.node, _KINDS.get(self.node.tag)
        try:
            given = _CONSTRUCTOR.yaml_constructors[node.tag](_CONSTRUCTOR, node)
            return _converted(given, schema)
        except (TypeError, ValueError, OverflowError) as error:
            if kind is schema or (kind, schema) == (int, float):
                raise self.refused(error) from error
            wanted = f"expected {_WANTED[schema]}, not {describe(node)}"
            raise self.error(wanted) from error

    def array(self, parts: "list[_Branch]") -> np.ndarray:
        """Returns the numbers of a list, or of a list of lists of equal length."""
        numbers = [part.value(None) for part in parts]
        try:
            return np.array(numbers, dtype=float)
        except ValueError:
            inner = next(p for p in parts if p.node.tag == LIST)
            problem = f"expected a number, not {describe(inner.node)}"
            raise inner.error(problem) from None

    def set_in(self, made: object, name: str, value: object) -> None:
        """Sets a field of a struct to the value that stands here."""
        try:
            setattr(made, name, value)
        except Exception as error:  # whatever Drake's structs raise
            length = np.size(getattr(made, name))  # the default's
            if isinstance(value, np.ndarray) and length not in (0, len(value)):
                wanted = f"expected a list of {length} numbers"
                found = describe(self.node)
                raise self.error(f"{wanted}, not {found}") from error
            raise self.refused(error) from error

    def refused(self, error: Exception) -> InputError:
        """Returns the error for a value that Drake refuses."""
        reason = str(error)[:200] or type(error).__name__
        return self.error(f"Drake refuses {describe(self.node)}: {reason}")

    def parts(self, schema: object) -> "list[_Branch]":
        """Returns the branches one level down, of the type that applies."""
        entries = entries_of(self.node)
        kind, wanted, schemas = _structure(schema, entries)
        if schemas is None:
            return []
        null = self.node.tag == NULL
        text = schema is float and not _is_number(self.node)
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

    def error(self, problem: str, *steps: str | int) -> InputError:
        """Returns the error for a `problem` at this node, or at `steps` below it."""
        return self.document.error(problem, (*self.path, *steps))


def _structure(schema: object, entries: dict) -> tuple:
    """Returns a schema's node type, its name and the schemas of `entries`."""
    origin, inner = typing.get_origin(schema), typing.get_args(schema)
    if schema in _WANTED:
        return yaml.ScalarNode, _WANTED[schema], {}
    if schema is np.ndarray:
        schemas = {
            name: np.ndarray if item.tag == LIST else float
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
    known = f" (known: {', '.join(fields) or 'none'})"
    return f"unknown field{guess(name, fields) or known}"


def _is_number(node: yaml.Node) -> bool:
    if node.tag != TEXT:
        return _KINDS.get(node.tag) in (int, float)
    try:
        float(node.value)
    except ValueError:
        return False
    return True


def _converted(given: object, schema: object) -> object:
    """Returns a value of YAML in a simple type, as Drake converts it."""
    kind = type(given)
    if kind is schema is int and abs(typing.cast(int, given)) > _MOST:
        raise OverflowError("it has more than 4,000 digits")
    if kind is schema:
        return given
    if schema is float and kind in (int, str):
        return float(typing.cast(str, given))
    if schema is int and (
        kind is str or (kind is float and given == int(given))
    ):
        return int(typing.cast(str, given))
    if schema is bool and given in ("true", "false"):
        return given == "true"
    if schema is Path and kind is str:
        return Path(typing.cast(str, given))
    raise TypeError
