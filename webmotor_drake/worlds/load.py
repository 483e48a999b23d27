"""From a world's file to a Scenario whose source is the world."""

import dataclasses as dc
import os
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.load import complete
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.source import Source
from webmotor_drake.scenario.yaml_document import Document
from webmotor_drake.worlds.imported import Imported, import_world
from webmotor_drake.worlds.project import Options


@dc.dataclass(frozen=True, kw_only=True)
class WorldSource(Imported, Source):
    """The source of a scenario made of a world; its places are those in the world.

    Attributes:
        file: the world as the user knows it.
        folder: the world's folder.
        override: text that overrides parts of the scenario.
        overlay: file that does, before the text.
        options: the way in which it was read.
    """

    file: str
    folder: Path
    override: Document
    overlay: Document
    options: Options

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


def world_scenario(
    file: str | os.PathLike[str],
    override: Document,
    overlay: Document,
    *,
    name: str | None = None,
    options: Options,
) -> Scenario:
    """Returns the scenario made of a world.

    Args:
        file: the world.
        override: a text that overrides parts of the scenario.
        overlay: another one, before it.
        name: name of the world, if it is given: another one is refused.
        options: way in which it is read.

    Raises:
        InputError: see `loading.load_scenario`.
    """
    path = Path(file)
    scenario, imported = import_world(path, options)
    if name not in (None, imported.name):
        raise InputError(
            f"unknown scenario {name!r}; a world has one: {imported.name}",
            where=str(file),
        )
    if summary := imported.report.summary():
        warn(f"{file}: {summary} (webmotor check lists all)")
    source = WorldSource(
        override=override,
        overlay=overlay,
        file=str(file),
        folder=path.absolute().parent,
        options=options,
        **vars(imported),
    )
    return complete(scenario, source, [imported.name])
