"""Writes a scenario as YAML: all that differs from the defaults."""

import types
import typing
from collections.abc import Collection, Mapping

import numpy as np
import yaml
from pydrake.common.schema import Rotation

from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.tagged_yaml import Tagged, TaggedDumper
from webmotor_drake.scenario.yaml_document import entries_of
from webmotor_drake.scenario.yaml_typed import fields_of

Path = tuple[str | int, ...]


def scenario_yaml(
    name: str, scenario: Scenario, places: Mapping[Path, str] | None = None
) -> str:
    """Returns the YAML of a scenario, under its name.

    Args:
        name: the scenario's.
        scenario: what to write.
        places: the origins of values, by their paths. Such a value is written even if
            it is the default, and its line ends with a comment that says the origin.
    """
    places = {(name, *path): place for path, place in (places or {}).items()}
    around = {path[:i] for path in places for i in range(len(path))}
    text = yaml.dump(
        {name: _plain(scenario, Scenario, (name,), {*places, *around})},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=88,
        default_flow_style=None,
    )
    lines, root = text.splitlines(), yaml.compose(text)
    for path, place in places.items():
        key = node = root
        for step in path:
            key, node = entries_of(node)[step]
        lines[key.start_mark.line] += f"  # {place}"
    return "\n".join([*lines, ""])


def _plain(
    value: typing.Any, schema: object, path: Path, kept: Collection[Path]
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
        return Tagged("", values, one_a_line=path in kept)
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
    tag = f"!{type(value).__name__}" if _tagged(schema) else ""
    return Tagged(tag, values, one_a_line=path in kept)


def _tagged(schema: object) -> bool:
    """Returns whether a schema allows several structs."""
    if typing.get_origin(schema) not in (typing.Union, types.UnionType):
        return False
    structs = [s for s in typing.get_args(schema) if fields_of(s) is not None]
    return len(structs) > 1


class _Dumper(TaggedDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True
