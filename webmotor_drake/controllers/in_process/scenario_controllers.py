"""The controllers of a scenario's robots."""

import os
from pathlib import Path

from webmotor_drake.controllers.in_process.controller_file import (
    Controller,
    load_controller,
)
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.robot_controllers import (
    connected_robots,
    controller_file,
    is_program,
    robots_of,
)
from webmotor_drake.scenario.scenario import Scenario, located


def scenario_controllers(scenario: Scenario) -> dict[str, Controller]:
    """Reads and compiles the Python controllers of a scenario, by model name.

    Those of robots that programs connect to are none of them.

    Raises:
        InputError: one cannot be read, or is not Python; says where.
    """
    controllers, connected = {}, connected_robots(scenario)
    for model, driver in robots_of(scenario).items():
        if driver.controller and model not in connected:
            try:
                file = controller_file(scenario, driver.controller)
                controllers[model] = load_controller(
                    file, driver.controller_args
                )
            except InputError as error:
                path = ("model_drivers", model, "controller")
                raise located(scenario, error.below(*path)) from None
    return controllers


def set_controller(scenario: Scenario, argument: str) -> None:
    """Gives a robot of a scenario a controller.

    Args:
        scenario: it is changed.
        argument: the controller's file, Python or a program; "MODEL=FILE" where
            there are several robots. Relative to the current folder.

    Raises:
        InputError: it is not clear which robot is meant, or the file is no
            controller.
    """
    robots = robots_of(scenario)
    model, equals, file = argument.partition("=")
    if not equals or (model not in robots and os.path.exists(argument)):
        model, file = "", argument
    if not model and len(robots) == 1:
        model = next(iter(robots))
    if not model:
        raise InputError(
            f"--controller {argument}: several robots; give MODEL=FILE with one"
            f" of {', '.join(robots)}"
            if robots
            else f"--controller {argument}: no model has Webots motors"
        )
    if model not in robots:
        problem = unknown_name("robot", model, robots)
        raise InputError(f"--controller {argument}: {problem}")
    if not is_program(Path(file)):
        load_controller(file)
    robots[model].controller = os.path.abspath(file)
