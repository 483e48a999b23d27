"""The points where bodies touch."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.contact.patch_corners import patch_corners
from webmotor_drake.host.scene.scene_node import SceneNode


def contact_points(
    plant: MultibodyPlant, solids: Sequence[SceneNode], context: Context
) -> list[tuple[list[float], int]]:
    """Returns the contact points of some solids with all others.

    Point contact has one per pair of shapes that overlap; of a hydroelastic contact
    they are the corners of its patch (see `patch_corners`), as in Webots.

    Args:
        plant: the solids'.
        solids: nodes with a body.
        context: the plant's.

    Returns:
        For each point its place in the world, m, and the id of the solid.
    """
    nodes = {solid.body.index(): solid.id for solid in solids}
    found = []
    for bodies, points in _contacts(plant, context):
        touching = [nodes[body] for body in bodies if body in nodes]
        if len(touching) == 1:  # not within the same
            found += [(point.tolist(), touching[0]) for point in points()]
    return found


def _contacts(
    plant: MultibodyPlant, context: Context
) -> Iterator[tuple[Sequence[BodyIndex], Callable[[], Iterable[np.ndarray]]]]:
    """Yields the two bodies of each contact, and what returns its points."""
    results = plant.get_contact_results_output_port().Eval(context)
    for i in range(results.num_point_pair_contacts()):
        info = results.point_pair_contact_info(i)
        bodies = info.bodyA_index(), info.bodyB_index()
        yield bodies, lambda info=info: [info.contact_point()]
    query = plant.get_geometry_query_input_port().Eval(context)
    for i in range(results.num_hydroelastic_contacts()):
        info = results.hydroelastic_contact_info(i)
        surface = info.contact_surface()
        frames = map(
            query.inspector().GetFrameId, (surface.id_M(), surface.id_N())
        )
        force = info.F_Ac_W().translational()
        yield (
            [plant.GetBodyFromFrameId(frame).index() for frame in frames],
            functools.partial(patch_corners, surface, force),
        )
