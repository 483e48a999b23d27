"""From a world's file to a Scenario whose source is the world."""

import dataclasses as dc
import os
from pathlib import Path

from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario.load import complete
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import Document
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options


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
    scenario, source = import_world(Path(file), options)
    if name not in (None, source.name):
        raise InputError(
            f"unknown scenario {name!r}; a world has one: {source.name}",
            where=str(file),
        )
    if summary := source.report.summary():
        warn(f"{file}: {summary} (webmotor check lists all)")
    source = dc.replace(source, override=override, overlay=overlay)
    return complete(scenario, source, [source.name])
