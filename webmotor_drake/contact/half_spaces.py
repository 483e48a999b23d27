"""Half spaces that are welded to the world move to the world's own body.

On a body that is merely welded there Drake ends the process from some 15 bodies on.
"""

import logging

from pydrake.geometry import (
    GeometryId,
    HalfSpace,
    ProximityProperties,
    Role,
    SceneGraph,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.contact.inboard import inboard_joints, to_weld_root
from webmotor_drake.contact.shape_contact import collision_shapes

_NO_DEFORMABLES = "half spaces are not currently supported for deformable"


def move_half_spaces(
    plant: MultibodyPlant, scene_graph: SceneGraph
) -> dict[GeometryId, RigidBody]:
    """Moves half spaces of welded bodies to the world's body.

    Args:
        plant: before its Finalize.
        scene_graph: with the plant's geometry.

    Returns:
        The bodies that the half spaces are of, by their new shapes.
    """
    inspector = scene_graph.model_inspector()
    joints, world = inboard_joints(plant), plant.world_body()
    moved = {}
    for body in map(
        plant.get_body, map(BodyIndex, range(1, plant.num_bodies()))
    ):
        for geometry in collision_shapes(plant, inspector, body):
            root, X_WB = to_weld_root(body, joints)
            is_half = isinstance(inspector.GetShape(geometry), HalfSpace)
            if not is_half or root.index() != world.index():
                continue
            X_WG = X_WB @ inspector.GetPoseInFrame(geometry)
            properties = ProximityProperties(
                inspector.GetProximityProperties(geometry)
            )
            scene_graph.RemoveRole(
                source_id=plant.get_source_id(),
                geometry_id=geometry,
                role=Role.kProximity,
            )
            name = f"{body.scoped_name()}::{inspector.GetName(geometry)}"
            new = plant.RegisterCollisionGeometry(
                body=world,
                X_BG=X_WG,
                shape=HalfSpace(),
                name=name.replace("::", "."),
                properties=properties,
            )
            moved[new] = body
    return moved


def silence_deformables() -> None:
    """Keeps Drake from telling that half spaces touch no deformable bodies."""
    log = logging.getLogger("drake")
    if _says_something not in log.filters:
        log.addFilter(_says_something)


def _says_something(record: logging.LogRecord) -> bool:
    return _NO_DEFORMABLES not in record.getMessage()
