"""A simulation whose robots have programs for controllers."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

from pydrake.geometry import Meshcat

from webmotor_drake.errors import InputError
from webmotor_drake.protocol.extern_run import run_connected
from webmotor_drake.protocol.programs import command_of
from webmotor_drake.scenario.robot_controllers import (
    OTHERS,
    connected_robots,
    robots_of,
    without_controllers,
)
from webmotor_drake.scenario.scenario import Scenario, located
from webmotor_drake.simulation.simulation import Simulation

# Webots' own.
PORT = 1234


class ExternSimulation(Simulation):
    """A Simulation whose robots have programs for controllers; see there.

    They connect as to Webots: those that are `<extern>` whenever they are started, the
    others are started with the run.

    Args:
        scenario: what to run.
        meshcat: where to draw, if anywhere.
        port: of TCP, and of the folder in which local sockets are; the next ones if
            it is taken; 0: any.
        by_hand: whether somebody may push bodies.
        guests: the addresses of other machines whose programs may connect by TCP.

    Raises:
        InputError: a program cannot be started, or Python controllers are to run
            beside.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        meshcat: Meshcat | None = None,
        port: int = PORT,
        by_hand: bool = False,
        guests: Collection[str] = (),
    ):
        self._programs = connected_robots(scenario)
        self._port, self._guests = port, guests
        _check(scenario, self._programs)
        super().__init__(
            without_controllers(scenario, self._programs),
            meshcat=meshcat,
            by_hand=by_hand,
        )
        self.scenario = scenario

    def _advance(self, progress: Callable[[float, float], None] | None) -> None:
        run_connected(
            self,
            self._programs,
            self._port,
            guests=self._guests,
            progress=progress,
        )


def _check(scenario: Scenario, programs: dict) -> None:
    """Refuses controllers that cannot run.

    Raises:
        InputError: says where.
    """
    for model, driver in robots_of(scenario).items():
        problem, file = "", programs.get(model)
        if driver.controller and model not in programs:
            others = ", ".join(programs)
            problem = (
                "a Python controller cannot run here beside programs that"
                f" connect, such as that of {others}; make this robot <extern>"
                " as well, and start Python with Webots' own package"
            )
        elif file is not None:
            problem = _why_not_startable(file)
        if problem:
            error = InputError(
                problem, path=("model_drivers", model, "controller")
            )
            raise located(scenario, error)


def _why_not_startable(file: Path) -> str:
    """Returns why a program cannot be started; "": it can be tried."""
    if file.suffix.lower() in OTHERS:
        if not file.is_file():
            return f"there is no {file}"
        try:
            command_of(file, ())
        except InputError as error:
            return str(error)
    elif not (file.is_file() and os.access(file, os.X_OK)):
        return f"{file} is no program that can be started"
    return ""
