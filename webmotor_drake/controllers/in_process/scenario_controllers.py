"""The controllers of a scenario's robots."""

import contextlib
import copy
import dataclasses as dc
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from webmotor_drake.controllers.in_process.controller_file import (
    Controller,
    load_controller,
)
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.scenario import Scenario, located, path_in
from webmotor_drake.simulation.spares import USUAL_STOCK

# Beside a controller; there may be a thousand in a folder of all sorts.
_MODULES = 100


def scenario_controllers(scenario: Scenario) -> dict[str, Controller]:
    """Reads and compiles the controllers that a scenario names, by model name.

    Raises:
        InputError: one cannot be read, or is not Python; says where.
    """
    controllers = {}
    for model, driver in _robots(scenario).items():
        if driver.controller:
            try:
                controllers[model] = load_controller(
                    _file_of(scenario, driver.controller),
                    driver.controller_args,
                )
            except InputError as error:
                path = ("model_drivers", model, "controller")
                raise located(scenario, error.below(*path)) from None
    return controllers


def _file_of(scenario: Scenario, controller: str) -> Path:
    """Returns a controller's file.

    A mere name is that of a project: controllers/NAME/NAME.py beside the scenario,
    or beside the folder that it is in, as Webots has worlds and controllers.
    """
    file = path_in(scenario, controller)
    if file.suffix or file.exists() or Path(controller).name != controller:
        return file
    inside = Path("controllers", controller, f"{controller}.py")
    places = [
        path_in(scenario, str(up / inside)) for up in (Path(), Path(".."))
    ]
    return next((place for place in places if place.exists()), places[0])


def with_stock(
    scenario: Scenario, controllers: Mapping[str, Controller]
) -> Scenario:
    """Returns the scenario with Solids in stock, if a controller imports nodes.

    Args:
        scenario: one that says how many are in stock stays as it is.
        controllers: by model name.
    """
    robots = _robots(scenario)
    supervisors = (
        controller
        for model, controller in controllers.items()
        if model in robots and robots[model].supervisor
    )
    if (
        scenario.stock is not None
        or scenario.plant_config.time_step == 0
        or not any(map(_imports_nodes, supervisors))
    ):
        return scenario
    stocked = copy.copy(scenario)
    stocked.stock = USUAL_STOCK
    return stocked


def _imports_nodes(controller: Controller) -> bool:
    """Returns whether a controller, or a module beside it, imports nodes."""
    folder = controller.file.parent
    for file in [controller.file, *sorted(folder.glob("*.py"))[:_MODULES]]:
        with contextlib.suppress(OSError):
            if file.is_file() and b"importMFNode" in file.read_bytes():
                return True
    return False


def without_controllers(scenario: Scenario, models: Iterable[str]) -> Scenario:
    """Returns the scenario without the controllers of some models.

    For whoever runs them: a diagram warns of those that it cannot run.
    """
    drivers = {
        model: dc.replace(driver, controller="")
        for model, driver in _robots(scenario).items()
        if model in models
    }
    without = copy.copy(scenario)
    without.model_drivers = {**scenario.model_drivers, **drivers}
    return without


def set_controller(scenario: Scenario, argument: str) -> None:
    """Gives a robot of a scenario a controller.

    Args:
        scenario: it is changed.
        argument: the controller's file; "MODEL=FILE" where there are several
            robots. Relative to the current folder.

    Raises:
        InputError: it is not clear which robot is meant, or the file is no
            controller.
    """
    robots = _robots(scenario)
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
    load_controller(file)
    robots[model].controller = os.path.abspath(file)


def _robots(scenario: Scenario) -> dict[str, WebotsMotorDriver]:
    return {
        model: driver
        for model, driver in scenario.model_drivers.items()
        if isinstance(driver, WebotsMotorDriver)
    }
