"""Runs scenarios whose robots have a client of our own for a controller."""

import contextlib
import dataclasses as dc
import os
import signal
import threading
import time
import typing
from pathlib import Path

from webots_client import WebotsClient, extern_socket

from webmotor_drake.results.results import Results
from webmotor_drake.runner import ready
from webmotor_drake.scenario.robot_controllers import EXTERN
from webmotor_drake.scenario.scenario import Scenario, robots_of

Controller = typing.Callable[[WebotsClient], None]


def port_of_instance() -> int:
    """Waits for the simulation; returns its port."""
    folder = Path("/tmp/webots", os.environ["USER"])
    for _ in range(500):
        with contextlib.suppress(OSError):
            for entry in folder.iterdir():
                if (entry / "live.txt").exists():
                    return int(entry.name)
        time.sleep(0.01)
    raise TimeoutError("no simulation came")


@dc.dataclass
class Connected:
    """A run with clients.

    Attributes:
        results: of the run.
        exit_status: that a supervisor has set.
        errors: what clients raised.
    """

    results: Results
    exit_status: int
    errors: list[BaseException]


def connected(
    scenario: Scenario, tcp: bool = False, /, **controllers: Controller
) -> Connected:
    """Runs a scenario; each robot's controller gets its client.

    Robots that have a controller already keep it.
    """
    for robot in robots_of(scenario).values():
        robot.controller = robot.controller or EXTERN
    simulation = ready(scenario, port=0)
    errors: list[BaseException] = []

    def run(robot: str, controller: Controller) -> None:
        try:
            port = port_of_instance()
            local = None if tcp else extern_socket(port, robot)
            client = WebotsClient(local=local, port=port, robot=robot)
            with contextlib.closing(client):
                controller(client)
        except BaseException as error:
            errors.append(error)
            os.kill(os.getpid(), signal.SIGINT)  # the run waits for another one

    threads = [
        threading.Thread(target=run, args=pair, daemon=True)
        for pair in controllers.items()
    ]
    for thread in threads:
        thread.start()
    try:
        results = simulation.run()
    except KeyboardInterrupt:
        raise (errors or [KeyboardInterrupt()])[0] from None
    for thread in threads:
        thread.join(180)
    if errors:
        raise errors[0]
    return Connected(results, simulation.exit_status, errors)
