"""Forces on a plant besides its actuators, as its motors see them.

The plant's ports for forces may be connected, exported or fixed in its Context, at any
time. In each case the plant's Context has the forces. An output port on the plant
passes them on.
"""

from collections.abc import Iterable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    InputPort,
    InputPortIndex,
    OutputPort,
)

from webmotor_drake.drive.plant_port import declare_plant_port
from webmotor_drake.drive.torque_drive import NOTHING, External

# The inputs of the PortSwitch at the plant's actuation.
HELD, ON_DEMAND = InputPortIndex(1), InputPortIndex(2)


def declare_forces(
    plant: MultibodyPlant,
    name: str,
    others: InputPort | None,
    actuators: Iterable[JointActuator],
) -> OutputPort:
    """Declares an output port on `plant` with the forces on it, an `External`.

    Args:
        plant: a finalized plant.
        name: name of the port.
        others: actuation port of the plant that other systems may feed.
        actuators: actuators of that port, in its order.
    """
    generalized, spatial, *_ = ports = _ports(plant, others)
    places = [actuator.joint().velocity_start() for actuator in actuators]

    def read(context: Context) -> External:
        given = [port.HasValue(context) for port in ports]
        forces = generalized.Eval(context).copy() if given[0] else None
        if given[2:] == [True]:
            forces = np.zeros(generalized.size()) if forces is None else forces
            np.add.at(forces, places, others.Eval(context))
        pushes = spatial.Eval(context) if given[1] else None
        # A source that pushes nothing just now gives an empty list.
        if forces is None and not pushes:
            return NOTHING
        return External(forces, pushes)

    tickets = {plant.input_port_ticket(port.get_index()) for port in ports}
    return declare_plant_port(plant, name, read, tickets)


def _ports(plant: MultibodyPlant, others: InputPort | None) -> list[InputPort]:
    return [
        plant.get_applied_generalized_force_input_port(),
        plant.get_applied_spatial_force_input_port(),
        *([] if others is None else [others]),
    ]


def is_acted_on(
    builder: DiagramBuilder, plant: MultibodyPlant, others: InputPort | None
) -> bool:
    """Returns whether a port for forces on the plant is connected or exported."""
    return any(map(builder.IsConnectedOrExported, _ports(plant, others)))
