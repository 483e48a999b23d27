"""The fields of Webots' nodes: names, types and defaults, of all that a file can have.

Nodes that are declared as classes are read from those, the rest from webots_nodes.toml.
"""

import dataclasses as dc
import functools
import importlib.resources
import re
import tomllib
import typing

from webmotor_drake import nodes
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.field import declared, webots_fields, webots_name
from webmotor_drake.nodes.rules import COLOR, Rule

# Classes that have the name of a Webots node, but other fields.
_OTHERS = ("BallJoint", "Hinge2Joint", "Pose", "Servo")
_SCALARS = {bool: "Bool", int: "Int32", float: "Float", str: "String"}
# Lists that are one value, by the count of numbers that their rule allows.
_VECTORS = {2: "SFVec2f", 3: "SFVec3f", 4: "SFRotation"}


@dc.dataclass(frozen=True)
class WebotsField:
    """A field of a Webots node.

    Attributes:
        kind: its type, such as "SFVec3f".
        default: its value where a file says nothing: a bool, int, float or str, a list
            of numbers, or a list of those; None or an empty list of nodes.
        acts: False if the field acts in Webots, but is only stored here.
    """

    kind: str
    default: typing.Any
    acts: bool = True


@functools.cache
def fields_of_type(name: str) -> dict[str, WebotsField]:
    """Returns the fields of a type of node, by name; empty for an unknown type."""
    about = dict(_nodes().get(name, {}))
    base = about.pop("base", "Solid" if name in DEVICES else "")
    idle = about.pop("idle", ())
    without = about.pop("without", ())
    fields = dict(fields_of_type(base)) if base else {}
    cls = DEVICES.get(name) or getattr(nodes, name, None)
    if name in _OTHERS:
        cls = None
    if cls is not None and dc.is_dataclass(cls):
        fresh = typing.cast(typing.Any, cls)()
        for ours, kind in kinds_of(typing.cast(type, cls)).items():
            webots = webots_name(ours)
            if webots not in without and webots not in fields:
                fields[webots] = WebotsField(kind, getattr(fresh, ours))
    if name in DEVICES:
        words = re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
        fields["name"] = WebotsField("SFString", words)
    for field, (kind, *values) in about.items():
        fields[field] = WebotsField(kind, _default(kind, values))
    for field in idle:
        fields[field] = dc.replace(fields[field], acts=False)
    return fields


def node_types() -> list[str]:
    """Returns the types of nodes whose fields are known."""
    return [*_nodes(), *(name for name in DEVICES if name not in _nodes())]


@functools.cache
def kinds_of(cls: type) -> dict[str, str]:
    """Returns the types of those fields of a declared node that Webots has, too.

    Args:
        cls: the class of the node.

    Returns:
        Types by the fields' names here; fields that hold nodes are left out.
    """
    hints = typing.get_type_hints(cls)
    about = declared(cls)
    kinds = {
        name: _kind(name, hints[name], about[name].rule)
        for name in webots_fields(cls)
    }
    return {name: kind for name, kind in kinds.items() if kind}


def _kind(name: str, hint: typing.Any, rule: Rule | None) -> str:
    """Returns the type of a field with a type hint; "": no type fits."""
    inner = typing.get_args(hint)
    if type(None) in inner:  # a type, or None
        return _kind(name, inner[0], rule)
    if hint == list[list[float]]:
        return "MFColor" if "color" in name else "MFVec3f"
    if typing.get_origin(hint) is list:
        if rule is COLOR:
            return "SFColor"
        schema, single = rule.schema if rule else {}, _SCALARS.get(inner[0], "")
        count = schema.get("minItems")
        if count is not None and count == schema.get("maxItems"):
            return _VECTORS[count]
        return single and f"MF{single}"
    single = _SCALARS.get(hint, "")
    return single and f"SF{single}"


@functools.cache
def _nodes() -> dict[str, dict[str, typing.Any]]:
    file = importlib.resources.files(__package__ or "") / "webots_nodes.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _default(kind: str, values: list[typing.Any]) -> typing.Any:
    """Returns a field's default from the values that follow its type."""
    many = kind.startswith("M")
    if kind.endswith("Node"):
        return [] if many else None
    if kind[2:] in _SCALARS.values():
        return values if many else values[0]
    return [values] * bool(values) if many else values
