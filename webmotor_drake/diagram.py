"""From a scenario to a Drake diagram, in the order of hardware_sim."""

import contextlib
import copy
import dataclasses as dc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydrake.geometry import Meshcat, MeshcatParams, SceneGraph
from pydrake.manipulation import (
    ApplyDriverConfigs,
    ApplyNamedPositionsAsDefaults,
)
from pydrake.multibody.parsing import (
    ModelDirective,
    ModelDirectives,
    ModelInstanceInfo,
    Parser,
    ProcessModelDirectives,
)
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlant
from pydrake.systems.framework import Diagram, DiagramBuilder
from pydrake.systems.lcm import ApplyLcmBusConfig, LcmBuses
from pydrake.systems.sensors import ApplyCameraConfig
from pydrake.visualization import ApplyVisualizationConfig, VisualizationConfig

from webmotor_drake.errors import InputError, one_line, unknown_name
from webmotor_drake.motor_driver import (
    WebotsMotorDriver,
    configure_actuators,
    model_instance,
)
from webmotor_drake.motor_system import MotorSystem
from webmotor_drake.scenario import Scenario, check_scenario, file_in, located

MODELS = Path(__file__).parent / "models"

# What Drake raises; a failed assertion in its C++ code is a SystemExit.
DRAKE_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, SystemExit)


@dc.dataclass
class Assembly:
    """A diagram under construction.

    Attributes:
        builder: not yet built.
        plant: finalized.
        scene_graph: its geometry.
        motors: the motor systems by model name.
    """

    builder: DiagramBuilder
    plant: MultibodyPlant
    scene_graph: SceneGraph
    motors: dict[str, MotorSystem]


def build_diagram(
    scenario: Scenario, *, meshcat: Meshcat | None = None
) -> Diagram:
    """Returns the scenario's diagram; `Simulator(diagram)` runs it.

    The plant is the subsystem "plant", the motors of a model "<model>.motors".

    Args:
        scenario: what to build.
        meshcat: where to draw, if anywhere.

    Raises:
        InputError: the scenario does not fit its models.
    """
    return assemble(scenario, meshcat=meshcat).builder.Build()


def assemble(scenario: Scenario, *, meshcat: Meshcat | None = None) -> Assembly:
    """Returns the scenario's diagram before it is built; see `build_diagram`."""
    check_scenario(scenario)
    builder = DiagramBuilder()
    with _blame(scenario, "plant_config"):
        plant, scene_graph = AddMultibodyPlant(
            plant_config=scenario.plant_config,
            scene_graph_config=scenario.scene_graph_config,
            builder=builder,
        )
    with _blame(scenario, "directives"):
        models = _add_models(scenario, plant)
    _set_initial_positions(scenario, plant)
    for model, driver in scenario.model_drivers.items():
        if isinstance(driver, WebotsMotorDriver):
            with _blame(scenario, "model_drivers", model):
                configure_actuators(driver, model, plant)
    with _blame(scenario, "directives"):
        plant.Finalize()
    with _blame(scenario, "lcm_buses"):
        buses = ApplyLcmBusConfig(lcm_buses=scenario.lcm_buses, builder=builder)
    for model, driver in scenario.model_drivers.items():
        with _blame(scenario, "model_drivers", model):
            ApplyDriverConfigs(
                driver_configs={model: driver},
                sim_plant=plant,
                models_from_directives=models,
                lcm_buses=buses,
                builder=builder,
            )
    for name, camera in scenario.cameras.items():
        with _blame(scenario, "cameras", name):
            ApplyCameraConfig(config=camera, builder=builder, lcm_buses=buses)
    _add_visualization(scenario, builder, buses, meshcat)
    motors = {
        model: builder.GetSubsystemByName(f"{model}.motors")
        for model, driver in scenario.model_drivers.items()
        if isinstance(driver, WebotsMotorDriver)
    }
    return Assembly(builder, plant, scene_graph, motors)


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
    try:
        return _process(directives, plant)
    except DRAKE_ERRORS:
        for i in range(len(directives)):
            with _blame(scenario, "directives", i):
                _process(directives[: i + 1], MultibodyPlant(0.0))
        raise


def _process(
    directives: list[ModelDirective], plant: MultibodyPlant
) -> list[ModelInstanceInfo]:
    parser = Parser(plant)
    parser.package_map().AddPackageXml(str(MODELS / "package.xml"))
    return ProcessModelDirectives(
        directives=ModelDirectives(directives=directives), parser=parser
    )


def _set_initial_positions(scenario: Scenario, plant: MultibodyPlant) -> None:
    for model, positions in scenario.initial_position.items():
        with _blame(scenario, "initial_position", model):
            instance = model_instance(plant, model)
            names = [
                plant.get_joint(index).name()
                for index in plant.GetJointIndices(instance)
            ]
        for joint, position in positions.items():
            with _blame(scenario, "initial_position", model, joint):
                if joint not in names:
                    raise InputError(unknown_name("joint", joint, names))
                if not np.isfinite(position).all():
                    raise InputError("finite numbers are allowed")
                ApplyNamedPositionsAsDefaults(
                    input={model: {joint: position}}, plant=plant
                )


def _add_visualization(
    scenario: Scenario,
    builder: DiagramBuilder,
    buses: LcmBuses,
    meshcat: Meshcat | None,
) -> None:
    """Draws what the scenario asks for; a Meshcat of ours is for this machine."""
    config = scenario.visualization
    if config is None and meshcat is None:
        return
    config = config or VisualizationConfig()
    with _blame(scenario, "visualization"):
        if meshcat is None and config.enable_meshcat_creation:
            meshcat = Meshcat(MeshcatParams(host="localhost"))
        ApplyVisualizationConfig(config, builder, buses, meshcat=meshcat)


@contextlib.contextmanager
def _blame(scenario: Scenario, *path: str | int) -> Iterator[None]:
    """Turns what goes wrong inside into an error at `path` of the scenario."""
    try:
        yield
    except InputError as error:
        raise located(scenario, error.below(*path)) from None
    except DRAKE_ERRORS as error:
        problem = f"Drake refuses it: {one_line(error)}"
        raise located(scenario, InputError(problem, path=path)) from error
