"""The programs of a scenario's robots that connect, and whether they can be started."""

import os
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.protocol.programs import command_of
from webmotor_drake.protocol.runtime_ini import read_runtime_ini
from webmotor_drake.scenario.robot_controllers import OTHERS, connected_robots
from webmotor_drake.scenario.scenario import Scenario, located


def startable_programs(scenario: Scenario) -> dict[str, Path | None]:
    """Returns the program of each robot that one connects to.

    None: somebody else starts it.

    Raises:
        InputError: one cannot be started; says where.
    """
    programs = connected_robots(scenario)
    for robot, file in programs.items():
        problem = _why_not_startable(file) if file is not None else ""
        if problem:
            path = ("model_drivers", robot, "controller")
            raise located(scenario, InputError(problem, path=path))
    return programs


def _why_not_startable(file: Path) -> str:
    """Returns why a program cannot be started; "": it can be tried."""
    if file.suffix.lower() in OTHERS:
        if not file.is_file():
            return f"there is no {file}"
    elif not (file.is_file() and os.access(file, os.X_OK)):
        return f"{file} is no program that can be started"
    try:
        environment = dict(os.environ)
        settings = read_runtime_ini(file.parent, environment)
        command_of(file, (), environment, settings)
    except InputError as error:
        return str(error)
    return ""
