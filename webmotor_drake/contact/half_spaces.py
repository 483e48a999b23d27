"""Half spaces that are welded to the world move to the world's own body.

With one on a body that is merely welded Drake ends the process from some 15 bodies on.
"""

import logging

from pydrake.geometry import (
    GeometryId,
    HalfSpace,
    ProximityProperties,
    Role,
    SceneGraph,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.contact.inboard import inboard_joints, to_weld_root
from webmotor_drake.contact.shape_contact import collision_shapes

_NO_DEFORMABLES = "half spaces are not currently supported for deformable"


class HalfSpaces:
    """The half spaces of a plant that is being put together.

    Args:
        plant: plant before its Finalize.
        scene_graph: scene graph with the plant's geometry.
    """

    def __init__(self, plant: MultibodyPlant, scene_graph: SceneGraph):
        self._plant, self._scene_graph = plant, scene_graph
        # Bodies, the half spaces' poses on them, names and properties.
        self._taken: list[
            tuple[RigidBody, RigidTransform, str, ProximityProperties]
        ] = []
        self._seen = 1  # the world, where they may stay

    def take(self) -> None:
        """Takes half spaces off the bodies that were added since the last call.

        To be called after each model: Drake may end the process as soon as further
        shapes are added.
        """
        plant, inspector = self._plant, self._scene_graph.model_inspector()
        for i in range(self._seen, plant.num_bodies()):
            body = plant.get_body(BodyIndex(i))
            for geometry in collision_shapes(plant, inspector, body):
                if not isinstance(inspector.GetShape(geometry), HalfSpace):
                    continue
                own = inspector.GetProximityProperties(geometry)
                X_BG = inspector.GetPoseInFrame(geometry)
                name = inspector.GetName(geometry).replace("::", ".")
                taken = body, X_BG, name, ProximityProperties(own)
                self._taken.append(taken)
                source, role = plant.get_source_id(), Role.kProximity
                self._scene_graph.RemoveRole(source, geometry, role)
        self._seen = plant.num_bodies()

    def settle(self) -> dict[GeometryId, RigidBody]:
        """Puts the half spaces back; from bodies welded to the world they go to it.

        Returns:
            The former body of each half space that is now the world's, by its shape.
        """
        self.take()
        plant, joints = self._plant, inboard_joints(self._plant)
        moved = {}
        for body, X_BG, name, properties in self._taken:
            root, X_RB = to_weld_root(body, joints)
            fixed = root.index() == plant.world_body().index()
            model = plant.GetModelInstanceName(body.model_instance())
            new = plant.RegisterCollisionGeometry(
                body=root if fixed else body,
                X_BG=X_RB @ X_BG if fixed else X_BG,
                shape=HalfSpace(),
                name=f"{model}.{body.name()}.{name}",
                properties=properties,
            )
            if fixed:
                moved[new] = body
        self._taken.clear()
        return moved


def silence_deformables() -> None:
    """Hides Drake's message that half spaces touch no deformable bodies."""
    logging.getLogger("drake").addFilter(_says_something)  # once


def _says_something(record: logging.LogRecord) -> bool:
    return _NO_DEFORMABLES not in record.getMessage()
