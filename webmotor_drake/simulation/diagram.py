"""From a scenario to a Drake diagram, in the order of hardware_sim."""

import contextlib
import copy
import dataclasses as dc
from collections.abc import Callable

import numpy as np
from pydrake.geometry import Meshcat, MeshcatParams, SceneGraph
from pydrake.manipulation import (
    ApplyDriverConfigs,
    ApplyNamedPositionsAsDefaults,
)
from pydrake.multibody.parsing import ModelDirective, ModelInstanceInfo
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    AddMultibodyPlantSceneGraph,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Diagram, DiagramBuilder
from pydrake.systems.lcm import ApplyLcmBusConfig, LcmBuses
from pydrake.systems.sensors import ApplyCameraConfig
from pydrake.visualization import ApplyVisualizationConfig, VisualizationConfig

from webmotor_drake.drive.driver import (
    add_motors,
    model_instance,
    prepare_actuators,
)
from webmotor_drake.drive.joint_wrenches import JointWrenches
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.scenario.blame import DRAKE_ERRORS, blame, drake_text
from webmotor_drake.scenario.bodies import with_bodies
from webmotor_drake.scenario.checks import MAX_LENGTH
from webmotor_drake.scenario.directives import (
    known_packages,
    process_directives,
)
from webmotor_drake.scenario.load import check_scenario
from webmotor_drake.scenario.sampled import sampled
from webmotor_drake.scenario.scenario import (
    NOWHERE,
    Scenario,
    file_in,
    located,
)
from webmotor_drake.simulation.body_poses import BodyPoses
from webmotor_drake.simulation.contact_arrows import add_contact_arrows
from webmotor_drake.simulation.exported_ports import export_ports
from webmotor_drake.simulation.muscles import add_muscles
from webmotor_drake.simulation.scene_names import check_defs
from webmotor_drake.simulation.spares import place_spares
from webmotor_drake.simulation.supervised import (
    add_bodiless_robots,
    add_pushes,
    make_welds_movable,
    supervisors,
)


@dc.dataclass
class Assembly:
    """A diagram under construction.

    Attributes:
        builder: not yet built.
        plant: finalized.
        scene_graph: its geometry.
        motors: the motor systems by model name.
        wrenches: of the motors' joints, where the driver wants reaction_forces.
        poses: of the bodies that are recorded.
    """

    builder: DiagramBuilder
    plant: MultibodyPlant
    scene_graph: SceneGraph
    motors: dict[str, MotorSystem]
    wrenches: dict[str, JointWrenches]
    poses: BodyPoses


def build_diagram(
    scenario: Scenario, *, meshcat: Meshcat | None = None
) -> Diagram:
    """Returns the scenario's diagram; `Simulator(diagram)` runs it.

    The plant is the subsystem "plant", the motors of a model "<model>.motors". Each
    model with Webots motors has these ports, with an element a motor in device order:

    - inputs (see `CommandPorts`): "<model>.target_position" (rad or m),
      "<model>.target_velocity" (rad/s or m/s), "<model>.available_effort" and
      "<model>.direct_effort" (N m or N). They are sampled once a motor period. NaN
      and a port without a value command nothing; a velocity without a port for
      positions is velocity control.
    - outputs: "<model>.position" (rad or m), "<model>.velocity" (rad/s or m/s),
      "<model>.effort" (N m or N, of the plant step just finished).

    Args:
        scenario: what to build.
        meshcat: where to draw, if anywhere.

    Raises:
        InputError: the scenario does not fit its models.
    """
    assembly = assemble(scenario, meshcat=meshcat)
    for model, motors in assembly.motors.items():
        export_ports(assembly.builder, assembly.plant, model, motors)
    with blame(scenario):
        return assembly.builder.Build()


def assemble(
    scenario: Scenario,
    *,
    meshcat: Meshcat | None = None,
    before_finalize: Callable[[MultibodyPlant], None] | None = None,
) -> Assembly:
    """Returns the scenario's diagram before it is built; see `build_diagram`.

    Args:
        scenario: see there, as for `meshcat`.
        meshcat: where to draw.
        before_finalize: given the plant, it adds what has to be in it besides.
    """
    drivers = check_scenario(scenario)
    scenario = sampled(scenario)
    builder = DiagramBuilder()
    with blame(scenario, "scene_graph_config"):
        SceneGraph().set_config(scenario.scene_graph_config)
    with blame(scenario, "plant_config"):
        plant, scene_graph = AddMultibodyPlant(
            plant_config=scenario.plant_config,
            scene_graph_config=scenario.scene_graph_config,
            builder=builder,
        )
    models = _add_models(scenario, plant)
    supervised = bool(supervisors(scenario))
    if supervised:
        add_bodiless_robots(scenario, plant)
        with blame(scenario, "directives"):
            make_welds_movable(plant)
    for model in scenario.model_drivers:
        with blame(scenario, "model_drivers", model):
            model_instance(plant, model)
            if model in drivers:
                prepare_actuators(drivers[model], model, plant)
    if before_finalize is not None:
        before_finalize(plant)
    _set_initial_positions(scenario, plant)  # of joints that drivers add, too
    with blame(scenario, "directives"):
        plant.Finalize()
        _check_poses(plant)
    with blame(scenario, "plant_config", "time_step"):
        _check_constraints(scenario, plant)
    _check_reaction_forces(scenario, plant)
    check_defs(scenario, plant)
    place_spares(scenario, plant)
    if supervised:
        add_pushes(builder, plant)
    with blame(scenario, "lcm_buses"):
        buses = ApplyLcmBusConfig(lcm_buses=scenario.lcm_buses, builder=builder)
    motors = {}
    for model, driver in scenario.model_drivers.items():
        with blame(scenario, "model_drivers", model):
            if model in drivers:
                motors[model] = add_motors(
                    drivers[model], model, plant, builder, buses
                )
                continue
            ApplyDriverConfigs(
                driver_configs={model: driver},
                sim_plant=plant,
                models_from_directives=models,
                lcm_buses=buses,
                builder=builder,
            )
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
    with blame(scenario, "recorded_bodies"):
        names = {
            f"{m}/{name}" for m in motors for name in motors[m].devices.names
        }
        poses = BodyPoses(plant, scenario.recorded_bodies, names)
    return Assembly(builder, plant, scene_graph, motors, wrenches, poses)


def _add_models(
    scenario: Scenario, plant: MultibodyPlant
) -> list[ModelInstanceInfo]:
    """Processes the directives; blames the first that cannot be."""
    directives = []
    for directive in map(copy.copy, scenario.directives):
        for add in (directive.add_model, directive.add_directives):
            if add is not None:
                add.file = file_in(scenario, add.file)
        directives.append(directive)
    with contextlib.ExitStack() as copies, blame(scenario, "directives"):
        if scenario.bodies:
            with blame(scenario, "bodies"):
                directives = copies.enter_context(
                    with_bodies(directives, scenario.bodies, known_packages())
                )
        try:
            return process_directives(directives, plant)
        except DRAKE_ERRORS as error:
            culprit = _first_refused(directives)
            if culprit is None:
                raise
            problem = f"Drake refuses it: {drake_text(error)}"
            raise InputError(problem, path=(culprit,)) from error


def _first_refused(directives: list[ModelDirective]) -> int | None:
    """Returns the index of the first directive that cannot be processed."""
    for i in range(len(directives)):
        plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
        try:
            process_directives(directives[: i + 1], plant)
        except DRAKE_ERRORS:
            return i
    return None


def _set_initial_positions(scenario: Scenario, plant: MultibodyPlant) -> None:
    for model, positions in scenario.initial_position.items():
        with blame(scenario, "initial_position", model):
            instance = model_instance(plant, model)
            joints = map(plant.get_joint, plant.GetJointIndices(instance))
            sizes = {joint.name(): joint.num_positions() for joint in joints}
        for joint, position in positions.items():
            with blame(scenario, "initial_position", model, joint):
                _check_position(joint, position, sizes)
                ApplyNamedPositionsAsDefaults(
                    input={model: {joint: position}}, plant=plant
                )


def _check_position(
    joint: str, position: np.ndarray, sizes: dict[str, int]
) -> None:
    if joint not in sizes:
        raise InputError(unknown_name("joint", joint, sizes))
    if np.shape(position) != (sizes[joint],):
        numbers = " x ".join(map(str, np.shape(position)))
        raise InputError(
            f"{numbers} numbers; joint {joint} takes {sizes[joint]}"
        )
    if not np.isfinite(position).all():
        raise InputError(f"{position} is not allowed; finite numbers are")


def _check_poses(plant: MultibodyPlant) -> None:
    """Refuses poses that are none, as after a turn about an axis of 0."""
    context = plant.CreateDefaultContext()
    for index in range(plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        R_WB = X_WB.rotation().matrix()
        turns = np.allclose(R_WB @ R_WB.T, np.eye(3))
        if not turns or not (abs(X_WB.translation()) <= MAX_LENGTH).all():
            raise InputError(
                f"body {body.scoped_name()} has no valid pose; translations"
                f" have to be within {MAX_LENGTH:g} m and axes other than 0"
            )


def _check_constraints(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses constraints, such as mimic joints, that Drake cannot hold."""
    number = plant.num_constraints()
    scheme = scenario.simulator_config.integration_scheme
    if number and plant.time_step() == 0 and scheme != "cenic":
        raise InputError(
            "a continuous plant (time_step 0) cannot hold the constraints of"
            f" its models, such as mimic joints ({number} of them); a time"
            " above 0 is needed, or the integration_scheme cenic"
        )


def _check_reaction_forces(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses reaction forces where Drake's are wrong (drake#24061)."""
    scheme = scenario.simulator_config.integration_scheme
    if plant.time_step() or scheme != "cenic":
        return
    for model, driver in scenario.model_drivers.items():
        if getattr(driver, "reaction_forces", False):
            problem = (
                "the integration_scheme cenic gives wrong reaction forces; use"
                " another one, or a plant with a time_step above 0"
            )
            path = ("model_drivers", model, "reaction_forces")
            raise located(scenario, InputError(problem, path=path))


def _add_cameras(
    scenario: Scenario, builder: DiagramBuilder, buses: LcmBuses
) -> None:
    """Adds the cameras; warns of one whose images go nowhere."""
    for name, camera in scenario.cameras.items():
        with blame(scenario, "cameras", name):
            ApplyCameraConfig(config=camera, builder=builder, lcm_buses=buses)
        _warn_of_nowhere(scenario, f"camera {name}", camera.lcm_bus)


def _warn_of_nowhere(scenario: Scenario, who: str, name: str) -> None:
    """Warns of somebody who takes time to publish where nobody gets it."""
    bus = scenario.lcm_buses.get(name)
    if bus is not None and bus.lcm_url == NOWHERE:
        warn(
            f"{who}: what it publishes takes time and goes nowhere; the bus"
            f" {name!r} of lcm_buses needs an lcm_url"
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
    """Draws what the scenario asks for; a Meshcat of ours is for this machine.

    Returns:
        Where it is drawn, if anywhere.
    """
    config = scenario.visualization
    if config is None and meshcat is None:
        return None
    if config is None:
        config = VisualizationConfig(
            publish_contacts=False, enable_alpha_sliders=False
        )
        add_contact_arrows(builder, plant, scene_graph, meshcat)
    with blame(scenario, "visualization"):
        if meshcat is None and config.enable_meshcat_creation:
            meshcat = Meshcat(MeshcatParams(host="localhost"))
        ApplyVisualizationConfig(config, builder, buses, meshcat=meshcat)
    return meshcat
