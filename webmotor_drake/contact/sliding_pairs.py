"""Which shapes have friction that Drake does not have: by direction, or with slip."""

from collections.abc import Sequence

from webmotor_drake.contact.inboard import ShapePair, fixed_shapes
from webmotor_drake.contact.materials import DEFAULT, Touching, set_friction
from webmotor_drake.contact.sliding_directions import DIRECTED, Sliding
from webmotor_drake.errors import warn
from webmotor_drake.nodes.contact import ContactProperties


def slick_materials(entries: Sequence[ContactProperties]) -> set[str]:
    """Returns the materials that get no friction from Drake, with none of the others.

    Drake has a coefficient per shape, and a pair has none if one of them is 0. Of each
    pair of materials that needs it the first gets it, if it is not "default".
    """
    slick: set[str] = set()
    for entry in entries:
        pair = {entry.material1, entry.material2}
        if entry.slides_otherwise and not pair & slick:
            named = [
                m for m in (entry.material1, entry.material2) if m != DEFAULT
            ]
            slick.add(named[0] if named else DEFAULT)
    return slick


def sliding_pairs(touching: Touching) -> dict[ShapePair, Sliding]:
    """Returns the pairs whose friction Drake does not get, and takes Drake's away."""
    plant, materials = touching.plant, touching.materials
    names = slick_materials(touching.entries)
    if not names or not plant.time_step():
        return {}
    slick = {
        shape
        for shape, material in materials.items()
        if material.name in names and material.friction is None
    }
    inspector = touching.scene_graph.model_inspector()
    fixed = fixed_shapes(plant)
    pairs: dict[ShapePair, Sliding] = {}
    without: dict[tuple[str, str], str] = {}
    for a, b in touching.pairs:
        if a not in slick and b not in slick:
            continue
        entry = touching.entry(a, b)
        first, second = (
            (a, b) if materials[a].name == entry.material1 else (b, a)
        )
        turned = second if first in fixed else first
        pairs[a, b] = Sliding(entry, first, second, turned)
        for shape in (a, b) if entry.by_direction else ():
            kind = inspector.GetShape(shape)
            if not isinstance(kind, DIRECTED):
                without[entry.materials] = type(kind).__name__
    for shape in slick:
        set_friction(plant, touching.scene_graph, shape, 0.0)
    for (one, other), kind in without.items():
        warn(
            f"contact_properties of {one} and {other}: a {kind} has no directions;"
            " the first friction and the first slip count there, as in Webots"
        )
    return pairs
