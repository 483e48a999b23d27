"""Declares Webots nodes: their fields, with the rule at the field."""

import copy
import dataclasses as dc
import functools
import inspect
import re
import typing
from collections.abc import Callable

from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    POINT,
    POSITIVE,
    POSITIVE_OR_NONE,
    Rule,
)

T = typing.TypeVar("T")
Node = typing.TypeVar("Node")


@dc.dataclass(frozen=True)
class Fallback:
    """The value that Webots uses, with a warning, for a number that is not allowed.

    Attributes:
        words: sentence that says which number is replaced by which.
        of: function from a number to the one used: itself if it is allowed.
    """

    words: str
    of: Callable[[float], float]


@dc.dataclass(frozen=True)
class Declaration:
    """The description of a field besides its name, type and default.

    Attributes:
        about: its meaning.
        unit: the unit of its number or numbers; "" without a unit.
        rule: rule of the values it may hold; None: all of its type.
        fallback: the value that Webots uses for a bad number; None: no fallback.
        ours: True if Webots' node has no such field, or not in this form.
    """

    about: str
    unit: str = ""
    rule: Rule | None = None
    fallback: Fallback | None = None
    ours: bool = False


def field(
    default: T,
    about: str,
    unit: str = "",
    rule: Rule | None = None,
    **more: typing.Any,
) -> T:
    """Declares a field of a node.

    Args:
        default: Webots' default.
        about: meaning of the field, as it stands in the docs.
        unit: the unit of its number or numbers.
        rule: the values it may hold.
        more: `fallback` and `ours` of its `Declaration`.
    """
    declaration = Declaration(about, unit, rule, **more)
    metadata = {"declaration": declaration}
    made: typing.Any = (
        dc.field(
            default_factory=functools.partial(copy.deepcopy, default),
            metadata=metadata,
        )
        if type(default).__hash__ is None  # a list or a node, not to be shared
        else dc.field(default=default, metadata=metadata)
    )
    return made


# Common kinds of fields, with their default and their rule.
amount = functools.partial(field, 0.0, rule=AT_LEAST_0)
step_or_none = functools.partial(field, -1.0, rule=POSITIVE_OR_NONE)
positive_if_said = functools.partial(field, None, rule=POSITIVE)
point = functools.partial(field, [0.0] * 3, unit="m", rule=POINT)


@typing.dataclass_transform()
def node(cls: type[Node]) -> type[Node]:
    """Makes a class with declared fields a dataclass that documents them."""
    made = dc.dataclass(cls)
    about = inspect.cleandoc(cls.__doc__ or "")
    fields = [
        f"    {name}: {sentence(d)}" for name, d in declared(made).items()
    ]
    made.__doc__ = "\n".join([about, "", "Attributes:", *fields, ""])
    return made


def declared(kind: type) -> dict[str, Declaration]:
    """Returns the declarations of a node's fields, by name, inherited ones first."""
    return {
        f.name: f.metadata["declaration"]
        for f in dc.fields(typing.cast(typing.Any, kind))
        if "declaration" in f.metadata
    }


@functools.cache
def webots_fields(kind: type) -> dict[str, str]:
    """Returns Webots' names, by ours, of those fields that Webots' node has, too."""
    return {
        name: webots_name(name)
        for name, declaration in declared(kind).items()
        if not declaration.ours
    }


def webots_name(name: str) -> str:
    """Returns Webots' spelling: max_torque is maxTorque, control_pid controlPID."""
    camel = re.sub("_(.)", lambda match: match[1].upper(), name)
    return re.sub("(Pid|Erp|Cfm)$", lambda match: match[1].upper(), camel)


def unit_text(unit: str, *, is_linear: bool) -> str:
    """Returns a field's unit as tables have it, such as "N·m/rad"; "" without one.

    Args:
        unit: unit of the declaration, such as "N m/rad or N/m".
        is_linear: True if the joint slides, False if it turns.
    """
    rotational, _, linear = unit.partition(" or ")
    unit = linear if linear and is_linear else rotational
    return "" if unit == "1" else unit.replace(" ", "·").replace("^2", "²")


def sentence(declaration: Declaration) -> str:
    """Returns a field's meaning, its unit and its allowed values."""
    rule, unit = declaration.rule, declaration.unit
    text = f"{declaration.about}, {unit}" if unit else declaration.about
    return f"{text} ({rule.words})." if rule else f"{text}."
