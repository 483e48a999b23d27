"""The PROTOs that nodes of a file are instances of."""

import collections

from webmotor_drake.host.scene.scene_node import (
    FileParameter,
    FileProto,
    SceneNode,
)
from webmotor_drake.worlds.nodes import Instance
from webmotor_drake.worlds.stand_ins import OURS


class FileProtos:
    """Gives nodes of a file the PROTOs that they are instances of."""

    def __init__(self) -> None:
        self._protos: dict[Instance, FileProto] = {}
        self._connected: dict[
            tuple[Instance, str], list[tuple[SceneNode, str]]
        ] = collections.defaultdict(list)

    def note(self, node: SceneNode) -> None:
        """Notes a node: its PROTOs, and those whose parameters and names it has."""
        text = node.file
        assert text is not None
        for proto, name in text.body_definitions:
            self._proto(proto).defs.setdefault(name, node)
        for name, field in text.fields.items():
            for parameter in field.parameters:
                self._connected[parameter].append((node, name))
        node.protos = [self._proto(proto) for proto in text.protos]

    def _proto(self, proto: Instance) -> FileProto:
        if proto not in self._protos:
            parameters = {
                name: FileParameter(kind, field, self._connected[proto, name])
                for name, (kind, field) in proto.parameters.items()
                if not name.startswith(OURS)
            }
            self._protos[proto] = FileProto(proto.name, parameters, {})
        return self._protos[proto]
