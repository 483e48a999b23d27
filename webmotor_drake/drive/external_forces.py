"""What acts on a plant's bodies from outside, from several systems at once."""

from collections.abc import Sequence

from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForceMultiplexer,
    MultibodyPlant,
)
from pydrake.systems.framework import DiagramBuilder, OutputPort


def connect_forces(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    sources: Sequence[OutputPort],
) -> None:
    """Has spatial forces of several systems act on a plant.

    The motors' torque drive sees them when the diagram is built.

    Args:
        builder: the diagram; nothing is connected to the port yet.
        plant: the plant.
        sources: ports that give lists of ExternallyAppliedSpatialForce.
    """
    if not sources:
        return
    port = plant.get_applied_spatial_force_input_port()
    if len(sources) == 1:
        builder.Connect(sources[0], port)
        return
    sum_of = builder.AddSystem(
        ExternallyAppliedSpatialForceMultiplexer(len(sources))
    )
    for i, source in enumerate(sources):
        builder.Connect(source, sum_of.get_input_port(i))
    builder.Connect(sum_of.get_output_port(), port)
