"""Running a scenario to its end, with the controllers that it names."""

import os
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from webmotor_drake.errors import InputError
from webmotor_drake.interrupts import interruptible
from webmotor_drake.loading import as_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.robot_controllers import PORT
from webmotor_drake.scenario.scenario import Scenario, controllers_of
from webmotor_drake.simulation.release import run_and_release
from webmotor_drake.simulation.simulation import Simulation

if TYPE_CHECKING:
    from pydrake.geometry import Meshcat


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    progress: Callable[[float, float], None] | None = None,
    meshcat: "Meshcat | None" = None,
    realtime: float = 1.0,
    follow: bool = False,
    package_xmls: Sequence[str | os.PathLike[str]] = (),
) -> Results:
    """Simulates a scenario from start to end.

    Example:
        ::

            results = wm.run("package:two_link_arm")
            print(results["arm/elbow motor/position"][-1])
            results.save("runs/arm")

    Args:
        scenario: scenario to run, or the name of its file.
        progress: function called now and then with the simulated time and the end, s.
        meshcat: Meshcat that shows the run, and has the recording afterwards.
        realtime: simulated seconds per second in Meshcat; 0: as fast as possible.
        follow: True if the camera goes along with the robot.
        package_xmls: packages of `package://` besides those that the scenario finds:
            each its package.xml or its folder.

    Returns:
        The signals of all motors, and metadata of the run.

    Raises:
        InputError: the scenario cannot run.
        SimulationError: it failed midway; its attribute `results` has what was
            simulated until then.
        RunInterrupted: Ctrl-C came. It is a KeyboardInterrupt, and has `results`, too.
    """
    scenario = as_scenario(scenario, package_xmls)
    with interruptible():
        if meshcat is None:
            return run_and_release(ready(scenario), progress)
        from webmotor_drake.view.replay import Scene

        simulation = ready(scenario, meshcat=meshcat)
        scene = Scene(simulation, meshcat, follow=follow)
        simulation.simulator.set_target_realtime_rate(realtime)
        try:
            return run_and_release(simulation, progress)
        finally:
            scene.publish()


def ready(
    scenario: Scenario,
    *,
    meshcat: "Meshcat | None" = None,
    by_hand: bool = False,
    port: int | None = None,
    guests: Collection[str] = (),
    keys: Callable[[float], list[int]] | None = None,
) -> Simulation:
    """Returns the simulation of a scenario, with the controllers that it names.

    Args:
        scenario: scenario to run.
        meshcat: Meshcat to draw in, if any.
        by_hand: True if somebody may push bodies.
        port: first port for programs, see `ControlledSimulation`; None: Webots' own.
        guests: the addresses of other machines whose programs may connect.
        keys: function from a time, s, to the keys that controllers see held down then.

    Raises:
        InputError: the scenario, or a controller, cannot run.
    """
    shown = {"meshcat": meshcat, "by_hand": by_hand}
    if not controllers_of(scenario):
        if keys is not None:
            raise InputError(
                "keys are for controllers; the scenario has no controller"
            )
        return Simulation(scenario, **shown)
    from webmotor_drake.controllers.in_process.controller_run import (
        ControlledSimulation,
    )

    port = PORT if port is None else port
    simulation = ControlledSimulation(
        scenario, port=port, guests=guests, **shown
    )
    if keys is not None:
        simulation.timed_keys = keys
    return simulation
