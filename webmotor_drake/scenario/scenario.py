"""The scenario file: Drake's hardware_sim format with Webots motors in it."""

import copy
import dataclasses as dc
import math
import typing
from pathlib import Path

import numpy as np
from pydrake.geometry import SceneGraphConfig
from pydrake.lcm import DrakeLcmParams
from pydrake.manipulation import IiwaDriver, SchunkWsgDriver, ZeroForceDriver
from pydrake.multibody.parsing import ModelDirective
from pydrake.multibody.plant import MultibodyPlantConfig
from pydrake.systems.analysis import SimulatorConfig
from pydrake.systems.sensors import CameraConfig
from pydrake.visualization import VisualizationConfig

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.yaml_document import Document, entries_of

# An LCM bus on which nothing is published.
NOWHERE = "memq://null"


@dc.dataclass(frozen=True)
class Origin:
    """Where a scenario was loaded from."""

    # The file, the name in it, and the text that overrides parts of it.
    document: Document
    name: str
    override: Document
    # What relative names of files are relative to.
    folder: Path


@dc.dataclass
class Scenario:
    """What a scenario file holds under its name.

    The fields are those of Drake's hardware_sim, where a file without Webots
    motors also runs; what differs here is said at the field.
    """

    # Seed of everything random in the scenario.
    random_seed: int = 0
    # Time to simulate, s; infinite: until Ctrl-C.
    simulation_duration: float = math.inf
    # Integrator and publishing. Unlike hardware_sim, as fast as possible.
    simulator_config: SimulatorConfig = dc.field(
        default_factory=lambda: SimulatorConfig(
            max_step_size=1e-3, accuracy=1e-2, target_realtime_rate=0.0
        )
    )
    # Time step and contact model of the plant.
    plant_config: MultibodyPlantConfig = dc.field(
        default_factory=MultibodyPlantConfig
    )
    scene_graph_config: SceneGraphConfig = dc.field(
        default_factory=SceneGraphConfig
    )
    # Models, frames and welds. Relative files are relative to the scenario's.
    directives: list[ModelDirective] = dc.field(default_factory=list)
    # LCM, for drivers and cameras that use it. Unlike in hardware_sim there is
    # none unless it is given: nothing goes over a network unasked.
    lcm_buses: dict[str, DrakeLcmParams] = dc.field(
        default_factory=lambda: {"default": DrakeLcmParams(lcm_url=NOWHERE)}
    )
    # The source of actuation of each model, by model name.
    model_drivers: dict[
        str,
        WebotsMotorDriver | IiwaDriver | SchunkWsgDriver | ZeroForceDriver,
    ] = dc.field(default_factory=dict)
    cameras: dict[str, CameraConfig] = dc.field(default_factory=dict)
    # Unlike in hardware_sim nothing is drawn unless it is given.
    visualization: VisualizationConfig | None = None
    # Positions at the start: model name, joint name, position.
    initial_position: dict[str, dict[str, np.ndarray]] = dc.field(
        default_factory=dict
    )

    # None for a scenario that was not loaded from a file.
    origin: typing.ClassVar[Origin | None] = None


def located(scenario: Scenario, error: InputError) -> InputError:
    """Returns `error`, whose path starts in `scenario`, with its place.

    That is in the text or the file, whichever says more of the path; the text
    overrides what both say.
    """
    origin = scenario.origin
    if origin is None or error.where:
        return error
    in_file = error.below(origin.name)
    in_text = _depth(origin.override, error.path)
    if in_text and in_text >= _depth(origin.document, in_file.path) - 1:
        return error.at(origin.override.locate(error.path))
    return in_file.at(origin.document.locate(in_file.path))


def _depth(document: Document, path: tuple[str | int, ...]) -> int:
    """Returns how many steps of the `path` the document knows."""
    node = document.root
    for depth, step in enumerate(path):
        entries = entries_of(node)
        if step not in entries:
            return depth
        _, node = entries[step]
    return len(path)


def file_in(scenario: Scenario, file: str) -> str:
    """Returns `file` of a directive as Drake takes it: as a URI.

    Relative names are relative to the scenario's file.
    """
    if "://" in file:
        return file
    folder = scenario.origin.folder if scenario.origin else Path()
    return f"file://{(folder / file).absolute()}"


def with_drive(scenario: Scenario, drive: str) -> Scenario:
    """Returns the scenario, its Webots motors on another drive."""
    changed = copy.copy(scenario)
    changed.model_drivers = {
        name: dc.replace(driver, drive=drive)
        if isinstance(driver, WebotsMotorDriver)
        else driver
        for name, driver in scenario.model_drivers.items()
    }
    return changed


def without_effects(scenario: Scenario) -> Scenario:
    """Returns the scenario as it can be built to look at, without doing anything.

    No network is opened, no file written and no port listened to: LCM stays in
    memory, and nothing draws.
    """
    quiet = copy.copy(scenario)
    quiet.lcm_buses = copy.deepcopy(scenario.lcm_buses)
    for bus in quiet.lcm_buses.values():
        if bus.lcm_url != NOWHERE:
            bus.lcm_url = "memq://"
    if scenario.visualization is not None:
        quiet.visualization = copy.deepcopy(scenario.visualization)
        quiet.visualization.enable_meshcat_creation = False
    return quiet
