"""A scenario's robots that are drawn where one wants them, and not simulated."""

import copy
import dataclasses as dc
import warnings

import numpy as np
from pydrake.geometry import Meshcat, MeshcatVisualizer, MeshcatVisualizerParams

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import MotorWarning
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, without_effects
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.spares import without_stock

# Where Meshcat has them, as Drake has those of a simulation.
PREFIX = "/drake/illustration"


class Puppet:
    """A scenario's robots in a pose that is given.

    Attributes:
        plant: Drake's plant.
        scene_graph: its geometry.
        motors: the motors by model name.
        context: the plant's; at first in the scenario's initial positions.
        root: the whole diagram's.

    Args:
        scenario: scenario of the robots.
        meshcat: Meshcat to draw them in; None: nowhere.
    """

    def __init__(self, scenario: Scenario, meshcat: Meshcat | None = None):
        with warnings.catch_warnings():  # what they say was said of the run
            warnings.simplefilter("ignore", MotorWarning)
            assembly = assemble(_at_rest(without_stock(scenario)))
        self.plant, self.scene_graph = assembly.plant, assembly.scene_graph
        self.motors = assembly.motors
        self._visualizer = None
        if meshcat is not None:
            self._visualizer = MeshcatVisualizer.AddToBuilder(
                assembly.builder,
                assembly.scene_graph,
                meshcat,
                MeshcatVisualizerParams(
                    prefix=PREFIX, enable_alpha_slider=False
                ),
            )
        with blame(scenario):
            self.root = assembly.builder.Build().CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)

    @property
    def positions(self) -> np.ndarray:
        """The plant's positions, shape (n,)."""
        return self.plant.GetPositions(self.context)

    def pose(self, positions: np.ndarray, time: float = 0.0) -> None:
        """Takes a pose, and draws it if there is where.

        Args:
            positions: of the plant, shape (n,); what was imported may come after.
            time: moment in a recording, s.
        """
        self.root.SetTime(time)
        own = positions[: self.plant.num_positions()]
        self.plant.SetPositions(self.context, own)
        if self._visualizer is not None:
            self._visualizer.ForcedPublish(
                self._visualizer.GetMyContextFromRoot(self.root)
            )


def _at_rest(scenario: Scenario) -> Scenario:
    """Returns the scenario with nothing but its models and motors."""
    bare = copy.copy(without_effects(scenario))
    bare.visualization, bare.cameras = None, {}
    bare.model_drivers = {
        model: dc.replace(driver, controller="", commands=[])
        for model, driver in scenario.model_drivers.items()
        if isinstance(driver, WebotsMotorDriver)
    }
    return bare
