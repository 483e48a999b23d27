"""Values of a scenario as a text that overrides it: `--overlay FILE`."""

import typing
from collections.abc import Mapping

import numpy as np
import yaml

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.parameter_path import Keys, path_text
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_typed import fields_of


class _Tagged(dict):
    """A mapping with a YAML tag."""

    tag = ""


class _Dumper(yaml.SafeDumper):
    """Writes short lists in one line, and tags."""


def _represent_tagged(dumper: _Dumper, node: _Tagged) -> yaml.Node:
    return dumper.represent_mapping(node.tag, dict(node))


def _represent_list(dumper: _Dumper, node: list) -> yaml.Node:
    return dumper.represent_sequence(
        "tag:yaml.org,2002:seq", node, flow_style=True
    )


_Dumper.add_representer(_Tagged, _represent_tagged)
_Dumper.add_representer(list, _represent_list)


def overlay_text(scenario: Scenario, values: Mapping[Keys, object]) -> str:
    """Returns YAML that gives a scenario other values, for `--overlay`.

    Args:
        scenario: what it is for.
        values: by path; a path may end in an item of a list of numbers.

    Raises:
        InputError: a path leads into a list of other things.
    """
    tree: dict = {}
    for path, value in values.items():
        _put(tree, scenario, type(scenario), path, 0, value)
    return yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _put(
    tree: dict,
    node: object,
    schema: object,
    path: Keys,
    depth: int,
    value: object,
) -> None:
    """Puts a value into the tree of what is overridden.

    Args:
        tree: of what `node` is.
        node: what stands in the scenario there.
        schema: its type.
        path: of the value.
        depth: how far along the path `node` is.
        value: what to put.
    """
    key = path[depth]
    entry = _entry(node, key)
    inner = _schema_of(node, schema, key)
    if depth + 1 == len(path):
        tree[key] = value
        return
    if isinstance(path[depth + 1], int):
        numbers = tree.get(key, [float(n) for n in _numbers(entry, path)])
        numbers[path[depth + 1]] = value
        tree[key] = numbers
        return
    if key not in tree:
        tree[key] = _branch(entry, inner)
    _put(tree[key], entry, inner, path, depth + 1, value)


def _entry(node: object, key: str | int) -> object:
    """Returns what a name leads to; None where nothing was said."""
    if isinstance(node, dict):
        return node.get(key)
    return getattr(node, key, None) if node is not None else None


def _numbers(entry: object, path: Keys) -> list:
    plain = isinstance(entry, list | np.ndarray) and all(
        isinstance(n, int | float) for n in entry
    )
    if not plain:
        raise InputError(
            f"{path_text(path)} is in a list that cannot be overridden in part"
        )
    return list(entry)


def _branch(entry: object, schema: object) -> dict:
    """Returns an empty mapping, with the tag that chooses among types."""
    kinds = [k for k in typing.get_args(schema) if fields_of(k) is not None]
    if len(kinds) < 2 or typing.get_origin(schema) in (dict, list):
        return {}
    branch = _Tagged()
    branch.tag = f"!{type(entry).__name__}"
    return branch


def _schema_of(node: object, schema: object, key: str | int) -> object:
    """Returns the type of what a name leads to."""
    fields = fields_of(type(node))
    if fields is not None:
        return fields.get(key, object)
    for kind in (schema, *typing.get_args(schema)):
        if typing.get_origin(kind) is dict:
            return typing.get_args(kind)[-1]
    return object
