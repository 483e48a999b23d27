"""Nodes that are not drawn here, such as IndexedLineSet: they only store values.

A supervisor that draws a trail goes on, and reads back what it has set.
"""

import typing
from collections.abc import Iterator

from webmotor_drake.host.scene.scene_field import (
    FieldType,
    SceneField,
    node_in,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.worlds.nodes import Node as TextNode

_T = FieldType
# The fields that matter of nodes that are lists of points.
_FIELDS: dict[str, dict[str, FieldType]] = {
    "IndexedLineSet": {"coord": _T.SF_NODE, "coordIndex": _T.MF_INT32},
    "IndexedFaceSet": {"coord": _T.SF_NODE, "coordIndex": _T.MF_INT32},
    "PointSet": {"coord": _T.SF_NODE, "color": _T.SF_NODE},
    "Coordinate": {"point": _T.MF_VEC3F},
    "Color": {"color": _T.MF_COLOR},
}


class Kept:
    """The lists of a node that is not drawn, by field."""

    def __init__(self, text: TextNode):
        self.types = _FIELDS.get(text.type, {})
        self.values: dict[str, list[typing.Any]] = {}
        for name, kind in self.types.items():
            field = text.fields.get(name)
            if kind == _T.SF_NODE:
                continue
            if field is None:
                self.values[name] = []
            elif kind.single.width:
                self.values[name] = field.rows(kind.single.width)
            else:
                self.values[name] = [int(x) for x in field.numbers()]


def kept_fields(node: SceneNode) -> Iterator[SceneField]:
    """Yields the fields of a node that only stores values."""
    kept: Kept = node.settings
    for name, kind in kept.types.items():
        if kind == _T.SF_NODE:
            yield node_in(node, name)
            continue
        yield SceneField(
            name,
            kind,
            lambda name=name: kept.values[name],
            lambda value, name=name: kept.values.update({name: value}),
        )
