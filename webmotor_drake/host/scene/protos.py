"""The PROTOs that nodes of a file, and of imported texts, are instances of.

A name means the same PROTO as in the world: its own file, or our replacement.
"""

import collections
import functools
from collections.abc import Iterable

from webmotor_drake.host.scene.scene_node import (
    FileParameter,
    FileProto,
    SceneNode,
)
from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.worlds.expansion import Expander
from webmotor_drake.worlds.node_kinds import BASE_NODES
from webmotor_drake.worlds.nodes import Instance, Node as TextNode
from webmotor_drake.worlds.project import Options, Project, load_source
from webmotor_drake.worlds.reader import read_texts
from webmotor_drake.worlds.source import Source
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


class ImportedProtos:
    """Expands instances, as the importer of worlds does.

    Args:
        scenario: scenario of the supervisors who import them.
    """

    def __init__(self, scenario: Scenario):
        self._scenario = scenario

    @functools.cached_property
    def _project(self) -> Project:
        scenario, world = self._scenario, self._scenario.world
        file = path_in(scenario, world.file if world else "world.wbt")
        options = Options.from_metadata(vars(world) if world else {})
        return Project(file, options)

    @functools.cached_property
    def _world(self) -> Source:
        """The world's text with its EXTERNPROTO lines; empty without a world."""
        if self._scenario.world is None:
            return Source("the text", "")
        file = self._project.world
        world = load_source(
            file, self._scenario.world.file, None, self._project.report
        )
        read_texts(world)
        return world

    def expanded(self, node: TextNode) -> TextNode:
        """Returns the node that an instance stands for; any other one as it is.

        Raises:
            InputError: its PROTO cannot be read.
        """
        if node.type in BASE_NODES:
            return node
        place = node.place.source
        for name in ("folder", "version", "urls"):
            setattr(place, name, getattr(self._world, name))
        expander = Expander(self._project)
        expanded = expander.expand(node)
        return node if expanded.left_out else expanded
