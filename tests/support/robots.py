"""Robots for the tests of the controller API, and what runs controllers."""

import re
import textwrap
from pathlib import Path

import numpy as np
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario

FILE = TEST_SCENARIOS / "robots.scenario.yaml"


def scenario(name: str = "Arm", text: str = "{}") -> Scenario:
    """Returns a scenario of the file beside this one."""
    return loaded(FILE, name, text)


def with_driver(text: str, name: str = "Arm", model: str = "arm") -> Scenario:
    """Returns a scenario with other words for its driver."""
    return scenario(name, f"{{model_drivers: {{{model}: {{{text}}}}}}}")


def controller(folder: Path, text: str, name: str = "controller_a.py") -> Path:
    """Writes a controller."""
    file = folder / name
    file.write_text(textwrap.dedent(text))
    return file


def run(folder: Path, program: str, /, **kwargs) -> Results:
    """Runs the Arm with a controller."""
    file = controller(folder, program)
    return run_with_controllers(scenario(**kwargs), {"arm": file})


def unlabelled(printed: str) -> list[str]:
    """Returns the lines that several controllers printed, without their names."""
    return [re.sub(r"^\[\w+\] ", "", line) for line in printed.splitlines()]


def signal(motor, name: str) -> np.ndarray:
    """Returns a signal of the motor so far."""
    client = motor._client
    simulation = client.host.stepped.simulation
    return simulation.results()[f"{client.host.name}/{motor.name}/{name}"]


IDLE = """
    from controller import Robot
    robot = Robot()
    while robot.step(int(robot.getBasicTimeStep())) != -1:
        pass
"""
