"""Values of a scenario by their path, to read and to replace.

A path is that of the error messages, ``model_drivers.arm.commands[2].set_velocity``;
a name that is more than letters, digits and _ - + : stands in quotes:
``model_drivers.arm.motors."elbow motor".control_pid[0]``.
"""

import copy
import dataclasses as dc
import json
import re
import types
import typing
from collections.abc import Mapping

import numpy as np
import yaml

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, located, placed
from webmotor_drake.scenario.yaml_document import Keys, parse_document
from webmotor_drake.scenario.yaml_typed import fields_of, read_typed

# The values of a parameter: all that YAML can say without a tag.
Value = bool | int | float | str | list | dict

# Nodes of every joint or body, given or not; unknown ones are found when it is built.
_OF_ALL = (BodyParameters, JointParameters)

_PLAIN = re.compile(r"[\w+:-]+")
_STEP = re.compile(
    r"""\.(?P<plain>[\w+:-]+)|\.(?P<quoted>"(?:[^"\\]|\\.)*")|\[(?P<index>\d+)\]"""
)

# The parts of a text that may be meant as a path.
_PARTS = re.compile(r"""\[\d+\]|"[^"]*"|[^.\[\]"*{}]+""")


def parse_path(text: str) -> Keys:
    """Returns the names and indices of a path.

    Raises:
        InputError: the text is not a path.
    """
    steps, rest = [], f".{text.strip()}"
    while rest:
        match = _STEP.match(rest)
        if match is None:
            rest = rest.removeprefix(".")
            allowed = 'names with dots between them, as in a.b[0]."a name".c,'
            if rest[0:1] in ("*", "{"):
                allowed += (
                    " and in fits alone .*. for each name, .{a*}. for some,"
                )
            raise InputError(
                f"{text!r} is not a path: {rest[:40]!r} is not understood;"
                + (_in_quotes(text) or f" {allowed} are allowed")
            )
        key, index = match["plain"], match["index"]
        quoted = match["quoted"]
        steps.append(int(index) if index else key or json.loads(quoted))
        rest = rest[match.end() :]
    return tuple(steps)


def _in_quotes(text: str) -> str:
    """Returns the end of a message if names lack their quotes, else ""."""
    keys = tuple(
        int(part[1:-1]) if part.startswith("[") else part.strip().strip('"')
        for part in _PARTS.findall(text)
    )
    if not keys or all(isinstance(k, int) or _PLAIN.fullmatch(k) for k in keys):
        return ""
    quoted = path_text(keys)
    # Nothing but quotes and blanks may differ: dots may be part of a name.
    if quoted.replace('"', "") != text.strip().replace('"', ""):
        return ""
    return (
        f" other names than of letters, digits and _ stand in quotes: {quoted}"
    )


def path_text(path: Keys) -> str:
    """Returns `path` as text, the inverse of `parse_path`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
            continue
        plain = _PLAIN.fullmatch(key)
        text += f".{key if plain else json.dumps(key, ensure_ascii=False)}"
    return text.removeprefix(".")


def value_at(scenario: Scenario, path: Keys) -> object:
    """Returns the value at a path of a scenario.

    Raises:
        InputError: no such value; the nearest name is in the message.
    """
    return _target(scenario, path)[0]


def typed_value(scenario: Scenario, path: Keys, value: Value) -> object:
    """Returns `value` in the type of the value at the path, such as 1 as 1.0.

    Raises:
        InputError: there is no such value, or it has another type.
    """
    _, schema = _target(scenario, path)
    try:
        return _converted(value, schema)
    except InputError as error:
        problem = InputError(error.problem, path=path)
        raise located(scenario, problem) from None


def with_values(
    scenario: Scenario, values: Mapping[Keys, Value], *, check: bool = True
) -> Scenario:
    """Returns the scenario with other values; the given one stays as it is.

    Args:
        scenario: checked scenario; it is not changed.
        values: new values by path.
        check: True to check the new scenario.

    Raises:
        InputError: a path leads nowhere, a value is of another type, or not
            allowed.
    """
    for path, value in values.items():
        new = typed_value(scenario, path, value)
        scenario = replaced(scenario, Scenario, path, new)
    if check:
        check_scenario(scenario)
    return scenario


def _target(scenario: Scenario, path: Keys) -> tuple[object, object]:
    node, schema = scenario, Scenario
    for depth, key in enumerate(path):
        with placed(scenario, *path[:depth]):
            node, schema = entry_of(node, schema, key)
    if not path:
        raise InputError("an empty path; the name of a field is needed")
    return node, schema


def entry_of(node: object, schema: object, key: str | int) -> tuple:
    """Returns the value at a name or an index, and its type.

    Raises:
        InputError: there is no such value; its path starts at `node`.
    """
    fields = fields_of(type(node))
    if fields is not None:
        if key not in fields:
            raise InputError(unknown_name("field", key, fields))
        return getattr(node, key), fields[key]
    if isinstance(node, dict):
        return _named(node, _item_type(schema), key)
    if isinstance(node, list | np.ndarray):
        if not isinstance(key, int) or key >= len(node):
            raise InputError(
                f"unknown item {key}; it has {len(node)}, counted from [0]"
            )
        item = _item_type(schema) if isinstance(node, list) else float
        return node[key], item
    raise InputError(f"nothing is in it, no {key!r} either")


def _named(node: dict, item: object, key: str | int) -> tuple:
    """Returns an entry of a mapping, or the default of one that is left out."""
    if key in node:
        return node[key], item
    if item in _OF_ALL:
        return item(), item
    if item == dict[str, BodyParameters]:  # bodies of a model
        return {}, item
    raise InputError(unknown_name("name", key, node))


def _item_type(schema: object) -> object:
    """Returns the type of the items of a list or mapping, of one or None."""
    for kind in (schema, *typing.get_args(schema)):
        if typing.get_origin(kind) not in (None, typing.Union, types.UnionType):
            return typing.get_args(kind)[-1]
    return object


def replaced(node: object, schema: object, path: Keys, value: object) -> object:
    """Returns a copy of `node` with `value` at the path; the rest is shared."""
    if not path:
        return value
    key = path[0]
    entry, inner = entry_of(node, schema, key)
    entry = replaced(entry, inner, path[1:], value)
    if isinstance(node, dict):
        return {**node, key: entry}
    new = (
        copy.deepcopy(node) if hasattr(node, "__fields__") else copy.copy(node)
    )
    if isinstance(key, int):
        new[key] = entry
    else:
        setattr(new, key, entry)
    return new


def _converted(value: Value, schema: object) -> object:
    """Returns a value in the type `schema`, converted by the loader of YAML."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    kinds = typing.get_args(schema) or (schema,)
    if type(value) in kinds:
        return value
    if str in kinds and type(value) in (int, float):  # of a command line
        whole = type(value) is float and value.is_integer()
        return str(int(value) if whole else value)
    holder = dc.make_dataclass("Holder", [("value", schema, None)])
    try:
        document = parse_document(yaml.safe_dump({"value": value}), "")
    except yaml.representer.RepresenterError:
        kind = type(value).__name__
        raise InputError(f"{value!r} is of type {kind}, unknown here") from None
    return read_typed(holder, document, defaults=holder()).value
