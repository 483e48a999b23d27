"""The programs of a scenario's robots that connect, and whether they can be started."""

import os
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.protocol.programs import command_of, folder_of
from webmotor_drake.protocol.runtime_ini import read_runtime_ini
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.robot_controllers import OTHERS, connected_robots
from webmotor_drake.scenario.scenario import Scenario


def startable_programs(scenario: Scenario) -> dict[str, Path | None]:
    """Returns the program of each robot that one connects to.

    None: somebody else starts it.

    Raises:
        InputError: one cannot be started; says where.
    """
    programs = connected_robots(scenario)
    for robot, file in programs.items():
        if file is not None:
            with blame(scenario, "model_drivers", robot, "controller"):
                _check_startable(file)
    return programs


def _check_startable(file: Path) -> None:
    """Refuses a program that need not be tried."""
    if file.suffix.lower() in OTHERS:
        if not file.is_file():
            raise InputError(f"there is no {file}")
    elif not (file.is_file() and os.access(file, os.X_OK)):
        problem = f"{file} is no program that can be started"
        if file.is_file():
            problem += f"; allow it: chmod +x {file}"
        raise InputError(problem)
    environment = dict(os.environ)
    settings = read_runtime_ini(folder_of(file), environment)
    command_of(file, (), environment, settings)
