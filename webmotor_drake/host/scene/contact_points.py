"""The points where bodies touch."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from pydrake.multibody.plant import (
    HydroelasticContactInfo,
    MultibodyPlant,
    PointPairContactInfo,
)
from pydrake.systems.framework import Context

from webmotor_drake.contact.patch_corners import patch_corners
from webmotor_drake.host.scene.scene_node import SceneNode


class ContactPoints:
    """The contact points of a plant.

    Point contact has one per pair of shapes that overlap; of a hydroelastic contact
    they are the corners of its patch (see `patch_corners`), as in Webots.
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
        nodes = {int(solid.body.index()): solid.id for solid in solids}
        return [
            (point.tolist(), node)
            for node, corners in self._touching(nodes, context)
            for point in corners()
        ]

    def _touching(
        self, nodes: Mapping[int, int], context: Context
    ) -> Iterator[tuple[int, Callable[[], Iterable[np.ndarray]]]]:
        """Yields the node of each contact with others, and its points.

        Args:
            nodes: ids by the index of the body.
            context: the plant's.
        """
        results = self._plant.get_contact_results_output_port().Eval(context)
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            bodies = int(info.bodyA_index()), int(info.bodyB_index())
            touching = [nodes[body] for body in bodies if body in nodes]
            if len(touching) == 1:  # not within the same
                yield touching[0], functools.partial(_point, info)
        if not results.num_hydroelastic_contacts():
            return
        port = self._plant.get_geometry_query_input_port()
        inspector = port.Eval(context).inspector()
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            surface = info.contact_surface()
            bodies = [
                int(self._plant.GetBodyFromFrameId(frame).index())
                for frame in map(
                    inspector.GetFrameId, (surface.id_M(), surface.id_N())
                )
            ]
            touching = [nodes[body] for body in bodies if body in nodes]
            if len(touching) == 1:
                yield touching[0], functools.partial(_corners, info)


def _point(info: PointPairContactInfo) -> list[np.ndarray]:
    return [info.contact_point()]


def _corners(info: HydroelasticContactInfo) -> np.ndarray:
    return patch_corners(info.contact_surface(), info.F_Ac_W().translational())
