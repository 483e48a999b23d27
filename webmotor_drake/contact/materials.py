"""Webots' contact materials on the shapes of a plant."""

import dataclasses as dc
import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from pydrake.geometry import GeometryId, SceneGraph, SceneGraphInspector
from pydrake.multibody.plant import CoulombFriction, MultibodyPlant

from webmotor_drake.contact.corner_names import corners_of
from webmotor_drake.contact.friction_fit import MOST, Pair, combined, fitted
from webmotor_drake.contact.inboard import ShapePair, fixed_shapes
from webmotor_drake.contact.proximity import (
    DRAKES_STIFFNESS,
    FRICTION,
    HYDROELASTIC,
    STIFFNESS,
    change_property,
    friction_of,
)
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.nodes.contact import ContactProperties

DEFAULT = "default"
# A pair's friction is met if it is off by less, relatively.
_MET = 0.01
# ODE's contact point is a spring of ERP / (CFM h), 6250 N/m at 32 ms by default. We
# leave this default out, since it lets things sink; other soft_erp and soft_cfm count.
# The number of a face's corners, each with ODE's spring.
_CORNERS = 4
# Limits: harder contacts let things fall through, and so does an ERP of 0.
_HARDEST, _HARDEST_POINT, _LEAST_ERP = 1e12, 1e9, 1e-3  # Pa, N/m and 1


@dc.dataclass(frozen=True)
class Material:
    """The material of a shape.

    Attributes:
        name: Webots' contactMaterial.
        friction: its own coefficient, which is kept; None: its material's.
    """

    name: str = DEFAULT
    friction: float | None = None


@dc.dataclass(frozen=True)
class Touching:
    """The shapes of a plant that can touch, with the properties of their contact.

    Attributes:
        plant: finalized plant.
        scene_graph: scene graph with its geometry and all collision filters.
        materials: materials of all shapes.
        pairs: contact properties of pairs of shapes that can touch.
        entries: contact properties of materials, checked.
    """

    plant: MultibodyPlant
    scene_graph: SceneGraph
    materials: Mapping[GeometryId, Material]
    pairs: Mapping[ShapePair, ContactProperties]
    entries: Sequence[ContactProperties]


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


def slick_materials(entries: Sequence[ContactProperties]) -> set[str]:
    """Returns the materials whose shapes get no friction at all from Drake.

    Drake has a coefficient per shape, and a pair has no friction if one is 0. Of each
    pair whose friction is ours the first material that is not "default" gets 0.
    """
    slick: set[str] = set()
    for entry in entries:
        pair = entry.material1, entry.material2
        if entry.slides_otherwise and not slick & set(pair):
            named = [m for m in pair if m != DEFAULT]
            slick.add(named[0] if named else DEFAULT)
    return slick


def arriving_friction(
    name: str,
    inspector: SceneGraphInspector,
    materials: Mapping[GeometryId, Material],
    entries: Sequence[ContactProperties],
) -> float:
    """Returns the coefficient of friction for a shape that comes into a running world.

    Only the arriving shape's coefficient is chosen, so that its friction with each body
    in the world is right (see `fitted`). Between two arriving shapes friction is not
    chosen. With shapes of `slick_materials` Drake has none.

    Args:
        name: its material.
        inspector: inspector of the shapes that are there.
        materials: materials of these shapes.
        entries: contact properties of materials.
    """
    by_pair = {entry.materials: entry for entry in entries}
    slick, mine = slick_materials(entries), Material(name)
    meeting: dict[tuple[Material, Material], None] = {}
    for geometry, material in materials.items():
        properties = inspector.GetProximityProperties(geometry)
        known = properties is not None and properties.HasProperty(*FRICTION)
        if material.name in slick or not known:
            continue
        friction = friction_of(inspector, geometry)
        if material == mine:
            return friction
        meeting[mine, Material(material.name, friction)] = None
    if not meeting:
        return mean_friction(entry_of(by_pair, name, name))
    return fitted(*_posed(by_pair, meeting))[name]


def apply_contact_properties(touching: Touching) -> None:
    """Gives shapes the friction and softness of their materials' pairs.

    A pair without an entry has Webots' friction. Warnings name what Drake cannot do;
    friction that Drake does not have is in `sliding_pairs`.

    Args:
        touching: shapes, and the pairs that have Drake's friction.
    """
    plant, scene_graph = touching.plant, touching.scene_graph
    by_pair = {entry.materials: entry for entry in touching.entries}
    materials = touching.materials
    # Pairs of materials whose shapes can touch, in order.
    met = dict.fromkeys((materials[a], materials[b]) for a, b in touching.pairs)
    meeting = dict.fromkeys(tuple(sorted(pair, key=_key)) for pair in met)
    wanted, known, ranks = _posed(by_pair, meeting)
    friction = fitted(wanted, known, ranks)
    for (a, b), mu in wanted.items():
        got = combined(friction[a], friction[b])
        mu = min(mu, MOST)
        off = abs(got - mu) > _MET * max(mu, _MET)
        if off and not {a, b} & known.keys():
            warn(
                f"contact_properties of {a} and {b}: friction {got:.3g} instead of"
                f" {mu:.3g}, the nearest that goes with the other pairs; Drake has"
                " one coefficient per shape"
            )
    for geometry, material in materials.items():
        if material.friction is None and _key(material) in friction:
            set_friction(plant, scene_graph, geometry, friction[_key(material)])
    _soften(touching)


def entry_of(
    entries: Mapping[Pair, ContactProperties], one: str, other: str
) -> ContactProperties:
    """Returns the contact of two materials; Webots' defaults if no entry has it."""
    first, second = sorted((one, other))
    return entries.get((first, second)) or _usual(first, second)


@functools.cache
def _usual(first: str, second: str) -> ContactProperties:
    """Returns Webots' defaults, cached: there are as many pairs as shapes squared."""
    return ContactProperties(first, second)


def _posed(
    by_pair: Mapping[Pair, ContactProperties],
    meeting: Iterable[tuple[Material, Material]],
) -> tuple[dict[Pair, float], dict[str, float], dict[Pair, int]]:
    """Returns the arguments of `fitted` for materials that meet.

    Where not all pairs can be met, listed ones come first; then "default" with itself,
    as most things are made of it.
    """
    wanted, known, ranks = {}, {}, {}
    for a, b in meeting:
        pair, (first, second) = (_key(a), _key(b)), sorted((a.name, b.name))
        usual = 1 if first == second == DEFAULT else 2
        ranks[pair] = 0 if (first, second) in by_pair else usual
        wanted[pair] = mean_friction(entry_of(by_pair, first, second))
        known |= {_key(m): m.friction for m in (a, b) if m.friction is not None}
    return wanted, known, ranks


def _key(material: Material) -> str:
    """Returns a name for the materials that share one coefficient."""
    if material.friction is None:
        return material.name
    return f"{material.name} with {material.friction!r}"


def mean_friction(entry: ContactProperties) -> float:
    """Returns the one coefficient that stands for all directions."""
    return sum(entry.frictions()) / 2


def set_friction(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    geometry: GeometryId,
    friction: float,
) -> None:
    """Gives a shape, and its corners, a coefficient of friction."""
    inspector = scene_graph.model_inspector()
    wanted = CoulombFriction(friction, friction)
    for shape in (geometry, *corners_of(inspector, geometry)):
        properties = inspector.GetProximityProperties(shape)
        if properties.HasProperty(*FRICTION):
            own = properties.GetProperty(*FRICTION)
            if own.static_friction() == own.dynamic_friction() == friction:
                continue  # Drake would compute patches anew
        change_property(plant, scene_graph, shape, FRICTION, wanted)


def _soften(touching: Touching) -> None:
    """Gives moving shapes the stiffness of ODE's contacts, where entries say so."""
    plant, scene_graph = touching.plant, touching.scene_graph
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    entries, step = touching.entries, plant.time_step()
    for geometry, material in touching.materials.items():
        stiffness = _stiffness(material.name, entries, step)
        if stiffness is None or geometry in fixed:
            continue
        name = HYDROELASTIC, "hydroelastic_modulus"
        if inspector.GetProximityProperties(geometry).HasProperty(*name):
            edges = 2 * np.sort(
                inspector.GetObbInGeometryFrame(geometry).half_width()
            )
            corners = corners_of(inspector, geometry)
            # A shape with corners stands half on these, half on its patch.
            spring = stiffness / 2 if corners else stiffness
            modulus = _CORNERS * spring * edges[0] / 2 / (edges[1] * edges[2])
            for corner in corners:
                own = min(spring, _HARDEST_POINT)
                change_property(plant, scene_graph, corner, STIFFNESS, own)
            own = min(float(modulus), _HARDEST)
        else:  # in series with the other shape's
            name = STIFFNESS
            own = 1 / max(1 / stiffness - 1 / DRAKES_STIFFNESS, 1e-12)
        change_property(plant, scene_graph, geometry, name, own)


def _stiffness(
    material: str,
    entries: Sequence[ContactProperties],
    step: float,
) -> float | None:
    """Returns the softest spring of a material's pairs, N/m; None: the default."""
    springs = [
        max(entry.soft_erp, _LEAST_ERP) / (entry.soft_cfm * step)
        for entry in entries
        if material in entry.materials
        and (entry.soft_erp, entry.soft_cfm)
        != (ContactProperties.soft_erp, ContactProperties.soft_cfm)
    ]
    return min(springs, default=None)
