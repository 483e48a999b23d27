"""Values of a scenario as a text that overrides it: `--overlay FILE`."""

import itertools
import typing
from collections.abc import Mapping

import numpy as np
import yaml

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.parameter_path import Keys, entry_of, path_text
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.tagged_yaml import Tagged, TaggedDumper
from webmotor_drake.scenario.yaml_document import LIST
from webmotor_drake.scenario.yaml_typed import fields_of


class _Dumper(TaggedDumper):
    """Writes lists in one line."""


_Dumper.add_representer(
    list,
    lambda dumper, items: dumper.represent_sequence(
        LIST, items, flow_style=True
    ),
)


def overlay_text(scenario: Scenario, values: Mapping[Keys, object]) -> str:
    """Returns YAML that gives a scenario other values, for `--overlay`.

    Args:
        scenario: what it is for.
        values: by path; a path may end in an item of a list of numbers.

    Raises:
        InputError: a path leads nowhere, or into a list of other things.
    """
    tree: dict = {}
    for path, value in values.items():
        _put(tree, scenario, path, value)
    return yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _put(tree: dict, scenario: Scenario, path: Keys, value: object) -> None:
    """Puts a value into the tree of overrides."""
    node, schema = scenario, Scenario
    for key, inside in itertools.pairwise(path):
        node, schema = entry_of(node, schema, key)
        if isinstance(inside, int):
            tree.setdefault(key, _numbers(node, path))[inside] = value
            return
        tree = tree.setdefault(key, _branch(node, schema))
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


def _branch(entry: object, schema: object) -> dict:
    """Returns an empty mapping, with the tag that chooses among types."""
    kinds = [k for k in typing.get_args(schema) if fields_of(k) is not None]
    if len(kinds) < 2 or typing.get_origin(schema) in (dict, list):
        return {}
    return Tagged(f"!{type(entry).__name__}")
