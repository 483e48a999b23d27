"""The ports of a scenario's diagram, under names as manipulation's stations have."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import MatrixGain

from webmotor_drake.drive.command_ports import COMMAND_PORTS, DESIRED_STATE
from webmotor_drake.drive.motor_system import MotorSystem


def export_ports(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    model: str,
    motors: MotorSystem,
) -> None:
    """Exports the command and measurement ports of a model's motors.

    The ports are listed at `build_diagram`. A model without motors has no such ports.

    Args:
        builder: the diagram, with all of these in it.
        plant: the plant.
        model: its name.
        motors: its motors.
    """
    if not motors.devices.names:
        return
    for name in (*COMMAND_PORTS, DESIRED_STATE):
        port = motors.GetInputPort(name)
        if not builder.IsConnectedOrExported(port):  # to LCM
            builder.ExportInput(port, f"{model}.{name}")
    builder.ExportOutput(motors.get_effort_output_port(), f"{model}.effort")
    for name, indices in (
        ("position", motors.position_indices),
        ("velocity", motors.velocity_indices),
    ):
        selection = np.eye(plant.num_multibody_states())[indices]
        selected = builder.AddSystem(MatrixGain(selection))
        selected.set_name(f"{model}.{name}")
        builder.Connect(
            plant.get_state_output_port(), selected.get_input_port()
        )
        builder.ExportOutput(selected.get_output_port(), f"{model}.{name}")
