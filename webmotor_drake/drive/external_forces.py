"""Forces on a plant's bodies from several systems at once."""

from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForceMultiplexer,
    MultibodyPlant,
)
from pydrake.systems.framework import DiagramBuilder, OutputPort


def add_forces(
    builder: DiagramBuilder, plant: MultibodyPlant, source: OutputPort
) -> None:
    """Applies spatial forces to a plant, in addition to those already there.

    Drake's port takes one source. Call it before the driver of the bodies that it
    pushes is added, and the torque drive sees the forces.

    Args:
        builder: the diagram.
        plant: finalized, in the diagram.
        source: a port that gives a list of ExternallyAppliedSpatialForce.
    """
    port = plant.get_applied_spatial_force_input_port()
    before = builder.connection_map().get((plant, port.get_index()))
    if before is None:
        builder.Connect(source, port)
        return
    system, index = before
    first = system.get_output_port(index)
    builder.Disconnect(first, port)
    both = builder.AddSystem(ExternallyAppliedSpatialForceMultiplexer(2))
    builder.Connect(first, both.get_input_port(0))
    builder.Connect(source, both.get_input_port(1))
    builder.Connect(both.get_output_port(), port)
