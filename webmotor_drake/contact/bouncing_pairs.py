"""Which shapes bounce off each other."""

import itertools
from collections.abc import Mapping

from pydrake.geometry import (
    GeometryId,
    ProximityProperties,
    RoleAssign,
    SceneGraph,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

from webmotor_drake.contact.bounce import Bounce
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import inboard_joints, to_weld_root
from webmotor_drake.errors import warn
from webmotor_drake.nodes.contact import ContactProperties

# Pa. Friction on the sides of harder shapes, which a step has brought deep into a
# floor, takes half of their rebound.
_SOFT = 1e6

Bouncing = dict[tuple[GeometryId, GeometryId], Bounce]


def bouncing_pairs(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    materials: Mapping[GeometryId, str],
    entries: Mapping[tuple[str, str], ContactProperties],
) -> Bouncing:
    """Returns the pairs of shapes that bounce, and how; softens patches of these.

    Patches bounce off what is fixed alone: between boxes that move they would push
    some through the floor.

    Args:
        plant: finalized.
        scene_graph: with its geometry, friction and all collision filters.
        materials: of all shapes.
        entries: by pairs of materials.
    """
    bounces = {pair: e.bounce for pair, e in entries.items() if e.bounce}
    if bounces and not plant.time_step():
        warn(
            "contact_properties: nothing bounces on a continuous plant (time_step 0)"
        )
        return {}
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    pairs: Bouncing = {}
    for a, b in itertools.combinations(materials, 2):
        first, second = sorted((materials[a], materials[b]))
        bounce = bounces.get((first, second))
        if bounce is None or inspector.CollisionFiltered(a, b):
            continue
        shapes = [inspector.GetProximityProperties(i) for i in (a, b)]
        patch = all(_has_patch(p) for p in shapes)
        count = (a in fixed) + (b in fixed)
        if count == 2 or (patch and not count):
            continue
        if patch:
            _soften(plant, scene_graph, b if a in fixed else a)
        friction = combined(*map(_friction, shapes))
        pairs[a, b] = Bounce(entries[first, second], bounce, friction, patch)
    return pairs


def fixed_shapes(plant: MultibodyPlant) -> set[GeometryId]:
    """Returns the collision shapes that are fixed to the world."""
    joints, world = inboard_joints(plant), plant.world_body().index()
    return {
        geometry
        for body in map(
            plant.get_body, map(BodyIndex, range(plant.num_bodies()))
        )
        if to_weld_root(body, joints)[0].index() == world
        for geometry in plant.GetCollisionGeometriesForBody(body)
    }


def _soften(
    plant: MultibodyPlant, scene_graph: SceneGraph, geometry: GeometryId
) -> None:
    """Makes a shape soft enough to leave a floor that it is deep in."""
    properties = ProximityProperties(
        scene_graph.model_inspector().GetProximityProperties(geometry)
    )
    name = "hydroelastic", "hydroelastic_modulus"
    if properties.GetPropertyOrDefault(*name, 0.0) > _SOFT:
        properties.UpdateProperty(*name, _SOFT)
        scene_graph.AssignRole(
            source_id=plant.get_source_id(),
            geometry_id=geometry,
            properties=properties,
            assign=RoleAssign.kReplace,
        )


def _has_patch(properties: ProximityProperties) -> bool:
    return properties.HasProperty("hydroelastic", "compliance_type")


def _friction(properties: ProximityProperties) -> float:
    given = properties.GetProperty("material", "coulomb_friction")
    return given.dynamic_friction()
