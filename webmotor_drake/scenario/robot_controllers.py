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
# Where they connect: Webots' own port.
PORT = 1234

# Programs of other languages, which Webots' launcher knows how to start.
OTHERS = {".jar": "Java", ".class": "Java", ".m": "MATLAB"}
# Of a controller's files that a project may have beside each other the first is run.
_SUFFIXES = ".class", ".jar", ".py", ".m"
# How compiled programs begin: on Linux, and on macOS.
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

    A mere name is that of a project: the first of its `project_files` that is there,
    in controllers/NAME beside the scenario, or beside the folder that it is in, as
    Webots has worlds and controllers.
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
        scenario: it is changed.
        besides: arguments of `set_controller` for robots that have another one.

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
    """Returns the robots whose controllers connect: the program of each.

    None: somebody else starts it.
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

    For whoever runs them: a diagram warns of those that it cannot run.
    """
    return with_robots(
        scenario, lambda d: dc.replace(d, controller=""), {*models}
    )
