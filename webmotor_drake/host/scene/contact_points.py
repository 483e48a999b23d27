"""Where bodies touch."""

from collections.abc import Sequence

import numpy as np
from pydrake.multibody.plant import ContactResults, MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.host.scene.scene_node import SceneNode


class ContactPoints:
    """The contact points of a plant.

    Point contact has one per pair of shapes that overlap; a hydroelastic contact
    is one at its centroid.
    """

    def __init__(self, plant: MultibodyPlant):
        self._plant = plant

    def of(
        self, solids: Sequence[SceneNode], context: Context
    ) -> list[tuple[list[float], int]]:
        """Returns the contact points of some solids with all others.

        Args:
            solids: nodes with a body.
            context: the plant's.

        Returns:
            For each point its place in the world, m, and the id of the solid.
        """
        results = self._plant.get_contact_results_output_port().Eval(context)
        nodes = {int(solid.body.index()): solid.id for solid in solids}
        points = []
        for bodies, point in self._pairs(results):
            touching = [nodes[body] for body in bodies if body in nodes]
            if len(touching) == 1:  # not within the same
                points.append((point.tolist(), touching[0]))
        return points

    def _pairs(
        self, results: ContactResults
    ) -> list[tuple[tuple[int, int], np.ndarray]]:
        """Returns the bodies and the place of each contact."""
        pairs = []
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            bodies = int(info.bodyA_index()), int(info.bodyB_index())
            pairs.append((bodies, info.contact_point()))
        for i in range(results.num_hydroelastic_contacts()):
            surface = results.hydroelastic_contact_info(i).contact_surface()
            bodies = (
                self._body_of(surface.id_M()),
                self._body_of(surface.id_N()),
            )
            pairs.append((bodies, surface.centroid()))
        return pairs

    def _body_of(self, geometry: object) -> int:
        for i in range(self._plant.num_bodies()):
            body = self._plant.get_body(BodyIndex(i))
            if geometry in self._plant.GetCollisionGeometriesForBody(body):
                return i
        return -1
