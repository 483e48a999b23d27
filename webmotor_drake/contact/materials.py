"""Webots' contact materials on the shapes of a plant."""

import dataclasses as dc
import functools
from collections.abc import Callable, Collection, Mapping, Sequence

from pydrake.geometry import GeometryId, ProximityProperties, SceneGraph
from pydrake.multibody.plant import CoulombFriction, MultibodyPlant

from webmotor_drake.contact.corner_names import corners_of
from webmotor_drake.contact.friction_fit import MOST, Pair, combined, fitted
from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.proximity import FRICTION, replace_properties
from webmotor_drake.contact.shape_contact import ShapeContact
from webmotor_drake.contact.softness import soften
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.nodes.contact import ContactProperties

DEFAULT = "default"
# A friction that is off by less is met.
_MET = 0.01


@dc.dataclass(frozen=True)
class Material:
    """The material of a shape.

    Attributes:
        name: Webots' contactMaterial.
        friction: its own coefficient, which is kept; None: its material's.
    """

    name: str = DEFAULT
    friction: float | None = None


# The material of a shape of a model, body and shape's name.
MaterialOf = Callable[[str, str, str], Material]


@dc.dataclass(frozen=True)
class Touching:
    """The shapes of a plant that can touch, and how their materials do.

    Attributes:
        plant: finalized plant.
        scene_graph: with its geometry, and all collision filters.
        materials: of all shapes.
        pairs: of shapes that can touch.
        entries: checked ones.
    """

    plant: MultibodyPlant
    scene_graph: SceneGraph
    materials: Mapping[GeometryId, Material]
    pairs: Sequence[ShapePair]
    entries: Sequence[ContactProperties]

    @functools.cached_property
    def by_pair(self) -> dict[Pair, ContactProperties]:
        """The entries by pairs of materials."""
        return {entry.materials: entry for entry in self.entries}

    def entry(self, a: GeometryId, b: GeometryId) -> ContactProperties:
        """Returns how two shapes touch, see `entry_of`."""
        return entry_of(
            self.by_pair, self.materials[a].name, self.materials[b].name
        )


def check_contact_properties(entries: Sequence[ContactProperties]) -> None:
    """Raises InputError, its path the index, for a pair of materials given twice."""
    seen: dict[Pair, int] = {}
    for i, entry in enumerate(entries):
        if entry.materials in seen:
            raise InputError(
                f"{' and '.join(entry.materials)} are entry"
                f" {seen[entry.materials]} already; Webots takes the first",
                path=(i,),
            )
        seen[entry.materials] = i


def check_material(name: str, entries: Sequence[ContactProperties]) -> None:
    """Raises InputError for a material that no entry names."""
    known = {DEFAULT, *(m for entry in entries for m in entry.materials)}
    if name not in known:
        raise InputError(unknown_name("contact material", name, sorted(known)))


def materials_of(
    scene_graph: SceneGraph,
    contacts: Sequence[ShapeContact],
    material_of: MaterialOf,
) -> dict[GeometryId, Material]:
    """Returns the material of each shape.

    Args:
        scene_graph: with the shapes.
        contacts: of all shapes.
        material_of: their materials, by their names.
    """
    inspector = scene_graph.model_inspector()
    return {
        c.geometry: material_of(
            c.model,
            c.body,
            inspector.GetName(c.geometry).rpartition("::")[2],
        )
        for c in contacts
    }


def apply_contact_properties(touching: Touching) -> None:
    """Gives shapes the friction and softness of their materials' pairs.

    A pair without an entry has Webots' friction. What Drake cannot do is told; for
    what it does not have see `sliding_pairs`.

    Args:
        touching: the pairs with friction of Drake's.
    """
    plant, scene_graph = touching.plant, touching.scene_graph
    by_pair, materials = touching.by_pair, touching.materials
    meeting = _meeting(materials, touching.pairs)
    wanted, known, ranks = {}, {}, {}
    for a, b in meeting:
        ranks[_key(a), _key(b)] = rank(by_pair, a.name, b.name)
        wanted[_key(a), _key(b)] = mean_friction(
            entry_of(by_pair, a.name, b.name)
        )
        known |= {_key(m): m.friction for m in (a, b) if m.friction is not None}
    both_known = {p for p in wanted if p[0] in known and p[1] in known}
    friction = fitted(
        {p: mu for p, mu in wanted.items() if p not in both_known}, known, ranks
    )
    _tell_of_errors(
        {p: mu for p, mu in wanted.items() if not set(p) & known.keys()},
        friction,
    )
    for geometry, material in materials.items():
        if material.friction is None and _key(material) in friction:
            set_friction(plant, scene_graph, geometry, friction[_key(material)])
    if not plant.time_step():
        met = dict.fromkeys(tuple(sorted((a.name, b.name))) for a, b in meeting)
        for pair in met:
            _tell_of_losses(entry_of(by_pair, *pair))
    names = {g: m.name for g, m in materials.items()}
    soften(plant, scene_graph, names, by_pair)


def entry_of(
    entries: Mapping[Pair, ContactProperties], one: str, other: str
) -> ContactProperties:
    """Returns how two materials touch, by Webots' defaults if none says it."""
    first, second = sorted((one, other))
    return entries.get((first, second)) or _usual(first, second)


@functools.cache
def _usual(first: str, second: str) -> ContactProperties:
    """Returns Webots' defaults, once: there are as many pairs as shapes squared."""
    return ContactProperties(first, second)


def rank(
    entries: Mapping[Pair, ContactProperties], first: str, second: str
) -> int:
    """Returns which pairs of materials come first where not all can be met.

    Pairs that are listed do; then "default" with itself, as most things are of it.
    """
    if tuple(sorted((first, second))) in entries:
        return 0
    return 1 if first == second == DEFAULT else 2


def _key(material: Material) -> str:
    """Returns a name for the materials that share one coefficient."""
    if material.friction is None:
        return material.name
    return f"{material.name} with {material.friction!r}"


def mean_friction(entry: ContactProperties) -> float:
    """Returns the one coefficient that stands for all directions."""
    return sum(entry.frictions()) / 2


def _meeting(
    materials: Mapping[GeometryId, Material], pairs: Sequence[ShapePair]
) -> Collection[tuple[Material, Material]]:
    """Returns the pairs of materials of which shapes can touch, in their order."""
    met = dict.fromkeys((materials[a], materials[b]) for a, b in pairs)
    return dict.fromkeys(tuple(sorted(pair, key=_key)) for pair in met)


def set_friction(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    geometry: GeometryId,
    friction: float,
) -> None:
    """Gives a shape, and its corners, a coefficient of friction."""
    inspector = scene_graph.model_inspector()
    for shape in (geometry, *corners_of(inspector, geometry)):
        properties = ProximityProperties(
            inspector.GetProximityProperties(shape)
        )
        name, wanted = FRICTION, CoulombFriction(friction, friction)
        if properties.HasProperty(*name) and _same(
            properties.GetProperty(*name), wanted
        ):
            continue  # Drake would compute patches anew
        properties.UpdateProperty(*name, wanted)
        replace_properties(plant, scene_graph, shape, properties)


def _same(a: CoulombFriction, b: CoulombFriction) -> bool:
    return (a.static_friction(), a.dynamic_friction()) == (
        b.static_friction(),
        b.dynamic_friction(),
    )


def _tell_of_errors(
    wanted: Mapping[Pair, float], friction: Mapping[str, float]
) -> None:
    """Warns of pairs whose friction Drake cannot combine."""
    for (a, b), mu in wanted.items():
        got = combined(friction[a], friction[b])
        mu = min(mu, MOST)
        if abs(got - mu) > _MET * max(mu, _MET):
            warn(
                f"contact_properties of {a} and {b}: friction {got:.3g} instead of"
                f" {mu:.3g}, the nearest that goes with the other pairs; Drake has"
                " one coefficient per shape"
            )


def _tell_of_losses(entry: ContactProperties) -> None:
    """Warns of friction that a continuous plant does not have."""
    pair = " and ".join(entry.materials)
    if entry.slides_otherwise:
        warn(
            f"contact_properties of {pair}: friction is {mean_friction(entry):g} in all"
            " directions, and nothing slips by force_dependent_slip, on a continuous"
            " plant (time_step 0)"
        )
