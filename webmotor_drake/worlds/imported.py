"""Turns a world's file into a scenario and its models, and writes them to a folder."""

import copy
import dataclasses as dc
import os
import re
import typing
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError, warn
from webmotor_drake.float_errors import with_numpys_defaults
from webmotor_drake.nodes import GPS, LightSensor, Pen, Receiver
from webmotor_drake.results.whole_file import write_together
from webmotor_drake.scenario.checks import complete
from webmotor_drake.scenario.copies import NamedFiles
from webmotor_drake.scenario.robot_controllers import EXTERN
from webmotor_drake.scenario.scenario import Scenario, WorldFile
from webmotor_drake.scenario.scenario_yaml import scenario_yaml
from webmotor_drake.scenario.source import Source as ScenarioSource
from webmotor_drake.scenario.yaml_document import Document
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.expansion import Expander
from webmotor_drake.worlds.hidden import with_hidden
from webmotor_drake.worlds.models import Model, Robot
from webmotor_drake.worlds.node_kinds import (
    LIGHTS,
    ROBOTS,
    motors_by_place,
    report_dropped,
)
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.project import (
    Options,
    Project,
    add_controller,
    load_source,
)
from webmotor_drake.worlds.reader import read_texts
from webmotor_drake.worlds.report import KINDS, Report
from webmotor_drake.worlds.scenario_maker import (
    ScenarioMaker,
    add_contact,
    add_world_info,
    axes_of,
)
from webmotor_drake.worlds.sdf import ModelFiles, file_names, model_text
from webmotor_drake.worlds.source import Place, Source
from webmotor_drake.worlds.tree import Tree


@dc.dataclass(frozen=True)
class WorldSource(ScenarioSource):
    """The source of a scenario that is made of a world.

    Attributes:
        options: choices of the user for reading the world.
        models: files of the models, in the folder that the scenario names.
        places: places in the world, by paths in the scenario.
        report: differences from Webots.
        nodes: the world's nodes, expanded.
    """

    file: str
    folder: Path
    name: str
    text: str
    options: Options
    models: NamedFiles
    places: dict[tuple[str | int, ...], str]
    report: Report
    nodes: list[Node]
    override: Document = ScenarioSource.override
    overlay: Document = ScenarioSource.overlay

    def path_of(self, file: str) -> Path:
        """Returns the absolute path of a file that the scenario names."""
        inside = self.has(file)
        return self.models.path(file) if inside else super().path_of(file)

    def has(self, file: str) -> bool:
        """Returns whether a file is one of the models."""
        return file in self.models

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns ``world:line:column`` of the nearest node with a place."""
        return self.places.get(tuple(path[: self.depth(path)]), self.file)

    def depth(self, path: Sequence[str | int]) -> int:
        """Returns the length of the longest beginning of a path that has a place."""
        steps = tuple(path)
        while steps and steps not in self.places:
            steps = steps[:-1]
        return len(steps)

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin for a run's metadata, with the differences from Webots."""
        options = self.options.as_metadata()
        return super().metadata() | {
            "world": [dc.asdict(entry) for entry in self.report.entries],
            **({"world_options": options} if options else {}),
        }


def world_scenario(
    file: str | os.PathLike[str],
    override: Document,
    overlay: Document,
    *,
    name: str | None = None,
    options: Options,
) -> Scenario:
    """Returns the scenario made of a world.

    Args:
        file: the world.
        override: document that overrides parts of the scenario.
        overlay: document that does so before `override`.
        name: required name of the world; None: any name.
        options: choices of the user for reading the world.

    Raises:
        InputError: see `loading.load_scenario`.
    """
    scenario, source = import_world(Path(file), options)
    if name not in (None, source.name):
        raise InputError(
            f"unknown scenario {name!r}; a world has one: {source.name}",
            where=str(file),
        )
    if summary := source.report.summary():
        warn(f"{file}: {summary} (webmotor check lists all)")
    source = dc.replace(source, override=override, overlay=overlay)
    return complete(scenario, source, [source.name])


@with_numpys_defaults
def import_world(
    file: Path, options: Options, folder: Path | None = None
) -> tuple[Scenario, WorldSource]:
    """Returns a world's scenario, whose source is not set yet, and that source.

    Args:
        file: the .wbt file.
        options: choices of the user.
        folder: folder that names of controllers become relative to; None: the world's.

    Raises:
        InputError: the world cannot be read, or needs files that are missing; lists
            all of them, with places.
    """
    project = Project(file, options)
    report = project.report
    source = load_source(file, str(file), None, report)
    expanded = Expander(project).expand_all(read_texts(source).nodes)
    nodes = [*map(with_hidden, expanded)]
    report.refuse("missing")
    folder = (folder or file.parent).absolute()
    imported = _World(folder, project, nodes, source).imported()
    report.end(motors_by_place(nodes))
    if options.strict:
        report.refuse("left out", "replaced", "hull", "kinematic", "changed")
    return imported


class _World:
    """The expanded nodes of a world."""

    def __init__(
        self, folder: Path, project: Project, nodes: list[Node], source: Source
    ):
        self.folder, self.project = folder, project
        self.nodes, self.source = nodes, source
        infos = (node for node in nodes if node.type == "WorldInfo")
        self.info = next(infos, Node("WorldInfo", {}, Place(source, 0)))

    def imported(self) -> tuple[Scenario, WorldSource]:
        """Returns the world as a scenario."""
        inside = [inner for node in self.nodes for inner in node.subtree()]
        robots = [node for node in inside if node.type in ROBOTS]
        tree = Tree(movable=any(map(_is_supervisor, robots)))
        for node in self.nodes:
            if not node.left_out:
                tree.add(node)
        made = ScenarioMaker()
        waits = any(robot.text("controller") == EXTERN for robot in robots)
        period = add_world_info(self.info, made, waits=waits)
        names, files = file_names(tree.models), {}
        for model in tree.models:
            file = names[model.name]
            text = model_text(model, ModelFiles(files, file))
            files[f"{file}.sdf"] = text.encode()
        models = NamedFiles(files)
        for model in tree.models:
            made.add_model(model, f"{models.name}/{names[model.name]}.sdf")
        made.add_filters(tree.models)
        report_dropped(inside)
        self._lights(tree)
        _note_falling(tree.models)
        add_contact(made.scenario, self.info, tree.models)
        for model in tree.models:
            if model.robot is not None:
                self._driver(model.robot, period)
                made.add_robot(model.robot)
        world, options = self.project.world, self.project.options
        relative = Path(os.path.relpath(world, self.folder)).as_posix()
        made.scenario.world = WorldFile(relative, **options.as_metadata())
        return made.scenario, WorldSource(
            self.source.name,
            world.parent,
            re.sub(r"[^\w.-]+", "_", world.stem).strip("_.") or "World",
            self.source.text,
            options,
            models,
            made.places,
            self.source.report,
            self.nodes,
        )

    def _driver(self, robot: Robot, period: float) -> None:
        """Completes a robot's driver."""
        node, driver = robot.node, robot.driver
        self._of_the_world(driver)
        driver.basic_time_step = period
        driver.cfm = max(self.info.number("CFM", driver.cfm), 0.0)
        if node is None:  # a Solid with joints
            driver.self_collision = True
            return
        driver.self_collision = node.truth("selfCollision", False)
        add_controller(node, driver, self.project, self.folder)
        battery = node.fields.get("battery")
        if battery is not None and len(battery.numbers()) == 3:
            driver.battery = list(battery.numbers())
        consumption = node.number("cpuConsumption", driver.cpu_consumption)
        driver.cpu_consumption = consumption
        driver.synchronization = node.truth("synchronization", True)
        driver.supervisor = _is_supervisor(node)
        driver.model = node.text("model")
        driver.custom_data = node.text("customData", node.text("data"))
        if (name := node.text("name", "robot")) != robot.model:
            driver.robot_name = name

    def _of_the_world(self, driver: WebotsMotorDriver) -> None:
        """Gives devices the world's north and version, and the reference of GPS."""
        axes = axes_of(self.info)
        for device in driver.devices.values():
            if isinstance(device, Receiver):
                device.data_as_bytes = self.source.version < (2023, 0, 0)
            if hasattr(device, "axes"):
                device.axes = axes
            if isinstance(device, Pen):
                device.ink_evaporation = self.info.number("inkEvaporation", 0.0)
            if isinstance(device, GPS):
                system = self.info.text("gpsCoordinateSystem", "local")
                device.coordinate_system = system
                device.reference = self.info.numbers("gpsReference", (0, 0, 0))

    def _lights(self, tree: Tree) -> None:
        """Gives the world's lights to the robots, if any has a LightSensor."""
        robots = [m.robot for m in tree.models if m.robot is not None]
        if not any(
            isinstance(device, LightSensor)
            for robot in robots
            for device in robot.driver.devices.values()
        ):
            return
        for i, (node, X_W) in enumerate(tree.lights):
            light = read_node(LIGHTS[node.type], node)
            light.frame = "world"
            for name in ("location", "direction"):
                if hasattr(light, name):
                    given = np.array(getattr(light, name))
                    turned = X_W.rotation() @ given
                    moved = X_W @ given if name == "location" else turned
                    setattr(light, name, [*map(short, moved)])
            robots[0].put("lights", f"{node.type} {i + 1}", light, node.place)


def _is_supervisor(robot: Node) -> bool:
    return robot.type == "Supervisor" or robot.truth("supervisor", False)


def _note_falling(models: list[Model]) -> None:
    """Reports free bodies if no shape in the world stands still to carry them."""
    links = [link for model in models for link in model.links]
    if any(link.collisions for link in links if link.kind != "dynamic"):
        return
    for link in links:
        if link.kind == "dynamic" and link.joint is None:
            text = "falls: nothing in this world stands still and collides"
            link.place.add("note", link.name, text)


# A world in a folder


def write_world(world: Path, folder: Path, options: Options) -> WorldSource:
    """Writes a world as a scenario with the same results, bit for bit.

    The folder gets NAME.scenario.yaml, models/, and import.txt, which lists the
    differences from Webots. Controllers stay where they are.

    Args:
        world: the .wbt file.
        folder: folder to write into; made if missing.
        options: choices of the user for reading the world.

    Raises:
        InputError: the world cannot be read, or a file cannot be written.
    """
    folder = folder.absolute()
    made, imported = import_world(world, options, folder)
    files = {
        folder / "models" / name: data
        for name, data in imported.models.files.items()
    }
    scenario = folder / f"{imported.name}.scenario.yaml"
    head = f"# {world.name} as a scenario; see import.txt.\n"
    files[scenario] = (head + imported_yaml(made, imported.name)).encode()
    files[folder / "import.txt"] = _listed(world, imported.report).encode()
    write_together(files)
    return imported


def imported_yaml(made: Scenario, name: str) -> str:
    """Returns the YAML of a scenario called `name`, its models in the folder models."""
    scenario = copy.deepcopy(made)
    if not any(d.supervisor for d in scenario.model_drivers.values()):
        scenario.world = None  # nobody looks at its nodes
    for directive in scenario.directives:
        if add := directive.add_model:
            add.file = f"models/{add.file.partition('/')[2]}"
    return scenario_yaml(name, scenario)


def _listed(world: Path, report: Report) -> str:
    lines = [f"{world.name}: what is not as in Webots", ""]
    for kind, words in KINDS.items():
        entries = report.of_kind(kind)
        if entries:
            lines += [f"{words or 'here'}:", *(f"  {e}" for e in entries), ""]
    return "\n".join(lines)
