"""A scenario as one block: a station with named ports."""

import os
from collections.abc import Callable, Sequence

from pydrake.geometry import Meshcat
from pydrake.multibody.parsing import Parser
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import Diagram, DiagramBuilder
from pydrake.systems.primitives import Demultiplexer

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.loading import as_scenario
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.diagram import assemble, export_ports


def make_station(
    scenario: Scenario | str | os.PathLike[str],
    *,
    meshcat: Meshcat | None = None,
    package_xmls: Sequence[str | os.PathLike[str]] = (),
    parser_preload_callback: Callable[[Parser], None] | None = None,
) -> Diagram:
    """Returns a scenario as one block for a diagram of one's own.

    Its ports are those of `build_diagram`, and besides:

    - inputs: "<model>.actuation" (N m or N) of models that have actuators without a
      motor: one element per actuator, as Drake orders them;
    - outputs: "<model>.state" of all models that move, [q, v] as Drake orders it; of
      those with motors, one element per motor: "<model>.position_commanded", the
      target (rad or m, infinite in velocity control), and
      "<model>.velocity_commanded", what the motor's law asks for (rad/s or m/s); and
      "query_object" and "contact_results" of the scene.

    Example:
        ::

            builder = DiagramBuilder()
            station = builder.AddSystem(wm.make_station("package:two_link_arm"))
            builder.ExportInput(station.GetInputPort("arm.target_position"))

    Args:
        scenario: scenario to build, or the name of its file.
        meshcat: Meshcat to draw in, if any.
        package_xmls: argument of `build_diagram`.
        parser_preload_callback: argument of `build_diagram`.

    Returns:
        A diagram named "station".

    Raises:
        InputError: the scenario does not fit its models.
    """
    scenario = as_scenario(scenario, package_xmls)
    assembly = assemble(
        scenario, meshcat=meshcat, with_parser=parser_preload_callback
    )
    builder, plant = assembly.builder, assembly.plant
    for model, motors in assembly.motors.items():
        export_ports(builder, plant, model, motors)
        _export_commands(builder, model, motors)
    for instance in map(ModelInstanceIndex, range(plant.num_model_instances())):
        name = plant.GetModelInstanceName(instance)
        actuation = plant.get_actuation_input_port(instance)
        if actuation.size() and not builder.IsConnectedOrExported(actuation):
            builder.ExportInput(actuation, f"{name}.actuation")
        if plant.num_velocities(instance):
            state = plant.get_state_output_port(instance)
            builder.ExportOutput(state, f"{name}.state")
    builder.ExportOutput(
        assembly.scene_graph.get_query_output_port(), "query_object"
    )
    builder.ExportOutput(
        plant.get_contact_results_output_port(), "contact_results"
    )
    with blame(scenario):
        station = builder.Build()
    station.set_name("station")
    return station


def _export_commands(
    builder: DiagramBuilder, model: str, motors: MotorSystem
) -> None:
    """Exports the commands of motors: rows of their tables."""
    n = len(motors.devices.names)
    if not n:
        return
    for name, table, row in (
        ("position_commanded", "command", Command.TARGET_POSITION),
        ("velocity_commanded", "servo", LawState.VELOCITY_COMMAND),
    ):
        port = motors.GetOutputPort(table)
        rows = builder.AddSystem(Demultiplexer([n] * (port.size() // n)))
        rows.set_name(f"{model}.{name}")
        builder.Connect(port, rows.get_input_port())
        builder.ExportOutput(rows.get_output_port(row), f"{model}.{name}")
