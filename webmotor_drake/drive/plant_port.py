"""A port on a plant that outputs values of the plant's Context.

Masses, damping, locks and rotors are parameters of a plant's Context, and a system of
Drake sees no Context but its own. It does see what other systems have at their output
ports, though. So the plant gets a port of ours, of which Drake knows that it depends on
all of the plant's parameters: in each Context it is computed anew where one has
changed, and costs no more than any input otherwise.
"""

import typing
from collections.abc import Callable, Set

from pydrake.common.value import Value
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context, DependencyTicket, OutputPort

from webmotor_drake.contact.inboard import joints_of


def declare_plant_port(
    plant: MultibodyPlant,
    name: str,
    read: Callable[[Context], typing.Any],
    depends_on: Set[DependencyTicket] = frozenset(),
    *,
    size: int | None = None,
) -> OutputPort:
    """Declares an output port on `plant`, before its diagram is built.

    Args:
        plant: a finalized plant.
        name: name of the port.
        read: makes its value of the plant's Context: `size` floats, or any object.
            Contexts that are cloned share the value if it is its own `__deepcopy__`.
        depends_on: tickets at whose change it is read anew; all parameters if empty.
        size: None for any object.
    """
    tickets = set(depends_on) or {plant.all_parameters_ticket()}
    # Drake cannot remove those of motors that left.
    while plant.HasOutputPort(name):
        name += "'"
    if size is not None:
        return plant.DeclareVectorOutputPort(
            name, size, lambda c, output: output.SetFromVector(read(c)), tickets
        )
    return plant.DeclareAbstractOutputPort(
        name,
        Value[object],
        lambda c, output: output.set_value(read(c)),
        tickets,
    )


def parameters_of(plant: MultibodyPlant, context: Context) -> bytes:
    """Returns masses, damping, locks and the like of a Context, for comparison."""
    numbers = [
        context.get_numeric_parameter(i).get_value().tobytes()
        for i in range(context.num_numeric_parameter_groups())
    ]
    locked = [joint.is_locked(context) for joint in joints_of(plant)]
    return b"".join([*numbers, bytes(locked)])
