"""Contact materials of a world, and the damping of its bodies."""

from webmotor_drake.nodes.contact import ContactProperties, Damping
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.models import Link, Model
from webmotor_drake.worlds.nodes import Node

# The material of what slides in our own replacements.
SLIPPERY = "webmotor slippery"
# The material of bumpers that feel and do not push.
FELT = "webmotor felt"
# ContactProperties.bounce of what does not say it.
BOUNCE = 0.5


def contact_properties(
    nodes: list[Node], models: list[Model]
) -> list[ContactProperties]:
    """Returns a world's contact properties; of a pair given twice the first.

    Args:
        nodes: entries of WorldInfo.contactProperties.
        models: models of the world.
    """
    entries: dict[tuple[str, str], ContactProperties] = {}
    for node in nodes:
        if node.type != "ContactProperties":
            continue
        entry = read_node(ContactProperties, node)
        if entry.materials in entries:
            node.place.add(
                "note",
                f"ContactProperties of {' and '.join(entry.materials)}",
                "given twice; the first counts, as in Webots",
            )
        entries.setdefault(entry.materials, entry)
    used = {
        collision.material
        for model in models
        for link in model.links
        for collision in link.collisions
    }
    for smooth in sorted(used & {SLIPPERY, FELT}):
        for other in sorted(used | {"default"}):
            entry = ContactProperties(smooth, other, [0.0])
            if FELT in entry.materials:
                entry.bounce = 0.0
            entries.setdefault(entry.materials, entry)
    if ("default", "default") in entries:
        # A material without an entry has Webots' defaults, not those of "default".
        named = {name for pair in entries for name in pair}
        for other in sorted(used - named):
            entry = ContactProperties("default", other)
            entries.setdefault(entry.materials, entry)
    return list(entries.values())


def add_materials(link: Link, names: list[str], known: set[str]) -> None:
    """Adds the materials and the damping of a body to its changes.

    Args:
        link: the body.
        names: names of its colliding shapes.
        known: the materials of which there are properties.
    """
    materials = {
        name: collision.material
        for name, collision in zip(names, link.collisions, strict=True)
        if collision.material in known - {"default"}
    }
    if len(materials) == len(names) and len(set(materials.values())) == 1:
        link.changes.contact_material = next(iter(materials.values()))
    else:
        link.changes.shape_materials = materials
    link.changes.damping = _damping_of(link.damping)


def _damping_of(parts: list[tuple[float, Damping | None]]) -> Damping | None:
    """Returns the damping of a body; None: the world's default (WbSolidMerger.cpp)."""
    volume = sum(share for share, _ in parts)
    if not volume:
        return None
    linear = sum(share * d.linear for share, d in parts if d is not None)
    angular = sum(share * d.angular for share, d in parts if d is not None)
    if not linear and not angular:
        return None
    return Damping(linear / volume, angular / volume)
