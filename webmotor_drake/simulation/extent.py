"""The extent of the robots of a plant."""

import contextlib

import numpy as np
from pydrake.geometry import Role, SceneGraph
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.simulation.spares import waits

_GROUND = 1.5  # width of a ground, m


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
        context: Context of the plant.
        with_others: True to include all other shapes but grounds.

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
                    points.append(box_corners(X_WO, box.half_width()))
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


def box_corners(X_WO: RigidTransform, half_width: np.ndarray) -> np.ndarray:
    """Returns the corners of a box in the world, shape (8, 3), m."""
    signs = np.array(np.meshgrid(*3 * [[-1, 1]])).reshape(3, 8)
    return (X_WO @ (signs * half_width[:, np.newaxis])).T
