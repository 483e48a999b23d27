"""Checks a node by its fields' declarations, and mends values as Webots does."""

import dataclasses as dc
import math
import typing

from webmotor_drake.errors import InputError, below, warn
from webmotor_drake.nodes.field import declared
from webmotor_drake.nodes.rules import keys_of

Node = typing.TypeVar("Node")


def check_node(node: object) -> None:
    """Checks a node's values, and those of the nodes in it.

    Numbers are finite, each field obeys its rule, and then what the node's own
    `check` says of several fields holds.

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
        name: its name in warnings.
        node: a checked one.
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
