"""Properties of shapes' contact: friction, stiffness, patches."""

import contextlib
from collections.abc import Generator

from pydrake.geometry import (
    CollisionFilterDeclaration,
    CollisionFilterManager,
    GeometryId,
    GeometrySet,
    ProximityProperties,
    Role,
    RoleAssign,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.inboard import ShapePair

DRAKES_STIFFNESS = 1e6  # of points, N/m
STIFFNESS = "material", "point_contact_stiffness"
FRICTION = "material", "coulomb_friction"
HYDROELASTIC = "hydroelastic"
# The least stiffness of a point, N/m: softer ones hold nothing.
_SOFTEST = 1.0


def has_patch(properties: ProximityProperties) -> bool:
    """Returns whether a shape touches others that have one on a patch."""
    return properties.HasProperty(HYDROELASTIC, "compliance_type")


def lets_in(properties: ProximityProperties) -> bool:
    """Returns whether a shape lets all others in, as a bumper that only feels."""
    return properties.GetPropertyOrDefault(*STIFFNESS, _SOFTEST) < _SOFTEST


def friction_of(inspector: SceneGraphInspector, geometry: GeometryId) -> float:
    """Returns a shape's coefficient of dynamic friction."""
    properties = inspector.GetProximityProperties(geometry)
    friction = properties.GetProperty(*FRICTION)
    return friction.dynamic_friction()


def stiffness_of(inspector: SceneGraphInspector, shape: GeometryId) -> float:
    """Returns the stiffness of a point of a shape, N/m."""
    properties = inspector.GetProximityProperties(shape)
    return properties.GetPropertyOrDefault(*STIFFNESS, DRAKES_STIFFNESS)


def softness_of(inspector: SceneGraphInspector, shapes: ShapePair) -> float:
    """Returns the compliance of a point in which two shapes touch, in series, m/N."""
    first, second = (stiffness_of(inspector, shape) for shape in shapes)
    return 1 / first + 1 / second


def change_property(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    geometry: GeometryId,
    name: tuple[str, str],
    value: object,
) -> None:
    """Gives a shape another value of a property, before a diagram has a Context."""
    given = scene_graph.model_inspector().GetProximityProperties(geometry)
    properties = ProximityProperties(given)
    properties.UpdateProperty(*name, value)
    replace_properties(plant, scene_graph, geometry, properties)


def replace_properties(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    geometry: GeometryId,
    properties: ProximityProperties,
) -> None:
    """Gives a shape other properties, before a diagram has a Context."""
    scene_graph.AssignRole(
        source_id=plant.get_source_id(),
        geometry_id=geometry,
        properties=properties,
        assign=RoleAssign.kReplace,
    )


@contextlib.contextmanager
def same_filters(
    inspector: SceneGraphInspector,
    manager: CollisionFilterManager,
    geometry: GeometryId,
) -> Generator[None]:
    """Keeps the collision filters of a shape that the block gives another form.

    Drake forgets them, also those of shapes of one body, and fails if fixed shapes
    touch.
    """
    apart = [
        other
        for other in inspector.GetAllGeometryIds(Role.kProximity)
        if inspector.GetProximityProperties(geometry)
        and inspector.CollisionFiltered(geometry, other)
    ]
    yield
    if apart:
        declared = CollisionFilterDeclaration().ExcludeBetween(
            GeometrySet(geometry), GeometrySet(apart)
        )
        manager.Apply(declared)
