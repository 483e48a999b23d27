"""The friction of shapes that come into a world while it runs."""

from collections.abc import Sequence

from pydrake.geometry import GeometryId, SceneGraphInspector

from webmotor_drake.contact.friction_fit import fitted
from webmotor_drake.contact.materials import (
    MaterialOf,
    entry_of,
    mean_friction,
    rank,
)
from webmotor_drake.contact.shape_contact import ShapeContact
from webmotor_drake.contact.sliding_pairs import slick_materials
from webmotor_drake.nodes.contact import ContactProperties


def arriving_friction(
    name: str,
    inspector: SceneGraphInspector,
    contacts: Sequence[ShapeContact],
    entries: Sequence[ContactProperties],
    material_of: MaterialOf,
) -> float:
    """Returns the coefficient of friction for a shape of a material.

    Bodies in the world keep their own; what arrives gets what makes its pairs with
    them as they should be, see `fitted`. Two that arrive touch as it comes out. On
    shapes without Drake's friction (`slick_materials`) what arrives has none.

    Args:
        name: its material.
        inspector: of the shapes that are there.
        contacts: of these.
        entries: contact properties of materials.
        material_of: their materials.
    """
    known: dict[str, float] = {}
    slick = slick_materials(entries)
    for contact in contacts:
        shape = inspector.GetName(contact.geometry).rpartition("::")[2]
        material = material_of(contact.model, contact.body, shape)
        friction = _coefficient(inspector, contact.geometry)
        if friction is None or material.name in slick:
            continue
        if material.name == name and material.friction is None:
            return friction
        known[f"{material.name} with {friction!r}"] = friction
    by_pair = {entry.materials: entry for entry in entries}

    def between(other: str) -> float:
        return mean_friction(entry_of(by_pair, name, other))

    mine = "what arrives"
    wanted = {
        (mine, other): between(other.rpartition(" with ")[0]) for other in known
    }
    if not wanted:
        return between(name)
    ranks = {
        pair: rank(by_pair, name, pair[1].rpartition(" with ")[0])
        for pair in wanted
    }
    return fitted(wanted, known, ranks)[mine]


def _coefficient(
    inspector: SceneGraphInspector, geometry: GeometryId
) -> float | None:
    """Returns the coefficient of a shape; None: it has none of its own."""
    properties = inspector.GetProximityProperties(geometry)
    friction = "material", "coulomb_friction"
    if properties is None or not properties.HasProperty(*friction):
        return None
    return properties.GetProperty(*friction).static_friction()
