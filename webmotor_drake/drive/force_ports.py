"""Forces on a plant besides its actuators, as its motors see them.

Whatever is connected to the plant's ports for forces, exported from them or fixed in
its Context, and whenever that is done: it is there in the plant's Context. A port on
the plant passes it on.
"""

from pydrake.common.value import Value
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    InputPortIndex,
    LeafSystem,
    OutputPort,
)

from webmotor_drake.drive.plant_port import declare_plant_port, nothing_read
from webmotor_drake.drive.torque_drive import NOTHING, External

# The inputs of the PortSwitch at the plant's actuation.
HELD, ON_DEMAND = InputPortIndex(1), InputPortIndex(2)


def declare_forces(plant: MultibodyPlant, name: str) -> OutputPort:
    """Declares an output port on `plant` with the forces on it, an `External`.

    Args:
        plant: a finalized plant.
        name: of the port.
    """
    generalized = plant.get_applied_generalized_force_input_port()
    spatial = plant.get_applied_spatial_force_input_port()

    def read(context: Context) -> External:
        given = [port.HasValue(context) for port in (generalized, spatial)]
        if not any(given):
            return NOTHING
        return External(
            generalized.Eval(context).copy() if given[0] else None,
            spatial.Eval(context) if given[1] else None,
        )

    tickets = {
        plant.input_port_ticket(port.get_index())
        for port in (generalized, spatial)
    }
    return declare_plant_port(plant, name, read, tickets)


def is_acted_on(builder: DiagramBuilder, plant: MultibodyPlant) -> bool:
    """Returns whether the plant's ports for forces are connected, or will be."""
    waiting = getattr(builder, "webmotor_forces", ())  # see `add_forces`
    if any(acted_on is plant for acted_on, _ in waiting):
        return True
    return builder.IsConnectedOrExported(
        plant.get_applied_generalized_force_input_port()
    ) or builder.IsConnectedOrExported(
        plant.get_applied_spatial_force_input_port()
    )


class ForcePorts:
    """The ports of a motor system for forces on its plant.

    `applied_forces` is for the port that `declare_forces` makes. `port_selector` tells
    Drake's PortSwitch which actuation is due: ON_DEMAND where something acts.

    Args:
        system: gets the ports.
    """

    def __init__(self, system: LeafSystem):
        self._port = system.DeclareAbstractInputPort(
            "applied_forces", nothing_read()
        )
        self.ticket = system.input_port_ticket(self._port.get_index())
        system.DeclareAbstractOutputPort(
            "port_selector",
            lambda: Value(HELD),
            self._select,
            {self.ticket},
        )
        # A look costs 2 µs. Nobody has to as long as nothing has acted in any Context
        # of the diagram; the switch is asked in all of them.
        self._ever = False

    def look(self, context: Context) -> External:
        """Returns the forces on the plant; NOTHING if no port has a value."""
        found = self._port.Eval(context)
        self._ever |= found is not NOTHING
        return found

    def now(self, context: Context) -> External:
        """Returns the same as `look`, after the first step, in less time."""
        return self.look(context) if self._ever else NOTHING

    def _select(self, context: Context, output: Value) -> None:
        acts = self.look(context) is not NOTHING
        output.set_value(ON_DEMAND if acts else HELD)
