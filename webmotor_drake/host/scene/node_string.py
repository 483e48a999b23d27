"""A node of the scene as text in Webots' format (exportString)."""

import typing

from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.proto_fields import shown_fields
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import type_name
from webmotor_drake.worlds.value_text import quoted

_T = FieldType


def node_string(scene: Scene, node: SceneNode) -> str:
    """Returns a node and its children as text; an instance with its parameters."""
    return "\n".join(_lines(scene, node))


def base_node_string(scene: Scene, node: SceneNode) -> str:
    """Returns a node and its children as a text for importMFNodeFromString.

    An instance of a PROTO, too, is written as the node that it is.
    """
    fields = fields_of(scene, node)
    return "\n".join(_written_node(scene, node, type_name(node.type), fields))


def _lines(scene: Scene, node: SceneNode) -> list[str]:
    fields = shown_fields(scene, node)
    return _written_node(scene, node, node.type_name, fields)


def _written_node(
    scene: Scene, node: SceneNode, kind: str, fields: dict[str, SceneField]
) -> list[str]:
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
        return quoted(value)
    if isinstance(value, list | tuple):
        return " ".join(_written(one) for one in value)
    return f"{value:.12g}"
