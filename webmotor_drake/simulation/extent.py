"""The extent of robots: of arrows beside them, and if they have left the world."""

import contextlib

import numpy as np
from pydrake.geometry import (
    HalfSpace,
    Meshcat,
    Role,
    SceneGraph,
)
from pydrake.math import RigidTransform
from pydrake.multibody.meshcat import ContactVisualizer, ContactVisualizerParams
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context, DiagramBuilder

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.contact.shape_contact import collision_shapes
from webmotor_drake.errors import warn
from webmotor_drake.simulation.spares import waits

_GROUND = 1.5  # width of a ground, m
# So far below everything that is fixed nothing comes back, m.
_FAR_BELOW = 1.0
# Where nothing weighs anything an arrow has to have some length, N.
_LEAST_WEIGHT = 1.0
# The radius of an arrow, as a share of the robots'.
_ARROW = 0.01
# The least radius of robots, m.
_SMALLEST = 0.05
# Forces below this share of the weight are not drawn.
_FAINT = 1e-3


def robot_corners(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    context: Context,
    *,
    with_others: bool = False,
) -> np.ndarray:
    """Returns the corners of the boxes around the shapes of all robots.

    A floor or a table is not a robot: a model counts if it has a joint that moves.
    Spares that wait are not looked at.

    Args:
        plant: the plant.
        scene_graph: its geometry.
        context: the plant's.
        with_others: True for all other shapes, too, but grounds.

    Returns:
        Points in the world, shape (n, 3), m.
    """
    inspector = scene_graph.model_inspector()
    points = []
    for body in bodies_of(plant) if with_others else _robot_bodies(plant):
        frame = plant.GetBodyFrameIdIfExists(body.index())
        if frame is None:
            continue
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        if waits(X_WB):
            continue
        before = len(points)
        for role in (Role.kIllustration, Role.kProximity):
            shapes = inspector.GetGeometries(frame, role)
            for shape in own_shapes(inspector, shapes):
                box = None  # of a format that is only drawn, if at all
                with contextlib.suppress(RuntimeError):
                    box = inspector.GetObbInGeometryFrame(shape)
                if box is None:
                    continue
                # A ground is wide and flat.
                thin, wide, _ = np.sort(2 * box.half_width())
                is_ground = wide >= _GROUND and thin < wide / 2
                if not (with_others and is_ground):
                    X_WO = X_WB @ inspector.GetPoseInFrame(shape) @ box.pose()
                    points.append(_box_corners(X_WO, box.half_width()))
            if len(points) > before:
                break
    return np.vstack(points) if points else np.empty((0, 3))


def _robot_bodies(plant: MultibodyPlant) -> list[RigidBody]:
    """Returns the bodies of moving models; of all if no model moves."""
    every = bodies_of(plant)
    moving = [b for b in every if plant.num_positions(b.model_instance())]
    return moving or every


def robot_mass(plant: MultibodyPlant) -> float:
    """Returns the mass of the robots' bodies that can move, kg."""
    return sum(
        body.default_mass()
        for body in _robot_bodies(plant)
        if not plant.IsAnchored(body)
    )


def _box_corners(X_WO: RigidTransform, half_width: np.ndarray) -> np.ndarray:
    """Returns the corners of a box in the world, shape (8, 3), m."""
    signs = np.array(np.meshgrid(*3 * [[-1, 1]])).reshape(3, 8)
    return (X_WO @ (signs * half_width[:, np.newaxis])).T


def add_contact_arrows(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    meshcat: Meshcat,
) -> None:
    """Draws contact forces: the robots' weight is as long as they are large.

    Drake's own scale, 10 N per metre, leaves the screen with a robot's first step.
    """
    newtons_per_meter, faint = arrow_scale(plant, scene_graph)
    radius = _robot_radius(plant, scene_graph)
    ContactVisualizer.AddToBuilder(
        builder,
        plant,
        meshcat,
        ContactVisualizerParams(
            newtons_per_meter=newtons_per_meter,
            newton_meters_per_meter=newtons_per_meter,
            force_threshold=faint,
            radius=radius * _ARROW,
        ),
    )


def arrow_scale(
    plant: MultibodyPlant, scene_graph: SceneGraph
) -> tuple[float, float]:
    """Returns how many N are a metre of arrow, and which are too faint to draw."""
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


def warn_of_fallen(
    plant: MultibodyPlant, scene_graph: SceneGraph, context: Context
) -> None:
    """Warns of free bodies that are a metre below all that is fixed.

    A world without collision shapes that are fixed has nothing to fall from.
    """
    inspector = scene_graph.model_inspector()
    down = plant.gravity_field().gravity_vector()
    free = [b for b in bodies_of(plant) if b.is_floating_base_body()]
    if not free or not down.any():
        return
    up = -down / np.linalg.norm(down)
    # Directions, and how far along them what is fixed begins, m.
    floors: list[tuple[np.ndarray, float]] = []
    for body in filter(plant.IsAnchored, bodies_of(plant)):
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        for shape in collision_shapes(plant, inspector, body):
            X_WG = X_WB @ inspector.GetPoseInFrame(shape)
            if isinstance(inspector.GetShape(shape), HalfSpace):
                normal = X_WG.rotation().col(2)
                floors.append((normal, normal @ X_WG.translation()))
            else:
                box = inspector.GetObbInGeometryFrame(shape)
                corners = _box_corners(X_WG @ box.pose(), box.half_width())
                floors.append((up, (corners @ up).min()))
    for body in free if floors else ():
        p_WB = plant.EvalBodyPoseInWorld(context, body).translation()
        depth = min(begin - along @ p_WB for along, begin in floors)
        if depth > _FAR_BELOW:
            model = plant.GetModelInstanceName(body.model_instance())
            warn(
                f"{model}::{body.name()}: fallen to {depth:.3g} m below all that is"
                " fixed; it missed the floor or fell through it"
            )
