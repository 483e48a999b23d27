"""Instances of PROTOs in texts that supervisors import.

Their names are those of the world: its own files, or our replacements.
"""

import functools

from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.worlds.catalogue import BASE_NODES
from webmotor_drake.worlds.expansion import Expander
from webmotor_drake.worlds.nodes import Node as TextNode
from webmotor_drake.worlds.project import Options, Project, load_source
from webmotor_drake.worlds.reader import read_texts
from webmotor_drake.worlds.source import Source


class ImportedProtos:
    """Expands instances, as the importer of worlds does.

    Args:
        scenario: that of the supervisors who import them.
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
        """The world's text with its EXTERNPROTO lines; an empty one without."""
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
