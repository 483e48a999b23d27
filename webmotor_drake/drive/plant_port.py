"""A port on a plant that outputs values of the plant's Context.

Masses, damping, locks and rotors are parameters of a plant's Context, and a system of
Drake sees no Context but its own. It does see the output ports of other systems. So we
add an output port to the plant that depends on all of the plant's parameters. In each
Context Drake recomputes it only after a parameter has changed; otherwise it costs no
more than any input.
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
        read: function of the plant's Context that returns floats or an object. Cloned
            Contexts share an object whose `__deepcopy__` returns itself.
        depends_on: tickets that make the value outdated; all parameters if empty.
        size: number of floats; None for any object.
    """
    tickets = set(depends_on) or {plant.all_parameters_ticket()}
    # Drake cannot remove ports that were made for removed motors.
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
