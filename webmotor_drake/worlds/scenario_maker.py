"""A world's models as a scenario."""

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import (
    AddCollisionFilterGroup,
    AddModel,
    AddWeld,
    ModelDirective,
)

from webmotor_drake.motor.driver_config import COUNTED
from webmotor_drake.scenario.sampled import fixed_transform
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.worlds.models import Joint, Link, Model, Robot
from webmotor_drake.worlds.source import Place

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

    def put(self, *path: str | int, place: Place | None) -> None:
        """Stores the place of a value in the world."""
        if place is not None:
            self.places[path] = str(place)

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
        positions = {}
        for link in model.links:
            if link.joint is not None:
                positions.update(_positions(link.joint))
        if positions:
            self.scenario.initial_position[model.name] = positions

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
        """Adds a directive."""
        directives = self.scenario.directives
        self.put("directives", len(directives), place=place)
        directives.append(directive)

    def add_robot(self, robot: Robot) -> None:
        """Adds the driver of a robot."""
        path, driver = ("model_drivers", robot.model), robot.driver
        self.put(*path, place=robot.place)
        for key, place in robot.places.items():
            self.put(*path, *key, place=place)
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


def _positions(joint: Joint) -> dict[str, np.ndarray]:
    """Returns the positions of a joint's parts that are not 0."""
    return {
        name: np.array([float(q)])
        for name, q in zip(joint.parts, joint.positions, strict=True)
        if q
    }
