"""A world's models, its materials and its WorldInfo as a scenario."""

import math
import typing

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import (
    AddCollisionFilterGroup,
    AddModel,
    AddWeld,
    ModelDirective,
)

from webmotor_drake.motor.driver_config import COUNTED
from webmotor_drake.nodes.body_sensors import WORLD_AXES
from webmotor_drake.nodes.contact import ContactProperties, Damping
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.scenario.sampled import fixed_transform
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.models import FELT, Link, Model, Robot
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.sdf import collision_names
from webmotor_drake.worlds.source import Place

# Longest step of the plant, s: at longer ones bodies may fall through a floor.
_LONGEST_STEP = 0.008
# The longest basicTimeStep, ms.
_LONGEST_PERIOD = 10_000
# The default duration of a world, s. In Webots it has no end.
_DURATION = 10.0
# The material of slippery shapes in our own replacements.
_SLIPPERY = "webmotor slippery"
# The default of ContactProperties.bounce.
_BOUNCE = 0.5

Path = tuple[str | int, ...]


class ScenarioMaker:
    """Collects a scenario's values, and their places in the world.

    Attributes:
        scenario: the scenario.
        places: places of its values in the world, by their paths.
    """

    def __init__(self) -> None:
        self.scenario = Scenario()
        self.places: dict[Path, str] = {}

    def add_model(self, model: Model, file: str) -> None:
        """Adds the directives and positions of a model."""
        add = AddModel(name=model.name, file=file)
        free = {link.name: fixed_transform(link.X_W) for link in model.roots}
        add.default_free_body_pose = free
        self._direct(ModelDirective(add_model=add), model.place)
        parent, welded, X_WP = "world", model.base, RigidTransform()
        if model.carrier is not None:
            outer, carrier = model.carrier
            parent, X_WP = f"{outer.name}::{carrier.name}", carrier.X_W
            welded = model.links[0]
        if welded is not None:
            weld = AddWeld(parent=parent, child=f"{model.name}::{welded.name}")
            X_PC = X_WP.inverse() @ welded.X_W
            if not X_PC.IsNearlyEqualTo(RigidTransform(), 1e-12):
                weld.X_PC = fixed_transform(X_PC)
            self._direct(ModelDirective(add_weld=weld), model.place)
        positions: dict[str, typing.Any] = {
            name: np.array([float(q)])
            for joint in (link.joint for link in model.links)
            if joint is not None
            for name, q in zip(joint.parts, joint.positions, strict=True)
            if q
        }
        if positions:
            self.scenario.initial_position[model.name] = positions

    def add_filters(self, models: list[Model]) -> None:
        """Keeps bodies hinged to the world from colliding with static ones.

        Webots does the same (WbSimulationCluster.cpp odeNearCallback).
        """
        static, hinged = [], []
        for model in models:
            for link in model.links:
                name = f"{model.name}::{link.name}"
                if link.kind == "static":
                    static += [name] * bool(link.collisions)
                elif link.collisions and _is_hinged_to_the_world(link):
                    hinged.append(name)
        if not hinged or not static:
            return
        first = AddCollisionFilterGroup(name="static", members=static)
        second = AddCollisionFilterGroup(
            name="hinged to the world",
            members=hinged,
            ignored_collision_filter_groups=["static"],
        )
        for group in first, second:
            self._direct(ModelDirective(add_collision_filter_group=group))

    def _direct(
        self, directive: ModelDirective, place: Place | None = None
    ) -> None:
        directives = self.scenario.directives
        if place is not None:
            self.places["directives", len(directives)] = str(place)
        directives.append(directive)

    def add_robot(self, robot: Robot) -> None:
        """Adds the driver of a robot."""
        path, driver = ("model_drivers", robot.model), robot.driver
        self.places[path] = str(robot.place)
        for key, place in robot.places.items():
            self.places[(*path, *key)] = str(place)
        named = [name for table in COUNTED for name in getattr(driver, table)]
        order = [name for table, name in robot.places if table in COUNTED]
        if order != named:
            driver.device_order = order
        self.scenario.model_drivers[robot.model] = driver


def _is_hinged_to_the_world(link: Link) -> bool:
    """Returns whether a body, or one it is welded to, is hinged to a static one."""
    joint = link.joint
    while joint is not None and joint.kind == "fixed":
        link, joint = joint.parent, joint.parent.joint
    return joint is not None and joint.parent.kind == "static"


def add_world_info(info: Node, made: ScenarioMaker, *, waits: bool) -> float:
    """Adds the fields of WorldInfo; returns the motors' period, s.

    Args:
        info: the node.
        made: maker that gets the fields.
        waits: True if a robot is `<extern>`; then the world has no end, as in Webots.
    """
    step = info.number("basicTimeStep", 32.0)
    if not 1e-3 <= step <= _LONGEST_PERIOD:
        raise info.fields["basicTimeStep"].error(
            f"{step:g} ms is not allowed; must be from 0.001 to"
            f" {_LONGEST_PERIOD:g} ms"
        )
    period, scenario, place = step / 1000, made.scenario, info.place
    if (plugin := info.text("physics", "<none>")) not in ("", "<none>"):
        name, text = f"physics plugin {plugin}", "its forces are missing"
        info.fields["physics"].place.add("left out", name, text)
    made.places[("plant_config",)] = str(place)
    scenario.random_seed = max(int(info.number("randomSeed", 0.0)), 0)
    # Whole motor periods.
    duration = round(math.ceil(_DURATION / period - 1e-9) * period, 9)
    scenario.simulation_duration = math.inf if waits else duration
    if not waits:
        runs = (
            f"here it runs {duration:g} s unless --scenario_text says otherwise"
        )
        text = f"a world has no end in Webots; {runs}"
        place.add("info", "simulation_duration", text)
    parts = max(1, math.ceil(period / _LONGEST_STEP - 1e-9))
    scenario.plant_config.time_step = period / parts
    if parts > 1:
        text = f"the plant steps {parts} times per {1000 * period:g} ms"
        place.add("info", "basicTimeStep", text)
    gravity = info.fields.get("gravity")
    numbers = gravity.numbers() if gravity is not None else [9.81]
    if gravity is not None and len(numbers) not in (1, 3):
        raise gravity.error(f"{len(numbers)} numbers; one is needed")
    scenario.gravity = [0.0, 0.0, 0.0]
    up = axes_of(info).index("U")
    scenario.gravity[up] = 0.0 - float(np.linalg.norm(numbers))
    return period


def add_contact(scenario: Scenario, info: Node, models: list[Model]) -> None:
    """Adds contact properties, damping, and the changes of bodies.

    Args:
        scenario: scenario that gets them.
        info: the WorldInfo node.
        models: models of the world.
    """
    entries = _contact_properties(info.nodes("contactProperties"), models)
    scenario.contact_properties = entries
    scenario.default_bounce = _BOUNCE
    for default in info.nodes("defaultDamping"):
        scenario.default_damping = read_node(Damping, default)
    known = {name for entry in entries for name in entry.materials}
    for model in models:
        for link in model.links:
            changes = link.changes
            materials = {
                name: collision.material
                for name, collision in zip(
                    collision_names(link), link.collisions, strict=True
                )
                if collision.material in known - {"default"}
            }
            alike = len(set(materials.values())) == 1
            if alike and len(materials) == len(link.collisions):
                changes.contact_material = next(iter(materials.values()))
            else:
                changes.shape_materials = materials
            changes.damping = _damping_of(link.damping)
            if changes != BodyParameters():
                of_model = scenario.bodies.setdefault(model.name, {})
                of_model[link.name] = changes


def _contact_properties(
    nodes: list[Node], models: list[Model]
) -> list[ContactProperties]:
    """Returns a world's contact properties; a pair given twice keeps the first."""
    entries: dict[tuple[str, str], ContactProperties] = {}
    for node in nodes:
        if node.type != "ContactProperties":
            continue
        entry = read_node(ContactProperties, node)
        if entry.materials in entries:
            name = f"ContactProperties of {' and '.join(entry.materials)}"
            text = "given twice; the first counts, as in Webots"
            node.place.add("note", name, text)
        entries.setdefault(entry.materials, entry)
    used = {
        collision.material
        for model in models
        for link in model.links
        for collision in link.collisions
    }
    for smooth in sorted(used & {_SLIPPERY, FELT}):
        for other in sorted(used | {"default"}):
            entry = ContactProperties(smooth, other, [0.0])
            if FELT in entry.materials:
                entry.bounce = 0.0
            entries.setdefault(entry.materials, entry)
    if ("default", "default") in entries:
        # A material without an entry has Webots' defaults, not those of "default".
        named = {name for pair in entries for name in pair}
        for other in sorted(used - named):
            entry = ContactProperties("default", other)
            entries.setdefault(entry.materials, entry)
    return list(entries.values())


def _damping_of(parts: list[tuple[float, Damping | None]]) -> Damping | None:
    """Returns the damping of a body; None: the world's default (WbSolidMerger.cpp)."""
    volume = sum(share for share, _ in parts)
    if not volume:
        return None
    linear = sum(share * d.linear for share, d in parts if d is not None)
    angular = sum(share * d.angular for share, d in parts if d is not None)
    if not linear and not angular:
        return None
    return Damping(linear / volume, angular / volume)


def axes_of(info: Node) -> str:
    """Returns the coordinate system: "ENU", "NUE" or "EUN"."""
    old = info.place.source.version < (2020, 1, 0)
    given = info.text("coordinateSystem", "NUE" if old else "ENU")
    if given not in WORLD_AXES:
        raise info.fields["coordinateSystem"].error(
            f"{given!r}; ENU, NUE or EUN is allowed"
        )
    return given
