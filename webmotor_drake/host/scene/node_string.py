"""A node of the scene as text in Webots' format (exportString)."""

import typing

from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.proto_fields import shown_fields
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import type_name

_T = FieldType


def node_string(scene: Scene, node: SceneNode, *, base: bool = False) -> str:
    """Returns a node and its children as text; an instance with its parameters.

    Args:
        scene: the node's.
        node: the node.
        base: True if an instance of a PROTO is written as the node that it is, for
            importMFNodeFromString.
    """
    return "\n".join(_lines(scene, node, base=base))


def _lines(scene: Scene, node: SceneNode, *, base: bool = False) -> list[str]:
    kind = type_name(node.type) if base else node.type_name
    fields = (fields_of if base else shown_fields)(scene, node)
    head = f"DEF {node.definition} " if node.definition else ""
    lines = [f"{head}{kind} {{"]
    for field in fields.values():
        lines += [f"  {line}" for line in _field_lines(scene, field)]
    return [*lines, "}"]


def _field_lines(scene: Scene, field: SceneField) -> list[str]:
    value = field.read()
    if value is None or value == [] or value == field.default:
        return []
    if field.type == _T.SF_NODE:
        first, *others = _lines(scene, value)
        return [f"{field.name} {first}", *others]
    if field.type == _T.MF_NODE:
        inside = [f"  {line}" for n in value for line in _lines(scene, n)]
        return [f"{field.name} [", *inside, "]"]
    if field.type.is_multiple:
        values = ", ".join(_written(one) for one in value)
        return [f"{field.name} [ {values} ]"]
    return [f"{field.name} {_written(value)}"]


def _written(value: typing.Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        inside = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{inside}"'
    if isinstance(value, list | tuple):
        return " ".join(_written(one) for one in value)
    return f"{value:.12g}"
