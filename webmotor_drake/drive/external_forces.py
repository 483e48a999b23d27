"""What acts on a plant's bodies from outside, from several systems at once."""

import functools

from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForceMultiplexer,
    MultibodyPlant,
)
from pydrake.systems.framework import DiagramBuilder, OutputPort

from webmotor_drake.drive.when_built import when_built
from webmotor_drake.errors import InputError


def add_forces(
    builder: DiagramBuilder, plant: MultibodyPlant, source: OutputPort
) -> None:
    """Has spatial forces act on a plant, beside those of other calls.

    They are connected when the diagram is built, after the drivers were added, so that
    the torque drive sees them.

    Args:
        builder: the diagram.
        plant: the plant.
        source: a port that gives a list of ExternallyAppliedSpatialForce.
    """
    waiting = getattr(builder, "webmotor_forces", None)
    if waiting is None:
        waiting = builder.webmotor_forces = []
    waiting.append((plant, source))
    when_built(builder, functools.partial(_connect, builder, plant))


def _connect(builder: DiagramBuilder, plant: MultibodyPlant) -> None:
    """Connects all sources of a plant, the first time that it is called."""
    sources = [port for p, port in builder.webmotor_forces if p is plant]
    builder.webmotor_forces = [
        (p, port) for p, port in builder.webmotor_forces if p is not plant
    ]
    if not sources:
        return
    port = plant.get_applied_spatial_force_input_port()
    if builder.IsConnectedOrExported(port):
        raise InputError(
            "the plant's applied_spatial_force is connected already; connect those"
            " forces by webmotor_drake.add_forces, which adds them up"
        )
    if len(sources) == 1:
        builder.Connect(sources[0], port)
        return
    total = builder.AddSystem(
        ExternallyAppliedSpatialForceMultiplexer(len(sources))
    )
    for i, source in enumerate(sources):
        builder.Connect(source, total.get_input_port(i))
    builder.Connect(total.get_output_port(), port)
