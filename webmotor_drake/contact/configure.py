"""Gives the shapes of a plant the contact that suits them."""

import dataclasses as dc

from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Capsule,
    Cylinder,
    HalfSpace,
    ProximityProperties,
    SceneGraph,
    SceneGraphConfig,
    Shape,
    Sphere,
)
from pydrake.multibody.plant import (
    ContactModel,
    CoulombFriction,
    MultibodyPlant,
)

from webmotor_drake.contact.before_step import before_each_step
from webmotor_drake.contact.corners import (
    add_corners,
    shapes_without_corners,
    thin_hulls,
)
from webmotor_drake.contact.half_spaces import HalfSpaces, silence_deformables
from webmotor_drake.contact.landing import Landing
from webmotor_drake.contact.proximity import (
    DRAKES_STIFFNESS,
    HYDROELASTIC,
    STIFFNESS,
    replace_properties,
)
from webmotor_drake.contact.shape_contact import (
    COMPLIANT,
    POINT,
    RIGID,
    STIFF,
    ShapeContact,
    shape_contacts,
)
from webmotor_drake.errors import InputError

# Pressure of a patch per relative depth, Pa. The soft value is a compromise: harder
# patches jam where they slide, things topple on softer ones, and round shapes turn onto
# a facet of their mesh, the further the harder they are (docs/contact.md).
_MODULUS = {COMPLIANT: 3e6, STIFF: 1e9}
_ROUND_MODULUS = 1e6
# Distance at which shapes without corners are seen before they touch, m.
_MARGIN = 1e-3
# Stiffness of points, N/m. A shape with a patch hardly yields at a point; a round shape
# yields alone as much as two of Drake's default do together.
_PATCHED, _ROUND = 1e9, DRAKES_STIFFNESS / 2
# Edge length of meshes: m for flat shapes, a share of the radius for round ones, and a
# larger share for those that roll on corners: two finer meshes that overlap cost 1 s.
_EDGE, _ROUND_EDGE, _CORNERED_EDGE = 0.02, 0.2, 0.6
# Least edge length of a capsule's mesh, m, or this share of its radius if smaller: thin
# capsules have large patches, due to the margin, and fine meshes cost time.
_CAPSULE_EDGE, _MOST_EDGE = 2e-3, 0.4

_DRAKES = SceneGraphConfig().default_proximity_properties


def configure_contact(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
) -> list[ShapeContact]:
    """Gives each collision shape the contact that stands, lands and still rolls.

    Boxes, meshes and fixed shapes get hydroelastic contact, spheres and wheels point
    contact. Half spaces on bodies that are welded to the world move to the world's own
    body. Elsewhere Drake ends the process from some 15 bodies on, even while they are
    being added: better register half spaces on the world's body yourself. Contact that
    a model or the scene graph's config sets stays. Scenarios call this by themselves.

    Args:
        plant: discrete plant with all its models and joints, before its Finalize.
        scene_graph: scene graph with the plant's geometry.

    Returns:
        The contact of each shape, with the reason.

    Raises:
        InputError: the plant is finalized.
    """
    half_spaces = HalfSpaces(plant, scene_graph)
    contacts = assign_contact(plant, scene_graph, half_spaces)
    if any(c.lands for c in contacts):
        landing = Landing(plant, scene_graph)
        before_each_step(plant, landing.change, landing.lift)
    return contacts


def assign_contact(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    half_spaces: HalfSpaces,
    kept: str = "",
) -> list[ShapeContact]:
    """Gives shapes their contact as `configure_contact`, without landing.

    Args:
        plant: plant before its Finalize.
        scene_graph: scene graph with its geometry.
        half_spaces: record of the half spaces that were taken off their bodies.
        kept: reason to leave all shapes as they are; "" without one.
    """
    if plant.is_finalized():
        raise InputError(
            "configure_contact comes before the plant's Finalize, which was"
            " called already"
        )
    if not plant.geometry_source_is_registered():
        return []
    moved = half_spaces.settle()
    inspector = scene_graph.model_inspector()
    contacts = shape_contacts(plant, inspector, moved)
    kept = kept or _kept_as_is(plant, scene_graph)
    if kept:
        own = {"contact": "own", "reason": kept}
        return [
            c if c.contact == "own" else dc.replace(c, **own) for c in contacts
        ]
    thin_hulls(plant, scene_graph, contacts)
    plain = shapes_without_corners(plant, inspector, contacts)
    # Margins keep corners from carrying; without corners shapes stand by margins.
    cornered = any(
        c.contact == COMPLIANT and c.geometry not in plain for c in contacts
    )
    assigned = []
    for c in contacts:
        has_margin = not cornered or c.geometry in plain
        new = _assigned(plant, scene_graph, c, has_margin=has_margin)
        assigned.append(new)
    add_corners(plant, scene_graph, assigned, plain)
    return assigned


def properties_at_run_time(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    shape: Shape,
    *,
    fixed: bool,
    friction: float,
) -> ProximityProperties:
    """Returns the contact of a shape that comes while a simulation runs.

    Args:
        plant: finalized plant.
        scene_graph: scene graph with its geometry.
        shape: shape that comes.
        fixed: True if its body stays at its place.
        friction: static and dynamic.
    """
    properties = ProximityProperties()
    AddContactMaterial(
        properties=properties, friction=CoulombFriction(friction, friction)
    )
    if _kept_as_is(plant, scene_graph):
        return properties
    kind = STIFF if fixed else COMPLIANT
    if isinstance(shape, Sphere) and not fixed:
        kind = POINT
    if isinstance(shape, HalfSpace):
        kind = RIGID
    _give(properties, scene_graph, kind, shape, has_margin=True)
    return properties


def _kept_as_is(plant: MultibodyPlant, scene_graph: SceneGraph) -> str:
    """Returns the reason to leave all shapes as they are; "" without one."""
    if plant.get_contact_model() == ContactModel.kPoint:
        return "the plant's contact_model is point"
    if plant.time_step() == 0:
        return "the plant is continuous"
    defaults = scene_graph.get_config().default_proximity_properties
    if defaults.compliance_type != _DRAKES.compliance_type:
        return f"scene_graph_config says {defaults.compliance_type}"
    return ""


def _assigned(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    contact: ShapeContact,
    *,
    has_margin: bool,
) -> ShapeContact:
    if contact.contact == "own":
        return contact
    inspector = scene_graph.model_inspector()
    before = inspector.GetProximityProperties(contact.geometry)
    properties = ProximityProperties(before)
    shape = inspector.GetShape(contact.geometry)
    _give(
        properties, scene_graph, contact.contact, shape, has_margin=has_margin
    )
    own = plant, scene_graph, contact.geometry
    try:
        replace_properties(*own, properties)
    except RuntimeError as error:  # a mesh without a volume
        replace_properties(*own, ProximityProperties(before))
        reason = f"Drake makes no patch of it: {error}"
        return dc.replace(contact, contact=POINT, reason=reason)
    return contact


def _give(
    properties: ProximityProperties,
    scene_graph: SceneGraph,
    contact: str,
    shape: Shape,
    *,
    has_margin: bool,
) -> None:
    """Adds a contact's properties, unless the scene graph's config sets them."""
    defaults = scene_graph.get_config().default_proximity_properties

    def usual(name: str, ours: float) -> float:
        given = getattr(defaults, name)
        return ours if given == getattr(_DRAKES, name) else given

    stiffness = _ROUND if contact == POINT else _PATCHED
    properties.AddProperty(*STIFFNESS, usual("point_stiffness", stiffness))
    if contact == POINT:
        return
    if contact == RIGID:
        AddRigidHydroelasticProperties(properties=properties)
        silence_deformables()
        return
    edge, modulus = _EDGE, _MODULUS[contact]
    if isinstance(shape, Cylinder | Capsule):
        soft = contact == COMPLIANT
        share = _CORNERED_EDGE if soft and not has_margin else _ROUND_EDGE
        edge = share * shape.radius()
        modulus = _ROUND_MODULUS if soft else modulus
    if isinstance(shape, Capsule):
        edge = max(edge, min(_CAPSULE_EDGE, _MOST_EDGE * shape.radius()))
    AddCompliantHydroelasticProperties(
        resolution_hint=usual("resolution_hint", edge),
        hydroelastic_modulus=usual("hydroelastic_modulus", modulus),
        properties=properties,
    )
    if has_margin and not properties.HasProperty(HYDROELASTIC, "margin"):
        properties.AddProperty(HYDROELASTIC, "margin", usual("margin", _MARGIN))
