"""Warns of bodies that have fallen out of the world by the end of a run."""

import numpy as np
from pydrake.geometry import HalfSpace, SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.contact.shape_contact import collision_shapes
from webmotor_drake.errors import warn
from webmotor_drake.simulation.extent import box_corners

# Bodies this far below everything fixed do not come back, m.
_FAR_BELOW = 1.0


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
    # Directions, and the height along each at which fixed shapes begin, m.
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
                corners = box_corners(X_WG @ box.pose(), box.half_width())
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
