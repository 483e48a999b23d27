"""Running a scenario to its end, with the controllers that it names."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.simulation import Simulation

if TYPE_CHECKING:
    from pydrake.geometry import Meshcat


def run(
    scenario: Scenario,
    *,
    progress: Callable[[float, float], None] | None = None,
) -> Results:
    """Simulates a scenario from start to end.

    Args:
        scenario: what to run.
        progress: called now and then with the simulated time and the end, s.

    Returns:
        The signals of all motors, and what the run was.

    Raises:
        InputError: the scenario cannot run.
        SimulationError: it failed midway; its attribute `results` has what was
            simulated until then.
    """
    return ready(scenario).run(progress=progress)


def ready(
    scenario: Scenario, *, meshcat: "Meshcat | None" = None
) -> Simulation:
    """Returns the simulation of a scenario, with the controllers that it names.

    Args:
        scenario: what to run.
        meshcat: where to draw, if anywhere.

    Raises:
        InputError: the scenario, or a controller, cannot run.
    """
    drivers = scenario.model_drivers.values()
    if not any(getattr(driver, "controller", "") for driver in drivers):
        return Simulation(scenario, meshcat=meshcat)
    from webmotor_drake.robot.controllers.controller_run import (
        ControlledSimulation,
    )

    return ControlledSimulation(scenario, meshcat=meshcat)
