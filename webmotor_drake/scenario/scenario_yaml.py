"""Writes a scenario as YAML: all that differs from the defaults."""

import types
import typing

import numpy as np
import yaml
from pydrake.common.schema import Rotation

from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.tagged_yaml import Tagged, TaggedDumper
from webmotor_drake.scenario.yaml_typed import fields_of


def scenario_yaml(name: str, scenario: Scenario) -> str:
    """Returns the YAML of a scenario, under its name."""
    return yaml.dump(
        {name: _plain(scenario, Scenario)},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=88,
        default_flow_style=None,
    )


def _plain(value: typing.Any, schema: object) -> typing.Any:
    """Returns a value of a schema for YAML.

    Fields with their defaults are left out, empty ones too. A struct has a tag where
    its schema allows several.
    """
    if isinstance(value, Rotation):
        value = value.value
    if isinstance(value, np.ndarray):
        return value.tolist()
    inner = typing.get_args(schema)
    if isinstance(value, dict):
        return {key: _plain(item, inner[1]) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, inner[0]) for item in value]
    known = fields_of(type(value))
    if known is None:
        return value
    fresh = type(value)()
    values = {}
    for name, kind in known.items():
        given = _plain(getattr(value, name), kind)
        if given != _plain(getattr(fresh, name), kind):
            values[name] = given
    return (
        Tagged(f"!{type(value).__name__}", values)
        if _tagged(schema)
        else values
    )


def _tagged(schema: object) -> bool:
    """Returns whether a schema allows several structs."""
    if typing.get_origin(schema) not in (typing.Union, types.UnionType):
        return False
    structs = [s for s in typing.get_args(schema) if fields_of(s) is not None]
    return len(structs) > 1


class _Dumper(TaggedDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True
