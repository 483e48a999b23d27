"""The source of a scenario that is made of a world."""

import dataclasses as dc
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.scenario.copies import NamedFiles
from webmotor_drake.scenario.source import Source
from webmotor_drake.scenario.yaml_document import Document
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.report import Report


@dc.dataclass(frozen=True)
class WorldSource(Source):
    """The content of a world, besides the scenario that it is.

    Attributes:
        file: the world as the user knows it.
        folder: the world's folder.
        name: the scenario's name.
        text: the world's text.
        options: the way in which it was read.
        models: files of the models, in the folder that the scenario names.
        places: places in the world, by paths in the scenario.
        report: differences from Webots.
        nodes: the world's nodes, expanded.
        override: text that overrides parts of the scenario.
        overlay: file that does, before the text.
    """

    file: str
    folder: Path
    name: str
    text: str
    options: Options
    models: NamedFiles
    places: dict[tuple[str | int, ...], str]
    report: Report
    nodes: list[Node]
    override: Document = Source.override
    overlay: Document = Source.overlay

    def path_of(self, file: str) -> Path:
        """Returns the absolute path of a file that the scenario names."""
        inside = self.has(file)
        return self.models.path(file) if inside else super().path_of(file)

    def has(self, file: str) -> bool:
        """Returns whether a file is one of the models."""
        return file in self.models

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns ``world:line:column`` of the nearest node with a place."""
        return self.places.get(tuple(path[: self.depth(path)]), self.file)

    def depth(self, path: Sequence[str | int]) -> int:
        """Returns how long the longest beginning of a path is that has a place."""
        steps = tuple(path)
        while steps and steps not in self.places:
            steps = steps[:-1]
        return len(steps)

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin for a run's metadata, with the differences from Webots."""
        options = self.options.as_metadata()
        return super().metadata() | {
            "world": [dc.asdict(entry) for entry in self.report.entries],
            **({"world_options": options} if options else {}),
        }
