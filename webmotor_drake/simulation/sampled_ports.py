"""Turns off the plant's sampled output ports where nobody reads them."""

import copy
from collections.abc import Iterator

from pydrake.manipulation import ZeroForceDriver

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.nodes.connectors import HoldingNode
from webmotor_drake.nodes.distance import TouchSensor
from webmotor_drake.scenario.scenario import Scenario, robots_of

# Directives with which Build() without sampled ports takes about 0.1 s.
_MANY = 80


def without_samples(scenario: Scenario) -> Scenario:
    """Returns the scenario without sampled output ports if nobody reads them.

    They cost a quarter of a plant step; our motors and log don't need them. With
    many models they stay: without them Build() is cubic in their number. So they do
    where the file says so itself.
    """
    ours = WebotsMotorDriver, ZeroForceDriver
    drivers = scenario.model_drivers.values()
    source = scenario.source
    if (
        (source and source.gives("plant_config", "use_sampled_output_ports"))
        or scenario.visualization
        or scenario.cameras
        or not all(isinstance(driver, ours) for driver in drivers)
        or any(any(fields_with_forces(d)) for d in robots_of(scenario).values())
        or len(scenario.directives) > _MANY
    ):
        return scenario
    lean = copy.copy(scenario)
    lean.plant_config = copy.deepcopy(scenario.plant_config)
    lean.plant_config.use_sampled_output_ports = False
    return lean


def fields_with_forces(driver: WebotsMotorDriver) -> Iterator[tuple[str, ...]]:
    """Yields the fields of a driver that ask for the joints' reaction forces."""
    if driver.reaction_forces:
        yield ("reaction_forces",)
    for name, node in driver.devices.items():
        if isinstance(node, TouchSensor) and node.type != "bumper":
            yield "devices", name
        if isinstance(node, HoldingNode) and node.breaks:
            yield "devices", name
