"""Warns of boxes that would fall through each other."""

from collections.abc import Collection, Iterable

from pydrake.geometry import (
    Box,
    Convex,
    Cylinder,
    GeometryId,
    HalfSpace,
    Mesh,
    ProximityProperties,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.multibody.plant import ContactModel, MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.contact.inboard import inboard_joints, to_weld_root
from webmotor_drake.contact.shape_contact import collision_shapes, has_patch
from webmotor_drake.errors import warn

# From this plant step on boxes fall through floors in point contact, s.
_STEP = 0.004
_FLAT = (Box, Convex, Mesh, Cylinder)
# What is softer holds nothing, N/m.
_SOFTEST = 1.0


def warn_of_point_contact(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    remedy: str,
    rolling: Collection[GeometryId] = (),
) -> None:
    """Warns if flat shapes meet in point contact at steps at which they fall through.

    Args:
        plant: finalized.
        scene_graph: with its geometry.
        remedy: what helps, for the warning.
        rolling: shapes that have a point on purpose, such as wheels.
    """
    if plant.time_step() < _STEP:
        return
    pair = _flat_pair(plant, scene_graph, rolling)
    if pair:
        warn(
            f"{pair[0]} can meet {pair[1]} in point contact: at a plant step of"
            f" {plant.time_step():g} s flat shapes sink and fall through each"
            f" other; {remedy}"
        )


def _flat_pair(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    rolling: Collection[GeometryId],
) -> tuple[str, str] | None:
    """Returns the names of two bodies whose flat shapes meet in one point."""
    inspector = scene_graph.model_inspector()
    shapes = {
        geometry: about
        for geometry, about in _flat_shapes(plant, inspector)
        if geometry not in rolling
        and not _yields(inspector.GetProximityProperties(geometry))
    }
    by_default = (
        scene_graph.get_config().default_proximity_properties.compliance_type
    )
    points_only = plant.get_contact_model() == ContactModel.kPoint

    def on_patches(geometry: GeometryId) -> bool:
        own = has_patch(inspector.GetProximityProperties(geometry))
        return not points_only and (own or by_default != "undefined")

    for a, (body_a, moves) in shapes.items():
        if not moves:
            continue
        for b, (body_b, _) in shapes.items():
            apart = a == b or inspector.CollisionFiltered(a, b)
            if not apart and not (on_patches(a) and on_patches(b)):
                return body_a, body_b
    return None


def _yields(properties: ProximityProperties) -> bool:
    """Returns whether a shape lets all others in, as a bumper that only feels."""
    stiffness = properties.GetPropertyOrDefault(
        "material", "point_contact_stiffness", _SOFTEST
    )
    return stiffness < _SOFTEST


def _name(plant: MultibodyPlant, body: RigidBody) -> str:
    model = plant.GetModelInstanceName(body.model_instance())
    return f"{model}::{body.name()}"


def _flat_shapes(
    plant: MultibodyPlant, inspector: SceneGraphInspector
) -> Iterable[tuple[GeometryId, tuple[str, bool]]]:
    """Gives shapes with faces: the body's name, and whether it moves."""
    joints = inboard_joints(plant)
    for body in map(plant.get_body, map(BodyIndex, range(plant.num_bodies()))):
        root, _ = to_weld_root(body, joints)
        moves = root.index() != plant.world_body().index()
        for geometry in collision_shapes(plant, inspector, body):
            shape = inspector.GetShape(geometry)
            flat = isinstance(shape, _FLAT if moves else (*_FLAT, HalfSpace))
            if flat:
                yield geometry, (_name(plant, body), moves)
