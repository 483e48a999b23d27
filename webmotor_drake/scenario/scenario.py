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


@dc.dataclass(frozen=True)
class Origin:
    """Where a scenario was loaded from.

    Attributes:
        document: the file.
        name: the scenario's name in it.
        override: the text that overrides parts of it.
        folder: what relative names of files are relative to.
    """

    document: Document
    name: str
    override: Document
    folder: Path


@dc.dataclass
class Scenario:
    """What a scenario file holds under its name.

    The fields are those of Drake's hardware_sim, where a file without Webots
    motors also runs; what differs here is said at the field.

    Attributes:
        random_seed: seed of everything random in the scenario.
        simulation_duration: time to simulate, s.
        simulator_config: integrator and publishing. Unlike hardware_sim, as
            fast as possible.
        plant_config: time step and contact model of the plant.
        scene_graph_config: properties of all geometry that has none of its own.
        directives: models, frames and welds. Relative files are relative to the
            scenario's.
        lcm_buses: LCM, for drivers and cameras that use it. Unlike in
            hardware_sim there is none unless it is given: nothing goes over a
            network unasked.
        model_drivers: the source of actuation of each model, by model name.
        cameras: by name; they publish images over LCM.
        visualization: unlike in hardware_sim nothing is drawn unless it is
            given.
        initial_position: positions at the start, rad or m: model name, joint
            name, position.
    """

    random_seed: int = 0
    simulation_duration: float = math.inf
    simulator_config: SimulatorConfig = dc.field(
        default_factory=lambda: SimulatorConfig(
            max_step_size=1e-3, accuracy=1e-2, target_realtime_rate=0.0
        )
    )
    plant_config: MultibodyPlantConfig = dc.field(
        default_factory=MultibodyPlantConfig
    )
    scene_graph_config: SceneGraphConfig = dc.field(
        default_factory=SceneGraphConfig
    )
    directives: list[ModelDirective] = dc.field(default_factory=list)
    lcm_buses: dict[str, DrakeLcmParams] = dc.field(
        default_factory=lambda: {
            "default": DrakeLcmParams(lcm_url="memq://null")
        }
    )
    model_drivers: dict[
        str,
        WebotsMotorDriver | IiwaDriver | SchunkWsgDriver | ZeroForceDriver,
    ] = dc.field(default_factory=dict)
    cameras: dict[str, CameraConfig] = dc.field(default_factory=dict)
    visualization: VisualizationConfig | None = None
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


def path_in(scenario: Scenario, file: str) -> Path:
    """Returns the path of a file that a scenario names.

    Relative names are relative to the scenario's own file, wherever the current
    folder is by now.
    """
    folder = scenario.origin.folder if scenario.origin else Path()
    return (folder / file).absolute()


def file_in(scenario: Scenario, file: str) -> str:
    """Returns `file` of a directive as Drake takes it, as a URI; see `path_in`."""
    return file if "://" in file else f"file://{path_in(scenario, file)}"


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
