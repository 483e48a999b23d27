"""The PROTOs that nodes of a file are instances of."""

import collections
from collections.abc import Iterable

from webmotor_drake.host.scene.scene_node import (
    FileParameter,
    FileProto,
    SceneNode,
)
from webmotor_drake.worlds.nodes import Instance
from webmotor_drake.worlds.stand_ins import OURS


def note_protos(nodes: Iterable[SceneNode]) -> None:
    """Gives nodes of a file the PROTOs that they are instances of.

    Args:
        nodes: all that may be connected to a PROTO's parameters, parents first.
    """
    protos: dict[Instance, FileProto] = {}
    connected: dict[tuple[Instance, str], list[tuple[SceneNode, str]]] = (
        collections.defaultdict(list)
    )

    def known(proto: Instance) -> FileProto:
        if proto not in protos:
            parameters = {
                name: FileParameter(kind, field, connected[proto, name])
                for name, (kind, field) in proto.parameters.items()
                if not name.startswith(OURS)
            }
            protos[proto] = FileProto(proto.name, parameters, {})
        return protos[proto]

    for node in nodes:
        if (text := node.file) is None:
            continue
        for proto, name in text.body_definitions:
            known(proto).defs.setdefault(name, node)
        for name, field in text.fields.items():
            for parameter in field.parameters:
                connected[parameter].append((node, name))
        node.protos = [known(proto) for proto in text.protos]
