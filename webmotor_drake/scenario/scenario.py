"""The scenario file: Drake's hardware_sim format with Webots motors in it."""

import contextlib
import copy
import copyreg
import dataclasses as dc
import functools
import math
import os
import typing
from collections.abc import Callable, Container, Iterable
from pathlib import Path

import numpy as np
from pydrake.common.schema import (
    Gaussian,
    GaussianVectorX,
    Uniform,
    UniformVectorX,
)
from pydrake.common.yaml import yaml_dump_typed, yaml_load_typed
from pydrake.geometry import SceneGraphConfig
from pydrake.lcm import DrakeLcmParams
from pydrake.manipulation import IiwaDriver, SchunkWsgDriver, ZeroForceDriver
from pydrake.multibody.parsing import ModelDirective, PackageMap
from pydrake.multibody.plant import MultibodyPlantConfig
from pydrake.systems.analysis import SimulatorConfig
from pydrake.systems.sensors import CameraConfig

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError, below
from webmotor_drake.nodes.contact import ContactProperties, Damping
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.scenario.packages import (
    add_packages,
    find_package,
    known_packages,
)
from webmotor_drake.scenario.source import Source

# An LCM bus on which nothing is published.
NOWHERE = "memq://null"

# The module of VisualizationConfig imports matplotlib and all of Drake's viewers: a
# fifth of a command's start. It is only imported for a scenario that has one; few do.
if typing.TYPE_CHECKING:
    from pydrake.visualization import VisualizationConfig
else:

    class _Imported(type):
        """Stands for Drake's class as the type of a field."""

        @property
        def __fields__(cls) -> typing.Any:
            return type(cls()).__fields__

        def __instancecheck__(cls, value: object) -> bool:
            kind = type(value)
            return f"{kind.__module__}.{kind.__name__}" == (
                "pydrake.visualization.VisualizationConfig"
            )

    class VisualizationConfig(metaclass=_Imported):
        """Stands for Drake's class of this name."""

        def __new__(cls) -> typing.Any:
            """Returns an instance of Drake's class, with its defaults."""
            from pydrake.visualization import VisualizationConfig

            return VisualizationConfig()


# The types of a position at the start.
Position = np.ndarray | Uniform | Gaussian | UniformVectorX | GaussianVectorX


@dc.dataclass
class WorldFile:
    """The world that a scenario was made of, whose nodes supervisors see.

    Attributes:
        file: the .wbt file, relative to the scenario's.
        proto_paths: folders with PROTOs, searched after the world's own.
        allow_webots_assets: True to read files whose header only allows their use with
            Webots.
        without: names of PROTOs and nodes to leave out.
    """

    file: str = ""
    proto_paths: list[str] = dc.field(default_factory=list[str])
    allow_webots_assets: bool = False
    without: list[str] = dc.field(default_factory=list[str])


@dc.dataclass
class Scenario:
    """A scenario, as its file holds it under its name.

    The fields are those of Drake's hardware_sim, where a file without Webots
    motors also runs. Differences are noted at the field.

    Attributes:
        random_seed: seed of all random values in the scenario.
        simulation_duration: time to simulate, s; infinite: until Ctrl-C.
        simulator_config: integrator and publishing. Unlike in hardware_sim, it runs
            as fast as possible by default.
        plant_config: time step and contact model of the plant.
        gravity: gravity of the world, along x, y and z, m/s^2. Not in hardware_sim.
        scene_graph_config: properties of geometry without its own.
        package_xmls: packages of `package://`, each its package.xml or its folder,
            relative to the scenario's file. Not in hardware_sim.
        directives: models, frames and welds. Relative files are relative to the
            scenario's.
        lcm_buses: LCM buses, for drivers and cameras that use them. Unlike in
            hardware_sim there is no bus unless it is given: nothing is sent over
            a network by default.
        model_drivers: the source of actuation of each model, by model name.
        cameras: cameras by name; they publish images over LCM.
        visualization: viewers of Drake. Unlike in hardware_sim, there are none by
            default.
        initial_position: positions at the start, rad or m: model name, joint
            name, position; Drake's distributions (`!Uniform`, `!Gaussian`) are
            drawn from the seed, as are poses in directives.
        recorded_bodies: bodies whose poses in the world are recorded besides
            those of free bodies: names by model name.
        bodies: masses and friction that differ from the model's file: model name,
            body name, `BodyParameters`. Not in hardware_sim.
        contact_properties: rules of materials that touch
            (WorldInfo.contactProperties); with any, or a `contact_material`, friction
            is that of the materials instead of the models' own.
        default_bounce: restitution of pairs of shapes that have no contact properties,
            or whose contact properties have no `bounce` (Webots, and so its worlds:
            0.5); None: they do not bounce.
        default_damping: damping of bodies without one of their own
            (WorldInfo.defaultDamping).
        defs: nodes that a supervisor finds by a name (Webots' DEF): DEF name, then
            "model", "model::body", "model::joint" or "model::device", "WorldInfo" or
            "Viewpoint". Webots' fields may follow, for the nodes in them, such as
            "model::joint.jointParameters", "model.physics" or "model.children[0]".
            "model::body.visual[0]" is the first drawn shape of a body, which
            `.geometry` or `.appearance` may follow, "model::body.collision[0]" the
            first shape that collides. A frame of a model stands for a Solid in it.
        groups: content of each Group, by its DEF name: names of models, and of
            earlier groups.
        world: world that `webmotor import` made the scenario of: supervisors see the
            nodes of its file instead of `defs` and `groups`.
        spares: models that are out of the world until a supervisor imports
            them: type of node, then the models with a free base that stand for it.
            A model with a driver is a robot; its controller starts when it is
            imported.
        stock: number of further Solids that a supervisor can import as text;
            None: 16 if its controller imports some, else 0.
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
    gravity: list[float] = dc.field(default_factory=lambda: [0.0, 0.0, -9.81])
    scene_graph_config: SceneGraphConfig = dc.field(
        default_factory=SceneGraphConfig
    )
    package_xmls: list[str] = dc.field(default_factory=list)
    directives: list[ModelDirective] = dc.field(default_factory=list)
    lcm_buses: dict[str, DrakeLcmParams] = dc.field(
        default_factory=lambda: {"default": DrakeLcmParams(lcm_url=NOWHERE)}
    )
    if typing.TYPE_CHECKING:  # nearly all are ours, and used as such
        model_drivers: dict[str, typing.Any] = dc.field(default_factory=dict)
    else:
        model_drivers: dict[
            str,
            WebotsMotorDriver | IiwaDriver | SchunkWsgDriver | ZeroForceDriver,
        ] = dc.field(default_factory=dict)
    cameras: dict[str, CameraConfig] = dc.field(default_factory=dict)
    visualization: VisualizationConfig | None = None
    initial_position: dict[str, dict[str, Position]] = dc.field(
        default_factory=dict
    )
    recorded_bodies: dict[str, list[str]] = dc.field(default_factory=dict)
    bodies: dict[str, dict[str, BodyParameters]] = dc.field(
        default_factory=dict
    )
    contact_properties: list[ContactProperties] = dc.field(
        default_factory=list[ContactProperties]
    )
    default_bounce: float | None = None
    default_damping: Damping | None = None
    defs: dict[str, str] = dc.field(default_factory=dict)
    groups: dict[str, list[str]] = dc.field(default_factory=dict)
    world: WorldFile | None = None
    spares: dict[str, list[str]] = dc.field(default_factory=dict)
    stock: int | None = None

    # None for a scenario that was made in Python.
    source: typing.ClassVar[Source | None] = None

    def __getstate__(self) -> dict[str, typing.Any]:
        """Returns the fields and the source in a form that can be pickled."""
        drawn: typing.Any = self.visualization
        if hasattr(drawn, "__fields__"):  # of a module that is imported late
            drawn = _as_yaml(drawn)
        return vars(self) | {"visualization": drawn}

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        """Takes the fields and the source of a pickled scenario."""
        vars(self).update(state)
        if isinstance(drawn := state["visualization"], tuple):
            self.visualization = drawn[0](*drawn[1])


def _as_yaml(struct: typing.Any) -> tuple:
    """Returns one of Drake's structs, which cannot be pickled, as YAML."""
    kind = type(struct)
    text = yaml_dump_typed(struct, schema=kind)
    return functools.partial(yaml_load_typed, schema=kind, data=text), ()


for _kind in (
    *(CameraConfig, DrakeLcmParams, ModelDirective, MultibodyPlantConfig),
    *(SceneGraphConfig, SimulatorConfig),
    *(IiwaDriver, SchunkWsgDriver, ZeroForceDriver),
    *typing.get_args(Position)[1:],
):
    copyreg.pickle(_kind, _as_yaml)


def robots_of(scenario: Scenario) -> dict[str, WebotsMotorDriver]:
    """Returns the drivers of the robots, by model name."""
    return {
        model: driver
        for model, driver in scenario.model_drivers.items()
        if isinstance(driver, WebotsMotorDriver)
    }


def controllers_of(scenario: Scenario) -> dict[str, str]:
    """Returns the controllers that robots name, by model name."""
    return {
        model: driver.controller
        for model, driver in robots_of(scenario).items()
        if driver.controller
    }


def located(scenario: Scenario, error: InputError) -> InputError:
    """Returns `error`, whose path starts in `scenario`, with its place."""
    if scenario.source is None or error.where:
        return error
    return scenario.source.located(error)


def placed(
    scenario: Scenario, *path: str | int
) -> contextlib.AbstractContextManager[None]:
    """Gives InputErrors of the block their place, seen from `path` of a scenario."""
    return below(*path, located=functools.partial(located, scenario))


def path_in(scenario: Scenario, file: str) -> Path:
    """Returns the path of a file that a scenario names.

    Relative names are relative to the scenario's own file, wherever the current
    folder is by now.
    """
    source = scenario.source
    return source.path_of(file) if source else Path(file).absolute()


def file_in(scenario: Scenario, file: str) -> str:
    """Returns `file` of a directive as Drake takes it, as a URI; see `path_in`."""
    return file if "://" in file else f"file://{path_in(scenario, file)}"


def directives_of(scenario: Scenario) -> list[ModelDirective]:
    """Returns the directives of a scenario, their files as URIs."""
    directives = list(map(copy.copy, scenario.directives))
    for directive in directives:
        for add in (directive.add_model, directive.add_directives):
            if add is not None:
                add.file = file_in(scenario, add.file)
    return directives


def packages_of(scenario: Scenario) -> PackageMap:
    """Returns the folders of `package://` for a scenario's directives.

    Raises:
        InputError: a package cannot be used or is not installed; with its place.
    """
    packages = PackageMap()
    for i, given in enumerate(scenario.package_xmls):
        with placed(scenario, "package_xmls", i):
            add_packages(packages, [path_in(scenario, given)])
    add_packages(packages)
    near = path_in(scenario, "scenario.yaml")
    for i, directive in enumerate(scenario.directives):
        for kind in ("add_model", "add_directives"):
            add = getattr(directive, kind)
            if add is not None:
                with placed(scenario, "directives", i, kind, "file"):
                    find_package(add.file, packages, near)
    return packages


def with_packages(
    scenario: Scenario, package_xmls: Iterable[str | os.PathLike[str]]
) -> Scenario:
    """Returns the scenario with further packages, relative to the current folder.

    Raises:
        InputError: one of them cannot be used.
    """
    given = [str(Path(package).absolute()) for package in package_xmls]
    if not given:
        return scenario
    known_packages(given)
    copied = copy.copy(scenario)
    copied.package_xmls = [*given, *scenario.package_xmls]
    return copied


def with_robots(
    scenario: Scenario,
    changed: Callable[[WebotsMotorDriver], WebotsMotorDriver],
    models: Container[str] | None = None,
) -> Scenario:
    """Returns the scenario with changed drivers of its robots, or some of them."""
    robots = {
        model: changed(driver)
        for model, driver in robots_of(scenario).items()
        if models is None or model in models
    }
    copied = copy.copy(scenario)
    copied.model_drivers = {**scenario.model_drivers, **robots}
    return copied


def with_drive(scenario: Scenario, drive: str) -> Scenario:
    """Returns the scenario with its Webots motors on another drive."""
    return with_robots(scenario, lambda d: dc.replace(d, drive=drive))


def with_model(scenario: Scenario, model: str) -> Scenario:
    """Returns the scenario with another motor model for all its Webots motors."""

    def changed(driver: WebotsMotorDriver) -> WebotsMotorDriver:
        driver = _with_motors(driver, lambda n: dc.replace(n, motor_model=""))
        return dc.replace(driver, motor_model=model)

    return with_robots(scenario, changed)


def _with_motors(
    driver: WebotsMotorDriver, changed: Callable[[typing.Any], typing.Any]
) -> WebotsMotorDriver:
    """Returns a driver with changed motors; old Servos have no models."""
    motors = {
        name: node if isinstance(node, Servo) else changed(node)
        for name, node in driver.motors.items()
    }
    return dc.replace(driver, motors=motors)


def with_network_files(scenario: Scenario) -> Scenario:
    """Returns the scenario with absolute paths of its motors' networks."""

    def changed(node: typing.Any) -> typing.Any:
        file = node.learned.file and str(path_in(scenario, node.learned.file))
        learned = dc.replace(node.learned, file=file)
        return dc.replace(node, learned=learned)

    return with_robots(scenario, lambda d: _with_motors(d, changed))


def without_effects(scenario: Scenario) -> Scenario:
    """Returns the scenario to build and inspect, without effects outside.

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
