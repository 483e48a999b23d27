"""Instances of PROTOs in texts that supervisors import.

Their names are those of the world: its own files, or our replacements.
"""

import dataclasses as dc
import functools
from pathlib import Path

from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.worlds.catalogue import BASE_NODES
from webmotor_drake.worlds.definitions import Definitions
from webmotor_drake.worlds.expansion import Expander
from webmotor_drake.worlds.load import WorldSource
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.project import Options, Project, load_source
from webmotor_drake.worlds.reader import read_texts
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.source import Source


class ImportedProtos:
    """Expands instances, as the importer of worlds does.

    Args:
        scenario: that of the supervisors who import them.
    """

    def __init__(self, scenario: Scenario):
        self._source = scenario.source

    @property
    def _file(self) -> Path:
        """The world's file, wherever the current folder is by now."""
        if self._source is None:
            return Path("world.wbt")
        name = Path(self._source.file).name
        return self._source.folder / name

    @functools.cached_property
    def _world(self) -> Source:
        """The world's text with its EXTERNPROTO lines; an empty one without."""
        if not isinstance(self._source, WorldSource):
            return Source("the text", "")
        world = load_source(self._file, self._source.file, None)
        read_texts(world)
        return world

    @functools.cached_property
    def _project(self) -> Project:
        if isinstance(self._source, WorldSource):
            return Project(self._file, self._source.options)
        return Project(self._file, Options())

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
        expander = Expander(self._project, Report())
        expanded = expander.expand(node)
        return node if expanded.left_out else expanded

    def note(self, node: SceneNode, expanded: TextNode) -> None:
        """Has supervisors see a new Solid by its PROTO's parameters."""
        definitions = Definitions()
        definitions.add(dc.replace(expanded, definition=""), node.model)
        node.protos = [
            dc.replace(proto, defs={})
            for proto in definitions.protos().get(node.model, [])
        ]
