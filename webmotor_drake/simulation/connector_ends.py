"""The Connectors of a scenario, on their bodies."""

import dataclasses as dc
from collections.abc import Iterator

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.driver import model_instance
from webmotor_drake.nodes.connectors import Connector
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, robots_of

Name = tuple[str, str]


@dc.dataclass(frozen=True)
class ConnectorEnd:
    """A Connector on its body.

    Attributes:
        name: of its robot and its own.
        node: its fields.
        body: body that it is on.
        X_BC: its pose there.
    """

    name: Name
    node: Connector
    body: RigidBody
    X_BC: RigidTransform


def connector_ends(
    scenario: Scenario, plant: MultibodyPlant
) -> Iterator[ConnectorEnd]:
    """Yields the Connectors of all robots, for a plant that is not yet finalized."""
    for model, driver in robots_of(scenario).items():
        nodes = {
            name: node
            for name, node in driver.devices.items()
            if isinstance(node, Connector)
        }
        if nodes:
            with blame(scenario, "model_drivers", model):
                instance = model_instance(plant, model)
                mounts = find_mounts(plant, instance, nodes)
            for name, node in nodes.items():
                mount = mounts[name]
                yield ConnectorEnd((model, name), node, mount.body, mount.X_BD)
