"""From a world's file to the text of a scenario and its models."""

import dataclasses as dc
import hashlib
import math
import re
from pathlib import Path

import numpy as np

from webmotor_drake.nodes import (
    GPS,
    DirectionalLight,
    LightSensor,
    PointLight,
    SpotLight,
)
from webmotor_drake.nodes.body_sensors import WORLD_AXES
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.worlds.controllers import find_controller
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.expansion import Expander
from webmotor_drake.worlds.hidden import with_hidden
from webmotor_drake.worlds.materials import (
    as_written,
    contact_properties,
    damping_of,
    shape_materials,
)
from webmotor_drake.worlds.models import Model, Robot
from webmotor_drake.worlds.node_kinds import ROBOTS
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.project import Options, Project, read_source
from webmotor_drake.worlds.reader import read_texts
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.scenario_text import ScenarioText, written
from webmotor_drake.worlds.sdf import collision_names, model_text
from webmotor_drake.worlds.source import Place
from webmotor_drake.worlds.tree import Tree

# The lights of a world, by their nodes.
LIGHTS = {
    kind.__name__: kind for kind in (DirectionalLight, PointLight, SpotLight)
}
# The plant's step is at most this, s: what falls does not get through a floor.
_LONGEST_STEP = 0.008
# The longest basicTimeStep, ms.
_LONGEST_PERIOD = 10_000
# How long a world runs unless it is told, s. In Webots it has no end.
DURATION = 10.0


@dc.dataclass
class Imported:
    """A world as a scenario.

    Attributes:
        name: the scenario's name in its text.
        text: of the scenario; its models are named by `{models}/NAME.sdf`.
        models: texts of the models' files, by their names.
        places: where in the world things stand, by their paths in the scenario.
        report: what is not as in Webots.
    """

    name: str
    text: str
    models: dict[str, str]
    places: dict[tuple[str | int, ...], Place]
    report: Report


def import_world(
    file: Path,
    options: Options,
    models: str = "models",
    folder: Path | None = None,
) -> Imported:
    """Reads a world.

    Args:
        file: the .wbt file.
        options: what the user decided.
        models: what the scenario calls the folder of its models.
        folder: to which the controllers' names are relative; None: the world's.

    Raises:
        InputError: it cannot be read, or needs what is not at hand; with all that is
            missing, and its places.
    """
    report = Report()
    source = read_source(file, str(file), None)
    texts = read_texts(source)
    for place, problem in texts.problems:
        report.add("note", "USE", place, problem)
    project = Project(file, options)
    expander = Expander(project, report)
    nodes = [
        with_hidden(node, report)
        for written in texts.nodes
        if (node := expander.expand(written)) is not None
    ]
    report.refuse("missing")
    if options.strict:
        report.refuse("left out", "replaced", "hull", "kinematic", "changed")
    world = _World(file, project, report, nodes)
    world.folder = (folder or file.parent).absolute()
    return world.imported(models)


class _World:
    """The expanded nodes of a world."""

    def __init__(
        self, file: Path, project: Project, report: Report, nodes: list[Node]
    ):
        self.file, self.project, self.report = file, project, report
        self.nodes = nodes
        self.folder = file.absolute().parent
        infos = [node for node in nodes if node.type == "WorldInfo"]
        self.info = infos[0] if infos else None
        self.robots = [
            inner
            for node in nodes
            for inner in node.subtree()
            if inner.type in ROBOTS
        ]

    def imported(self, models: str) -> Imported:
        """Returns the world as a scenario."""
        name = re.sub(r"[^\w.-]+", "_", self.file.stem).strip("_.") or "World"
        scenario = ScenarioText(name)
        tree = Tree(self.report, movable=self._has_supervisor())
        for node in self.nodes:
            tree.add(node)
        period = self._world_info(scenario)
        written: dict[str, str] = {}
        names = _file_names(tree.models)
        for model in tree.models:
            file = names[model.name]

            def mesh(triangles: np.ndarray, file: str = file) -> str:
                return _add_mesh(written, file, triangles)

            written[f"{file}.sdf"] = model_text(model, mesh)
            scenario.add_model(model, f"{models}/{file}.sdf")
        scenario.add_filters(tree.models)
        self._lights(tree)
        self._contact(scenario, tree.models)
        for model in tree.models:
            if model.robot is not None:
                self._driver(model.robot, model, period)
                scenario.add_robot(model.robot)
        self._definitions(scenario, tree)
        return Imported(
            name, scenario.text(), written, scenario.places, self.report
        )

    def _has_supervisor(self) -> bool:
        return any(_is_supervisor(robot) for robot in self.robots)

    def _world_info(self, scenario: ScenarioText) -> float:
        """Adds the fields of WorldInfo; returns the motors' period, s."""
        info = self.info
        period = 0.032
        seed = 0
        if info is not None:
            step = info.number("basicTimeStep", 32.0)
            if not 1e-3 <= step <= _LONGEST_PERIOD:
                raise info.fields["basicTimeStep"].error(
                    f"{step:g} ms is not allowed; must be from 0.001 to"
                    f" {_LONGEST_PERIOD:g} ms"
                )
            period = step / 1000
            seed = int(info.number("randomSeed", 0.0))
            if info.text("physics", "<none>") not in ("", "<none>"):
                self.report.add(
                    "left out",
                    f"physics plugin {info.text('physics')}",
                    info.fields["physics"].place,
                    "its forces are missing",
                )
            scenario.put("plant_config", place=info.place)
        parts = max(1, math.ceil(period / _LONGEST_STEP - 1e-9))
        scenario.fields["random_seed"] = max(seed, 0)
        # Whole motor periods.
        duration = round(math.ceil(DURATION / period - 1e-9) * period, 9)
        scenario.fields["simulation_duration"] = duration
        self.report.add(
            "info",
            "simulation_duration",
            info.place if info is not None else str(self.file),
            f"a world has no end in Webots; here it runs {duration:g} s unless"
            " --scenario_text says otherwise",
        )
        scenario.fields["plant_config"] = {"time_step": period / parts}
        if parts > 1:
            self.report.add(
                "info",
                "basicTimeStep",
                info.place if info is not None else str(self.file),
                f"the plant steps {parts} times per {1000 * period:g} ms",
            )
        gravity = [0.0, 0.0, 0.0]
        gravity[self._axes().index("U")] = -self._gravity()
        if gravity != [0.0, 0.0, -9.81]:
            scenario.fields["gravity"] = [g + 0.0 for g in gravity]
        return period

    def _axes(self) -> str:
        """Returns the coordinate system: "ENU", "NUE" or "EUN"."""
        if self.info is None:
            return "ENU"
        old = self.info.place.source.version < (2020, 1, 0)
        given = self.info.text("coordinateSystem", "NUE" if old else "ENU")
        if given not in WORLD_AXES:
            raise self.info.fields["coordinateSystem"].error(
                f"{given!r}; ENU, NUE or EUN is allowed"
            )
        return given

    def _gravity(self) -> float:
        if self.info is None or "gravity" not in self.info.fields:
            return 9.81
        field = self.info.fields["gravity"]
        numbers = field.numbers()
        if len(numbers) not in (1, 3):
            raise field.error(f"{len(numbers)} numbers; one is needed")
        return float(np.linalg.norm(numbers))

    def _contact(self, scenario: ScenarioText, models: list[Model]) -> None:
        """Adds contact properties, and the damping of bodies."""
        info = self.info
        given = info.nodes("contactProperties") if info is not None else []
        entries = contact_properties(given, models, self.report)
        if entries:
            scenario.fields["contact_properties"] = [*map(as_written, entries)]
        default = info.node("defaultDamping") if info is not None else None
        if default is not None:
            damping = read_node(Damping, default, self.report)
            scenario.fields["default_damping"] = written(damping, tagged=False)
        known = {name for entry in entries for name in entry.materials}
        bodies = {
            model.name: changes
            for model in models
            if (changes := _changes(model, known))
        }
        if bodies:
            scenario.fields["bodies"] = bodies

    def _driver(self, robot: Robot, model: Model, period: float) -> None:
        """Fills in the driver's fields."""
        node = robot.fields.pop("node", None)
        self._world_axes(robot)
        fields = robot.fields
        fields["basic_time_step"] = period
        if self.info is not None and "CFM" in self.info.fields:
            fields["cfm"] = max(self.info.number("CFM", 1e-5), 0.0)
        if node is None:  # a Solid with joints
            fields["self_collision"] = True
            return
        fields["self_collision"] = node.truth("selfCollision", False)
        battery = node.fields.get("battery")
        if battery is not None and len(battery.numbers()) == 3:
            fields["battery"] = list(battery.numbers())
        if "cpuConsumption" in node.fields:
            fields["cpu_consumption"] = node.number("cpuConsumption", 10.0)
        controller, arguments = find_controller(
            node, self.project, self.folder, self.report
        )
        if controller:
            fields["controller"] = controller
            if arguments:
                fields["controller_args"] = arguments
        if _is_supervisor(node):
            fields["supervisor"] = True
        if data := node.text("customData", node.text("data")):
            fields["custom_data"] = data

    def _world_axes(self, robot: Robot) -> None:
        """Gives devices the world's north, and the reference of GPS."""
        axes = self._axes()
        for device in robot.devices.values():
            if hasattr(device, "axes"):
                device.axes = axes
            if isinstance(device, GPS) and self.info is not None:
                device.coordinate_system = self.info.text(
                    "gpsCoordinateSystem", "local"
                )
                device.reference = self.info.numbers("gpsReference", (0, 0, 0))

    def _lights(self, tree: Tree) -> None:
        """Gives the world's lights to the robots, if any has a LightSensor."""
        robots = [m.robot for m in tree.models if m.robot is not None]
        if not any(
            isinstance(device, LightSensor)
            for robot in robots
            for device in robot.devices.values()
        ):
            return
        for i, (node, X_W) in enumerate(tree.lights):
            light = read_node(LIGHTS[node.type], node, self.report)
            light.frame = "world"
            for name in ("location", "direction"):
                if hasattr(light, name):
                    given = np.array(getattr(light, name))
                    turned = X_W.rotation() @ given
                    moved = X_W @ given if name == "location" else turned
                    setattr(light, name, [*map(short, moved)])
            key = f"{node.type} {i + 1}"
            robots[0].lights[key] = light
            robots[0].places["lights", key] = node.place

    def _definitions(self, scenario: ScenarioText, tree: Tree) -> None:
        """Adds the DEF names that supervisors may look for."""
        names = {model.name for model in tree.models}
        defs = {
            name: of
            for name, of in tree.definitions.items()
            if name == of or name not in names
        }
        if defs and self._has_supervisor():
            scenario.fields["defs"] = defs


def _changes(model: Model, known: set[str]) -> dict[str, object]:
    """Returns the materials and damping of a model's bodies, by their names."""
    changes = {}
    for link in model.links:
        change = shape_materials(link, collision_names(link), known)
        if (damping := damping_of(link.damping)) is not None:
            change["damping"] = written(damping, tagged=False)
        if change:
            changes[link.name] = change
    return changes


def _is_supervisor(robot: Node) -> bool:
    return robot.type == "Supervisor" or robot.truth("supervisor", False)


def _file_names(models: list[Model]) -> dict[str, str]:
    """Returns the names of models' files, valid on any system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        plain = re.sub(r"[^\w-]+", "_", model.name, flags=re.ASCII).strip("_")
        plain = plain[:60] or "model"
        name, number = plain, 1
        while name.lower() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.lower())
        names[model.name] = name
    return names


def _add_mesh(written: dict[str, str], file: str, triangles: np.ndarray) -> str:
    """Adds a mesh to the files; returns its name."""
    vertices, corners = np.unique(
        triangles.reshape(-1, 3), axis=0, return_inverse=True
    )
    lines = ["v {!r} {!r} {!r}".format(*v) for v in vertices.tolist()]
    lines += [
        "f {} {} {}".format(*c) for c in (corners.reshape(-1, 3) + 1).tolist()
    ]
    text = "\n".join([*lines, ""])
    # By its content: a mesh that is drawn and collides is written once.
    number = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    name = f"{file}_mesh_{number}.obj"
    written[name] = text
    return name
