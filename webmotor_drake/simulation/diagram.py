"""From a scenario to a Drake diagram, in the order of hardware_sim."""

import dataclasses as dc
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pydrake.geometry import Meshcat, MeshcatParams, SceneGraph
from pydrake.manipulation import ApplyDriverConfigs
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Diagram, DiagramBuilder
from pydrake.systems.lcm import ApplyLcmBusConfig, LcmBuses
from pydrake.systems.primitives import MatrixGain
from pydrake.systems.sensors import ApplyCameraConfig

from webmotor_drake.contact.landing import Landing
from webmotor_drake.drive.command_ports import COMMAND_PORTS, DESIRED_STATE
from webmotor_drake.drive.driver import add_motors
from webmotor_drake.drive.external_forces import (
    BodyDamping,
    add_body_forces,
    add_forces,
)
from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import warn
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.loading import as_scenario
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.sampled import sampled
from webmotor_drake.scenario.scenario import (
    NOWHERE,
    Scenario,
    VisualizationConfig,
    with_network_files,
)
from webmotor_drake.simulation.body_poses import BodyPoses
from webmotor_drake.simulation.contact_arrows import add_contact_arrows
from webmotor_drake.simulation.contact_materials import apply_materials
from webmotor_drake.simulation.modelled_plant import ModelledPlant, add_plant
from webmotor_drake.simulation.muscles import add_muscles
from webmotor_drake.simulation.supervised import Pushes, supervisors


@dc.dataclass(frozen=True, kw_only=True)
class Assembly(ModelledPlant):
    """A diagram under construction.

    Attributes:
        builder: not yet built.
        motors: the motor systems by model name.
        wrenches: systems with the wrenches of motors' joints, by model, if the driver
            wants reaction_forces.
        poses: poses of the bodies that are recorded.
        landing: impulses on shapes that arrive; None without.
    """

    builder: DiagramBuilder
    motors: dict[str, MotorSystem]
    wrenches: dict[str, JointWrenches]
    poses: BodyPoses
    landing: Landing | None


@with_numpys_defaults
def build_diagram(
    scenario: Scenario | str | os.PathLike[str],
    *,
    meshcat: Meshcat | None = None,
    package_xmls: Sequence[str | os.PathLike[str]] = (),
    parser_preload_callback: Callable[[Parser], None] | None = None,
) -> Diagram:
    """Returns the scenario's diagram; `Simulator(diagram)` runs it.

    The plant is the subsystem "plant", the motors of a model "<model>.motors". Each
    model with Webots motors has these ports, one element per motor in device order:

    - inputs (see `CommandPorts`): "<model>.target_position" (rad or m),
      "<model>.target_velocity" (rad/s or m/s), "<model>.available_effort" and
      "<model>.direct_effort" (N m or N), and "<model>.desired_state" (positions,
      then velocities: a target with feed-forward). They are sampled once per motor
      period. NaN and a port without a value command nothing; a velocity without a
      port for positions is velocity control.
    - outputs: "<model>.position" (rad or m), "<model>.velocity" (rad/s or m/s),
      "<model>.effort" (N m or N, of the plant step just finished).

    Example:
        ::

            diagram = wm.build_diagram("package:two_link_arm")
            Simulator(diagram).AdvanceTo(1.0)

    Args:
        scenario: scenario to build, or the name of its file.
        meshcat: Meshcat to draw in, if any.
        package_xmls: packages of `package://` besides those that the scenario finds:
            each its package.xml or its folder.
        parser_preload_callback: callback that gets Drake's parser before it reads, as
            in manipulation's MakeHardwareStation.

    Raises:
        InputError: the scenario does not fit its models.
    """
    scenario = as_scenario(scenario, package_xmls)
    assembly = assemble(
        scenario, meshcat=meshcat, with_parser=parser_preload_callback
    )
    for model, motors in assembly.motors.items():
        export_ports(assembly.builder, assembly.plant, model, motors)
    with blame(scenario):
        return assembly.builder.Build()


def export_ports(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    model: str,
    motors: MotorSystem,
) -> None:
    """Exports the ports of a model's motors; see `build_diagram`."""
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


def assemble(
    scenario: Scenario,
    *,
    meshcat: Meshcat | None = None,
    before_finalize: Callable[[MultibodyPlant], None] | None = None,
    by_hand: bool = False,
    docking: bool = False,
    with_parser: Callable[[Parser], None] | None = None,
) -> Assembly:
    """Returns the scenario's diagram before it is built; see `build_diagram`.

    Args:
        scenario: scenario to build.
        meshcat: Meshcat to draw in, if any.
        before_finalize: function that gets the plant, and adds further parts to it.
        by_hand: True if somebody may push bodies.
        docking: True if Connectors may hold each other: `Docks.prepare` has to be
            called for each Context.
        with_parser: callback that gets Drake's parser before it reads the models.
    """
    scenario = with_network_files(scenario)
    drivers = check_scenario(scenario)
    scenario = sampled(scenario)
    builder = DiagramBuilder()
    modelled = add_plant(
        scenario,
        drivers,
        builder,
        before_finalize,
        docking=docking,
        with_parser=with_parser or (lambda parser: None),
    )
    plant, scene_graph = modelled.plant, modelled.scene_graph
    with blame(scenario, "lcm_buses"):
        buses = ApplyLcmBusConfig(lcm_buses=scenario.lcm_buses, builder=builder)
    # Before the drivers, so that the motors see these forces.
    _add_outer_forces(scenario, builder, plant, by_hand=by_hand)
    motors = _add_drivers(scenario, drivers, modelled, builder, buses)
    # After all collision filters were set.
    landing = apply_materials(scenario, modelled)
    _add_cameras(scenario, builder, buses)
    meshcat = _add_visualization(
        scenario, builder, buses, meshcat, plant=plant, scene_graph=scene_graph
    )
    if meshcat is not None:
        config = scenario.visualization or VisualizationConfig()
        add_muscles(builder, plant, motors, meshcat, config.publish_period)
    wrenches = {
        model: builder.GetSubsystemByName(f"{model}.joint_wrenches")
        for model in motors
        if scenario.model_drivers[model].reaction_forces
    }
    names = {f"{m}/{name}" for m in motors for name in motors[m].devices.names}
    return Assembly(
        **vars(modelled),
        builder=builder,
        motors=motors,
        wrenches=wrenches,
        poses=BodyPoses(scenario, plant, names),
        landing=landing,
    )


def _add_outer_forces(
    scenario: Scenario,
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    *,
    by_hand: bool,
) -> None:
    if by_hand or supervisors(scenario):
        pushes = builder.AddSystem(Pushes(plant))
        add_forces(builder, plant, pushes.get_output_port())
    damping = _damping_of(scenario, plant)
    if damping:
        with blame(scenario, "default_damping"):
            add_body_forces(builder, plant, BodyDamping(plant, damping))


def _damping_of(
    scenario: Scenario, plant: MultibodyPlant
) -> dict[BodyIndex, Damping]:
    """Returns the damping of each body that has any.

    A body's damping of 0 and 0 keeps the world's, as in Webots (WbSolid.cpp).
    """
    found = {}
    for index in map(BodyIndex, range(1, plant.num_bodies())):
        body = plant.get_body(index)
        model = plant.GetModelInstanceName(body.model_instance())
        parameters = scenario.bodies.get(model, {}).get(body.name())
        own = parameters.damping if parameters is not None else None
        if own is None or not (own.linear or own.angular):
            own = scenario.default_damping
        if own is not None and body.default_mass() > 0:
            found[index] = own
    return found


def _add_drivers(
    scenario: Scenario,
    drivers: Mapping[str, CheckedDriver],
    modelled: ModelledPlant,
    builder: DiagramBuilder,
    buses: LcmBuses,
) -> dict[str, MotorSystem]:
    motors = {}
    for model, driver in scenario.model_drivers.items():
        with blame(scenario, "model_drivers", model):
            if model in drivers:
                motors[model] = add_motors(
                    drivers[model], model, modelled.plant, builder, buses
                )
                continue
            ApplyDriverConfigs(
                driver_configs={model: driver},
                sim_plant=modelled.plant,
                models_from_directives=modelled.models,
                lcm_buses=buses,
                builder=builder,
            )
    return motors


def _add_cameras(
    scenario: Scenario, builder: DiagramBuilder, buses: LcmBuses
) -> None:
    """Adds the cameras; warns of one whose images go nowhere."""
    for name, camera in scenario.cameras.items():
        with blame(scenario, "cameras", name):
            ApplyCameraConfig(config=camera, builder=builder, lcm_buses=buses)
        bus = scenario.lcm_buses.get(camera.lcm_bus)
        if bus is not None and bus.lcm_url == NOWHERE:
            warn(
                f"camera {name}: publishing takes time but reaches nobody; the bus"
                f" {camera.lcm_bus!r} of lcm_buses needs an lcm_url"
            )


def _add_visualization(
    scenario: Scenario,
    builder: DiagramBuilder,
    buses: LcmBuses,
    meshcat: Meshcat | None,
    *,
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
) -> Meshcat | None:
    """Draws as the scenario asks; a Meshcat of ours is for this machine.

    Returns:
        Where it is drawn, if anywhere.
    """
    config = scenario.visualization
    if config is None and meshcat is None:
        return None
    from pydrake.visualization import ApplyVisualizationConfig

    if config is None:
        config = VisualizationConfig()
        config.publish_contacts = False
        config.enable_alpha_sliders = False
        if hasattr(config, "mouse_interaction_stiffness"):
            # Drake 1.58: bodies that might be pulled move differently in the last bits.
            config.mouse_interaction_stiffness = None
        add_contact_arrows(builder, plant, scene_graph, meshcat)
    with blame(scenario, "visualization"):
        if meshcat is None and config.enable_meshcat_creation:
            meshcat = Meshcat(MeshcatParams(host="localhost"))
        ApplyVisualizationConfig(config, builder, buses, meshcat=meshcat)
    return meshcat
