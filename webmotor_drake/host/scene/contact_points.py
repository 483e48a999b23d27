"""The points where bodies touch, and whether they support the bodies above."""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import Context

from webmotor_drake.contact.pressed import patch_corners
from webmotor_drake.host.scene.physics import Physics, solids
from webmotor_drake.host.scene.scene_node import SceneNode

# A corner of a shape and one of its patch are the same if they are nearer, m.
_SAME = 2e-3


def contact_points(
    physics: Physics, node: SceneNode, *, descendants: bool
) -> list[tuple[list[float], int]]:
    """Returns the contact points of a solid with others.

    As in Webots these are corners: of a shape, or of the patch in which two shapes
    overlap. A pair that touches in a single point, such as two balls, has that point.

    Args:
        physics: physics of the scene.
        node: the solid.
        descendants: True to include the solids in it.

    Returns:
        For each point its place in the world, m, and the id of the solid.
    """
    ids = {
        solid.body.index(): solid.id
        for solid in solids(node)
        if descendants or solid is node
    }
    found: list[tuple[list[float], int]] = []
    for bodies, points in _contacts(physics.plant, physics.context):
        touching = [ids[body] for body in bodies if body in ids]
        if len(touching) == 1:  # not within the same
            known = [point for point, _ in found]
            found += [
                (point.tolist(), touching[0])
                for point in points()
                if all(math.dist(point, other) > _SAME for other in known)
            ]
    return found


def is_balanced(physics: Physics, node: SceneNode) -> bool:
    """Returns whether the centre of mass is above the support polygon.

    That is the convex hull of the contact points, seen along gravity.
    """
    points = contact_points(physics, node, descendants=True)
    down = physics.plant.gravity_field().gravity_vector()
    if not points or not down.any():
        return False
    places = np.array([point for point, _ in points])
    return _is_above(physics.center_of_mass(node), places, down)


def _contacts(
    plant: MultibodyPlant, context: Context
) -> Iterator[tuple[Sequence[BodyIndex], Callable[[], Iterable[np.ndarray]]]]:
    """Yields the two bodies of each contact, and a function that returns its points."""
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


def _is_above(center: np.ndarray, points: np.ndarray, down: np.ndarray) -> bool:
    """Returns whether a point is above the convex hull of n others, along gravity."""
    z = down / np.linalg.norm(down)
    x = np.cross(z, np.eye(3)[int(np.argmin(abs(z)))])
    plane = np.array([x / np.linalg.norm(x), np.cross(z, x)])
    arms = (points - center) @ plane.T
    angles = np.sort(np.arctan2(arms[:, 1], arms[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * math.pi))
    return bool(gaps.max() < math.pi)
