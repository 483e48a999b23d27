"""Loads a scenario from either format: YAML, or a world of Webots'."""

import difflib
import math
import os
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.data import PREFIX, scenario_file, scenario_names
from webmotor_drake.errors import InputError
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.scenario.checks import check_kinds, check_scenario, complete
from webmotor_drake.scenario.model_file import SUFFIXES
from webmotor_drake.scenario.scenario import Scenario, placed, with_packages
from webmotor_drake.scenario.source import YamlSource
from webmotor_drake.scenario.yaml_document import (
    Document,
    entries_of,
    load_document,
    parse_document,
)
from webmotor_drake.scenario.yaml_typed import read_typed

if typing.TYPE_CHECKING:
    from webmotor_drake.worlds.project import Options
    from webmotor_drake.worlds.report import Report

_ENDING = ".wbt"
# Keys by which one knows files of other kinds, and the commands that take them.
_OTHER_FILES = {
    "experiments": "experiments: `webmotor fit SCENARIO --experiment FILE`",
    "parameters": "parameters: `webmotor sweep SCENARIO --study FILE`",
}


@with_numpys_defaults
def load_scenario(
    file: str | os.PathLike[str],
    *,
    name: str | None = None,
    text: str = "{}",
    overlay: str | os.PathLike[str] | None = None,
    options: "Options | None" = None,
    package_xmls: Sequence[str | os.PathLike[str]] = (),
) -> Scenario:
    """Loads and checks a scenario, or a world of Webots' as one.

    Example:
        ::

            scenario = wm.load_scenario("package:pendulum", name="Lift")
            scenario.model_drivers["arm"].motors["hinge motor"].max_torque = 8.0

    Args:
        file: a YAML file with one scenario or more, by name, at its top level;
            "package:NAME" is one that comes with the package; or a world (.wbt),
            which becomes a scenario of its file's name that runs 10 s, or without
            an end where a robot is `<extern>`.
        name: name of the scenario; may be left out where there is only one.
        text: YAML that overrides parts of the scenario.
        overlay: a file with such a text, as `fit` writes it; `text` overrides what
            both say.
        options: options for reading a world.
        package_xmls: packages of `package://` besides those that it finds: each its
            package.xml or its folder.

    Raises:
        InputError: whatever is wrong with it; its text has file, line, column
            and path.
    """
    _check_arguments(file, name, text, overlay)
    over = overriding(text, overlay)
    if is_world(file):
        from webmotor_drake.worlds.imported import world_scenario
        from webmotor_drake.worlds.project import Options

        options = options or Options()
        scenario = world_scenario(file, *over, name=name, options=options)
    elif options is not None:
        raise InputError(
            "not a world (.wbt); --proto_path, --without, --strict and"
            " --allow_webots_assets go with one",
            where=os.fspath(file),
        )
    else:
        folder = scenario_file(file).absolute().parent
        scenario = scenario_in(_load_yaml(file), folder, over, name)
    return with_packages(scenario, package_xmls)


def _check_arguments(
    file: object, name: object, text: object, overlay: object
) -> None:
    """Refuses arguments of a type that they cannot have."""
    path, yaml = (
        "the name of a file",
        "a text in YAML, as in '{simulation_duration: 2}',",
    )
    for argument, value, kinds, words in (
        ("file", file, str | os.PathLike, path),
        ("name", name, str | None, "a text"),
        ("text", text, str, yaml),
        ("overlay", overlay, str | os.PathLike | None, path),
    ):
        if not isinstance(value, kinds):
            raise InputError(
                f"{argument}: {words} is needed, got a {type(value).__name__}"
            )


def _load_yaml(file: str | os.PathLike[str]) -> Document:
    """Loads a file of scenarios; without one, the error says which may be meant."""
    try:
        return load_document(scenario_file(file))
    except InputError as error:
        given = Path(file)
        problem, where, known = error.problem, error.where, scenario_names()
        nearest = difflib.get_close_matches(given.name.partition(".")[0], known)
        if given.suffix.lower() in SUFFIXES and given.is_file():
            problem = "a robot, no scenario; `webmotor import` makes one of it"
            where = os.fspath(file)
        elif os.path.lexists(given) or os.fspath(file).startswith(PREFIX):
            raise
        elif nearest and "did you mean" not in problem:
            problem += f"; did you mean {PREFIX}{nearest[0]}?"
        raise InputError(problem, where=where) from error.__cause__


def scenario_in(
    document: Document,
    folder: Path,
    over: tuple[Document, Document],
    name: str | None,
) -> Scenario:
    """Returns a scenario of a document; see `loading.load_scenario`.

    Args:
        document: one scenario or more, by name.
        folder: start of relative names of files.
        over: documents that override it, as `overriding` returns them.
        name: name of the one to load.
    """
    names = document.names
    for key, about in _OTHER_FILES.items():
        if key in names and name is None:
            problem = f"no scenario but {about} takes them"
            raise InputError(problem, where=document.file)
    if name is None and len(names) != 1:
        raise InputError(
            f"several scenarios; give the name of one: {', '.join(names)}"
            if names
            else "no scenario; at least one, under its name, is needed",
            where=document.file,
        )
    chosen = names[0] if name is None else name
    return scenario_from(YamlSource(document, chosen, folder, *over))


def overriding(
    text: str, overlay: str | os.PathLike[str] | None
) -> tuple[Document, Document]:
    """Returns the documents of the text and the overlay that override a scenario."""
    override = parse_document(text, "--scenario_text")
    if overlay is None:
        return override, parse_document("{}", "")
    return override, load_document(os.fspath(overlay))


def scenario_from(source: YamlSource) -> Scenario:
    """Returns the scenario of a source, loaded and checked."""
    document = source.document
    scenario = read_typed(Scenario, document, child_name=source.name)
    return complete(scenario, source, document.names)


def overlaid(scenario: Scenario, overlay: str | os.PathLike[str]) -> Scenario:
    """Returns a scenario with the values of a file that overrides it, checked.

    Args:
        scenario: checked scenario; it stays as it is.
        overlay: file whose values override it.
    """
    over = load_document(os.fspath(overlay))
    found = read_typed(Scenario, over, defaults=scenario)
    found.source = scenario.source
    try:
        check_scenario(found)
    except InputError as error:
        raise InputError(
            f"{overlay}: {error.problem}", path=error.path
        ) from None
    return found


def as_scenario(
    given: Scenario | str | os.PathLike[str],
    package_xmls: Sequence[str | os.PathLike[str]] = (),
) -> Scenario:
    """Returns the given scenario, or loads the one in the named file.

    Args:
        given: scenario, or the name of its file.
        package_xmls: argument of `load_scenario`.

    Raises:
        InputError: `given` is neither, its fields have wrong types, the file is wrong,
            or it has several scenarios.
    """
    if isinstance(given, Scenario):
        with placed(given):
            check_kinds(given)
        return with_packages(given, package_xmls)
    if isinstance(given, (str, os.PathLike)):
        return load_scenario(given, package_xmls=package_xmls)
    raise InputError(
        "a Scenario is needed, as load_scenario returns it, or the name of its"
        f" file; got a {type(given).__name__}"
    )


def is_world(file: str | os.PathLike[str]) -> bool:
    """Returns whether a file is a world, by its suffix."""
    name = os.fspath(file)
    return (
        isinstance(name, str)
        and not name.startswith(PREFIX)
        and name.lower().endswith(_ENDING)
    )


def report_of(scenario: Scenario) -> "Report | None":
    """Returns the differences between a scenario and its world, if it has one."""
    return getattr(scenario.source, "report", None)


def take_end_away(scenario: Scenario) -> None:
    """Lets a world run without end, as in Webots, unless an end was given."""
    source: typing.Any = scenario.source
    if report_of(scenario) is None:
        return
    given = (source.override, source.overlay)
    if not any("simulation_duration" in entries_of(d.root) for d in given):
        scenario.simulation_duration = math.inf
