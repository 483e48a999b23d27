"""The scenario format as JSON Schema, by which editors complete and check."""

import collections.abc
import dataclasses as dc
import re
import types
import typing

import numpy as np
from pydrake.common import pretty_class_name

from webmotor_drake.nodes.field import Declaration, declared, sentence
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_typed import fields_of

Schema = dict[str, typing.Any]

_SIMPLE: dict[object, str] = {
    bool: "boolean",
    float: "number",
    int: "integer",
    str: "string",
    types.NoneType: "null",
}


def scenario_schema() -> Schema:
    """Returns the schema of a scenario file: scenarios by name at its top level.

    JSON knows no tags: where a tag selects a node in YAML, any node that may stand
    there is allowed.
    """
    definitions: dict[str, Schema] = {}
    scenario = _schema_of(Scenario, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "webmotor_drake scenarios",
        "type": "object",
        # Private names hold anchors.
        "patternProperties": {"^_": True},
        "additionalProperties": scenario,
        "$defs": definitions,
    }


def _schema_of(kind: typing.Any, definitions: dict[str, Schema]) -> Schema:
    """Returns the schema of a type; those with fields go to the definitions."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    if kind is np.ndarray:
        return {"type": "array"}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema_of(part, definitions) for part in inner]}
    if origin is list:
        return {"type": "array", "items": _schema_of(inner[0], definitions)}
    if origin in (dict, collections.abc.Mapping):
        values = _schema_of(inner[1], definitions)
        return {"type": "object", "additionalProperties": values}
    fields = fields_of(kind)
    if fields is None:
        return {}
    name = re.sub(r"\W", "", pretty_class_name(kind))
    if name not in definitions:
        definitions[name] = {}  # it may hold itself
        definitions[name] = _object(kind, fields, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _object(
    kind: type, fields: dict[str, object], definitions: dict[str, Schema]
) -> Schema:
    """Returns the schema of a dataclass or a Drake struct."""
    declarations = declared(kind) if dc.is_dataclass(kind) else {}
    about = _documented(kind)
    properties = {}
    for name, field in fields.items():
        schema = _schema_of(field, definitions)
        if name in declarations:
            schema = _ruled(schema, declarations[name])
        elif name in about:
            schema = {**schema, "description": about[name]}
        properties[name] = schema
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip().partition("\n")[0],
        "properties": properties,
        "additionalProperties": False,
    }


def _ruled(schema: Schema, declaration: Declaration) -> Schema:
    if declaration.rule is not None:
        choices = schema.get("anyOf", ())
        if {"type": "null"} in choices:  # the rule is for others
            (other,) = (c for c in choices if c != {"type": "null"})
            merged = _merged(other, declaration.rule.schema)
            schema = {"anyOf": [merged, {"type": "null"}]}
        else:
            schema = _merged(schema, declaration.rule.schema)
    return {**schema, "description": sentence(declaration)}


def _merged(schema: Schema, other: Schema) -> Schema:
    merged = dict(schema)
    for key, value in other.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _documented(kind: type) -> dict[str, str]:
    """Returns the attributes' descriptions in a docstring, by name."""
    text = (kind.__doc__ or "").partition("Attributes:")[2]
    found = re.findall(r"^ +(\w+): (.+(?:\n {12}.+)*)", text, re.MULTILINE)
    return {name: " ".join(about.split()) for name, about in found}
