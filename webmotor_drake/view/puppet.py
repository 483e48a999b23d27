"""A scenario's robots in a pose: simulated ones, or puppets that take any pose."""

import dataclasses as dc
import functools
import warnings
from collections.abc import Mapping

import numpy as np
from pydrake.geometry import SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import MotorWarning
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import (
    Scenario,
    robots_of,
    with_robots,
    without_effects,
)
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.extent import robot_corners
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.simulation.spares import without_stock

# Joints of bodies that may go anywhere.
_FREE = ("quaternion_floating", "rpy_floating", "planar")


@dc.dataclass(frozen=True)
class Robots:
    """A scenario's robots in the pose of a Context.

    Attributes:
        scenario: scenario of the robots.
        plant: Drake's plant.
        scene_graph: its geometry.
        motors: the motors by model name.
        root: the whole diagram's Context.
    """

    scenario: Scenario
    plant: MultibodyPlant
    scene_graph: SceneGraph
    motors: Mapping[str, MotorSystem]
    root: Context

    @classmethod
    def of(cls, simulation: Simulation) -> "Robots":
        """Returns the robots of a simulation, which moves them."""
        root = simulation.simulator.get_mutable_context()
        own = simulation.plant, simulation.scene_graph, simulation.motors
        return cls(simulation.scenario, *own, root)

    @functools.cached_property
    def context(self) -> Context:
        """The plant's Context."""
        return self.plant.GetMyMutableContextFromRoot(self.root)

    @property
    def positions(self) -> np.ndarray:
        """The plant's positions, shape (n,)."""
        return self.plant.GetPositions(self.context)

    @functools.cached_property
    def free_bodies(self) -> list[RigidBody]:
        """The robots' bodies that may go anywhere; without any, all such bodies."""
        free = [joint.child_body() for joint in free_joints(self.plant)]
        motors = self.plant.num_actuators
        return [b for b in free if motors(b.model_instance())] or free

    @property
    def place(self) -> np.ndarray:
        """The middle of the robots' free bodies, shape (3,), m; 0 without any."""
        places = [
            self.plant.EvalBodyPoseInWorld(self.context, body).translation()
            for body in self.free_bodies
        ]
        return np.mean(places, axis=0) if places else np.zeros(3)

    def corners(self, *, with_others: bool = False) -> np.ndarray:
        """Returns the corners of the boxes around the robots; see `robot_corners`."""
        own = self.plant, self.scene_graph, self.context
        return robot_corners(*own, with_others=with_others)


class Puppet(Robots):
    """Robots that are posed and not simulated; at first in their initial positions.

    Args:
        scenario: scenario of the robots.
    """

    def __init__(self, scenario: Scenario):
        with warnings.catch_warnings():  # what they say was said of the run
            warnings.simplefilter("ignore", MotorWarning)
            assembly = assemble(_at_rest(without_stock(scenario)))
        with blame(scenario):
            root = assembly.builder.Build().CreateDefaultContext()
        own = assembly.plant, assembly.scene_graph, assembly.motors
        super().__init__(scenario, *own, root)

    def pose(self, positions: np.ndarray) -> None:
        """Takes a pose.

        Args:
            positions: positions of the plant, shape (n,); what was imported may come
                after.
        """
        own = positions[: self.plant.num_positions()]
        self.plant.SetPositions(self.context, own)


def free_joints(plant: MultibodyPlant) -> list[Joint]:
    """Returns the joints of bodies that may go anywhere."""
    return [j for j in joints_of(plant) if j.type_name() in _FREE]


def _at_rest(scenario: Scenario) -> Scenario:
    """Returns the scenario with nothing but its models and motors."""
    bare = with_robots(
        without_effects(scenario),
        lambda driver: dc.replace(driver, controller="", commands=[]),
    )
    bare.visualization, bare.cameras = None, {}
    bare.model_drivers = {**robots_of(bare)}
    return bare
