"""The controllers of a scenario's robots, and their kinds."""

import dataclasses as dc
import os
from collections.abc import Iterable
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.scenario import (
    Scenario,
    path_in,
    robots_of,
    with_robots,
)

# Webots' controller of a robot that a program connects to.
EXTERN = "<extern>"
# The port for such programs, as in Webots.
PORT = 1234

# Programs of other languages, which Webots' launcher knows how to start.
OTHERS = {".jar": "Java", ".class": "Java", ".m": "MATLAB"}
# Suffixes of controllers: if a project has several, the first one is run.
_SUFFIXES = ".class", ".jar", ".py", ".m"
# First bytes of compiled programs: on Linux, and on macOS.
_COMPILED = b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"


def is_program(file: Path) -> bool:
    """Returns whether a controller is a program of its own, not a Python file."""
    suffix = file.suffix.lower()
    if suffix in OTHERS or suffix == ".exe":
        return True
    if suffix or not is_file(file):
        return False
    return os.access(file, os.X_OK) or _is_compiled(file)


def _is_compiled(file: Path) -> bool:
    try:
        with file.open("rb") as content:
            return content.read(4) in _COMPILED
    except OSError:
        return False


def project_files(controller: str) -> list[str]:
    """Returns the files that a controller of a project may be, in Webots' order.

    They are relative to its folder, ``controllers/NAME`` (WbController::findType).
    """
    return [
        controller,
        f"build/release/{controller}",
        *(f"{controller}{suffix}" for suffix in _SUFFIXES),
    ]


def controller_file(scenario: Scenario, controller: str) -> Path:
    """Returns a controller's file.

    A mere name means a project, as in Webots: the first of its `project_files` that
    exists in controllers/NAME. The folder controllers is beside the scenario, or beside
    the folder of the scenario.
    """
    file = path_in(scenario, controller)
    if (
        file.suffix
        or os.path.exists(file)
        or Path(controller).name != controller
    ):
        return file
    places = [
        path_in(scenario, str(up / "controllers" / controller / name))
        for name in project_files(controller)
        for up in (Path(), Path(".."))
    ]
    there = (place for place in places if is_file(place))
    python = path_in(scenario, f"controllers/{controller}/{controller}.py")
    return next(there, python)


def make_extern(scenario: Scenario, besides: Iterable[str] = ()) -> None:
    """Has the robots of a scenario wait for controllers that connect.

    Args:
        scenario: scenario to change.
        besides: arguments of `set_controller` that give robots another controller.

    Raises:
        InputError: there is no robot.
    """
    robots = robots_of(scenario)
    if not robots:
        raise InputError("--extern: no model has Webots motors")
    given = list(besides)
    named = {argument.partition("=")[0] for argument in given}
    if given and len(robots) == 1:
        named = set(robots)
    for model, driver in robots.items():
        if model not in named:
            driver.controller = EXTERN


def connected_robots(scenario: Scenario) -> dict[str, Path | None]:
    """Returns the programs of robots whose controllers connect, by model name.

    None: the user starts the program.
    """
    found: dict[str, Path | None] = {}
    for model, driver in robots_of(scenario).items():
        if driver.controller == EXTERN:
            found[model] = None
        elif driver.controller:
            file = controller_file(scenario, driver.controller)
            if is_program(file):
                found[model] = Path(os.path.normpath(file))
    return found


def without_controllers(scenario: Scenario, models: Iterable[str]) -> Scenario:
    """Returns the scenario without the controllers of some models.

    A caller that runs them itself needs it: a diagram warns of those it cannot run.
    """
    return with_robots(
        scenario, lambda d: dc.replace(d, controller=""), {*models}
    )
