"""Checks a node by its fields' declarations, and mends values as Webots does.

The loader checks the types of a file's values, `check_types` those of a program's.
"""

import dataclasses as dc
import functools
import math
import numbers
import types
import typing
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, below, unknown_name, warn
from webmotor_drake.nodes.field import declared
from webmotor_drake.nodes.rules import keys_of

Node = typing.TypeVar("Node")


def check_node(node: object) -> None:
    """Checks a node's values, and those of the nodes in it.

    Numbers must be finite, and each field must obey its rule. Then the node's own
    `check` compares several fields.

    Raises:
        InputError: the first value that is not allowed, with its path.
    """
    for name, declaration in declared(type(node)).items():
        value = getattr(node, name)
        with below(name):
            check_finite(value)
            if declaration.rule is not None and value is not None:
                declaration.rule.check(value, declaration.unit)
    own: typing.Any = getattr(node, "check", None)
    if own is not None:
        own()


def check_finite(value: object) -> None:
    """Refuses numbers that are not finite, wherever they are; checks nodes."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{value} is not allowed; must be a finite number")
    if isinstance(value, list | dict):
        for key in keys_of(value):
            with below(key):
                check_finite(typing.cast(typing.Any, value)[key])
    elif dc.is_dataclass(value):
        check_node(value)


def with_fallbacks(name: str, node: Node) -> Node:
    """Returns a node with Webots' fallbacks for bad values, each with a warning.

    Args:
        name: name of the node in warnings.
        node: checked node.
    """
    changes: dict[str, typing.Any] = {}
    for field, declaration in declared(type(node)).items():
        value: typing.Any = getattr(node, field)
        if isinstance(value, list):
            items = typing.cast(list[typing.Any], value)
            changes[field] = [
                with_fallbacks(f"{name}.{field}[{i}]", item)
                if dc.is_dataclass(item)
                else item
                for i, item in enumerate(items)
            ]
        elif declaration.fallback is not None:
            used = changes[field] = declaration.fallback.of(value)
            if used != value:
                warn(
                    f"{name}.{field}: {value:g} is not allowed; {used:g} is used"
                )
    mended = typing.cast(
        Node, dc.replace(typing.cast(typing.Any, node), **changes)
    )
    own: typing.Any = getattr(mended, "mended", None)
    if own is not None:
        own(name)
    return mended


# The values of a type, in words.
_WORDS = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "True or False",
    types.NoneType: "None",
    np.ndarray: "an array of numbers",
}
# pydrake writes it between the name of a template and its arguments.
_TEMPLATE = "\N{MATHEMATICAL BOLD SCRIPT CAPITAL T}"
_KINDS: dict[typing.Any, typing.Any] = {
    float: numbers.Real,
    int: numbers.Integral,
}


def check_types(node: object) -> None:
    """Raises InputError for the first field whose value has another type.

    An attribute that is not a field, such as a misspelt one, is refused as well.

    Args:
        node: node that is a dataclass. What its fields hold is checked, too.
    """
    hints = _hints(type(node))
    for name in vars(node) if len(vars(node)) > len(hints) else ():
        if name not in hints and not hasattr(type(node), name):
            raise InputError(unknown_name("field", name, hints), path=(name,))
    for name, hint in hints.items():
        value = getattr(node, name)
        if type(value) in _choices(hint) and not dc.is_dataclass(value):
            continue  # as nearly all; fast for thousands of commands
        with below(name):
            check_type(value, hint)


@functools.cache
def _hints(kind: type) -> dict[str, typing.Any]:
    hints = typing.get_type_hints(kind)
    return {
        field.name: hints[field.name]
        for field in dc.fields(typing.cast(typing.Any, kind))
    }


def check_type(value: object, hint: typing.Any) -> None:
    """Raises InputError if a value, or anything in it, is of another type.

    Args:
        value: the value.
        hint: type that it should have.
    """
    choices = _choices(hint)
    fitting = [choice for choice in choices if _fits(value, choice)]
    if not fitting:
        allowed = " or ".join(_words(choice) for choice in choices)
        kind = type(value).__name__
        raise InputError(f"{value!r} is of type {kind}; {allowed} is allowed")
    inside = typing.get_args(fitting[0])
    if inside and isinstance(value, Mapping):
        for key, item in typing.cast(Mapping[str, object], value).items():
            with below(key):
                check_type(item, inside[1])
    elif inside:
        for i, item in enumerate(typing.cast(Sequence[object], value)):
            with below(i):
                check_type(item, inside[0])
    elif dc.is_dataclass(value):
        check_types(value)


@functools.cache
def _choices(hint: typing.Any) -> tuple[typing.Any, ...]:
    """Returns the types that a union allows; a non-union type is its only choice."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _fits(value: object, kind: typing.Any) -> bool:
    """Returns whether a value is of a type, without a look at its items."""
    origin = typing.get_origin(kind) or kind
    if origin is list:
        sequence = isinstance(value, (Sequence, np.ndarray))
        return sequence and not isinstance(value, (str, bytes))
    if isinstance(value, bool) and origin in _KINDS:
        return False
    return isinstance(value, _KINDS.get(origin, origin))


def _words(kind: typing.Any) -> str:
    origin = typing.get_origin(kind) or kind
    if origin is list:
        return "a list"
    if origin in (dict, Mapping):
        return "a mapping from names"
    name = origin.__name__.partition(_TEMPLATE)[0]
    return _WORDS.get(origin, f"a {name}")
