"""Loads a scenario from either format: YAML, or a world of Webots'."""

import dataclasses as dc
import os
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.data import PREFIX
from webmotor_drake.errors import InputError, warn
from webmotor_drake.scenario import load as yaml_files
from webmotor_drake.scenario.obj_meshes import new_folder
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import Document, parse_document
from webmotor_drake.scenario.yaml_source import YamlSource
from webmotor_drake.worlds.imported import Imported, import_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.report import Report

ENDING = ".wbt"


@dc.dataclass(frozen=True)
class WorldDocument(Document):
    """The scenario made of a world; its places are those in the world.

    Attributes:
        places: by paths in the scenario.
    """

    places: dict[tuple[str | int, ...], str] = dc.field(default_factory=dict)

    def __reduce__(self) -> tuple:
        """Pickles the text and the places; see `Document`."""
        return _placed, (self.text, self.file, self.places)

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns ``world:line:column`` of the nearest node with a place."""
        steps = tuple(path)[1:]  # without the scenario's name
        for length in range(len(steps), 0, -1):
            if steps[:length] in self.places:
                return self.places[steps[:length]]
        return self.file


@dc.dataclass(frozen=True)
class WorldSource(YamlSource):
    """The source of a scenario made of a world.

    Attributes:
        report: differences from Webots.
        options: how it was read.
    """

    document: WorldDocument
    report: Report = dc.field(default_factory=Report)
    options: Options = dc.field(default_factory=Options)

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin for a run's metadata, with the differences from Webots."""
        options = self.options.as_metadata()
        return super().metadata() | {
            "world": [dc.asdict(entry) for entry in self.report.entries],
            **({"world_options": options} if options else {}),
        }


def load_scenario(
    file: str | os.PathLike[str],
    *,
    name: str | None = None,
    text: str = "{}",
    overlay: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> Scenario:
    """Loads and checks a scenario, or a world of Webots' as one.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            scenario.model_drivers["arm"].motors["hinge motor"].max_torque = 8.0

    Args:
        file: a YAML file with one scenario or more, by name, at its top level;
            "package:NAME" is one that comes with the package; or a world (.wbt),
            which becomes a scenario of its file's name that runs 10 s.
        name: which one; may be left out where there is only one.
        text: YAML that overrides parts of the scenario.
        overlay: a file with such a text, as `fit` writes it; `text` overrides what
            both say.
        options: how a world is read.

    Raises:
        InputError: whatever is wrong with it; its text has file, line, column
            and path.
    """
    yaml_files.check_arguments(file, name, text, overlay)
    if not is_world(file):
        if options is not None:
            raise InputError(
                "not a world (.wbt); --proto_path, --without, --strict and"
                " --allow_webots_assets go with one",
                where=os.fspath(file),
            )
        return yaml_files.load_scenario(
            file, name=name, text=text, overlay=overlay
        )
    override, over = yaml_files.overriding(text, overlay)
    return world_scenario(
        file, override, over, name=name, options=options or Options()
    )


def as_scenario(given: Scenario | str | os.PathLike[str]) -> Scenario:
    """Returns a scenario; of a file's name the one in it, loaded.

    Raises:
        InputError: it is neither, its fields have wrong types, or the file is
            wrong or has several.
    """
    if isinstance(given, (str, os.PathLike)) and is_world(given):
        return load_scenario(given)
    return yaml_files.as_scenario(given)


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
        name: has to be the world's, if it is given.
        options: how it is read.

    Raises:
        InputError: see `load_scenario`.
    """
    path = Path(file)
    imported = import_world(path, options, models="{models}")
    if name not in (None, imported.name):
        raise InputError(
            f"unknown scenario {name!r}; a world has one: {imported.name}",
            where=str(file),
        )
    if summary := imported.report.summary():
        warn(f"{file}: {summary} (webmotor check lists all)")
    return yaml_files.scenario_from(
        WorldSource(
            _document(imported, str(file)),
            imported.name,
            path.absolute().parent,
            override,
            overlay,
            imported.report,
            options,
        )
    )


def is_world(file: str | os.PathLike[str]) -> bool:
    """Returns whether a file is a world, by its suffix."""
    name = os.fspath(file)
    return (
        isinstance(name, str)
        and not name.startswith(PREFIX)
        and name.lower().endswith(ENDING)
    )


def report_of(scenario: Scenario) -> Report | None:
    """Returns the differences between a scenario and its world, if it has one."""
    source = scenario.source
    return source.report if isinstance(source, WorldSource) else None


def _document(imported: Imported, file: str) -> WorldDocument:
    """Returns the scenario's text, its models in a folder that goes at the end."""
    folder = new_folder()
    for name, content in imported.models.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    text = imported.text.replace("{models}", folder.as_uri())
    places = {path: str(place) for path, place in imported.places.items()}
    return _placed(text, file, places)


def _placed(
    text: str, file: str, places: dict[tuple[str | int, ...], str]
) -> WorldDocument:
    return WorldDocument(text, file, parse_document(text, file).root, places)
