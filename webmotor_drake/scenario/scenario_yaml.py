"""Scenarios as YAML: all that differs from the defaults, or from another scenario."""

import itertools
import types
import typing
from collections.abc import Collection, Mapping

import numpy as np
import yaml
from pydrake.common.schema import Rotation

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.scenario.parameter_path import Keys, entry_of, path_text
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import entries_of
from webmotor_drake.scenario.yaml_typed import fields_of


class _Tagged(dict[str, object]):
    """A mapping with a tag; its values have a line each, or few share one."""

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
        name: the scenario's.
        scenario: the one to write.
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

    Fields with their defaults are left out, empty ones too, unless they are kept. A
    struct has a tag where its schema allows several.
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
        scenario: the one that it is for.
        values: by path; a path may end in an item of a list of numbers.

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
