"""From a scenario file to a checked Scenario."""

import dataclasses as dc
import difflib
import os
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.data import PREFIX, scenario_file, scenario_names
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.scenario.checks import check_fields
from webmotor_drake.scenario.model_file import SUFFIXES
from webmotor_drake.scenario.scenario import Scenario, placed
from webmotor_drake.scenario.source import Source, YamlSource
from webmotor_drake.scenario.yaml_document import (
    Document,
    load_document,
    parse_document,
)
from webmotor_drake.scenario.yaml_typed import read_typed


def load_scenario(
    file: str | os.PathLike[str],
    *,
    name: str | None = None,
    text: str = "{}",
    overlay: str | os.PathLike[str] | None = None,
) -> Scenario:
    """Loads and checks a scenario of a YAML file; see `loading.load_scenario`."""
    check_arguments(file, name, text, overlay)
    path = scenario_file(file)
    try:
        document = load_document(path)
    except InputError as error:
        raise _offered(os.fspath(file), error) from error.__cause__
    folder = path.absolute().parent
    return scenario_in(document, folder, name=name, text=text, overlay=overlay)


def check_arguments(
    file: object, name: object, text: object, overlay: object
) -> None:
    """Refuses arguments of a type that they cannot have."""
    paths = (str, os.PathLike), "the name of a file"
    texts = (str,), "a text in YAML, as in '{simulation_duration: 2}',"
    for argument, value, (kinds, words), needed in (
        ("file", file, paths, True),
        ("name", name, ((str,), "a text"), False),
        ("text", text, texts, True),
        ("overlay", overlay, paths, False),
    ):
        if not isinstance(value, kinds) and (needed or value is not None):
            raise InputError(
                f"{argument}: {words} is needed, got a {type(value).__name__}"
            )


def scenario_in(
    document: Document,
    folder: Path,
    *,
    name: str | None,
    text: str,
    overlay: str | os.PathLike[str] | None,
) -> Scenario:
    """Returns a scenario of a document; see `load_scenario`.

    Args:
        document: one scenario or more, by name.
        folder: start of relative names of files.
        name: name of the one to load.
        text: values that override it.
        overlay: file that overrides the scenario, if any.
    """
    if name is None:
        if len(document.names) != 1:
            raise InputError(
                "several scenarios; give the name of one:"
                f" {', '.join(document.names)}"
                if document.names
                else "no scenario; at least one, under its name, is needed",
                where=document.file,
            )
        name = document.names[0]
    over = overriding(text, overlay)
    return scenario_from(YamlSource(document, name, folder, *over))


def overriding(
    text: str, overlay: str | os.PathLike[str] | None
) -> tuple[Document, Document]:
    """Returns the text and the overlay that override a scenario, read."""
    override = parse_document(text, "--scenario_text")
    if overlay is None:
        return override, parse_document("{}", "")
    return override, load_document(os.fspath(overlay))


def _offered(file: str, error: InputError) -> InputError:
    """Returns the error of an unreadable file, with its likely meaning."""
    if Path(file).suffix.lower() in SUFFIXES and Path(file).is_file():
        problem = "a robot, no scenario; `webmotor import` makes one of it"
        return InputError(problem, where=file)
    name = Path(file).name.partition(".")[0]
    nearest = difflib.get_close_matches(name, scenario_names(), n=1)
    if os.path.lexists(file) or file.startswith(PREFIX) or not nearest:
        return error
    problem = f"{error.problem}; did you mean {PREFIX}{nearest[0]}?"
    return InputError(problem, where=error.where)


def scenario_from(source: YamlSource) -> Scenario:
    """Returns the scenario of a source, loaded and checked; see `load_scenario`."""
    document = source.document
    scenario = read_typed(Scenario, document, child_name=source.name)
    return complete(scenario, source, document.names)


def complete(
    scenario: Scenario, source: Source, names: Sequence[str]
) -> Scenario:
    """Returns a scenario with its overriding values and its source, checked.

    Args:
        scenario: scenario of the file.
        source: its source.
        names: names of the scenarios in the file.
    """
    for over in (source.overlay, source.override):
        if over.names:
            _check_begins_with_fields(over, names)
            scenario = read_typed(Scenario, over, defaults=scenario)
    scenario.source = source
    check_scenario(scenario)
    return scenario


def overlaid(scenario: Scenario, overlay: str | os.PathLike[str]) -> Scenario:
    """Returns a scenario with the values of a file that overrides it, checked.

    Args:
        scenario: a checked one; it stays as it is.
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


def _check_begins_with_fields(over: Document, names: Sequence[str]) -> None:
    """Refuses an overriding text that begins with a scenario's name."""
    fields = {field.name for field in dc.fields(Scenario)}
    for name in over.names:
        if name in names and name not in fields:
            raise over.error(
                f"{name!r} is the scenario's name; what overrides a scenario"
                " begins with its fields, such as simulation_duration, without"
                " the name above them",
                (name,),
            )


def check_scenario(scenario: Scenario) -> dict[str, CheckedDriver]:
    """Checks a scenario as far as no model is needed.

    Returns:
        The drivers of Webots motors by model name.

    Raises:
        InputError: what cannot run.
    """
    with placed(scenario):
        return check_fields(scenario)
