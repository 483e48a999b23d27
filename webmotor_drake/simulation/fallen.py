"""Warns of bodies that have fallen out of the world by the end of a run."""

import numpy as np
from pydrake.geometry import (
    GeometryId,
    HalfSpace,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import (
    bodies_of,
    inboard_joints,
    to_weld_root,
)
from webmotor_drake.contact.shape_contact import collision_shapes
from webmotor_drake.errors import warn

# So far below everything that is fixed nothing comes back, m.
_FAR_BELOW = 1.0


def warn_of_fallen(
    plant: MultibodyPlant, scene_graph: SceneGraph, context: Context
) -> None:
    """Warns of bodies that have left the world downwards; see `fallen_bodies`."""
    inspector = scene_graph.model_inspector()
    for body, depth in fallen_bodies(plant, inspector, context).items():
        warn(
            f"{body}: fallen to {depth:.3g} m below all that is fixed; it missed"
            " the floor or fell through it"
        )


def fallen_bodies(
    plant: MultibodyPlant, inspector: SceneGraphInspector, context: Context
) -> dict[str, float]:
    """Returns the free bodies that are a metre below all fixed bodies.

    A world without collision shapes that are fixed has nothing to fall from.

    Args:
        plant: finalized plant.
        inspector: of its scene graph.
        context: the plant's.

    Returns:
        How far below they are, m, by "model::body".
    """
    down = plant.gravity_field().gravity_vector()
    free = [b for b in bodies_of(plant) if b.is_floating_base_body()]
    if not free or not down.any():
        return {}
    up = -down / np.linalg.norm(down)
    floors = _fixed_shapes(plant, inspector)
    fallen = {}
    for body in free:
        p_WB = plant.EvalBodyPoseInWorld(context, body).translation()
        heights = [
            _height(plant, inspector, context, up, p_WB, floor)
            for floor in floors
        ]
        if heights and max(heights) < -_FAR_BELOW:
            model = plant.GetModelInstanceName(body.model_instance())
            fallen[f"{model}::{body.name()}"] = -max(heights)
    return fallen


def _fixed_shapes(
    plant: MultibodyPlant, inspector: SceneGraphInspector
) -> list[tuple[RigidBody, GeometryId]]:
    joints, world = inboard_joints(plant), plant.world_body().index()
    return [
        (body, geometry)
        for body in bodies_of(plant)
        if to_weld_root(body, joints)[0].index() == world
        for geometry in collision_shapes(plant, inspector, body)
    ]


def _height(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    context: Context,
    up: np.ndarray,
    point: np.ndarray,
    floor: tuple[RigidBody, GeometryId],
) -> float:
    """Returns how far a point is above the lowest point of a shape, m.

    Of a half space that is its surface.
    """
    body, geometry = floor
    X_WG = plant.EvalBodyPoseInWorld(context, body) @ inspector.GetPoseInFrame(
        geometry
    )
    if isinstance(inspector.GetShape(geometry), HalfSpace):
        normal = X_WG.rotation().col(2)
        return float(normal @ (point - X_WG.translation()))
    box = inspector.GetObbInGeometryFrame(geometry)
    X_WO = X_WG @ box.pose()
    lowest = (
        up @ X_WO.translation()
        - abs(up @ X_WO.rotation().matrix()) @ box.half_width()
    )
    return float(up @ point - lowest)
