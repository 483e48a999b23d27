"""Which shapes bounce off each other."""

from collections.abc import Mapping, Sequence

from pydrake.geometry import GeometryId, ProximityProperties, SceneGraph
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.bounce import Bounce
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.materials import Material, entry_of
from webmotor_drake.contact.shape_contact import has_patch
from webmotor_drake.errors import warn
from webmotor_drake.nodes.contact import ContactProperties

Bouncing = dict[ShapePair, Bounce]


def bouncing_pairs(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    materials: Mapping[GeometryId, Material],
    touching: Sequence[ShapePair],
    entries: Sequence[ContactProperties],
    default: float | None = None,
) -> Bouncing:
    """Returns the pairs of shapes that bounce, and how.

    Args:
        plant: finalized.
        scene_graph: with its geometry and friction.
        materials: of all shapes.
        touching: those that can touch.
        entries: of pairs of materials.
        default: restitution where an entry does not say it, and without an entry.
    """
    by_pair = {entry.materials: entry for entry in entries}
    if not default and not any(entry.bounce for entry in entries):
        return {}
    if not plant.time_step():
        warn("nothing bounces on a continuous plant (time_step 0)")
        return {}
    inspector = scene_graph.model_inspector()
    properties = {g: inspector.GetProximityProperties(g) for g in materials}
    patches = {g: has_patch(p) for g, p in properties.items()}
    friction = {g: _friction(p) for g, p in properties.items()}
    pairs: Bouncing = {}
    for a, b in touching:
        entry = entry_of(by_pair, materials[a].name, materials[b].name)
        bounce = default if entry.bounce is None else entry.bounce
        if bounce:
            mu = combined(friction[a], friction[b])
            pairs[a, b] = Bounce(entry, bounce, mu, patches[a] and patches[b])
    return pairs


def _friction(properties: ProximityProperties) -> float:
    given = properties.GetProperty("material", "coulomb_friction")
    return given.dynamic_friction()
