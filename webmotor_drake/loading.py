"""Loads a scenario from either format: YAML, or a world of Webots'."""

import math
import os
import typing
from collections.abc import Sequence

from webmotor_drake.data import PREFIX
from webmotor_drake.errors import InputError
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.scenario import load as yaml_files
from webmotor_drake.scenario.checks import check_kinds
from webmotor_drake.scenario.scenario import Scenario, placed, with_packages
from webmotor_drake.scenario.yaml_document import entries_of

if typing.TYPE_CHECKING:
    from webmotor_drake.worlds.project import Options
    from webmotor_drake.worlds.report import Report

_ENDING = ".wbt"


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
    yaml_files.check_arguments(file, name, text, overlay)
    if not is_world(file):
        if options is not None:
            raise InputError(
                "not a world (.wbt); --proto_path, --without, --strict and"
                " --allow_webots_assets go with one",
                where=os.fspath(file),
            )
        scenario = yaml_files.load_scenario(
            file, name=name, text=text, overlay=overlay
        )
        return with_packages(scenario, package_xmls)
    from webmotor_drake.worlds.imported import world_scenario
    from webmotor_drake.worlds.project import Options

    override, over = yaml_files.overriding(text, overlay)
    scenario = world_scenario(
        file, override, over, name=name, options=options or Options()
    )
    return with_packages(scenario, package_xmls)


def as_scenario(
    given: Scenario | str | os.PathLike[str],
    package_xmls: Sequence[str | os.PathLike[str]] = (),
) -> Scenario:
    """Returns a scenario; of a file's name the one in it, loaded.

    Args:
        given: scenario, or the name of its file.
        package_xmls: argument of `load_scenario`.

    Raises:
        InputError: it is neither, its fields have wrong types, or the file is
            wrong or has several.
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
    """Takes the end of a world to which none was given: Webots has none."""
    source: typing.Any = scenario.source
    if report_of(scenario) is None:
        return
    given = (source.override, source.overlay)
    if not any("simulation_duration" in entries_of(d.root) for d in given):
        scenario.simulation_duration = math.inf
