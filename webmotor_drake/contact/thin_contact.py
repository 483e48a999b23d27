"""Warns of boxes that would fall through each other."""

import itertools
from collections.abc import Collection

from pydrake.geometry import (
    Box,
    Convex,
    Cylinder,
    GeometryId,
    HalfSpace,
    Mesh,
    SceneGraph,
)
from pydrake.multibody.plant import ContactModel, MultibodyPlant

from webmotor_drake.contact.inboard import fixed_shapes, shape_bodies
from webmotor_drake.contact.proximity import has_patch, lets_in
from webmotor_drake.errors import warn

# From this plant step on boxes fall through floors in point contact, s.
_STEP = 0.004
_FLAT = (Box, Convex, Mesh, Cylinder)


def warn_of_point_contact(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    remedy: str,
    rolling: Collection[GeometryId] = (),
) -> None:
    """Warns if flat shapes meet in point contact at steps at which they fall through.

    Args:
        plant: finalized plant.
        scene_graph: scene graph with its geometry.
        remedy: words for what helps, in the warning.
        rolling: shapes that have a point on purpose, such as wheels.
    """
    if plant.time_step() < _STEP:
        return
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    bodies, patched = {}, set()
    config = scene_graph.get_config().default_proximity_properties
    by_default = config.compliance_type != "undefined"
    points_only = plant.get_contact_model() == ContactModel.kPoint
    for geometry, body in shape_bodies(plant).items():
        properties = inspector.GetProximityProperties(geometry)
        flat = (*_FLAT, HalfSpace) if geometry in fixed else _FLAT
        if (
            properties is not None
            and isinstance(inspector.GetShape(geometry), flat)
            and geometry not in rolling
            and not lets_in(properties)
        ):
            bodies[geometry] = str(body.scoped_name())
            if not points_only and (by_default or has_patch(properties)):
                patched.add(geometry)
    for a, b in itertools.product(
        [g for g in bodies if g not in fixed], bodies
    ):
        on_patches = a in patched and b in patched
        if not (on_patches or a == b or inspector.CollisionFiltered(a, b)):
            warn(
                f"{bodies[a]} can meet {bodies[b]} in point contact: at a plant step of"
                f" {plant.time_step():g} s flat shapes sink and fall through each"
                f" other; {remedy}"
            )
            return
