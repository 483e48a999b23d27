"""Contact forces in Meshcat, at a size that stays on the screen."""

import numpy as np
from pydrake.geometry import Meshcat, SceneGraph
from pydrake.multibody.meshcat import ContactVisualizer, ContactVisualizerParams
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.simulation.extent import robot_corners, robot_mass

# The least weight that an arrow's length stands for, N.
_LEAST_WEIGHT = 1.0
# The radius of an arrow, as a share of the robots'.
_ARROW = 0.01
# The least radius of robots, m.
_SMALLEST = 0.05
# Forces below this share of the weight are not drawn.
_FAINT = 1e-3


def add_contact_arrows(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    meshcat: Meshcat,
) -> None:
    """Draws contact forces; the robots' weight is an arrow as long as they are large.

    Drake's own scale, 10 N per metre, leaves the screen with a robot's first step.
    """
    scale, faint = arrow_scale(plant, scene_graph)
    params = ContactVisualizerParams(
        newtons_per_meter=scale,
        newton_meters_per_meter=scale,
        force_threshold=faint,
        radius=_robot_radius(plant, scene_graph) * _ARROW,
    )
    ContactVisualizer.AddToBuilder(builder, plant, meshcat, params)


def arrow_scale(
    plant: MultibodyPlant, scene_graph: SceneGraph
) -> tuple[float, float]:
    """Returns the N per metre of an arrow, and the N below which none is drawn."""
    gravity = np.linalg.norm(plant.gravity_field().gravity_vector())
    weight = float(robot_mass(plant) * gravity)
    scale = max(weight, _LEAST_WEIGHT) / _robot_radius(plant, scene_graph)
    return scale, weight * _FAINT


def _robot_radius(plant: MultibodyPlant, scene_graph: SceneGraph) -> float:
    """Returns the radius of a sphere around all robots, m."""
    corners = robot_corners(plant, scene_graph, plant.CreateDefaultContext())
    if not len(corners):
        return 1.0
    return max(float(np.linalg.norm(np.ptp(corners, axis=0))) / 2, _SMALLEST)
