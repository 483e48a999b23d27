"""Turns off the plant's sampled output ports where nobody reads them."""

import copy

from pydrake.manipulation import ZeroForceDriver

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.nodes.distance import TouchSensor
from webmotor_drake.scenario.scenario import Scenario

# Directives with which Build() without sampled ports takes about 0.1 s.
_MANY = 80


def without_samples(scenario: Scenario) -> Scenario:
    """Returns the scenario without sampled output ports if nobody reads them.

    They cost a quarter of a plant step; our motors and log don't need them. With
    many models they stay: without them Build() is cubic in their number.
    """
    ours = WebotsMotorDriver, ZeroForceDriver
    drivers = scenario.model_drivers.values()
    if (
        scenario.visualization
        or scenario.cameras
        or not all(isinstance(driver, ours) for driver in drivers)
        or any(getattr(d, "reaction_forces", False) for d in drivers)
        or any(_feels_forces(d) for d in drivers)
        or len(scenario.directives) > _MANY
    ):
        return scenario
    lean = copy.copy(scenario)
    lean.plant_config = copy.deepcopy(scenario.plant_config)
    lean.plant_config.use_sampled_output_ports = False
    return lean


def _feels_forces(driver: object) -> bool:
    """Returns whether a driver has devices that need the joints' reaction forces."""
    return any(
        isinstance(node, TouchSensor) and node.type != "bumper"
        for node in getattr(driver, "devices", {}).values()
    )
