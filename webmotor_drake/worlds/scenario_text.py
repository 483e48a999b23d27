"""A world's models as the text of a scenario."""

import dataclasses as dc
import math
import typing

import yaml
from pydrake.math import RigidTransform

from webmotor_drake.motor.driver_config import TABLES
from webmotor_drake.scenario.tagged_yaml import Tagged, TaggedDumper
from webmotor_drake.worlds.models import Joint, Link, Model, Robot
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.source import Place

Path = tuple[str | int, ...]


# Tables whose entries have one type, which is not written.
_PLAIN = (
    "joints",
    "loops",
    "propellers",
    "tracks",
    "position_sensors",
    "brakes",
)


class ScenarioText:
    """Collects a scenario's values, and their places in the world.

    Args:
        name: the scenario's name.

    Attributes:
        name: the same.
        fields: what it holds.
        places: of the fields in the world, by their paths in the scenario.
    """

    def __init__(self, name: str):
        self.name = name
        self.fields: dict[str, typing.Any] = {}
        self.places: dict[Path, Place] = {}

    def put(self, *path: str | int, place: Place | None) -> None:
        """Stores the place of a value in the world."""
        if place is not None:
            self.places[path] = place

    def text(self) -> str:
        """Returns the YAML, without empty fields."""
        given = {k: v for k, v in self.fields.items() if v != {} and v != []}
        return yaml.dump(
            {self.name: given},
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            width=88,
            default_flow_style=None,
        )

    def add_model(self, model: Model, uri: str) -> None:
        """Adds the directives and positions of a model."""
        add: dict[str, typing.Any] = {"name": model.name, "file": uri}
        free = {link.name: _pose(link.X_W) for link in model.roots}
        if free:
            add["default_free_body_pose"] = free
        self._direct("add_model", add, model.place)
        parent, welded, X_WP = "world", model.base, RigidTransform()
        if model.carrier is not None:
            outer, carrier = model.carrier
            parent, X_WP = f"{outer.name}::{carrier.name}", carrier.X_W
            welded = model.links[0]
        if welded is not None:
            child = f"{model.name}::{welded.name}"
            weld: dict[str, typing.Any] = {"parent": parent, "child": child}
            if pose := _pose(X_WP.inverse() @ welded.X_W):
                weld["X_PC"] = pose
            self._direct("add_weld", weld, model.place)
        positions = {}
        for link in model.links:
            if link.joint is not None:
                positions.update(_positions(link.joint))
        if positions:
            start = self.fields.setdefault("initial_position", {})
            start[model.name] = positions

    def add_frame(self, name: str, X_WF: RigidTransform) -> None:
        """Adds a frame of the world."""
        X_PF = {"base_frame": "world", **_pose(X_WF)}
        self._direct("add_frame", {"name": name, "X_PF": X_PF})

    def add_filters(self, models: list[Model]) -> None:
        """Keeps bodies hinged to the world from colliding with static ones.

        So does Webots (WbSimulationCluster.cpp odeNearCallback).
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
        add = "add_collision_filter_group"
        self._direct(add, {"name": "static", "members": static})
        others = {
            "name": "hinged to the world",
            "members": hinged,
            "ignored_collision_filter_groups": ["static"],
        }
        self._direct(add, others)

    def _direct(
        self,
        kind: str,
        values: dict[str, typing.Any],
        place: Place | None = None,
    ) -> None:
        """Adds a directive."""
        directives = self.fields.setdefault("directives", [])
        self.put("directives", len(directives), place=place)
        directives.append({kind: values})

    def add_robot(self, robot: Robot) -> None:
        """Adds the driver of a robot."""
        drivers = self.fields.setdefault("model_drivers", {})
        path = ("model_drivers", robot.model)
        self.put(*path, place=robot.place)
        values = dict(robot.fields)
        for table in TABLES:
            if entries := robot.tables[table]:
                values[table] = {
                    name: written(entry, tagged=table not in _PLAIN)
                    for name, entry in entries.items()
                }
            for name in entries:
                place = robot.places[table, name]
                self.put(*path, table, name, place=place)
        drivers[robot.model] = Tagged("!WebotsMotorDriver", values)


def _is_hinged_to_the_world(link: Link) -> bool:
    """Returns whether a body, or one it is welded to, is hinged to a static one."""
    joint = link.joint
    while joint is not None and joint.kind == "fixed":
        link, joint = joint.parent, joint.parent.joint
    return joint is not None and joint.parent.kind == "static"


def _positions(joint: Joint) -> dict[str, list[float]]:
    """Returns the positions of a joint's parts that are not 0."""
    return {
        name: [float(q)]
        for name, q in zip(joint.parts, joint.positions, strict=True)
        if q
    }


def _pose(X: RigidTransform) -> dict[str, typing.Any]:
    """Returns a pose for a scenario, without zeros."""
    values: dict[str, typing.Any] = {}
    translation = [*map(short, X.translation())]
    if any(translation):
        values["translation"] = translation
    turned = X.rotation().ToAngleAxis()
    angle = short(math.degrees(turned.angle()))
    if angle:
        axis = [*map(short, turned.axis())]
        values["rotation"] = Tagged(
            "!AngleAxis", {"angle_deg": angle, "axis": axis}
        )
    return values


def written(node: typing.Any, *, tagged: bool) -> typing.Any:
    """Returns a declared node for YAML: the fields that differ from their defaults."""
    fresh = type(node)()
    values = {}
    for field in dc.fields(node):
        value = getattr(node, field.name)
        if value != getattr(fresh, field.name):
            inner = dc.is_dataclass(value)
            values[field.name] = (
                written(value, tagged=False) if inner else value
            )
    if tagged:
        return Tagged(f"!{type(node).__name__}", values)
    return values


class _Dumper(TaggedDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True
