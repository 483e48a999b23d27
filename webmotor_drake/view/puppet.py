"""A scenario's robots that are drawn where one wants them, and not simulated."""

import copy
import dataclasses as dc
import warnings

import numpy as np
from pydrake.geometry import Meshcat, MeshcatVisualizer, MeshcatVisualizerParams
from pydrake.systems.framework import Context

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import MotorWarning
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, without_effects
from webmotor_drake.simulation.diagram import Assembly, assemble

# Where Meshcat has them, as Drake has those of a simulation.
PREFIX = "/drake/visualizer"


class Puppet:
    """A scenario's robots in a pose that is given.

    Attributes:
        plant: Drake's plant.
        scene_graph: its geometry.
        motors: the motors by model name.
        positions: of the plant, shape (n,); at first those of the scenario.

    Args:
        scenario: whose robots.
        meshcat: where to draw them, if anywhere.
        prefix: the path under which they are drawn.
    """

    def __init__(
        self,
        scenario: Scenario,
        meshcat: Meshcat | None = None,
        *,
        prefix: str = PREFIX,
    ):
        with warnings.catch_warnings():  # what they say was said of the run
            warnings.simplefilter("ignore", MotorWarning)
            assembly = assemble(_at_rest(scenario))
        self.plant, self.scene_graph = assembly.plant, assembly.scene_graph
        self.motors = assembly.motors
        self._visualizer = None
        if meshcat is not None:
            self._visualizer = MeshcatVisualizer.AddToBuilder(
                assembly.builder,
                assembly.scene_graph,
                meshcat,
                MeshcatVisualizerParams(
                    prefix=prefix, enable_alpha_slider=False
                ),
            )
        self.added(assembly)
        with blame(scenario):
            self._root = assembly.builder.Build().CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self._root)

    def added(self, assembly: Assembly) -> None:
        """Adds to the diagram what else is needed."""

    @property
    def root(self) -> Context:
        """The Context of the whole diagram."""
        return self._root

    @property
    def positions(self) -> np.ndarray:
        """The plant's positions, shape (n,)."""
        return self.plant.GetPositions(self.context)

    def pose(self, positions: np.ndarray, time: float = 0.0) -> None:
        """Takes a pose, and draws it if there is where.

        Args:
            positions: of the plant, shape (n,).
            time: when, in a recording, s.
        """
        self._root.SetTime(time)
        self.plant.SetPositions(self.context, positions)
        if self._visualizer is not None:
            self._visualizer.ForcedPublish(
                self._visualizer.GetMyContextFromRoot(self._root)
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
